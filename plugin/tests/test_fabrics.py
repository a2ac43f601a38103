"""Fabrics: those that come with Muslin, the user's own, and files that are none.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
from in_process import run_in_process
from muslin import Cloth, FileError, Mesh, MuslinError, fabric, fabric_surface, fabrics
from muslin.fabric_file import Fields, read_fabric
from muslin.measured_fabric import check_growth, converted
from muslin.strips import ANGLES, bending_length
from muslin.table import SETTINGS

FABRICS = Path(__file__).resolve().parents[1] / "fabrics"

TIN = {"density": 2, "stretch_warp": 9e5, "stretch_weft": 9e5, "shear": 3e5, "bend": 0.1}
# A made-up fabric in the format of measured ones.
MEASURED = {
    "density": 0.2,
    "stretching": [
        [50, -3, 80, 30],
        [60, 1, 80, 30],
        [60, 1, 90, 30],
        [60, 1, 90, 20],
        [60, 1, 100, 30],
        [60, 1, 120, 30],
    ],
    "bending": [[4e-6, 5e-6, 6e-6, 6e-6, 7e-6], [3e-6] * 5, [2e-6, 2e-6, 2e-6, 2e-6, 1e-6]],
}


def square(uvs=False):
    """A square metre, perhaps with a UV map."""
    lines = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
    lines += "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3 4/4\n" if uvs else "f 1 2 3 4\n"
    return lines


def flat():
    return Mesh.from_faces([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2, 3)])


class InFolder(unittest.TestCase):
    """With a folder of the user's fabrics."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        own = mock.patch.dict(os.environ, {"MUSLIN_FABRICS": str(self.folder)})
        own.start()
        self.addCleanup(own.stop)

    def write(self, name, **content):
        path = self.folder / name
        path.write_text(json.dumps(content))
        return path


class BundledTest(unittest.TestCase):
    def test_every_fabric_can_be_simulated(self):
        found = fabrics.all_fabrics()
        self.assertGreaterEqual(len(found), 8)
        for one in found:
            with Cloth(flat(), **fabric(one.name)) as cloth:
                cloth.set_self_contact(True, **fabric_surface(one.name))
                for name, value in one.material.items():
                    np.testing.assert_allclose(cloth.settings[name], value, rtol=1e-6)

    def test_numbers_are_unique_and_start_with_the_default(self):
        """Blender keeps them in .blend files."""
        found = fabrics.all_fabrics()
        self.assertEqual(len({one.number for one in found}), len(found))
        self.assertEqual(found[0].name, fabrics.DEFAULT)
        numbers = {one.name: one.number for one in found}
        kept = ("cotton", "muslin", "silk", "jersey", "linen", "wool", "denim", "leather")
        self.assertEqual([numbers[name] for name in kept], list(range(8)))

    def test_each_has_all_numbers_and_says_where_they_come_from(self):
        wanted = (
            "cotton poplin silk satin denim wool jersey linen leather tulle felt rubber neoprene"
        )
        found = {one.name: one for one in map(read_fabric, FABRICS.glob("*.json"))}
        self.assertEqual(set(found), {*wanted.split(), "muslin"})
        for one in found.values():
            numbers = {"bend_weft", "bend_twist", "damping", "stiffness_damping", *TIN}
            self.assertEqual(set(one.material), numbers, one.name)
            self.assertEqual(set(one.contact), {"thickness", "friction"}, one.name)
            self.assertRegex(one.source, "by eye", one.name)
            self.assertLess(one.material["shear"], one.material["stretch_weft"], one.name)

    def test_they_bend_as_far_as_cloth_does(self):
        """The bending length of clothing is 1 to 6 cm."""
        for one in fabrics.all_fabrics():
            for direction in ANGLES:
                length = bending_length(one.material, direction)
                self.assertTrue(0.01 <= length <= 0.06, f"{one.name}, {direction}: {length}")

    def test_the_default_material_is_the_default_fabric(self):
        numbers = {**fabric(fabrics.DEFAULT), **fabric_surface(fabrics.DEFAULT)}
        for name, value in numbers.items():
            self.assertEqual(SETTINGS[name].default, value, name)

    def test_unknown_fabric_is_named_with_those_that_are_near(self):
        with self.assertRaisesRegex(MuslinError, "no fabric 'slik'; did you mean silk"):
            fabric("slik")
        with self.assertRaisesRegex(MuslinError, "no fabric '17'; there are cotton, muslin"):
            fabric("17")
        self.assertEqual(fabric("Silk"), fabric("silk"))


