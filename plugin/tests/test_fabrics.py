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
from fabric_folder import TIN, InFolder, flat
from muslin import Cloth, FileError, MuslinError, fabric, fabric_surface, fabrics
from muslin.fabric_file import read_fabric
from muslin.measured.strips import ANGLES, bending_length
from muslin.table import SETTINGS

FABRICS = Path(__file__).resolve().parents[1] / "fabrics"


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

    def test_their_order_is_that_of_cloth(self):
        """Along warp and weft: silk is limper than cotton, cotton than denim; nothing worn is as stiff as leather."""
        found = {one.name: one.material for one in fabrics.all_fabrics()}
        rigid = {name: (m["bend"], m["bend"] * m["bend_weft"]) for name, m in found.items()}
        for soft, stiff in (("silk", "cotton"), ("cotton", "denim"), ("denim", "leather")):
            self.assertLess(max(rigid[soft]), min(rigid[stiff]), (soft, stiff))
        for name in ("silk", "muslin", "poplin", "satin", "linen", "wool", "denim"):
            self.assertLess(found[name]["bend_weft"], 1, name)  # fewer threads lie along the weft
        for name in ("cotton", "linen", "wool", "denim", "leather"):
            for number in ("shear", "stretch_warp", "stretch_weft"):
                self.assertLess(found["jersey"][number], found[name][number], (name, number))
        # KES-F ranges, N/m: 0.5-1 gf/(cm deg) of suitings, 1.5-3.4 of denims
        self.assertTrue(28 <= found["wool"]["shear"] <= 56)
        self.assertTrue(84 <= found["denim"]["shear"] <= 191)

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
        self.assertIn("bad.json: material.bend: -1 is not from 0 to 10 N m", reasons["bad"])
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

    def test_hidden_files_and_capital_endings(self):
        for name in (
            "._tin.json",
            ".json",
            "note.txt",
        ):  # the first is what other systems leave behind
            (self.folder / name).write_text("no fabric")
        self.write("BRASS.JSON", material=TIN)
        found, broken = fabrics.survey()
        self.assertEqual((found[-1].name, broken), ("brass", []))

    def test_links(self):
        for name, to in (("a", "b"), ("b", "a"), ("c", "nowhere")):
            os.symlink(self.folder / f"{to}.json", self.folder / f"{name}.json")
        (self.folder / "real").mkdir()
        os.symlink(self.write("real/tin.json", material=TIN), self.folder / "tin.json")
        found, broken = fabrics.survey()
        self.assertEqual((found[-1].name, [one.name for one in broken]), ("tin", ["a", "b", "c"]))
        self.assertRegex(broken[0].reason, "a.json: cannot be read: Too many levels of symbolic")
        with self.assertRaisesRegex(FileError, "c.json: cannot be read: No such file"):
            fabric(self.folder / "c.json")

    def test_a_file_that_may_not_be_read(self):
        path = self.write("tin.json", material=TIN)
        denied = PermissionError(13, "Permission denied")
        with mock.patch("muslin.files.open", side_effect=denied, create=True):
            with self.assertRaisesRegex(FileError, "tin.json: cannot be read: Permission denied"):
                fabric(path)

    def test_what_is_no_name(self):
        for name in (None, 3, b"silk", ["silk"]):
            with self.assertRaisesRegex(MuslinError, "is neither the name of a fabric nor"):
                fabric(name)
        with self.assertRaisesRegex(MuslinError, "there is no fabric ''"):
            fabric("")

    def test_a_path_is_a_fabric_too(self):
        path = self.write("tin.json", material=TIN)
        with mock.patch.dict(os.environ, {"MUSLIN_FABRICS": ""}):
            self.assertEqual(fabric(str(path))["bend"], 0.1)
            self.assertEqual(fabric(path)["bend"], 0.1)
            self.assertEqual(fabric_surface(path)["friction"], 0.3)
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

        refused("density: -1 is not from 0.001 to 100 kg/m^2", density=-1)
        refused("density: 0 is not from 0.001 to 100 kg/m^2", density=0)
        refused("density: 150 is not from 0.001 to 100 kg/m^2", density=150)  # g/m^2
        refused("density: 1e-50 is too small to distinguish from 0", density=1e-50)
        refused("stretch_weft: 100000000 is not from 0 to 1e+07 N/m", stretch_weft=10**8)
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

    def test_numbers_that_do_not_go_together(self):
        def refused(words, model="membrane", **changes):
            self.refused(f"material.{words}", material={**TIN, **changes}, model=model)

        samples = [60.0, 10.0, 60.0, 80.0] * 6
        needs = 'needs "model": "membrane"'
        refused(f"poisson: 0.3 {needs}", None, poisson=0.3)
        refused(f'strain_limit: 0.1 {needs}, and not "edge"', "edge", strain_limit=0.1)
        refused(
            f"stretch_samples: [60.0, 10.0, 60.0, 80.0, 60.0, 10.0, ... {needs}",
            None,
            stretch_samples=samples,
        )
        refused(
            "poisson: 0.3 does not go with stretch_samples, which say how much narrower a strip gets",
            poisson=0.3,
            stretch_samples=samples,
        )
        refused(
            "stretch_samples[2]: c22 0 N/m at rest is not above 0",
            stretch_samples=[60.0, 10.0, 0.0, 80.0] + samples[4:],
        )
        refused(
            "stretch_samples[1]: c12 60 N/m at rest is not at most 59.4, 0.99 of the root of c11 c22: "
            "a strip would not resist being stretched",
            stretch_samples=[60.0, 60.0, 60.0, 80.0] + samples[4:],
        )
        refused(
            "stretch_samples[22]: c22 29 N/m at a strain of 1/6 is less than half of 60 at rest: "
            "the force would fall",
            stretch_samples=samples[:20] + [60.0, 10.0, 29.0, 80.0],
        )
        refused("bend_samples[3]: 0 is not above 0 N m", bend_samples=[1e-6] * 3 + [0] * 12)
        refused("bend_samples[14]: 11 is not from 0 to 10 N m", bend_samples=[1e-6] * 14 + [11])

    def test_missing(self):
        for name in TIN:
            rest = {key: value for key, value in TIN.items() if key != name}
            self.refused(f"material.{name}: is missing", material=rest)
        path = self.write("tin.json", label="Tin")
        with self.assertRaisesRegex(FileError, "tin.json: material: is missing"):
            read_fabric(path)

    def test_other_fields(self):
        self.refused(
            "contact.thickness: 0.5 is not from 1e-05 to 0.1 m", contact={"thickness": 0.5}
        )
        self.refused("contact.grip: 1: there is no such field", contact={"grip": 1})
        self.refused("contact: [] is not an object with fields", contact=[])
        self.refused("material: 3 is not an object with fields", material=3)
        self.refused('model: "wool" is not one of triangle, edge, membrane', model="wool")
        self.refused("model: [] is not one of triangle, edge, membrane", model=[])
        self.refused("number: 1.5 is not a whole number from 0 to 2147483647", number=1.5)
        self.refused("number: -1 is not a whole number from 0 to 2147483647", number=-1)
        self.refused(f"number: {2**31} is not a whole number from 0 to 2147483647", number=2**31)
        self.refused("label: 3 is not text", label=3)
        long = f'"{36 * "x"}... has 81 characters, expected at most 80'
        self.refused(f"label: {long}", label=81 * "x")
        self.refused("materials: 1: there is no such field; did you mean material?", materials=1)

    def test_files(self):
        def refused(data, words):
            path = self.folder / "tin.json"
            path.write_bytes(data)
            with self.assertRaisesRegex(FileError, f"tin.json{words}"):
                read_fabric(path)

        refused(b"", ": is empty")
        refused(b"\xef\xbb\xbf \n", ": is empty")
        refused(json.dumps({"material": TIN}).encode("utf-16"), ": this is not UTF-8 text")
        refused(b"// a remark\n{}", ", line 1: this is not JSON")
        refused(b'{"material": {"density": 1e400}}', ": material.stretch_warp: is missing")
        refused(b'{\n"material": }', ", line 2: this is not JSON")
        refused(b"[1, 2]", r": this is not a fabric: \[1, 2\] is not an object")
        refused(b"\xff\xfe{}", ": this is not UTF-8 text: byte 0 is wrong")
        refused(b" " * 1_000_001, ": this is too large: it has more than 1,000,000 bytes")
        refused(b"[" * 200_000, ": this is not JSON that can be read")
        refused(b'{"number": ' + b"1" * 9000 + b"}", ": ")
        refused(b'{"label": "a", "label": "b"}', ": label is given twice")

    def test_what_is_no_file(self):
        with self.assertRaisesRegex(FileError, "this is a folder"):
            read_fabric(self.folder)
        os.mkfifo(self.folder / "pipe.json")
        for path in (self.folder / "pipe.json", "/dev/zero"):
            with self.assertRaisesRegex(FileError, "not an ordinary file"):
                read_fabric(path)
        with self.assertRaisesRegex(FileError, "this is not a path"):
            read_fabric("tin\0.json")

    def test_a_mark_of_byte_order_is_no_harm(self):
        path = self.folder / "tin.json"
        path.write_bytes(b"\xef\xbb\xbf" + json.dumps({"material": TIN}).encode())
        self.assertEqual(read_fabric(path).material, TIN)


if __name__ == "__main__":
    unittest.main()
