# SPDX-License-Identifier: GPL-3.0-or-later
"""A garment of 100,000 vertices on a moving body, with contact."""

from statistics import mean, median

from common.report import Rows, heading, note, whole
from test_scenes.contact.catalogue import make
from test_scenes.contact.judge import Judge
from test_scenes.contact.play import Play

THREADS = 2
METHODS = {
    "draft": {"quality": "draft"},
    "least": {"quality": "custom", "scheme": "plain", "iterations": 1, "substeps": 1},
}
TITLES = {"draft": "draft", "least": "plain, one iteration and substep"}
COLUMNS = (
    "method frame_seconds step_seconds contact_seconds force_seconds solve_seconds "
    "coarse_seconds solves touching deepest mean_strain largest_strain"
)


def measure(results, effort):
    skipped, timed = effort.garment_frames
    scene = make("tshirt", **effort.garment)
    heading("A t-shirt on a moving body, contact with the body, two threads")
    note(
        f"{whole(len(scene.cloth.positions))} vertices on {whole(len(scene.bodies[0].triangles()))} "
        f"triangles; frames {skipped + 1} to {skipped + timed}, medians. Frame: handing over the body and "
        "reading the positions, too; contact, forces, solves and coarse level are parts of the step. Deepest: of "
        "any vertex in the body at the end. The second row is the least that a step can do, to see what a "
        "frame costs at all: its strains tell that nobody would want it."
    )
    rows = Rows(results, "garment", COLUMNS)
    for method in METHODS:
        with Play(
            scene, self_contact=False, kept=False, threads=THREADS, **METHODS[method]
        ) as play:
            play.run(skipped + timed)
        found = _find(scene, play, skipped)
        rows.add(method=TITLES[method], threads=THREADS, **found)
        ending = "" if method == "draft" else f"_{method}"
        results.number(f"frame_ms_100k{ending}", 1e3 * found["frame_seconds"])
        results.number(f"frame_deepest_mm_100k{ending}", 1e3 * found["deepest"])
        results.number(f"frame_largest_strain_100k{ending}", found["largest_strain"])
    rows.show()


def _find(scene, play, skipped):
    """What a run took and reached."""
    stats = play.history[skipped:]
    return {
        "vertices": len(scene.cloth.positions),
        "frame_seconds": median(play.frame_seconds[skipped:]),
        "step_seconds": median(play.seconds[skipped:]),
        "contact_seconds": median(s.contact_seconds for s in stats),
        "force_seconds": median(s.force_seconds for s in stats),
        "solve_seconds": median(s.solve_seconds - s.coarse_seconds for s in stats),
        "coarse_seconds": median(s.coarse_seconds for s in stats),
        "solves": mean(s.solves for s in stats),
        "touching": mean(s.touching for s in stats),
        "deepest": float(Judge(scene).depths(play.positions(), play.frame).max()),
        "mean_strain": stats[-1].mean_strain,
        "largest_strain": max(s.largest_strain for s in stats),
    }
