# SPDX-License-Identifier: GPL-3.0-or-later
"""The packed add-on in the real Blenders: installs it into folders of its own, runs cases there."""

import json
import os
import shutil
import subprocess
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2]
INSIDE = Path(__file__).resolve().parent / "inside"
VERSIONS = ("3.4", "4.3", "5.2")
UNAVAILABLE = (
    77  # the exit status of tools/blender and install_addon for a Blender that is not there
)


def _environment(**more):
    """Nothing of the checkout may get in: what is measured is what was installed."""
    kept = {k: v for k, v in os.environ.items() if k not in ("MUSLIN_LIBRARY", "PYTHONPATH")}
    return {**kept, **more}


def _call(command, **environment):
    """(exit status, what it said)."""
    done = subprocess.run(
        [str(part) for part in command],
        env=_environment(**environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, done.stdout


class Session:
    """One Blender, mostly with the add-on installed. folder: for what the cases write; /tmp and the build
    folder have the same paths inside."""

    def __init__(self, version, folder):
        self.version = version
        self.folder = folder / version
        self.home = self.folder / "home"

    def make_folder(self):
        """An empty one; enough for cases that need no add-on."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def install(self, packages):
        """Whether this Blender is there; the add-on is installed anew."""
        self.make_folder()
        tool = TOOLS / "blender_support" / "install_addon"
        status, said = _call([tool, self.version, packages], MUSLIN_BLENDER_HOME=str(self.home))
        if status == UNAVAILABLE:
            return False
        if status:
            raise RuntimeError(f"Blender {self.version} did not take the add-on:\n{said}")
        return True

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
        told = {"answer": str(answer), "folder": str(self.folder), "threads": threads}
        asked = json.dumps({**told, **options})
        command = [TOOLS / "blender", self.version, "-b", "--python-exit-code", "1"]
        command += ["--factory-startup"] if factory else []
        command += ["--threads", threads] if threads else []
        command += ["--python", INSIDE / "start.py", "--", case, asked]
        status, said = _call(command, MUSLIN_BLENDER_HOME=str(self.home))
        if status or not answer.exists():
            raise RuntimeError(f"{case} failed in Blender {self.version}:\n{said}")
        return json.loads(answer.read_text("utf-8"))


def is_prepared(version):
    """Whether this Blender is on the machine."""
    return _call([TOOLS / "blenders", "list", version])[1].strip() == f"{version} is ready"


def open_sessions(versions=VERSIONS):
    """Those of these Blenders that this machine has, with the add-on installed, and the versions that are missing."""
    folder = Path(os.environ["MUSLIN_BENCH_PROGRAMS"]).resolve() / "blender"
    packages = folder / "addon"
    shutil.rmtree(folder, ignore_errors=True)
    packages.mkdir(parents=True)
    status, said = _call([TOOLS / "package", "--built", "--output", packages])
    if status:
        raise RuntimeError(f"the add-on could not be packed:\n{said}")
    found, missing = [], []
    for version in versions:
        session = Session(version, folder)
        if session.install(packages):
            found.append(session)
        else:
            missing.append(version)
    return found, missing
