# SPDX-License-Identifier: GPL-3.0-or-later
"""A garment of 100,000 vertices on a moving body, with contact."""

from statistics import mean, median

from common.report import digits, heading, note, percent, table, whole
from test_scenes.contact.catalogue import make
from test_scenes.contact.judge import Judge
from test_scenes.contact.play import Play

THREADS = 2
HEADER = ("frame|ms", "step|ms", "contact|ms", "forces|ms", "solve|ms", "coarse|ms")
HEADER += ("solves|per frame", "touching")
HEADER += ("deepest|mm", "strain|mean", "strain|largest")


def measure(results, effort):
    skipped, timed = effort.garment_frames
    scene = make("tshirt", **effort.garment)
    heading("A t-shirt on a moving body, quality draft, contact with the body, two threads")
    note(
        f"{whole(len(scene.cloth.positions))} vertices on {whole(len(scene.bodies[0].triangles()))} "
        f"triangles; frames {skipped + 1} to {skipped + timed}, medians. Frame: handing over the body and "
        "reading the positions, too; contact, forces, solves and coarse level are parts of the step. Deepest: of "
        "any vertex in the body at the end."
    )
    with Play(scene, self_contact=False, quality="draft", kept=False, threads=THREADS) as play:
        play.run(skipped + timed)
    deepest = float(Judge(scene).depths(play.positions(), play.frame).max())
    frame, step = median(play.frame_seconds[skipped:]), median(play.seconds[skipped:])
    stats = play.history[skipped:]
    contact = median(s.contact_seconds for s in stats)
    forces = median(s.estimate_seconds for s in stats)
    solve = median(s.solve_seconds - s.coarse_seconds for s in stats)
    coarse = median(s.coarse_seconds for s in stats)
    solves, touching = (mean(getattr(s, name) for s in stats) for name in ("solves", "touching"))
    strain, middle = max(s.largest_strain for s in stats), stats[-1].mean_strain
    results.number("frame_ms_100k", 1e3 * frame)
    results.number("frame_deepest_mm_100k", 1e3 * deepest)
    results.number("frame_largest_strain_100k", strain)
    results.row(
        "garment",
        vertices=len(scene.cloth.positions),
        threads=THREADS,
        frame_seconds=frame,
        step_seconds=step,
        contact_seconds=contact,
        forces_seconds=forces,
        solve_seconds=solve,
        coarse_seconds=coarse,
        solves=solves,
        touching=touching,
        deepest=deepest,
        mean_strain=middle,
        largest_strain=strain,
    )
    row = [digits(1e3 * seconds, 1) for seconds in (frame, step, contact, forces, solve, coarse)]
    row += [digits(solves, 1), whole(touching), digits(1e3 * deepest), percent(middle, 2)]
    table(HEADER, [(*row, percent(strain))], left=0)
