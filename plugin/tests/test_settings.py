"""The table of settings: the library has its defaults and ranges, the command line its options.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctypes
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from in_process import run_in_process
from muslin import Cloth, Mesh, MuslinError, Status, default_settings, fabrics, table
from muslin import _abi, library
from muslin.body import BodySurface
from muslin.calls import message
from muslin.settings import choice_of, default_definition
from muslin.table import SETTINGS, TABLE, takes

PLUGIN = Path(__file__).resolve().parents[1]
FILE = PLUGIN / "settings" / "settings.json"
# Told as one setting, mirror_plane.
PLANE = {"mirror_find", "mirror_point", "mirror_normal"}


def square():
    return Mesh.from_faces([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2, 3)])


def tetrahedron():
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    return Mesh.from_faces(corners, [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])


AIR = {"pressure", "volume_stiffness"}  # what only closed surfaces have
MEMBRANE = {"poisson", "strain_limit", "stretch_samples"}  # what only that model has


def of_cloth():
    """The numbers of material, forces and definition that are set by their own names."""
    settings = (TABLE.structs[name].settings for name in ("Material", "Forces", "ClothDef"))
    numbers = [setting for part in settings for setting in part if setting.is_number]
    return [s for s in numbers if s.name not in PLANE | {"coefficients", "coefficient_count"}]


def at_the_ends(setting):
    """Pairs of a value at an end of the range and whether it belongs to it."""
    if setting.least is not None:
        yield setting.least, not setting.above
    if setting.most is not None:
        yield setting.most, not setting.below


class TableTest(unittest.TestCase):
    def test_the_library_has_its_defaults(self):
        defaults = default_settings()
        for setting in of_cloth():
            with self.subTest(setting.name):
                wanted, found = setting.default, defaults[setting.name]
                if setting.type == "float":
                    wanted = wanted if setting.length > 1 else [wanted]
                    found = found if setting.length > 1 else [found]
                    for one, other in zip(wanted, found):
                        self.assertAlmostEqual(one, other, delta=1e-6 * abs(one))
                else:
                    self.assertEqual(wanted, found)
        surface = BodySurface()
        for name in ("thickness", "friction"):
            self.assertAlmostEqual(SETTINGS[name].default, getattr(surface, name), 6)

    def test_the_library_has_its_ranges(self):
        for setting in of_cloth():
            for value, inside in at_the_ends(setting):
                given = value if setting.length == 1 else [value] * setting.length
                with self.subTest(setting.name, value=value):
                    self.assertEqual(self.is_taken(**{setting.name: given}), inside)

    def test_the_library_refuses_what_solver_or_model_lack(self):
        """Where the table has words for it, with these words; the rest is left out silently."""
        solvers, models = (
            [choice.word for choice in SETTINGS[name].enum.choices] for name in ("solver", "model")
        )
        for setting in of_cloth():
            ability = TABLE.abilities.get(setting.needs)
            value = {"strain_measure": "green"}.get(
                setting.name, 0.25 if setting.type == "float" else 1
            )
            if ability is None or not ability.lacking or setting.length > 1:
                continue
            for solver in solvers:
                for model in models:
                    given = {"solver": solver, "model": model, setting.name: value}
                    with self.subTest(**given):
                        self.assert_taken(given, setting.name, ability.lacking)

    def assert_taken(self, given, name, lacking):
        closed = AIR.intersection(given) and takes(name, given["solver"])
        try:
            Cloth(tetrahedron() if closed else square(), **given).close()
            is_taken = True
        except MuslinError as error:
            is_taken = False
            self.assertTrue(str(error).startswith(f"{name} is given, but the "), error)
            self.assertTrue(str(error).endswith(f" cannot have that: {lacking}"), error)
        self.assertEqual(is_taken, takes(name, given["solver"], given["model"]))

    def is_taken(self, **settings):
        model = "membrane" if MEMBRANE.intersection(settings) else "triangle"
        mesh = tetrahedron() if AIR.intersection(settings) else square()
        try:
            Cloth(mesh, **{"model": model, **settings}).close()
        except MuslinError as error:
            self.assertIn(next(iter(settings)), str(error))
            return False
        return True

    def test_the_library_has_the_ranges_of_surfaces(self):
        with Cloth(square()) as cloth:
            for name in ("thickness", "friction"):
                for value, inside in at_the_ends(SETTINGS[name]):
                    given = {"thickness": 0.01, "friction": 0.5, name: value}
                    try:
                        cloth.set_self_contact(True, **given)
                        taken = True
                    except MuslinError as error:
                        self.assertIn(name, str(error))
                        taken = False
                    self.assertEqual(taken, inside, (name, value))

    def test_every_choice_has_a_word(self):
        for setting in of_cloth():
            for choice in setting.enum.choices if setting.enum else ():
                self.assertEqual(choice_of(setting.name, choice.word), choice.value)

    def test_all_that_a_user_sees_has_words(self):
        for setting in SETTINGS.values():
            if setting.section:
                self.assertTrue(setting.help or setting.enum, setting.name)
        for enum in TABLE.enums.values():
            for choice in enum.choices:
                self.assertTrue(choice.help and choice.label, (enum.name, choice.name))

    def test_ranges_in_words(self):
        words = {
            "density": "above 0",
            "bend": "at least 0",
            "shear": "from 0 to 1e+14",
            "thickness": "above 0 and at most 0.1",
            "pcg_tolerance": "above 0 and below 1",
            "threads": "from 1 to 256",
            "gravity": "",
        }
        for name, wanted in words.items():
            self.assertEqual(SETTINGS[name].range_words(), wanted)

    def test_reading_it_needs_neither_numpy_nor_the_library(self):
        code = "import sys; from muslin import table, fabrics; fabrics.all_fabrics(); "
        code += "print('numpy' in sys.modules, 'ctypes' in sys.modules)"
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual((result.stdout, result.stderr), ("False False\n", ""))


class OldCallerTest(unittest.TestCase):
    """Structs as older headers had them; test_definitions.c has more."""

    def create(self, definition):
        handle = _abi.Handle(0)
        struct, keep = square().to_struct()
        create = library.get().muslin_cloth_create
        code = create(ctypes.byref(struct), ctypes.byref(definition), ctypes.byref(handle))
        del keep
        return code, handle.value

    def test_material_of_no_header(self):
        definition = default_definition()
        code, handle = self.create(definition)
        self.assertEqual(code, Status.OK)
        material = definition.material.contents
        self.assertEqual(library.get().muslin_cloth_set_material(handle, material), Status.OK)
        material.size = _abi.Material.pin_stiffness.offset
        code = library.get().muslin_cloth_set_material(handle, material)
        self.assertEqual(code, Status.ERROR_ARGUMENT)
        whole = ctypes.sizeof(_abi.Material)
        self.assertIn(
            f"MuslinMaterial.size is 44, but this library expects {whole}", message(handle)
        )
        library.get().muslin_cloth_destroy(handle)

    def test_definition_of_a_newer_header(self):
        definition = default_definition()
        definition.size += 4
        self.assertEqual(self.create(definition), (Status.ERROR_ARGUMENT, 0))
        self.assertIn("MuslinClothDef.size", message())

    def test_report_of_an_older_header(self):
        with Cloth(square()) as cloth:
            report = _abi.Report(size=_abi.Report.edge_count.offset, edge_count=-5)
            cloth._call("muslin_cloth_get_report", report)
        self.assertEqual((report.vertex_count, report.edge_count), (4, -5))


class BadTableTest(unittest.TestCase):
    """A mistake in the table ends the build, not a simulation."""

    def read(self, change):
        content = json.loads(FILE.read_text())
        change({field["name"]: field for field in content["structs"]["Material"]["fields"]})
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "settings.json"
            path.write_text(json.dumps(content))
            return table.read(path)

    def test_default_out_of_its_range(self):
        with self.assertRaisesRegex(table.TableError, "density.*-1"):
            self.read(lambda fields: fields["density"].update(default=-1))

    def test_word_that_is_not_known(self):
        with self.assertRaisesRegex(table.TableError, "shear.*minimum"):
            self.read(lambda fields: fields["shear"].update(minimum=0))
        with self.assertRaisesRegex(table.TableError, "shear.*double"):
            self.read(lambda fields: fields["shear"].update(type="double"))


class CommandTest(unittest.TestCase):
    """What `drape` makes of the table."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        garment = self.folder / "g.obj"
        garment.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
        self.files = ("--garment", garment, "-o", self.folder / "o.pc2", "--frames", 2)

    def settings(self, *arguments):
        """The settings that a run was made with."""
        reported = self.folder / "stats.json"
        result = run_in_process("drape", *self.files, "--stats", reported, *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(reported.read_text())["settings"]

    def test_help_tells_units_ranges_and_defaults(self):
        text = " ".join(run_in_process("drape", "--help").stdout.split())
        for setting in SETTINGS.values():
            if setting.section and setting.type == "float" and setting.length == 1:
                self.assertIn(f"(default {setting.default:.6g})", text)
                self.assertIn(f"{setting.help}, {setting.unit}" if setting.unit else "", text)
        self.assertIn("m, above 0 and at most 0.1 (default 0.004)", text)
        for one in fabrics.all_fabrics():
            self.assertIn(one.name, text)

    def test_choices_as_the_command_line_spells_them(self):
        settings = self.settings("--ordering", "rcm", "--scheme", "two-level", "--tension-only")
        self.assertEqual(settings["ordering"], "reverse_cuthill_mckee")
        self.assertEqual((settings["scheme"], settings["tension_only"]), ("two_level", True))


if __name__ == "__main__":
    unittest.main()
