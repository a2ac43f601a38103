# SPDX-License-Identifier: GPL-3.0-or-later
"""No tool executes a Python file of the folder that it is started in.

An artist works in the folder of what was downloaded. A numpy.py there, or a folder called muslin, is data of a
stranger and must stay that. Here such a folder holds a trap for every name that Python could look for.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[3]
TOOLS = ROOT / "tools"
OURS = ("muslin", "test_scenes", "run_module", "has_modules", "common")
OTHERS = ("numpy", "sitecustomize", "usercustomize", "json", "contextlib", "runpy", "argparse")
SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n"
SOURCED = 'source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/lib.sh"'
TRAP = """with open({log!r}, "a") as log:
    log.write(__file__ + "\\n")
"""


STARTER = ROOT / "plugin" / "python" / "muslin" / "command" / "child.py"


def pythons():
    """All that are here with NumPy, by their versions: each finds its modules in its own way."""
    found = {}
    for place in (sys.executable, *(f"python3.{minor}" for minor in range(9, 20)), "python3"):
        program = shutil.which(place)
        command = [str(program), "-I", str(TOOLS / "python_support" / "has_modules.py"), "numpy"]
        if program and not subprocess.run(command, capture_output=True, timeout=60).returncode:
            version = subprocess.run([program, "-IV"], capture_output=True, text=True).stdout
            found.setdefault(version.strip(), program)
    return found


class CurrentFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.asset = cls.folder / "asset"
        cls.log = cls.folder / "executed"
        standard = getattr(sys, "stdlib_module_names", ())  # from Python 3.10 on
        for name in {*OURS, *OTHERS, *standard} - set(sys.builtin_module_names):
            cls.lay_trap(name)
        (cls.asset / "square.obj").write_text(SQUARE)

    @classmethod
    def lay_trap(cls, name):
        """A module, and ours also as a package with the parts that are looked for in it."""
        trap = TRAP.format(log=str(cls.log))
        package = cls.asset / name
        package.mkdir(parents=True)
        parts = ("command", "picture", "contact") if name in OURS else ()
        for part in ("__init__", "__main__", *parts):
            (package / f"{part}.py").write_text(trap)
        (cls.asset / f"{name}.py").write_text(trap)

    def setUp(self):
        self.log.unlink(missing_ok=True)

    def environment(self, python_path):
        """Without what the tests themselves are run with. The build is as it is: only the library is there."""
        build, programs = self.folder / "build", self.folder / "programs"
        build.mkdir(exist_ok=True)
        programs.mkdir(exist_ok=True)
        cmake = programs / "cmake"
        cmake.write_text("#!/bin/sh\n")
        cmake.chmod(0o755)
        library = build / "libmuslin.so"
        if not library.exists():
            library.symlink_to(os.environ["MUSLIN_LIBRARY"])
        changed = {
            "MUSLIN_BUILD": str(build),
            "MUSLIN_PYTHON": sys.executable,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        kept = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        if python_path is not None:
            changed["PYTHONPATH"] = python_path
        return {**kept, **changed}

    def run_there(self, *command, python_path=None):
        return subprocess.run(
            [str(word) for word in command],
            cwd=self.asset,
            env=self.environment(python_path),
            capture_output=True,
            text=True,
            timeout=120,
        )

    def check_tool(self, name, *arguments, python_path=None):
        result = self.run_there(TOOLS / name, *arguments, python_path=python_path)
        executed = self.log.read_text() if self.log.exists() else ""
        self.assertEqual(executed, "", f"tools/{name} {arguments}")
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_trap_snaps(self):
        """The folder is what it is meant to be: Python's own way executes it."""
        self.run_there(sys.executable, "-m", "muslin", "--version")
        self.assertIn(str(self.asset), self.log.read_text())

    def test_muslin(self):
        self.assertIn("drape", self.check_tool("muslin", "--help"))
        square = ("--garment", "square.obj", "--pin", "0,3")
        self.check_tool("muslin", "drape", *square, "--frames", "2", "-o", "square.pc2")
        self.assertGreater((self.asset / "square.pc2").stat().st_size, 32)
        self.assertIn("vertices", self.check_tool("muslin", "check", "square.obj"))

    def test_picture(self):
        self.check_tool("picture", "square.obj", "-o", "square.png")
        self.assertTrue((self.asset / "square.png").read_bytes().startswith(b"\x89PNG"))

    def test_scene(self):
        """With the two above, all that a demo is made of; a demo itself takes a quarter of a minute."""
        self.assertIn("flag", self.check_tool("scene", "list"))
        self.check_tool("scene", "write", "cloth", "cloth.obj")
        self.assertTrue((self.asset / "cloth.obj").read_text().count("\nv "))
        self.assertIn("tshirt", self.check_tool("scene", "contact", "list"))

    def test_bench(self):
        self.assertIn("speed", self.check_tool("bench"))
        self.assertIn("usage:", self.check_tool("bench", "bytes", "--help"))

    def check_python(self, *command, python_path=None):
        result = self.run_there(*command, python_path=python_path)
        executed = self.log.read_text() if self.log.exists() else ""
        self.assertEqual(executed, "", command)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_process_of_a_batch(self):
        """Its script is what every Python is given; with the empty item that many a profile leaves in PYTHONPATH, too,
        though then Python itself looks for a sitecustomize there."""
        for version, python in pythons().items():
            with self.subTest(version):
                self.assertRegex(self.check_python(python, STARTER, "--version"), r"^muslin \d")

    def test_module(self):
        """`python -m` itself looks here for `muslin` and what `runpy` takes; of all else nothing is executed."""
        plain = self.folder / "plain"
        plain.mkdir()
        for name in ("numpy.py", "argparse.py", "json.py", "dataclasses.py", "ctypes.py"):
            (plain / name).write_text(TRAP.format(log=str(self.log)))
        shutil.copy(self.asset / "square.obj", plain)
        self.addCleanup(setattr, type(self), "asset", self.asset)
        type(self).asset = plain
        installed = ROOT / "plugin" / "python"
        recorded = self.folder / "calls.muslin"
        command = ("-m", "muslin", "check", "square.obj")
        for version, python in pythons().items():
            for path in (str(installed), f":{installed}"):
                with self.subTest(version, path=path):
                    self.assertIn("vertices", self.check_python(python, *command, python_path=path))
            with self.subTest(version, recorded=True):
                with mock.patch.dict(os.environ, MUSLIN_RECORD=str(recorded)):
                    self.check_python(python, *command, python_path=str(installed))
                self.assertGreater(recorded.stat().st_size, 0)
                recorded.unlink()

    def test_python_path_of_the_caller(self):
        """An empty item means the current folder, a relative one lies in it; both are dropped."""
        for path in (
            ":",
            "::",
            f":{ROOT}",
            f"{ROOT}:",
            f"{ROOT}::{TOOLS}",
            ".",
            "numpy:./",
            "..:../asset",
        ):
            with self.subTest(path):
                self.assertRegex(
                    self.check_tool("muslin", "--version", python_path=path), r"^muslin \d"
                )

    def test_link_to_a_tool(self):
        """What lies beside the link is not what lies beside the tool."""
        beside = self.asset / "lib.sh"
        beside.write_text(f"echo {beside} >>{self.log}\n")
        self.addCleanup(beside.unlink)
        for tool in sorted(TOOLS.iterdir()):
            if tool.is_file() and tool.name != "lib.sh":
                lines = [line for line in tool.read_text().splitlines() if "BASH_SOURCE" in line]
                self.assertLessEqual(set(lines), {SOURCED}, tool)
        link = self.asset / "m"
        link.symlink_to(TOOLS / "muslin")
        self.addCleanup(link.unlink)
        self.assertRegex(self.check_python("./m", "--version"), r"^muslin \d")

    def test_cdpath(self):
        """With it `cd` prints where it went; tools is the name of many a folder."""
        (self.asset / "tools").mkdir()
        self.addCleanup((self.asset / "tools").rmdir)
        script = f"cd {ROOT} && CDPATH={self.asset} tools/muslin --version"
        self.assertRegex(self.check_python("bash", "-c", script), r"^muslin \d")

    def test_removed_folder(self):
        script = 'mkdir gone && cd gone && rmdir ../gone && "$@"'
        module = (sys.executable, "-m", "muslin")
        for command in ((str(TOOLS / "muslin"),), module):
            words = ("bash", "-c", script, "bash", *command, "--version")
            said = self.check_python(*words, python_path=str(ROOT / "plugin" / "python"))
            self.assertRegex(said, r"^muslin \d")

    def test_absolute_path_of_the_caller_stays(self):
        other = self.folder / "other"
        other.mkdir()
        (other / "sitecustomize.py").write_text("print('the caller wants this')\n")
        said = self.check_tool("muslin", "--version", python_path=f":{other}")
        self.assertIn("the caller wants this", said)


if __name__ == "__main__":
    unittest.main()
