# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents of this checkout are up to date and lead somewhere; a broken one is found."""

import tempfile
import unittest
from pathlib import Path

from pages import __main__ as program
from pages import links, markdown


class Documents(unittest.TestCase):
    def test_generated_pages_are_up_to_date_and_links_lead_somewhere(self):
        found = list(program.findings())
        self.assertEqual(found, [], "\n".join(found))


class Links(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write(
            "README.md",
            "# A house\n[page](docs/page.md#two-rooms-a_b)\n![one](docs/pictures/one.png)\n",
        )
        self.write(
            "docs/page.md", "# Page\n## Two rooms: `a_b`\n[up](../README.md) [there](#page)\n"
        )
        self.write("docs/pictures/one.png", "")
        self.write("native/step.c", "/* docs/page.md */\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def found(self):
        return list(links.findings(self.root))

    def test_a_good_house_has_no_findings(self):
        self.assertEqual(self.found(), [])

    def test_a_file_that_is_gone(self):
        self.write("docs/page.md", "# Page\n## Two rooms: `a_b`\n[x](../gone.md)\n")
        self.assertEqual(self.found(), ["docs/page.md: ../gone.md leads to no file"])

    def test_a_heading_that_is_gone(self):
        self.write("docs/page.md", "# Page\n")
        self.assertEqual(
            self.found(), ["README.md: docs/page.md#two-rooms-a_b leads to no heading"]
        )

    def test_a_path_in_the_sources_that_is_gone(self):
        self.write("native/step.c", "/* docs/gone.md */\n")
        self.assertEqual(self.found(), ["native/step.c: there is no docs/gone.md"])

    def test_a_source_in_a_document_that_is_gone(self):
        self.write(
            "docs/page.md",
            "# Page\n## Two rooms: `a_b`\n`native/step` `native/laws/NAME.c` `native/gone`\n",
        )
        self.assertEqual(self.found(), ["docs/page.md: there is no native/gone"])

    def test_a_picture_that_nobody_shows(self):
        self.write("docs/pictures/two.png", "")
        self.assertEqual(self.found(), ["docs/pictures/two.png is in no document"])

    def test_links_in_code_are_no_links(self):
        self.write("docs/page.md", "# Page\n## Two rooms: `a_b`\n```\n[x](gone.md)\n```\n")
        self.assertEqual(self.found(), [])


class Tables(unittest.TestCase):
    def test_bars_do_not_end_a_cell(self):
        self.assertEqual(markdown.table(("a",), [("x|y",)]), "| a |\n| --- |\n| x\\|y |")


if __name__ == "__main__":
    unittest.main()
