# SPDX-License-Identifier: GPL-3.0-or-later
"""How far Muslin reaches: farms, the other systems that it runs on, and the packages for them."""

import json
import platform
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml
from dataclasses import replace
from pathlib import Path

import numpy as np
from common.bench import Bench, heading, note
from muslin.command import child
from test_scenes import sheets, slurm_cluster
from test_scenes.contact import catalogue
from test_scenes.loader_file import write_scene
from test_scenes.objfile import write_obj
from test_scenes.solids import icosphere

REPOSITORY = Path(__file__).resolve().parents[2]
TOOLS = REPOSITORY / "tools"
sys.path[:0] = [str(TOOLS), str(TOOLS / "python_support")]
import dll_file  # noqa: E402
from packing import judge  # noqa: E402

QUICK_HELP = "small garments, fewer tests; the same figures"
FIGURES = """
wine_tests_run | - | tests for Windows that ran, under Wine
wine_tests_failed | 0 | of these, failed
packages_valid | 9 | packages for three platforms that Blender, pip and the loaders take
dll_foreign_imports | 0 | libraries that muslin.dll needs and Windows does not bring
batch_speedup | >= 1.8 | 24 tasks, two at a time against one after the other, two cores
batch_occupancy | - | share of the time in which both places had a process
slurm_mismatch | 0 | point caches of a Slurm array that differ from one machine's
windows_distance_fall | <= 1e-6 | Linux against Windows, free fall: largest distance over size
windows_distance_tshirt | - | the same, a t-shirt on a figure that moves
one_bit_distance_tshirt | - | the same scene on Linux, one bit of its start changed
"""

# --- Windows on x86-64: the C tests under Wine, what muslin.dll needs, the same scene on both --------

WINDOWS = REPOSITORY / "build-windows"
UNAVAILABLE = 77


def windows(results, quick):
    heading("Windows")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "tests.xml"
        command = [TOOLS / "windows", "test", *([] if quick else ["--all"])]
        command += ["--output-junit", report]
        status = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if status.returncode == UNAVAILABLE:
            note(status.stdout.strip().splitlines()[-1])
            return
        if not report.exists():
            raise RuntimeError(f"tools/windows test came to nothing:\n{status.stdout}")
        rows = [
            {"test": case.get("name"), "outcome": case.get("status"), "s": float(case.get("time"))}
            for case in xml.parse(report).getroot().iter("testcase")
        ]
    results.table("windows", rows)
    ran = [row for row in rows if row["outcome"] != "notrun"]
    results.number("wine_tests_run", len(ran))
    results.number("wine_tests_failed", sum(row["outcome"] != "run" for row in ran))
    results.number("dll_foreign_imports", len(dll_file.foreign_imports(WINDOWS / "muslin.dll")))
    _compare_machines(results, quick)


