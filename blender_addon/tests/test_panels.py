# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels without a window: everything they name exists, and they come and go cleanly."""

import re
import subprocess
import sys
import unittest
from pathlib import Path
from types import SimpleNamespace

import bpy
import fake_layout
import numpy as np
from support import addon, package

ROOT = Path(addon("properties").__file__).parent
OPERATOR = re.compile(r'operator\(\s*"(muslin\.\w+)"')
PROPERTY = re.compile(r'\.(?:prop|prop_search)\(\s*(\w+),\s*"(\w+)"')
NAMED = re.compile(r'draw_choice\(\w+, (?:garment|obj\.muslin), "(\w+)"')


def sources():
    yield from (ROOT / "panels.py", ROOT / "preferences.py", *sorted(ROOT.rglob("*_ui.py")))


def drawn_properties():
    """[(file, "garment" or "item", name), ...] of all that the panels show to be set."""
    found = []
    for path in sources():
        text = path.read_text("utf-8")
        for who, name in PROPERTY.findall(text):
            if who != "self":  # the preferences' own
                found.append((path, "garment" if who == "owner" else who, name))
        found += [(path, "garment", name) for name in NAMED.findall(text)]
    return found


def new_garment():
    mesh = bpy.data.meshes.new("Sheet")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    obj = bpy.data.objects.new("Sheet", mesh)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    return obj


class Names(unittest.TestCase):
    def test_every_button_exists(self):
        drawn = {name for path in sources() for name in OPERATOR.findall(path.read_text("utf-8"))}
        self.assertGreater(len(drawn), 12)
        for name in sorted(drawn):
            kind = "MUSLIN_OT_" + name.partition(".")[2]
            self.assertTrue(hasattr(bpy.types, kind), f"{name} is drawn but not registered")

    def test_every_property_exists(self):
        garment = new_garment().muslin
        owners = {"garment": garment.bl_rna, "item": garment.colliders.add().bl_rna}
        owners.update(mirror=garment.mirror.bl_rna, fit=garment.fit.bl_rna)
        sewing = garment.sewing
        owners.update(sewing=sewing.bl_rna, tack=sewing.tacks.add().bl_rna)
        owners.update(elastic=sewing.elastics.add().bl_rna)
        owners["preferences"] = addon("preferences").MuslinPreferences.bl_rna
        drawn = drawn_properties()
        self.assertGreater(len(drawn), 30)
        for path, who, name in drawn:
            self.assertIn(name, owners[who].properties, f"{path.name}: {name}")

    def test_every_setting_is_drawn(self):
        """Nothing can be set that the artist does not see, but for what the add-on keeps for itself."""
        kept = {"rna_type", "name", "baked"}
        text = "".join(path.read_text("utf-8") for path in sources())
        garment = new_garment().muslin
        settings = {**garment.bl_rna.properties, **garment.mirror.bl_rna.properties}
        for setting in (name for name in settings if not settings[name].is_hidden):
            kind, _, ending = setting.rpartition("_")
            mapped = ending in ("group", "factor") and kind in addon("muslin.table").MAPS
            drawn = f'"{setting}"' in text or f"muslin.{setting}" in text
            self.assertTrue(setting in kept or mapped or drawn, setting)

    def test_every_setting_is_explained(self):
        """What the artist can set has a name and a tooltip, and so has every choice."""
        garment = new_garment().muslin
        owners = {"garment": garment.bl_rna, "mirror": garment.mirror.bl_rna}
        for _path, who, name in drawn_properties():
            if who not in owners:
                continue
            setting = owners[who].properties[name]
            self.assertTrue(setting.name, name)
            if setting.type == "ENUM":
                for choice in setting.enum_items:
                    self.assertTrue(choice.description, f"{name}: {choice.name}")
            else:
                self.assertTrue(setting.description, name)


