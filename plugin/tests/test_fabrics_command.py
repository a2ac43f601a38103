"""`muslin fabrics`: the list, its file and its picture.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os
import re
import unittest
import xml.etree.ElementTree as xml

from fabric_folder import InFolder
from in_process import run_in_process
from muslin import fabrics

TIN = {"density": 2, "stretch_warp": 9e5, "stretch_weft": 9e5, "shear": 3e5, "bend": 0.1}


class ListTest(InFolder):
    def run_command(self, *arguments):
        result = run_in_process("fabrics", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_list(self):
        result = self.run_command()
        lines = result.stdout.splitlines()
        self.assertEqual(result.stderr, "")
        self.assertEqual(len(lines), 2 + len(fabrics.all_fabrics()))
        silk = lines[3].split()
        self.assertEqual(silk[:7], ["silk", "70", "3000", "2500", "12.5", "1.2/1.1/1.1", "0.2"])
        self.assertIn(str(self.folder), lines[-1])

    def test_own_and_broken_files(self):
        (self.folder / "tin.json").write_text(json.dumps({"material": TIN, "source": "a roof"}))
        (self.folder / "bad.json").write_text("{")
        reported = self.folder / "report.txt"
        result = self.run_command("--json", reported)
        self.assertRegex(
            result.stdout, "tin +2000 +900000 +900000 +300000 +17.2/17.2/17.2 .*a roof"
        )
        self.assertRegex(result.stderr, "no fabric: .*bad.json, line 1: this is not JSON")
        content = json.loads(reported.read_text())
        tin = content["fabrics"][-1]
        self.assertEqual((tin["name"], tin["material"]["bend"]), ("tin", 0.1))
        self.assertAlmostEqual(tin["bending_length"]["weft"], (0.1 / 2 / 9.81) ** (1 / 3))
        self.assertEqual(content["broken"][0]["name"], "bad")

    def test_picture(self):
        (self.folder / "tin.json").write_text(
            json.dumps({"material": TIN, "label": "Tin & <Lead>"})
        )
        picture = self.folder / "fabrics.svg"
        self.run_command("--plot", picture)
        texts = [each.text for each in xml.fromstring(picture.read_text()).iter() if each.text]
        for one in fabrics.all_fabrics():
            self.assertIn(one.label, texts)

    def test_fabrics_that_do_not_resist_have_a_picture_too(self):
        slack = {**TIN, "stretch_warp": 0, "stretch_weft": 0, "shear": 0}
        (self.folder / "slack.json").write_text(json.dumps({"material": slack}))
        rows = [[60, 0, 60, 80]] + [
            [60, 0, 60, 0]
        ] * 5  # measured, and not sheared when it is stretched
        samples = [number for row in rows for number in row]
        measured = {"material": {**TIN, "stretch_samples": samples}, "model": "membrane"}
        (self.folder / "measured.json").write_text(json.dumps(measured))
        picture = self.folder / "fabrics.svg"
        self.run_command("--plot", picture)
        texts = [each.text for each in xml.fromstring(picture.read_text()).iter() if each.text]
        self.assertIn("Slack", texts)
        self.assertIn("Measured", texts)

    def test_names_and_files_that_are_odd_harm_nothing(self):
        with open(os.fsencode(self.folder) + b"/t\xff.json", "w") as file:
            json.dump({"material": TIN}, file)
        crowd = json.dumps({str(number): number for number in range(60000)})
        (self.folder / "crowd.json").write_text(crowd)
        (self.folder / "half.json").write_text(json.dumps({"label": "a\ud800", "material": TIN}))
        result = self.run_command("--json", self.folder / "report.txt")
        self.assertRegex(result.stderr, r"t\?.json: the name of this file cannot be printed")
        self.assertRegex(result.stderr, "crowd.json: 0: 0: there is no such field")
        self.assertRegex(result.stderr, "half.json: label: .* cannot be printed")

    def test_names_that_are_commands_of_terminals(self):
        for name in ("a\nb", "a\tb", "a\x1b[31mb"):
            (self.folder / f"{name}.json").write_text(json.dumps({"material": TIN}))
        (self.folder / "c\x1b[31md.json").write_text("{")
        result = self.run_command()
        self.assertEqual(len(result.stdout.splitlines()), 2 + len(fabrics.all_fabrics()))
        self.assertNotIn("\x1b", result.stdout + result.stderr)
        words = (
            r"no fabric: \S+\?\S+.json: the name of this file cannot be printed: give it another\n"
        )
        self.assertEqual(len(re.findall(words, result.stderr)), 4)

    def test_one_file_for_both(self):
        path = self.folder / "f.svg"
        result = run_in_process("fabrics", "--plot", path, "--json", path)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("--json and --plot are the same file", result.stderr)
        self.assertFalse(path.exists())

    def test_file_that_cannot_be_written(self):
        result = run_in_process("fabrics", "--plot", self.folder / "none" / "f.svg")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("does not exist", result.stderr)


if __name__ == "__main__":
    unittest.main()
