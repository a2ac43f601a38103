# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth between two skins of a body that touches itself: cuff, armpit, thighs, elbow and pocket."""

from common.report import heading, note
from test_scenes.contact.play import Play
from test_scenes.contact.trapped import SCENES
from test_scenes.contact.trapped_judge import judged

QUALITIES = ("draft", "fit")
QUICK = (("cuff", "draft"), ("pocket", "fit"))
COLUMNS = (
    "scene quality wrong_frames wrong deepest held uneven_mean uneven stretch speed body_speed left"
)


def measure(results, quick):
    """`trapped_frames`, over all scenes at *fit*; `trapped_stretch`, of the worst; the same at *draft*; `trapped_left`, over
    all."""
    heading("Bodies that touch themselves")
    note(
        "Two skins overlap by one to two centimetres, slide along each other and part. Within an overlap cloth is behind "
        "both; behind one alone it is on the wrong side. Left: what is inside, through something or beside another skin "
        "when they have parted. The fabric is the default, with self-contact."
    )
    found = []
    for name, make in SCENES.items():
        for quality in QUALITIES:
            if quick and (name, quality) not in QUICK:
                continue
            scene = make()
            with Play(scene, quality=quality, fabric={}) as play:
                run = judged(scene, play.run().track)
            found.append((quality, run))
            results.row("trapped", scene=name, quality=quality, **run.numbers())
    results.show("trapped", COLUMNS)
    for quality, ending in (("fit", ""), ("draft", "_draft")):
        runs = [run for of, run in found if of == quality]
        results.number("trapped_frames" + ending, sum(run.wrong_frames for run in runs))
        results.number("trapped_stretch" + ending, max(run.stretch for run in runs))
    results.number("trapped_left", sum(run.left for _, run in found))