class UserFolderTest(InFolder):
    def test_a_file_is_a_fabric_after_the_others(self):
        self.write("Blue-Tin.json", material=TIN, contact={"friction": 0.7})
        one = fabrics.all_fabrics()[-1]
        self.assertEqual((one.name, one.label, one.source), ("blue-tin", "Blue Tin", "not said"))
        self.assertEqual(fabric("Blue-tin")["bend"], 0.1)
        self.assertEqual(fabric_surface("blue-tin"), {"thickness": 0.004, "friction": 0.7})
        self.assertEqual(fabric("blue-tin")["bend_weft"], 1)  # what it leaves out

    def test_numbers_stay_when_other_files_come_and_go(self):
        self.write("tin.json", material=TIN)
        before = fabrics.find_fabric("tin").number
        self.write("brass.json", material=TIN, number=before)
        self.write("lead.json", material=TIN, number=3)  # jersey's
        found, broken = fabrics.survey()
        self.assertEqual((len({one.number for one in found}), broken), (len(found), []))
        self.assertEqual(fabrics.find_fabric("brass").number, before)
        (self.folder / "brass.json").unlink()
        self.assertEqual(fabrics.find_fabric("tin").number, before)

    def test_a_broken_file_is_listed_with_its_reason_and_harms_no_other(self):
        self.write("tin.json", material=TIN)
        self.write("bad.json", material={**TIN, "bend": -1})
        self.write("silk.json", material=TIN)
        (self.folder / "folder.json").mkdir()
        found, broken = fabrics.survey()
        self.assertEqual(found[-1].name, "tin")
        reasons = {one.name: one.reason for one in broken}
        self.assertEqual(set(reasons), {"bad", "silk", "folder"})
        self.assertIn("bad.json: material.bend: -1 is not at least 0 N m", reasons["bad"])
        self.assertIn("there is a fabric 'silk' already", reasons["silk"])
        with self.assertRaisesRegex(MuslinError, "bad.json: material.bend: -1"):
            fabric("bad")
        self.assertNotEqual(fabric("silk")["density"], 2)

    def test_folders(self):
        self.write("tin.json", material=TIN)
        with tempfile.TemporaryDirectory() as second:
            (Path(second) / "brass.json").write_text(json.dumps({"material": TIN}))
            both = os.pathsep.join((str(self.folder), second, "/nowhere"))
            with mock.patch.dict(os.environ, {"MUSLIN_FABRICS": both}):
                found, broken = fabrics.survey()
        self.assertEqual([one.name for one in found[-2:]], ["tin", "brass"])
        self.assertEqual(
            [one.reason for one in broken], ["/nowhere: cannot be read: No such file or directory"]
        )

    def test_the_configuration_folder_is_the_default(self):
        own = self.folder / "muslin" / "fabrics"
        with mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": str(self.folder)}):
            del os.environ["MUSLIN_FABRICS"]
            self.assertEqual(fabrics.user_folders(), [])
            own.mkdir(parents=True)
            self.assertEqual(fabrics.user_folders(), [own])

    def test_more_files_than_a_menu_holds(self):
        with mock.patch("muslin.fabrics.MOST_FILES", 1):
            self.write("a.json", material=TIN)
            self.write("b.json", material=TIN)
            found, broken = fabrics.survey()
        self.assertEqual((found[-1].name, [one.name for one in broken]), ("a", ["b"]))

    def test_a_path_is_a_fabric_too(self):
        path = self.write("tin.json", material=TIN)
        with mock.patch.dict(os.environ, {"MUSLIN_FABRICS": ""}):
            self.assertEqual(fabric(str(path))["bend"], 0.1)
            with self.assertRaisesRegex(FileError, "brass.json: cannot be read: No such file"):
                fabric(str(self.folder / "brass.json"))


