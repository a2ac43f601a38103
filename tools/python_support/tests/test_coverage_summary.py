"""The summary of a coverage build: of a library of two files, compiled and run here.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import coverage_summary  # noqa: E402

HEADER = """static inline int doubled(int x) {
    return 2 * x;
}
"""
SOURCE = """#include "native/base/twice.h"
int chosen(int x) {
    if (x > 5) {
        return 1;
    }
    return doubled(x);
}
static int never(void) {
    return 3;
}
int main(int count, char **arguments) {
    (void)arguments;
    return count > 4 ? never() : chosen(count) - 2;
}
"""


@unittest.skipUnless(shutil.which("gcc") and shutil.which("gcovr"), "gcc and gcovr are not there")
class CoverageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        self.build = self.root / "build"
        (self.root / "native" / "base").mkdir(parents=True)
        (self.root / "native" / "tests").mkdir()
        self.build.mkdir()
        (self.root / "native/base/twice.h").write_text(HEADER, encoding="utf-8")
        for name in ("base", "tests"):
            (self.root / "native" / name / "main.c").write_text(SOURCE, encoding="utf-8")
            command = ["gcc", "-I.", "--coverage", "-o", f"build/{name}", f"native/{name}/main.c"]
            subprocess.run(command, cwd=self.root, check=True)
            subprocess.run([self.build / name], check=True)
        self.files = coverage_summary.read_lines(self.root, self.build)

    def test_lines_of_the_library_are_counted_once(self):
        self.assertEqual(set(self.files), {"native/base/main.c", "native/base/twice.h"})
        self.assertEqual(coverage_summary.by_folder(self.files), {"native/base": [10, 7]})

    def test_too_small_a_share_fails(self):
        for least, status in (("0.69", 0), ("0.71", 1)):
            command = [sys.executable, coverage_summary.__file__, self.root, self.build]
            done = subprocess.run([*command, "--least", least], capture_output=True, text=True)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual("0.7000 of the lines ran, fewer than 0.71" in done.stderr, status == 1)

    def test_what_did_not_run_is_listed_with_its_reason(self):
        missed = coverage_summary.not_run(self.files)
        name = "native/base/main.c"
        self.assertEqual(missed, {(name, "chosen"): [4], (name, "never"): [8, 9]})
        reasons = coverage_summary.read_reasons(f"# why\n{name}:never, main:nobody asks\n")
        lines = list(coverage_summary.described(missed, reasons, self.root))
        self.assertEqual(lines[0], f"{name}:4: chosen: 1 lines: ?: return 1;")
        self.assertEqual(
            lines[1], f"{name}:8: never: 2 lines: nobody asks: static int never(void) {{"
        )

    def test_the_reasons_name_what_there_is(self):
        top = Path(__file__).resolve().parents[3]
        text = coverage_summary.REASONS.read_text(encoding="utf-8")
        for name, function in coverage_summary.read_reasons(text):
            source = (top / name).read_text(encoding="utf-8")
            self.assertTrue(function == "*" or f"{function}(" in source, f"{name}:{function}")


if __name__ == "__main__":
    unittest.main()