def _compare_machines(results, quick):
    """The same scene on Linux and on Windows, by test_loader; one bit: on Linux with one vertex of the start moved by the
    last bit of its coordinate. Where that gives as much, the scene decides by rounding which way it folds.
    """
    if platform.machine() != "x86_64":
        test = [TOOLS / "test", "--kind", "cross", "-R", "^test_loader$"]
        subprocess.run(test, check=True, stdout=subprocess.DEVNULL)
    spacing, frames = (0.05, 3) if quick else (0.02, 4)  # few, since two emulators play them
    scene = catalogue.make("tshirt", spacing=spacing)
    size = float(np.linalg.norm(np.ptp(scene.cloth.positions, axis=0)))
    moved = np.array(scene.cloth.positions, np.float32)
    moved[len(moved) // 2, 0] = np.nextafter(moved[len(moved) // 2, 0], np.float32(np.inf))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for key, bodies in (("fall", []), ("tshirt", scene.bodies)):
            source = Path(folder) / key
            write_scene(source, scene.cloth, bodies, frames)
            ours, theirs = (_play(source, system()) for system in (_linux, _windows))
            write_scene(source, replace(scene.cloth, positions=moved), bodies, frames)
            ends = {"windows": theirs, "one_bit": _play(source, _linux())}
            found = {name: float(np.abs(ours - end).max() / size) for name, end in ends.items()}
            rows.append({"scene": key, "vertices": len(ours), "frames": frames, **found})
            results.number(f"windows_distance_{key}", found["windows"])
            results.number(f"one_bit_distance_{key}", found["one_bit"])
    results.table("machines", rows)


def _play(scene, command):
    """Positions at the end."""
    end = scene.with_suffix(".end")
    subprocess.run([*command, scene, end], check=True)
    return np.fromfile(end, "<f4").reshape(-1, 3).astype(np.float64)


def _windows():
    program = WINDOWS / "tests" / "test_loader.exe"
    return ["env", f"WINEPATH=Z:{WINDOWS}", TOOLS / "windows", "run", program]


def _linux():
    if platform.machine() == "x86_64":
        return [REPOSITORY / "build" / "tests" / "test_loader"]
    program = REPOSITORY / "build-cross" / "tests" / "test_loader"
    return ["qemu-x86_64-static", "-cpu", "max", "-L", "/usr/x86_64-linux-gnu", program]


def packages(results, _quick):
    """How many are good, by the judgement of Blender, pip and the machines' loaders."""
    heading("Packages")
    with tempfile.TemporaryDirectory() as folder:
        command = [TOOLS / "package", "--all", "--wheels", "--output", folder]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        rows = [_judged(path) for path in judge.packages(Path(folder))]
    results.table("packages", rows, packages_valid=sum(row["verdict"] == "good" for row in rows))


def _judged(path):
    try:
        verdict = "; ".join(judge.faults(path)) or "good"
    except judge.NoJudge as error:
        verdict = f"not judged: {error}"
    return {"package": path.name, "verdict": verdict, "megabytes": path.stat().st_size / 1e6}


# --- a job of 24 tasks -----------------------------------------------------------------------------

FABRICS = ("cotton", "silk", "wool", "denim")
TASKS = 24
SLURM_SECONDS = 600


def farm(results, quick):
    """Two at a time against one after the other, and a Slurm array against one machine, byte by byte."""
    heading("Farm: a job of 24 tasks, one thread and one process each")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        serial, pairs, array = (make_job(folder / name, quick) for name in ("one", "two", "array"))
        one, two = (batch(job, "-j", count) for job, count in ((serial, "1"), (pairs, "2")))
        summary = json.loads((pairs.parent / "job.batch" / "summary.json").read_text())
        busy = summary["work_seconds"] / (summary["at_once"] * summary["seconds"])
        row = {"one_s": one, "two_s": two, "faster": one / two, "occupancy": busy}
        results.table("batch", [{**row, "mismatch": mismatches(serial, pairs)}])
        results.figures(batch_speedup=round(one / two, 3), batch_occupancy=round(busy, 3))
        _slurm(results, array, pairs)


def _slurm(results, array, alone):
    if slurm_cluster.missing():
        note(f"No Slurm is here ({', '.join(slurm_cluster.missing())}): tools/setup --farm has it.")
        return
    folder = array.parent / "slurm"
    folder.mkdir()
    cluster = slurm_cluster.Cluster(folder)
    starter, script = array.parent / "muslin", array.parent / "array.sh"
    starter.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{child.__file__}" "$@"\n')
    starter.chmod(0o755)
    batch(array, "--slurm", str(script), "--muslin", str(starter))
    try:
        cluster.start()
        cluster.wait_for(cluster.submit(script), SLURM_SECONDS)
    finally:
        cluster.stop()
    results.number("slurm_mismatch", mismatches(array, alone))


def make_job(folder, quick):
    """The path of a job, in a folder of its own: two sheets, three shots, four fabrics."""
    folder.mkdir()
    side, frames = (15, 6) if quick else (41, 60)
    garments = {}
    for name, count in (("fine", side), ("coarse", side - 4)):
        scene, pins = sheets.hung_cloth(count)
        write_obj(folder / f"{name}.obj", scene)
        settings = {"pin": ",".join(map(str, pins))}
        garments[name] = {"mesh": f"{name}.obj", "settings": settings}
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


def mismatches(one, other):
    """How many point caches of two jobs differ, or are missing."""
    first, second = caches(one), caches(other)
    names = first.keys() | second.keys()
    return TASKS - len(names) + sum(first.get(name) != second.get(name) for name in names)


def caches(job):
    """A job's point caches with their names; what begins with a dot is not finished."""
    return {p.name: p.read_bytes() for p in (job.parent / "caches").glob("[!.]*.pc2")}


PARTS = {"windows": windows, "packages": packages, "farm": farm}
BENCH = Bench("reach", __doc__, QUICK_HELP, PARTS, FIGURES)
