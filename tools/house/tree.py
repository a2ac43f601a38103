# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a checkout, those not yet added to git included, and what each is for."""

import os
from collections import namedtuple
from functools import lru_cache
from pathlib import Path

FOLDERS = ("native", "plugin", "blender_addon", "test_scenes", "tools", ".ci")
NOT_OURS = "native/third_party/"  # how others' sources are built
# A program of its own, which may use any floor and is used by none.
PROGRAMS = {"tests", "bench", "fuzz", "examples"}

Finding = namedtuple("Finding", "path line text")


class Tree:
    """Paths are strings from the root, with slashes, in order."""

    def __init__(self, root):
        self.root = Path(root)
        self.paths = sorted(self._walk())
        self.text = lru_cache(None)(self._text)

    def _walk(self):
        for name in self.root.iterdir():
            if name.is_file():
                yield name.name
        for folder in FOLDERS:
            for here, folders, names in os.walk(self.root / folder):
                folders[:] = [
                    n for n in folders if n != "__pycache__" and not n.startswith("build")
                ]
                base = Path(here).relative_to(self.root)
                yield from ((base / name).as_posix() for name in names)

    def _text(self, path):
        return (self.root / path).read_text("utf-8", "replace")

    def lines(self, path):
        return self.text(path).splitlines()

    def ending(self, *endings):
        """The files of ours whose names end so."""
        return [p for p in self.paths if p.endswith(endings) and not p.startswith(NOT_OURS)]

    def c_files(self):
        return self.ending(".c", ".h")

    def library_files(self):
        """The C files that become the library."""
        folders = ("native/", "plugin/src/", "plugin/include/")
        return [p for p in self.c_files() if p.startswith(folders) and not is_program(p)]

    def python_files(self):
        return self.ending(".py")

    def scripts(self):
        """Shell scripts have no ending; their first line tells. Those of CMake are scripts, too."""
        for path in self.paths:
            if path.endswith((".sh", ".cmake")) or path.endswith("CMakeLists.txt"):
                yield path
            elif "." not in path.rpartition("/")[2] and path.startswith(("tools/", ".ci/")):
                if self.text(path).startswith("#!"):
                    yield path


def is_program(path):
    """Whether a C or Python file belongs to a test, a bench or the like."""
    return not PROGRAMS.isdisjoint(path.split("/")[:-1])