class Defaults(unittest.TestCase):
    """A new garment is as the library's default cloth."""

    def setUp(self):
        self.garment = new_garment()
        self.defaults = addon("muslin").default_settings()

    def test_material_and_method(self):
        chosen = addon("garment.garment_settings")
        found = {**chosen.material(self.garment), **chosen.definition(self.garment)}
        del found["threads"]  # here all processors
        for name, value in found.items():
            self.same(name, value, self.defaults[name])

    def test_forces(self):
        settings = self.garment.muslin
        for name in ("normal_drag", "tangent_drag", "drag_law"):
            self.same(name, getattr(settings, name), self.defaults[name])
        self.assertEqual(tuple(settings.wind), self.defaults["wind"])

    def test_mirror(self):
        mirror = self.garment.muslin.mirror
        for name in ("closure", "overlap", "over"):
            self.same(name, getattr(mirror, name), self.defaults[name])
        self.assertEqual(mirror.asymmetric_body, "whole")  # what is shown is what is met
        self.same("tolerance", mirror.tolerance, self.defaults["mirror_tolerance"])

    def same(self, name, value, wanted):
        if isinstance(wanted, float):
            self.assertAlmostEqual(value, wanted, delta=1e-6 * abs(wanted), msg=name)
        else:
            self.assertEqual(value, wanted, name)

    def test_places_of_choices_that_are_kept_in_files(self):
        kept = {
            "quality": ("draft", "fit", "final"),
            "solver": ("linear", "implicit", "threads", "sweep"),
            "scheme": ("two_level", "plain", "anderson"),
            "model": ("triangle", "edge"),
            "estimate": ("translation", "rotation", "previous"),
            "integrator": ("euler", "bdf2", "auto"),
            "sweep_method": ("kim", "kang1", "kang2", "desbrun", "choi_ko", "symplectic"),
        }
        mirrored = {
            "method": ("auto", "exact", "halve"),
            "closure": ("free", "zip", "button"),
            "over": ("kept", "other"),
            "asymmetric_body": ("symmetrise", "whole"),
        }
        for group, names in ((self.garment.muslin, kept), (self.garment.muslin.mirror, mirrored)):
            for name, words in names.items():
                items = group.bl_rna.properties[name].enum_items
                places = {item.identifier: item.value for item in items}
                self.assertEqual([places[word] for word in words], list(range(len(words))), name)

    def test_limits_and_words_are_those_of_the_table(self):
        table = addon("muslin.table").SETTINGS
        properties = self.garment.muslin.bl_rna.properties
        self.assertEqual(properties["thickness"].hard_max, float(np.float32(0.1)))
        self.assertEqual(
            (properties["friction"].hard_min, properties["friction"].hard_max), (0, 10)
        )
        self.assertEqual(properties["density"].description, "Mass per area, kg/m²")
        for setting in addon("muslin.table").TABLE.structs["Material"].settings:
            self.assertEqual(properties[setting.name].name, table[setting.name].label)
            self.assertTrue(setting.holds(properties[setting.name].hard_min), setting.name)


class Fabrics(unittest.TestCase):
    FIELDS = ("density", "stretch_warp", "stretch_weft", "shear", "bend")

    def setUp(self):
        found = addon("muslin.fabrics").all_fabrics()
        self.fabrics = [{"id": one.name, "name": one.label, **one.material} for one in found]

    def test_new_garment_has_the_numbers_of_its_fabric(self):
        garment = new_garment().muslin
        self.assertFalse(addon("fabric.fabric_list").is_changed(garment))

    def test_choosing_fills_in_the_numbers_and_reset_takes_them_back(self):
        garment = new_garment().muslin
        changed = addon("fabric.fabric_list").is_changed
        for fabric in self.fabrics:
            garment.fabric = fabric["id"]
            for name in self.FIELDS:
                self.assertAlmostEqual(getattr(garment, name) / fabric[name], 1.0, 5)
            for name in self.FIELDS:
                setattr(garment, name, 1.7 * fabric[name])
                self.assertTrue(changed(garment), name)
                bpy.ops.muslin.reset_fabric()
                self.assertFalse(changed(garment), name)


