"""What tests of commands that read OBJ files and write a report share.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import tempfile
import unittest
from pathlib import Path

from in_process import run_in_process


class FileCommandTest(unittest.TestCase):
    """`command` is the word after `muslin`; `output` is where its report may go."""

    command = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.output = self.folder / "out.json"

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def run_command(self, *arguments, code=0):
        result = run_in_process(self.command, *arguments)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        return result

    def refused(self, *arguments, parts):
        result = self.run_command(*arguments, code=2)
        self.assertEqual(result.stdout, "")
        for part in parts:
            self.assertIn(str(part), result.stderr)
        self.assertFalse(self.output.exists())
