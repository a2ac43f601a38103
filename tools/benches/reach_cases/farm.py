# SPDX-License-Identifier: GPL-3.0-or-later
"""A job of 24 tasks: two at a time against one after the other, and a Slurm array against one machine, byte by byte."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common.report import digits, heading, note, table
from muslin.command import child
from test_scenes import sheets, slurm_cluster
from test_scenes.objfile import write_obj
from test_scenes.solids import icosphere

SIDE, QUICK_SIDE = 41, 15  # vertices
FRAMES, QUICK_FRAMES = 60, 6
FABRICS = ("cotton", "silk", "wool", "denim")
TASKS = 24
SLURM_SECONDS = 600


def measure(results, quick):
    heading("Farm: a job of 24 tasks, one thread each")
    note(
        "Two sheets of different fineness, hung, blown by wind and falling on a ball, of four fabrics. Each task is a "
        "process of its own, with its start, its hashes and its record in its time."
    )
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        serial, pairs, array = (make_job(folder / name, quick) for name in ("one", "two", "array"))
        seconds = [batch(serial, "-j", "1"), batch(pairs, "-j", "2")]
        speedup = seconds[0] / seconds[1]
        results.row("batch", one=seconds[0], two=seconds[1], tasks=TASKS)
        results.number("batch_speedup", round(speedup, 3))
        table(("one after the other, s", "two at a time, s", "times as fast"),
              [(digits(seconds[0], 1), digits(seconds[1], 1), digits(speedup, 2))])  # fmt: skip
        busy = occupancy(pairs)
        results.number("batch_occupancy", round(busy, 3))
        note(
            f"Of the time of two at a time, {100 * busy:.1f} % had two at work, whatever else ran."
        )
        same = mismatches(serial, pairs)
        results.number("batch_mismatch", same)
        note(f"{same} of {TASKS} point caches differ between the two.")
        measure_slurm(results, array, pairs)


def measure_slurm(results, array, alone):
    if slurm_cluster.missing():
        note(f"No Slurm is here ({', '.join(slurm_cluster.missing())}): tools/setup --farm has it.")
        return
    folder = array.parent / "slurm"
    folder.mkdir()
    cluster = slurm_cluster.Cluster(folder)
    starter = array.parent / "muslin"
    starter.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{child.__file__}" "$@"\n')
    starter.chmod(0o755)
    script = array.parent / "array.sh"
    batch(array, "--slurm", str(script), "--muslin", str(starter))
    begin = time.monotonic()
    try:
        cluster.start()
        cluster.wait_for(cluster.submit(script), SLURM_SECONDS)
    finally:
        cluster.stop()
    found = mismatches(array, alone)
    results.row("slurm", seconds=time.monotonic() - begin, mismatch=found)
    results.number("slurm_mismatch", found)
    note(f"As an array of Slurm, on one node: {found} of {TASKS} differ from those of the batch.")


def make_job(folder, quick):
    """The path of a job, in a folder of its own."""
    folder.mkdir()
    side, frames = (QUICK_SIDE, QUICK_FRAMES) if quick else (SIDE, FRAMES)
    garments = {}
    for name, count in (("fine", side), ("coarse", side - 4)):
        scene, pins = sheets.hung_cloth(count)
        write_obj(folder / f"{name}.obj", scene)
        garments[name] = {"mesh": f"{name}.obj"}
        garments[name]["settings"] = {"pin": ",".join(map(str, pins))}
    write_obj(folder / "ball.obj", icosphere(0.3, (0, 0, 0.2)))
    job = {
        "muslin_job": 1,
        "output": "caches/{garment}_{shot}_{variation}.pc2",
        "settings": {"frames": frames, "self_contact": True},
        "garments": garments,
        "shots": {
            "hung": {},
            "wind": {"settings": {"wind": [4, 2, 0], "normal_drag": 0.1}},
            "fall": {"bodies": ["ball.obj"], "settings": {"pin": "none"}},
        },
        "variations": {name: {"fabric": name} for name in FABRICS},
    }
    path = folder / "job.json"
    path.write_text(json.dumps(job))
    return path


def batch(job, *options):
    """Seconds that a batch takes, from its start to its end."""
    begin = time.monotonic()
    command = [sys.executable, child.__file__, "batch", str(job), *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def occupancy(job):
    """The share of places for processes that had one, by the batch's own summary."""
    found = json.loads((job.parent / "job.batch" / "summary.json").read_text())
    return found["work_seconds"] / (found["at_once"] * found["seconds"])


def mismatches(one, other):
    """How many point caches of two jobs differ, or are missing."""
    first, second = (caches(job.parent / "caches") for job in (one, other))
    names = first.keys() | second.keys()
    return TASKS - len(names) + sum(first.get(name) != second.get(name) for name in names)


def caches(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.pc2")}
