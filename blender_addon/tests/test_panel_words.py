# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of the panel has a line for every field and button of the panels, and a heading for every section."""

import re
import unittest
from pathlib import Path

import bpy
from support import addon
from test_panels import new_garment, sources

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "panel.md"
# Groups and lists, whose fields are looked at by themselves, and what the add-on keeps for itself.
KEPT = {
    "rna_type",
    "name",
    "bl_idname",
    "baked",
    "colliders",
    "active_collider",
    "tacks",
    "elastics",
}
KEPT |= {"mirror", "fit", "sewing"}
TEXT = r'(?:[^()]|\([^()]*\))*?text="([^"{]+)"'


def shown_as(call):
    """What is drawn under other words than its own: name -> texts."""
    found = {}
    for path in sources():
        for name, text in re.findall(call + TEXT, path.read_text("utf-8")):
            found.setdefault(name, set()).add(text)
    return found


def groups():
    """All that has fields."""
    garment = new_garment().muslin
    sewing = garment.sewing
    yield from (garment, garment.colliders.add(), garment.mirror, garment.fit, sewing)
    yield from (sewing.tacks.add(), sewing.elastics.add())
    yield addon("ui.preferences").MuslinPreferences


class Words(unittest.TestCase):
    def setUp(self):
        self.page = PAGE.read_text("utf-8")

    def lacks(self, words):
        return not any(f"*{word}*" in self.page for word in words if word)

    def test_every_section_has_a_heading(self):
        for section in addon("ui.panels").SECTIONS:
            self.assertIn(f"\n## {section.label}\n", self.page)

    def test_every_field_has_a_line(self):
        texts, missing = shown_as(r'\.prop\(\s*\w+,\s*"(\w+)"'), []
        for group in groups():
            for name, field in group.bl_rna.properties.items():
                is_garment = group.bl_rna.identifier == "MuslinGarment"
                if name in KEPT or field.is_hidden or (is_garment and name == "enabled"):
                    continue
                if self.lacks({field.name, *texts.get(name, ())}):
                    missing.append(f"{group.bl_rna.identifier}.{name}: {field.name}")
        self.assertEqual(missing, [], "\n".join(missing))

    def test_every_button_has_a_line(self):
        texts, missing = shown_as(r'operator\(\s*"(muslin\.\w+)"'), []
        names = re.findall(
            r'operator\(\s*"(muslin\.\w+)"', "".join(p.read_text("utf-8") for p in sources())
        )
        self.assertGreater(len(set(names)), 30)
        for name in sorted(set(names)):
            kind = getattr(bpy.types, "MUSLIN_OT_" + name.partition(".")[2])
            if self.lacks({kind.bl_label, *texts.get(name, ())}):
                missing.append(f"{name}: {kind.bl_label}")
        self.assertEqual(missing, [], "\n".join(missing))


class Lines(unittest.TestCase):
    def wrapped(self, text, letters=26):
        lines = addon("ui.words").wrapped(text, letters)
        self.assertLessEqual(max(map(len, lines)), letters)
        self.assertEqual("".join(lines).replace(" ", ""), text.replace(" ", ""))
        return lines

    def test_paths_break_between_folders(self):
        lines = self.wrapped("It is in /home/somebody/films/first-film/shot-4.3/muslin")
        self.assertEqual(lines[:2], ["It is in /home/somebody/", "films/first-film/shot-4.3/"])
        lines = self.wrapped(r"C:\Users\somebody\films\first\shot")
        self.assertTrue(lines[0].endswith("\\"), lines)

    def test_names_longer_than_a_line_break_anywhere(self):
        self.assertEqual(len(self.wrapped("x" * 60)), 3)

    def test_numbers_stay_with_their_unit(self):
        for letters in range(18, 40):
            lines = self.wrapped("stretched by 10 % here, and by 4 N/m or 12 % there", letters)
            self.assertFalse([line for line in lines if line[0] in "%m"], lines)


if __name__ == "__main__":
    unittest.main()
