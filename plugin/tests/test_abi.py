"""The ctypes declarations equal muslin.h, and a wrong library is refused with a useful message.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctypes
import ctypes.util
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import muslin
from muslin import LibraryError, _abi, _enums, library
from muslin._abi import FUNCTIONS

PLUGIN = Path(__file__).resolve().parents[1]
HEADER = PLUGIN / "include" / "muslin.h"
GENERATOR = PLUGIN / "settings" / "generate.py"
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")

VERSION = map(int, muslin.__version__.split("."))
CONSTANTS = {
    **dict(zip((f"MUSLIN_VERSION_{part}" for part in ("MAJOR", "MINOR", "PATCH")), VERSION)),
    "MUSLIN_ABI_VERSION": _abi.ABI_VERSION,
    "MUSLIN_MESSAGE_SIZE": _abi.MESSAGE_SIZE,
    "MUSLIN_MAX_COEFFICIENTS": _abi.MAX_COEFFICIENTS,
}

SIMPLE_TYPES = {
    "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
    "int64_t": ctypes.c_int64,
    "size_t": ctypes.c_size_t,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "MuslinCloth": ctypes.c_uint64,
    "MuslinStatus": ctypes.c_int32,
    **_abi.STRUCTS,
}


def make_settings(folder):
    """What the build makes of the table of settings; gives the folder of its public header."""
    settings = GENERATOR.with_name("settings.json")
    subprocess.run([sys.executable, "-B", GENERATOR, settings, folder], check=True)
    return Path(folder) / "include"


def header_text():
    """The header and what it includes, without comments."""
    with tempfile.TemporaryDirectory() as folder:
        included = (make_settings(folder) / "muslin_settings.h").read_text()
    for part in ("muslin_reports.h", "muslin_links.h", "muslin_debug.h"):
        included += HEADER.with_name(part).read_text()
    return re.sub(r"/\*.*?\*/", "", included + HEADER.read_text(), flags=re.DOTALL)


def ctypes_of(words):
    """The ctypes type of a C type such as "const float *"."""
    words = words.replace("const", "").replace("MUSLIN_API", "").strip()
    if not words.endswith("*"):
        return SIMPLE_TYPES[words]
    pointed = words[:-1].strip()
    special = {"char": ctypes.c_char_p, "void": ctypes.c_void_p}
    return special.get(pointed) or ctypes.POINTER(SIMPLE_TYPES[pointed])


def declared_functions():
    """Every function of the header: name to (result, [arguments]) in ctypes."""
    found = {}
    pattern = r"^([\w ]+?[ *])(muslin_\w+)\(([^)]*)\);"
    for result, name, arguments in re.findall(pattern, header_text(), flags=re.MULTILINE):
        types = [re.sub(r"\w+$", "", part.strip()) for part in arguments.split(",")]
        kinds = [] if arguments.strip() == "void" else [ctypes_of(words) for words in types]
        found[name] = (ctypes_of(result), kinds)
    return found


def declared_bodies(keyword):
    """Name and body of every `typedef struct` or `typedef enum` of the header."""
    pattern = rf"typedef {keyword} (\w+) \{{(.*?)\}} \1;"
    return dict(re.findall(pattern, header_text(), flags=re.DOTALL))


def declared_fields(body):
    """Field names of a struct in order; one declaration may hold several."""
    names = []
    for declaration in body.split(";"):
        if declaration.strip():
            for part in declaration.split(","):
                names.append(re.sub(r"\[.*?\]", "", part).replace("*", " ").split()[-1])
    return names


def compile_and_run(folder, source):
    program = Path(folder) / "program"
    code = Path(folder) / "program.c"
    code.write_text(source)
    folders = [f"-I{HEADER.parent}", f"-I{make_settings(folder)}"]
    subprocess.run([COMPILER, *folders, "-o", program, code], check=True)
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def layout_program():
    """C source that prints every constant, size and offset as "name value"."""
    lines = []
    for name in CONSTANTS:
        lines.append(f'printf("{name} %lld\\n", (long long){name});')
    for kind, prefix in _enums.ENUMS.values():
        for member in kind:
            name = prefix + member.name
            lines.append(f'printf("{name} %lld\\n", (long long){name});')
    for name, kind in _abi.STRUCTS.items():
        lines.append(f'printf("{name} %lld\\n", (long long)sizeof({name}));')
        for field, *_ in kind._fields_:
            lines.append(f'printf("{name}.{field} %lld\\n", (long long)offsetof({name}, {field}));')
            size = f"sizeof((({name} *)0)->{field})"
            lines.append(f'printf("{name}.{field}.size %lld\\n", (long long){size});')
    body = "\n".join(lines)
    return f'#include <stdio.h>\n#include "muslin.h"\nint main(void) {{\n{body}\nreturn 0;\n}}\n'


def expected_layout():
    """The same names and values as ctypes has them."""
    values = dict(CONSTANTS)
    for kind, prefix in _enums.ENUMS.values():
        values.update({prefix + member.name: int(member) for member in kind})
    for name, kind in _abi.STRUCTS.items():
        values[name] = ctypes.sizeof(kind)
        for field, *_ in kind._fields_:
            values[f"{name}.{field}"] = getattr(kind, field).offset
            values[f"{name}.{field}.size"] = getattr(kind, field).size
    return values


class HeaderTest(unittest.TestCase):
    @unittest.skipUnless(COMPILER, "no C compiler")
    def test_values_sizes_and_offsets(self):
        with tempfile.TemporaryDirectory() as folder:
            output = compile_and_run(folder, layout_program())
        measured = {name: int(value) for name, value in map(str.split, output.splitlines())}
        self.assertEqual(measured, expected_layout())

    def test_the_loader_calls_every_function(self):
        """test_loader.c runs where no Python can: on the emulated Windows."""
        listed = re.findall(r"X\((muslin_\w+)\)", (PLUGIN / "tests" / "loaded.h").read_text())
        self.assertEqual(sorted(listed), sorted(declared_functions()))
        calls = (PLUGIN / "tests" / "test_loader.c").read_text()
        self.assertEqual([name for name in listed if f"muslin.{name}(" not in calls], [])

    def test_every_function_is_declared_alike(self):
        declared = declared_functions()
        self.assertGreater(len(declared), 20)
        self.assertEqual(sorted(declared), sorted(FUNCTIONS))
        for name, signature in declared.items():
            with self.subTest(name):
                self.assertEqual(signature, FUNCTIONS[name])

    def test_no_enum_or_enumerator_is_missing(self):
        bodies = declared_bodies("enum")
        self.assertEqual(sorted(bodies), sorted(_enums.ENUMS))
        for name, body in bodies.items():
            kind, prefix = _enums.ENUMS[name]
            names = [part.split("=")[0].strip() for part in body.split(",") if part.strip()]
            self.assertEqual(names, [prefix + member.name for member in kind])

    def test_no_struct_or_field_is_missing(self):
        bodies = declared_bodies("struct")
        self.assertEqual(sorted(bodies), sorted(_abi.STRUCTS))
        for name, body in bodies.items():
            fields = [field for field, *_ in _abi.STRUCTS[name]._fields_]
            self.assertEqual(declared_fields(body), fields, name)


def run_python(code, **environment):
    """Run code in a fresh Python that sees this package."""
    merged = {**os.environ, **environment}
    return subprocess.run([sys.executable, "-c", code], env=merged, capture_output=True, text=True)


class LibraryTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def compile_library(self, interface):
        """A library that has the two version functions and nothing else."""
        code = self.path("fake.c")
        Path(code).write_text(
            f"unsigned muslin_abi_version(void) {{ return {interface}; }}\n"
            'const char *muslin_version(void) { return "9.8.7"; }\n'
        )
        subprocess.run([COMPILER, "-shared", "-fPIC", "-o", self.path("fake.so"), code], check=True)
        return self.path("fake.so")

    def test_versions_agree(self):
        self.assertEqual(library.version(), muslin.__version__)
        self.assertEqual(library.get().muslin_abi_version(), _abi.ABI_VERSION)

    def test_import_loads_nothing(self):
        code = "import muslin, muslin.__main__; muslin.Mesh([[0, 0, 0]]); print('fine')"
        result = run_python(code, MUSLIN_LIBRARY="/nonexistent/libmuslin.so")
        self.assertEqual((result.stdout, result.stderr), ("fine\n", ""))

    def test_public_names(self):
        """They come on first use, and NumPy with them, not with the package."""
        for name in muslin.__all__:
            self.assertTrue(hasattr(muslin, name), name)
            self.assertIn(name, dir(muslin))
        self.assertFalse(hasattr(muslin, "Silk"))
        result = run_python("import sys, muslin; print('numpy' in sys.modules)")
        self.assertEqual(result.stdout, "False\n")
        result = run_python(
            "from muslin import *; print(Cloth.__name__, default_settings.__name__)"
        )
        self.assertEqual(result.stdout, "Cloth default_settings\n")

    def test_missing_library_is_named(self):
        code = (
            "import muslin\n"
            "try: muslin.default_settings()\n"
            "except muslin.LibraryError as error: print(error)"
        )
        result = run_python(code, MUSLIN_LIBRARY="/nonexistent/libmuslin.so")
        self.assertIn("MUSLIN_LIBRARY names /nonexistent/libmuslin.so", result.stdout)

    def test_installed_copy_without_its_library_asks_to_be_installed_again(self):
        """Who has no sources can build nothing, and is sent to no build folder."""
        source, copy = Path(library.__file__).parent, Path(self.path("addons/muslin/muslin"))
        shutil.copytree(source, copy, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        shutil.copy(GENERATOR.with_name("settings.json"), copy)
        code = (
            "import muslin\n"
            "try: muslin.default_settings()\n"
            "except muslin.LibraryError as error: print(error)"
        )
        result = run_python(code, MUSLIN_LIBRARY="", PYTHONPATH=str(copy.parent))
        self.assertIn(str(copy / library.file_name()) + "; install Muslin again", result.stdout)
        self.assertNotIn("build", result.stdout)

    def test_text_file_is_no_library(self):
        Path(self.path("text.so")).write_text("not a library, but long enough for a header")
        with self.assertRaises(LibraryError) as caught:
            library.open_library(self.path("text.so"))
        self.assertIn(self.path("text.so"), str(caught.exception))
        self.assertIn("no ELF library", str(caught.exception))

    @unittest.skipUnless(sys.platform.startswith("linux"), "reads ELF headers")
    def test_other_architecture_is_named(self):
        content = bytearray(library.find().read_bytes())
        foreign = 62 if platform.machine() != "x86_64" else 183
        struct.pack_into("<H", content, 18, foreign)
        Path(self.path("foreign.so")).write_bytes(content)
        with self.assertRaises(LibraryError) as caught:
            library.open_library(self.path("foreign.so"))
        self.assertIn(f"is for {library.ELF_MACHINES[foreign]}", str(caught.exception))
        self.assertIn(f"this machine is {platform.machine()}", str(caught.exception))

    @unittest.skipUnless(COMPILER, "no C compiler")
    def test_other_interface_is_refused(self):
        with self.assertRaises(LibraryError) as caught:
            library.open_library(self.compile_library(999))
        message = str(caught.exception)
        for part in (self.path("fake.so"), "9.8.7", "999", str(_abi.ABI_VERSION)):
            self.assertIn(part, message)

    @unittest.skipUnless(COMPILER, "no C compiler")
    def test_missing_function_is_named(self):
        with self.assertRaises(LibraryError) as caught:
            library.open_library(self.compile_library(_abi.ABI_VERSION))
        self.assertIn("muslin_status_text", str(caught.exception))

    def test_foreign_library_is_refused(self):
        name = ctypes.util.find_library("m")
        if not name:
            self.skipTest("no other library to load")
        with self.assertRaises(LibraryError) as caught:
            library.open_library(name)
        self.assertIn("not a Muslin library", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