class BadFileTest(InFolder):
    """The file, the field and the value are named."""

    def refused(self, words, **content):
        path = self.write("tin.json", **{"material": TIN, **content})
        with self.assertRaises(FileError) as caught:
            read_fabric(path)
        self.assertEqual(str(caught.exception), f"{path}: {words}")

    def test_material(self):
        def refused(words, **changes):
            self.refused(f"material.{words}", material={**TIN, **changes})

        refused("density: -1 is not above 0 kg/m^2", density=-1)
        refused("density: 0 is not above 0 kg/m^2", density=0)
        refused("bend: NaN is not a finite number", bend=float("nan"))
        refused("shear: -Infinity is not a finite number", shear=-float("inf"))
        refused("shear: 1e+39 is not a finite number", shear=1e39)
        refused(f"shear: 1{36 * '0'}... is not a finite number", shear=10**400)
        refused('bend: "soft" is not a number', bend="soft")
        refused("bend: true is not a number", bend=True)
        refused("bend: null is not a number", bend=None)
        refused("bend: [1] is not a number", bend=[1])
        refused("weight: 1: there is no such field", weight=1)
        refused("streth_warp: 1: there is no such field; did you mean stretch_warp?", streth_warp=1)

    def test_missing(self):
        for name in TIN:
            rest = {key: value for key, value in TIN.items() if key != name}
            self.refused(f"material.{name}: is missing", material=rest)
        path = self.write("tin.json", label="Tin")
        with self.assertRaisesRegex(FileError, "tin.json: material: is missing"):
            read_fabric(path)

    def test_other_fields(self):
        self.refused(
            "contact.thickness: 0.5 is not above 0 and at most 0.1 m", contact={"thickness": 0.5}
        )
        self.refused("contact.grip: 1: there is no such field", contact={"grip": 1})
        self.refused("contact: [] is no object with fields", contact=[])
        self.refused("material: 3 is no object with fields", material=3)
        self.refused('model: "wool" is not one of triangle, edge', model="wool")
        self.refused("model: [] is not one of triangle, edge", model=[])
        self.refused("number: 1.5 is not a whole number from 0", number=1.5)
        self.refused("label: 3 is no text", label=3)
        self.refused("materials: 1: there is no such field; did you mean material?", materials=1)

    def test_files(self):
        def refused(data, words):
            path = self.folder / "tin.json"
            path.write_bytes(data)
            with self.assertRaisesRegex(FileError, f"tin.json{words}"):
                read_fabric(path)

        refused(b"", ", line 1: this is no JSON: Expecting value")
        refused(b'{\n"material": }', ", line 2: this is no JSON")
        refused(b"[1, 2]", r": this is no fabric: \[1, 2\] is no object")
        refused(b"\xff\xfe{}", ": this is no text in UTF-8: byte 0 is wrong")
        refused(b" " * 1_000_001, ": this is too large: it has more than 1,000,000 bytes")
        refused(b"[" * 200_000, ": this is no JSON that can be read")
        refused(b'{"number": ' + b"1" * 9000 + b"}", ": ")
        refused(b'{"label": "a", "label": "b"}', ": label is there twice")

    def test_what_is_no_file(self):
        with self.assertRaisesRegex(FileError, "this is a folder"):
            read_fabric(self.folder)
        os.mkfifo(self.folder / "pipe.json")
        for path in (self.folder / "pipe.json", "/dev/zero"):
            with self.assertRaisesRegex(FileError, "not an ordinary file"):
                read_fabric(path)
        with self.assertRaisesRegex(FileError, "this is no path"):
            read_fabric("tin\0.json")

    def test_a_mark_of_byte_order_is_no_harm(self):
        path = self.folder / "tin.json"
        path.write_bytes(b"\xef\xbb\xbf" + json.dumps({"material": TIN}).encode())
        self.assertEqual(read_fabric(path).material, TIN)


