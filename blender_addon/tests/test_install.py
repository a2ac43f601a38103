# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on as Blender installed it: enabled, of one version, with its own library and its own CHOLMOD."""

import ctypes
import os
import re
import signal
import sys
import types
import unittest
from importlib.util import cache_from_source
from pathlib import Path
from unittest import mock

import addon
import addon.muslin as muslin
import addon_utils
import bpy
from addon.muslin import library
from test_scenes import sheets

# What is built into the native library and may also be among the libraries of Blender.
TWICE = re.compile(r"/lib(cholmod|amd|camd|colamd|ccolamd|metis|suitesparseconfig)[.-]")
NO_ACCESS = 0  # PROT_NONE
PASSED, WRONG_RESULT = 0, 3  # exit statuses of a child


def code_of(pattern):
    """The pages of code of the loaded libraries that match: (start, length, path) each."""
    pages = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        fields = line.split(maxsplit=5)
        if len(fields) == 6 and "x" in fields[1] and pattern.search(fields[5]):
            start, end = (int(number, 16) for number in fields[0].split("-"))
            pages.append((start, end - start, fields[5]))
    return pages


def place_of_binding():
    """Where the binding belongs: inside of an older add-on, or where Blender puts the wheels of extensions."""
    if not addon.__name__.startswith("bl_ext."):
        return Path(addon.__file__).resolve().parent / "muslin"
    version = "python{}.{}".format(*sys.version_info)
    extensions = Path(os.environ["BLENDER_USER_EXTENSIONS"]).resolve()
    return extensions / ".local" / "lib" / version / "site-packages" / "muslin"


def hang_a_sheet():
    """Whether a sheet held at two corners falls, and the numbers stay finite; factors a matrix."""
    scene, pins = sheets.hung_cloth(12)
    faces = [[int(vertex) for vertex in face] for face in scene.faces]
    with muslin.Cloth(muslin.Mesh.from_faces(scene.positions, faces)) as cloth:
        cloth.set_pins(pins)
        before = cloth.positions()
        for _ in range(4):
            cloth.step(1 / 24)
        fall = before[:, 2] - cloth.positions()[:, 2]
    return bool(0.01 < fall.max() < 1.0)


def in_child(pages, work):
    """The exit status, or minus the signal, of a child that does the work while the pages are forbidden."""
    child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGSEGV, signal.SIG_DFL)  # Blender's would write a report
            signal.alarm(60)
            mprotect = ctypes.CDLL(None, use_errno=True).mprotect
            mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
            forbidden = all(mprotect(start, length, NO_ACCESS) == 0 for start, length, _ in pages)
            os._exit(PASSED if forbidden and work() else WRONG_RESULT)
        except BaseException as error:
            print(f"in the child: {error!r}", flush=True)
            os._exit(WRONG_RESULT)
    status = os.waitpid(child, 0)[1]
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)


class Installed(unittest.TestCase):
    def test_it_is_enabled_and_loaded(self):
        self.assertEqual(addon_utils.check(addon.__name__), (True, True))
        self.assertIn(addon.__name__, bpy.context.preferences.addons)

    def test_it_is_the_installed_one(self):
        scripts = Path(bpy.utils.user_resource("SCRIPTS")).resolve()
        extensions = Path(os.environ["BLENDER_USER_EXTENSIONS"]).resolve()
        folders = Path(addon.__file__).resolve().parents
        self.assertTrue(scripts in folders or extensions in folders, addon.__file__)

    def test_library_and_addon_have_one_version(self):
        info = addon_utils.module_bl_info(addon)
        version = info["version"]
        if not isinstance(version, str):
            version = ".".join(str(number) for number in version)
        self.assertEqual(version, library.version())
        self.assertEqual(muslin.__version__, library.version())


class OwnCode(unittest.TestCase):
    def test_the_first_click_compiles_nothing(self):
        """Its modules and those of the binding were compiled when it was installed."""
        inside = Path(addon.__file__).resolve().parent
        for late in (inside / "preview" / "preview.py", place_of_binding() / "cloth.py"):
            self.assertTrue(Path(cache_from_source(late)).exists(), late)

    def test_the_binding_is_there_once(self):
        self.assertEqual(Path(muslin.__file__).resolve().parent, place_of_binding())
        copies = Path(addon.__file__).resolve().parent.rglob(library.file_name())
        self.assertEqual(len(list(copies)), 0 if addon.__name__.startswith("bl_ext.") else 1)

    def test_the_loaded_library_is_the_one_that_was_installed(self):
        class Info(ctypes.Structure):  # Dl_info of dladdr(3)
            _fields_ = (
                ("file", ctypes.c_char_p),
                ("base", ctypes.c_void_p),
                ("symbol", ctypes.c_char_p),
                ("address", ctypes.c_void_p),
            )

        info = Info()
        function = ctypes.cast(library.get().muslin_version, ctypes.c_void_p)
        self.assertNotEqual(ctypes.CDLL(None).dladdr(function, ctypes.byref(info)), 0)
        inside = place_of_binding() / library.file_name()
        self.assertEqual(Path(os.fsdecode(info.file)).resolve(), inside)
        self.assertEqual(info.symbol, b"muslin_version")
        loaded = {path for _, _, path in code_of(re.compile(r"/libmuslin[^/]*$"))}
        self.assertEqual(loaded, {str(inside)})

    def test_a_sheet_falls(self):
        self.assertTrue(hang_a_sheet())

    def test_blenders_own_cholmod_is_never_called(self):
        """A sheet falls while every page of Blender's CHOLMOD is forbidden: one call into it would kill the child."""
        pages = code_of(TWICE)
        if not pages:
            self.assertLess(bpy.app.version, (5, 2), "this Blender used to carry CHOLMOD")
            self.skipTest("this Blender carries no CHOLMOD")
        cholmod = next(path for _, _, path in pages if "libcholmod" in path)
        self.assertEqual(in_child(pages, hang_a_sheet), PASSED)
        # The same trap with a call into Blender's: it does catch.
        numbers = (ctypes.c_int * 3)()
        call = ctypes.CDLL(cholmod).cholmod_version
        self.assertEqual(in_child(pages, lambda: call(numbers) or True), -signal.SIGSEGV)
        self.assertEqual(in_child([], lambda: call(numbers) > 0), PASSED)


class Binding(unittest.TestCase):
    def test_the_older_addon_in_the_place_of_the_binding_is_reported(self):
        from addon import loading

        older = types.ModuleType(muslin.__name__)
        older.bl_info, older.__path__ = {}, []
        with mock.patch.dict(sys.modules, {muslin.__name__: older}):
            self.assertRaisesRegex(RuntimeError, "older Blenders", loading.renew)

    def test_the_same_binding_stays(self):
        from addon import loading

        loading.renew()
        self.assertIs(sys.modules[muslin.__name__], muslin)
        self.assertIs(sys.modules[library.__name__], library)


if __name__ == "__main__":
    unittest.main()