class Words(unittest.TestCase):
    def test_numbers(self):
        words, size = addon("words"), addon("words").size
        self.assertEqual(size(3888), "3.9 kB")
        self.assertEqual(size(0), "0 bytes")
        self.assertEqual(size(1234567), "1.2 MB")
        self.assertEqual(size(999_600), "1.0 MB")
        self.assertEqual(size(12 * 10_000 * 250), "30 MB")
        self.assertEqual(size(5e12), "5000 GB")
        self.assertEqual(words.counted(1, "vertex", "vertices"), "1 vertex")
        self.assertEqual(words.counted(1200, "vertex", "vertices"), "1,200 vertices")


class Library(unittest.TestCase):
    def tearDown(self):
        addon("running").look_for_library()

    def test_looking_says_version_and_place(self):
        status = addon("running").look_for_library()
        self.assertTrue(status.ready, status.message)
        self.assertTrue(Path(status.path).is_file())
        self.assertRegex(status.version, r"^\d+\.\d+")

    def test_trouble_is_remembered_not_raised(self):
        library, binding = addon("running"), addon("muslin.library")
        loaded, find = binding._loaded, binding.find
        try:
            binding._loaded, binding.find = None, lambda: Path(__file__)
            status = library.look_for_library()
        finally:
            binding._loaded, binding.find = loaded, find
        self.assertTrue(status.tried)
        self.assertFalse(status.ready)
        self.assertIn(str(Path(__file__)), status.message)
        self.assertEqual(library.library_status(), status)


class Preferences(unittest.TestCase):
    """Drawn by hand; window_open.py lets Blender draw them."""

    def setUp(self):
        self.settings = bpy.context.preferences.addons[package()].preferences
        self.addCleanup(setattr, self.settings, "threads", self.settings.threads)
        self.settings.threads = 0  # as it is after an installation

    def drawn(self, threads):
        self.settings.threads = threads
        layout = fake_layout.Layout()
        preferences = SimpleNamespace(
            layout=layout, threads=threads, record=False, bl_rna=self.settings.bl_rna
        )
        context = fake_layout.context_of(None, width=600, region_type="WINDOW")
        addon("preferences").MuslinPreferences.draw(preferences, context)
        return layout

    def test_all_cores(self):
        cores = addon("garment.garment_settings").threads()
        self.assertGreaterEqual(cores, 1)
        layout = self.drawn(0)
        self.assertIn(f"all that help: {cores} here", layout.text())
        self.assertIn(("prop", "threads"), layout.drawn)

    def test_a_number_of_cores(self):
        self.assertNotIn("all that help", self.drawn(3).text())
        self.assertEqual(addon("garment.garment_settings").threads(), 3)


class Registration(unittest.TestCase):
    def test_twice(self):
        registry = addon("registry")
        for _ in range(2):
            registry.unregister()
            self.assertFalse(hasattr(bpy.types, "MUSLIN_PT_sidebar"))
            self.assertFalse(hasattr(bpy.types.Object, "muslin"))
            registry.register()
            self.assertTrue(hasattr(bpy.types, "MUSLIN_PT_physics_bake"))
            self.assertTrue(hasattr(bpy.types.Object, "muslin"))

    def test_enabling_loads_neither_numpy_nor_the_library(self):
        """In a Blender of its own, since this one has used both."""
        code = (
            "import sys, addon_utils; "
            "before = set(sys.modules); "
            f"assert addon_utils.enable({package()!r}), 'not enabled'; "
            "new = set(sys.modules) - before; "
            "bad = [n for n in new if n.split('.')[0] == 'numpy' or n.endswith('muslin.cloth')]; "
            "assert not bad, bad; print('LIGHT')"
        )
        command = [bpy.app.binary_path, "-b", "--factory-startup", "--python-expr", code]
        answer = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertIn("LIGHT", answer.stdout, answer.stdout + answer.stderr)


if __name__ == "__main__":
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    raise SystemExit(not unittest.TextTestRunner(stream=sys.stdout).run(suite).wasSuccessful())
