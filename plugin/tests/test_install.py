"""What C users get: the installed library, headers, pkg-config file and CMake package build and run
plugin/examples/hello.c. Everything happens in temporary folders.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

PLUGIN = Path(__file__).resolve().parents[1]
EXAMPLE = PLUGIN / "examples" / "hello.c"
BUILD = Path(os.environ["MUSLIN_LIBRARY"]).parent
# Libraries of these kinds can only be loaded by programs that are built alike.
INSTRUMENTED = ("Sanitize", "ThreadSanitize", "Coverage")

PROJECT = """cmake_minimum_required(VERSION 3.20)
project(hello LANGUAGES C)
find_package(muslin 0.1 REQUIRED)
add_executable(hello ${EXAMPLE})
target_link_libraries(hello PRIVATE muslin::muslin)
"""


def run(*command, **environment):
    """Run a command to its end; its standard output, or an error with all that it said."""
    result = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} failed:\n{result.stdout}")
    return result.stdout


def cached(name):
    """A variable of the build's CMake cache."""
    cache = (BUILD / "CMakeCache.txt").read_text("utf-8")
    return re.search(rf"^{name}:\w+=(.*)$", cache, re.MULTILINE).group(1)


@unittest.skipIf(cached("CMAKE_BUILD_TYPE") in INSTRUMENTED, "a library with instruments in it")
class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        first, cls.prefix = Path(cls.folder.name) / "first", Path(cls.folder.name) / "prefix"
        run("cmake", "--install", BUILD, "--prefix", first)
        first.rename(cls.prefix)  # what is installed may be moved

    def installed(self, name):
        """The path of an installed file, wherever this system keeps libraries."""
        found = sorted(self.prefix.rglob(name))
        self.assertEqual(len(found), 1, f"{name}: {found}")
        return found[0]

    def check_hello(self, program):
        words = run(program)
        hangs = re.fullmatch(r"The middle hangs ([0-9.]+) m below the corners\.\n", words)
        self.assertIsNotNone(hangs, words)
        self.assertGreater(float(hangs.group(1)), 0.3)
        self.assertLess(float(hangs.group(1)), 1.0)

    def test_nothing_else_is_installed(self):
        names = {path.name for path in self.prefix.rglob("*") if not path.is_dir()}
        library = {name for name in names if name.startswith("libmuslin.so")}
        headers = {name for name in names if re.fullmatch(r"muslin(_\w+)?\.h", name)}
        package = {name for name in names if re.fullmatch(r"muslin(Config|Targets).*\.cmake", name)}
        self.assertEqual(len(library), 2)
        self.assertIn("muslin.h", headers)
        self.assertEqual(names - library - headers - package, {"muslin.pc", "LICENSE"})

    def test_no_folder_of_the_builder_is_named(self):
        for path in self.prefix.rglob("*"):
            if path.suffix in (".pc", ".cmake"):
                text = path.read_text("utf-8")
                self.assertNotIn(str(PLUGIN.parent), text, path)
                self.assertNotIn(str(BUILD), text, path)

    @unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not on this machine")
    def test_hello_through_pkg_config(self):
        places = {"PKG_CONFIG_PATH": str(self.installed("muslin.pc").parent)}
        flags = run("pkg-config", "--cflags", "--libs", "muslin", **places).split()
        version = run("pkg-config", "--modversion", "muslin", **places).strip()
        self.assertEqual(version, cached("CMAKE_PROJECT_VERSION"))
        rpath = f"-Wl,-rpath,{self.installed('libmuslin.so').parent}"
        program = Path(self.folder.name) / "hello"
        warnings = ("-std=c11", "-Wall", "-Wextra", "-Werror")
        run("cc", *warnings, EXAMPLE, *flags, rpath, "-o", program)
        self.check_hello(program)

    def test_hello_through_find_package(self):
        source, build = Path(self.folder.name) / "source", Path(self.folder.name) / "build"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(PROJECT, "utf-8")
        found = (f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DEXAMPLE={EXAMPLE}")
        run("cmake", "-S", source, "-B", build, *found)
        run("cmake", "--build", build)
        self.check_hello(build / "hello")


if __name__ == "__main__":
    unittest.main()