class MeasuredTest(InFolder):
    def converted(self, **changes):
        return converted({**MEASURED, **changes}, Fields("tin.json"))

    def test_negative_stretch_is_none_and_all_is_doubled(self):
        found = self.converted()
        self.assertEqual(found["model"], "membrane")
        samples = found["material"]["stretch_samples"]
        self.assertEqual((len(samples), samples[:5]), (24, [100, 0, 160, 60, 120]))
        bends = found["material"]["bend_samples"]
        self.assertEqual((len(bends), bends[:6]), (15, [4e-6, 5e-6, 6e-6, 6e-6, 7e-6, 3e-6]))

    def test_plain_numbers_resist_small_strains_alike(self):
        found = self.converted()["material"]
        self.assertEqual((found["stretch_warp"], found["stretch_weft"]), (100, 160))
        self.assertEqual(found["shear"], 15)
        warp, weft, twist = (
            found["bend"] * f for f in (1, found["bend_weft"], found["bend_twist"])
        )
        self.assertAlmostEqual((warp + weft + 2 * twist) / 4, 3e-6)

    def test_refusals(self):
        def refused(words, **changes):
            with self.assertRaisesRegex(FileError, f"^tin.json: {words}"):
                self.converted(**changes)

        rows, bends = MEASURED["stretching"], MEASURED["bending"]
        refused("stretching: wanted 6 rows of 4 numbers, got 5 rows", stretching=rows[:5])
        refused(r"stretching\[0\]: wanted 4 numbers, got 3", stretching=[[1, 2, 3]] + rows[1:])
        refused(
            r"stretching\[0\]\[2\]: c22 -1 N/m at rest is not above 0",
            stretching=[[1, 2, -1, 3]] + rows[1:],
        )
        refused(
            r"stretching\[0\]\[1\]: NaN is not", stretching=[[1, float("nan"), 1, 3]] + rows[1:]
        )
        refused(r"bending\[2\]\[4\]: 0 is not above 0 N m", bending=bends[:2] + [[1, 1, 1, 1, 0]])
        refused('density: "thin" is not a number', density="thin")
        refused("colour: 3: there is no such field", colour=3)
        with self.assertRaisesRegex(FileError, "bending: is missing"):
            converted({"density": 1, "stretching": rows}, Fields("tin.json"))

    def test_force_that_falls_with_the_strain(self):
        samples = self.converted()["material"]["stretch_samples"]
        check_growth(Fields("tin.json"), {"stretch_samples": samples})
        samples[4] = 49
        with self.assertRaisesRegex(FileError, "c11 falls from 100 N/m at rest to 49"):
            check_growth(Fields("tin.json"), {"stretch_samples": samples})


class CommandTest(InFolder):
    def setUp(self):
        super().setUp()
        garment = self.folder / "g.obj"
        garment.write_text(square(uvs=True))
        self.files = ("--garment", garment, "-o", self.folder / "o.pc2", "--frames", 2)

    def settings(self, *arguments):
        """The settings that a run was made with."""
        told = self.folder / "stats.json"
        result = run_in_process("drape", *self.files, "--stats", told, *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(told.read_text())["settings"]

    def test_fabric(self):
        settings = self.settings("--fabric", "denim")
        for name, value in {**fabric("denim"), **fabric_surface("denim")}.items():
            np.testing.assert_allclose(settings[name], value, rtol=1e-6)

    def test_options_override_the_fabric(self):
        self.write("tin.json", material=TIN, contact={"friction": 0.7, "thickness": 0.009})
        options = ("--shear", 7, "--stretch", "800,900", "--thickness", 0.002, "--self-contact")
        settings = self.settings(*options, "--fabric", "tin")
        self.assertEqual((settings["shear"], settings["stretch_warp"]), (7, 800))
        self.assertEqual(settings["stretch_weft"], 900)
        self.assertEqual(settings["density"], 2)
        self.assertAlmostEqual(settings["thickness"], 0.002, 6)
        self.assertAlmostEqual(settings["friction"], 0.7, 6)

    def test_model_of_the_fabric(self):
        path = self.write("tin.json", material=TIN, model="edge")
        self.assertEqual(self.settings("--fabric", path)["model"], "edge")
        self.assertEqual(
            self.settings("--fabric", path, "--model", "triangle")["model"], "triangle"
        )

    def test_without_uv_map_it_is_told_what_is_taken_for_the_warp(self):
        (self.folder / "g.obj").write_text(square())
        result = run_in_process("drape", *self.files, "--fabric", "denim")
        self.assertEqual(result.returncode, 0)
        self.assertIn(
            "g.obj has no UV map: the warp of denim is taken to run upright", result.stderr
        )
        self.write("tin.json", material=TIN)  # the same in all directions
        self.assertEqual(run_in_process("drape", *self.files, "--fabric", "tin").stderr, "")

    def test_unknown_fabric(self):
        result = run_in_process("drape", *self.files, "--fabric", "demin")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--fabric: there is no fabric 'demin'; did you mean denim", result.stderr)

    def test_broken_file(self):
        self.write("tin.json", material={**TIN, "bend": "soft"})
        for name in ("tin", self.folder / "tin.json"):
            result = run_in_process("drape", *self.files, "--fabric", name)
            self.assertEqual(result.returncode, 2)
            self.assertIn('tin.json: material.bend: "soft" is not a number', result.stderr)
            self.assertFalse((self.folder / "o.pc2").exists())


if __name__ == "__main__":
    unittest.main()
