# SPDX-License-Identifier: GPL-3.0-or-later
"""The real Blenders: the packed add-on installed into folders of its own, cases run there, and Blender's own solvers."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
from common.bench import note
from muslin import Pc2Writer
from test_scenes.contact.play import mesh_of
from test_scenes.mesh import Mesh

TOOLS = Path(__file__).resolve().parents[2]
INSIDE = Path(__file__).resolve().parent / "inside"
VERSIONS = ("3.4", "4.3", "5.2")
UNAVAILABLE = 77  # exit status of tools/blender and install_addon where there is no such Blender
NOT_PASSED = ("MUSLIN_LIBRARY", "PYTHONPATH")


def plain(**more):
    """The environment of programs that must use what is installed, and nothing of the checkout."""
    kept = {name: value for name, value in os.environ.items() if name not in NOT_PASSED}
    return {**kept, **{name: str(value) for name, value in more.items()}}


def call(command, **environment):
    """(exit status, what it said)."""
    done = subprocess.run(
        [str(part) for part in command],
        env=plain(**environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, done.stdout


class Session:
    """One Blender, mostly with the add-on installed. folder: for what the cases write; /tmp and the build
    folder have the same paths inside."""

    def __init__(self, version, folder):
        self.version, self.folder = version, folder / version
        self.home = self.folder / "home"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def install(self, packages):
        """Whether this Blender is there; the add-on is installed anew."""
        tool = TOOLS / "blender_support" / "install_addon"
        status, said = call([tool, self.version, packages], MUSLIN_BLENDER_HOME=self.home)
        if status not in (0, UNAVAILABLE):
            raise RuntimeError(f"Blender {self.version} did not take the add-on:\n{said}")
        return status == 0

    def forget_bytecode(self):
        """As right after the installation."""
        for folder in list(self.home.rglob("__pycache__")):
            shutil.rmtree(folder)

    def run(self, case, factory=False, threads=0, **options):
        """What a case inside returns, from a fresh process.

        factory  nobody's settings, no add-on
        threads  of Blender and of the add-on; 0 lets each take what it wants
        """
        answer = self.folder / f"{case}.json"
        answer.unlink(missing_ok=True)
        reported = {
            "answer": str(answer),
            "folder": str(self.folder),
            "threads": threads,
            **options,
        }
        command = [TOOLS / "blender", self.version, "-b", "--python-exit-code", "1"]
        command += ["--factory-startup"] if factory else []
        command += ["--threads", threads] if threads else []
        command += ["--python", INSIDE / "start.py", "--", case, json.dumps(reported)]
        status, said = call(command, MUSLIN_BLENDER_HOME=self.home)
        if status or not answer.exists():
            raise RuntimeError(f"{case} failed in Blender {self.version}:\n{said}")
        return json.loads(answer.read_text("utf-8"))


def folder_of(name):
    """Beside the bench's programs."""
    return Path(os.environ["MUSLIN_BENCH_PROGRAMS"]).resolve() / name


def open_sessions(versions=VERSIONS):
    """Those of these Blenders that this machine has, with the add-on installed; says which are missing."""
    folder = folder_of("blender")
    packages = folder / "addon"
    shutil.rmtree(folder, ignore_errors=True)
    packages.mkdir(parents=True)
    status, said = call([TOOLS / "package", "--built", "--output", packages])
    if status:
        raise RuntimeError(f"the add-on could not be packed:\n{said}")
    found = []
    for session in (Session(version, folder) for version in versions):
        if session.install(packages):
            found.append(session)
        else:
            note(f"Skipped: Blender {session.version}, which tools/blenders prepare fetches.")
    return found


# --- Blender's own two solvers in a scene of ours: from the same arrays, with the same distances ---

OWN = "5.2"  # the first with both solvers
METHODS = {"modifier": "the Cloth modifier", "nodes": "the Cloth Dynamics nodes"}


class OwnSolvers:
    """A Blender without add-on, opened when it is first asked for; says once that it is not there.

    name  of the folder for what it reads and writes
    """

    def __init__(self, name):
        self.name, self.session, self.there = name, None, None

    def is_there(self):
        if self.there is None:
            self.there = call([TOOLS / "blenders", "list", OWN])[1].strip() == f"{OWN} is ready"
            if self.there:
                self.session = Session(OWN, folder_of(self.name))
            else:
                note(f"Skipped: Blender's own solvers; tools/blenders prepare {OWN} fetches them.")
        return self.there

    def run(self, scene, method, frames, self_collision, effort=None):
        """(track, milliseconds of each frame, Blender's version); its first frame is where the cloth starts.

        effort  quality steps of the modifier, substeps of the nodes; None: as Blender has them
        """
        reported = _written(scene, self.session.folder, frames)
        reported |= {"distance": scene.thickness(), "friction": scene.settings.get("friction", 0.0)}
        reported |= {"frames": frames, "effort": effort, "pins": [int(pin) for pin in scene.pins]}
        reported |= {"method": method, "self_collision": self_collision}
        answer = self.session.run("worn", factory=True, **reported)
        return np.load(answer["track"]), answer["frames"], answer["version"]


def _written(scene, folder, frames):
    """The files that the case inside reads; of bodies the first, if there is one."""
    paths = {"garment": _mesh_file(folder / "garment.npz", scene.cloth)}
    if not scene.bodies:
        return {**paths, "body": None, "motion": None}
    body = scene.bodies[0]
    paths["body"] = _mesh_file(folder / "body.npz", Mesh(body.positions(0), body.faces))
    paths["motion"] = str(folder / "motion.pc2")
    with Pc2Writer(paths["motion"], len(body.positions(0))) as writer:
        for frame in range(frames):
            writer.write(body.positions(frame))
    return paths


def _mesh_file(path, mesh):
    flat = mesh_of(mesh)
    np.savez(path, positions=flat.positions, sizes=flat.face_sizes, corners=flat.face_vertices)
    return str(path)
