# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what a first hour needs: a body with its motion, and garments for it.

    python wardrobe.py FOLDER [--own]

body.obj, motion.pc2, suit.obj, shirt.obj, jacket.obj. Real ones where they lie beside the checkout, else the figure and
garments of test_scenes, which --own takes in any case; the file `whose` says which.
"""

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "plugin" / "python")]

from muslin import Pc2Writer  # noqa: E402
from test_scenes.contact import figures, mirrored, real  # noqa: E402
from test_scenes.mesh import Mesh  # noqa: E402
from test_scenes.objfile import write_obj  # noqa: E402

REAL = {
    "body.obj": "body.obj",
    "motion.pc2": "body_arms.pc2",
    "suit.obj": "coverall_8k.obj",
    "shirt.obj": "tshirt.obj",
    "jacket.obj": "jacket_open.obj",
}
FRAMES = 49


def copy_real(folder):
    """Whether all of them are there."""
    if not all((real.FOLDER / name).is_file() for name in REAL.values()):
        return False
    for name, source in REAL.items():
        shutil.copyfile(real.FOLDER / source, folder / name)
    return True


def write_own(folder):
    shirt, jacket = figures.tshirt(), mirrored.jacket()
    (body,) = shirt.bodies
    write_obj(folder / "body.obj", Mesh(body.positions(0), body.faces))
    with Pc2Writer(str(folder / "motion.pc2"), len(body.positions(0))) as writer:
        for frame in range(FRAMES):
            writer.write(body.positions(frame))
    for name, scene in (("suit", shirt), ("shirt", shirt), ("jacket", jacket)):
        write_obj(folder / f"{name}.obj", scene.cloth)


def main():
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    is_real = "--own" not in sys.argv and copy_real(folder)
    if not is_real:
        write_own(folder)
    (folder / "whose").write_text("real" if is_real else "own")


main()
