# SPDX-License-Identifier: GPL-3.0-or-later
"""The free sheet: Muslin's bake against Blender's own cloth, speed beside quality."""

import numpy as np
from blender_cases.race import Scene, figures, header, play, responses, shown
from common.report import digits, heading, note, table, whole
from lively_cases.scenes import MANY_ROUNDS, NEWTON, closeness

SIDE, FRAMES = 141, 30
QUICK_SIDE, QUICK_FRAMES = 61, 22
CHECK_SIDE = 61


def converged(side, settings, method, frames):
    """Every frame of the same cloth at the same step, solved until it hardly changes."""
    pins = np.array([side * (side - 1), side * side - 1], np.int32)
    return play(side, frames, pins, {**settings, **method})


def _settings(answer):
    return answer["runs"]["draft"][0]["settings"]


def _follow(answer, side, frames):
    return converged(side, _settings(answer), MANY_ROUNDS, frames)


SCENE = Scene("free", rounds=2, follow=_follow)  # two keep the response above 0.9


def measure(results, sessions, quick):
    heading("A free sheet, held at two corners: Muslin's bake against Blender's own cloth")
    side, frames = (QUICK_SIDE, QUICK_FRAMES) if quick else (SIDE, FRAMES)
    answers = {session.version: SCENE.ask(session, side, frames) for session in sessions}
    first = next(iter(answers.values()))
    reference = SCENE.follow(first, side, frames)
    _explain(side, frames, first)
    rows, found = [], {}
    for version, answer in answers.items():
        found[version] = SCENE.records(answer, side, reference)
        for record in found[version].values():
            results.row("free", version=version, **record)
            rows.append((version, *shown(record), digits(record["mean_stretch"], 4)))
    table(("Blender", *header(frames), "mean stretch|at the end"), rows, left=2)
    figures(results, "free", found)
    _check_reference(results, _settings(first), frames)


def _explain(side, frames, answer):
    settings, builtin = _settings(answer), answer["runs"]["builtin"][0]["settings"]
    note(
        f"1 m, {whole(side * side)} vertices, starts horizontal, {frames} frames at 24 a second, no "
        "collider, no self-collision. Muslin: one step a frame, at draft or of "
        f"{SCENE.rounds} fixed rounds, which keep the response above 0.9; the add-on's default "
        f"fabric and air ({settings['density']:g} kg/m2, {settings['stretch_warp']:g} and "
        f"{settings['stretch_weft']:g} N/m, shear {settings['shear']:g} N/m). Blender's own: its "
        f"defaults, quality {builtin['quality']}; its mass of {builtin['mass']:g} kg is that of a "
        "vertex, whatever the mesh, so that no weight per area can be matched, and its cloth "
        "stretches more the finer the mesh is."
    )
    note(
        "ms per frame: the mean of the frames after the second, with everything that Blender and the "
        "add-on do; 'whole' also has the set-up. Response: mean drop over that of Muslin's converged "
        "run at the same step (24 two-level rounds); for Blender's own, whose fabric is another, it "
        "only shows that both sheets fall alike. Stretch: length of edges over their rest length."
    )


def _check_reference(results, settings, frames):
    """How near 24 rounds are to Newton, where that does not take minutes."""
    rounds = converged(CHECK_SIDE, settings, MANY_ROUNDS, frames)
    newton = converged(CHECK_SIDE, settings, NEWTON, frames)
    shares = responses(rounds, newton).values()
    results.number("free_reference_response", min(closeness(share) for share in shares))
    note(
        f"The reference, checked at {whole(CHECK_SIDE**2)} vertices against 20 Newton steps: response "
        f"{', '.join(digits(share, 4) for share in shares)}."
    )
