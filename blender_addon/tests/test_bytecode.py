# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiling beside what goes on: once after an installation, and not where nothing of it could be kept."""

import unittest
from pathlib import Path
from unittest import mock

from support import addon

bytecode = addon("loading")


class BytecodeTest(unittest.TestCase):
    def threads(self, may_write):
        """How many were started where nothing is compiled yet."""
        with (
            mock.patch.object(bytecode.sys, "dont_write_bytecode", False),
            mock.patch.object(bytecode, "LATE", Path("not") / "compiled.py"),
            mock.patch.object(bytecode.os, "access", return_value=may_write),
            mock.patch.object(bytecode.threading, "Thread") as thread,
        ):
            bytecode.register()
            bytecode.unregister()
        self.assertEqual(thread.return_value.join.call_count, thread.call_count)
        return thread.call_count

    def test_it_stops_when_the_add_on_goes(self):
        """Blender removes the folders next: none may be written to."""
        with mock.patch("compileall.compile_file") as compile_file:
            bytecode.unregister()
            bytecode.compile_all([bytecode.FOLDER])
        compile_file.assert_not_called()

    def test_only_where_it_can_be_kept(self):
        self.assertEqual((self.threads(True), self.threads(False)), (1, 0))

    def test_what_tells_that_all_is_compiled_comes_last(self):
        with mock.patch("compileall.compile_file") as compile_file:
            bytecode._stop.clear()
            bytecode.compile_all([bytecode.FOLDER])
        paths = [call.args[0] for call in compile_file.call_args_list]
        self.assertEqual((paths[-1], paths.count(bytecode.LATE)), (bytecode.LATE, 1))
