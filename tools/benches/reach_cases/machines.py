# SPDX-License-Identifier: GPL-3.0-or-later
"""The same scene on Linux and on Windows, both on x86-64: how far apart the cloths end.

Both play it by test_loader, which loads the shared library while it runs.
"""

import platform
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from common.report import note, table
from test_scenes.contact import catalogue
from test_scenes.loader_file import write_scene

REPOSITORY = Path(__file__).resolve().parents[3]
WINDOWS = REPOSITORY / "tools" / "windows"
# Vertex spacing of the t-shirt, m, and frames: that of the demo, and few frames, since two emulators play them.
SPACING, QUICK_SPACING = 0.02, 0.05
FRAMES, QUICK_FRAMES = 4, 3


def compare(results, quick):
    build_for_linux()
    spacing, frames = (QUICK_SPACING, QUICK_FRAMES) if quick else (SPACING, FRAMES)
    scene = catalogue.make("tshirt", spacing=spacing)
    plays = (
        ("fall", "a t-shirt in free fall", []),
        ("tshirt", "a t-shirt on a figure that raises its arms", scene.bodies),
    )
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for key, what, bodies in plays:
            source = Path(folder) / key
            write_scene(source, scene.cloth, bodies, frames)
            ends = [play(source, system) for system in (linux, windows)]
            write_scene(source, one_bit_away(scene.cloth), bodies, frames)
            ends.append(play(source, linux))
            size = size_of(scene.cloth.positions)
            distance, one_bit = (float(np.abs(ends[0] - end).max() / size) for end in ends[1:])
            results.number(f"windows_distance_{key}", distance)
            results.number(f"one_bit_distance_{key}", one_bit)
            rows.append((what, len(ends[0]), frames, f"{distance:.1e}", f"{one_bit:.1e}"))
    columns = ("scene", "vertices", "frames", "Linux to Windows|over size", "one bit|over size")
    table(columns, rows)
    note(
        "Largest distance at the end, both on x86-64. One bit: Linux against Linux, one vertex of the start moved by "
        "the last bit of its coordinate. Where that gives as much, the scene decides by rounding which way it folds."
    )


def one_bit_away(cloth):
    """The same cloth, but for the last bit of one number."""
    positions = np.array(cloth.positions, np.float32)
    vertex = len(positions) // 2
    positions[vertex, 0] = np.nextafter(positions[vertex, 0], np.float32(np.inf))
    return replace(cloth, positions=positions)


def size_of(positions):
    """Diagonal of the box around them, m."""
    return float(np.linalg.norm(np.ptp(positions, axis=0)))


def play(scene, system):
    """Positions at the end."""
    end = scene.with_suffix(".end")
    subprocess.run([*system(), scene, end], check=True)
    return np.fromfile(end, "<f4").reshape(-1, 3).astype(np.float64)


def windows():
    program = REPOSITORY / "build-windows" / "tests" / "test_loader.exe"
    return ["env", f"WINEPATH=Z:{REPOSITORY / 'build-windows'}", WINDOWS, "run", program]


def build_for_linux():
    """On other machines than x86-64, by the cross compiler; elsewhere it is what the bench was started with."""
    if platform.machine() != "x86_64":
        test = [REPOSITORY / "tools" / "test", "--kind", "cross", "-R", "^test_loader$"]
        subprocess.run(test, check=True, stdout=subprocess.DEVNULL)


def linux():
    if platform.machine() == "x86_64":
        return [REPOSITORY / "build" / "tests" / "test_loader"]
    program = REPOSITORY / "build-cross" / "tests" / "test_loader"
    return ["qemu-x86_64-static", "-cpu", "max", "-L", "/usr/x86_64-linux-gnu", program]
