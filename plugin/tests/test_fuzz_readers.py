"""A bounded run of the fuzzer of readers: mutated OBJ, PC2, fabric, job and record files are read or refused in words.

plugin/fuzz/readers.py by itself, or tools/fuzz, runs for longer.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import tempfile
import unittest
from pathlib import Path

import readers

RUNS = 1000  # of each reader: a few seconds together


class Readers(unittest.TestCase):
    def test_mutated_files_are_read_or_refused(self):
        for one in readers.fuzz(list(readers.FORMATS), 0, RUNS):
            with self.subTest(one.name):
                self.assertEqual([], [finding[::2] for finding in one.findings])
                self.assertEqual(one.runs, RUNS)
                self.assertGreater(one.accepted, 0, "mutation leaves nothing that is read")

    def test_what_mutation_starts_from_is_right(self):
        for name in readers.FORMATS:
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                Path(folder, "sheet.obj").write_bytes(b"v 0 0 0\n")
                one = readers.Fuzzer(name, folder)
                for data in one.inputs:
                    one.give(data)
                self.assertEqual((one.accepted, one.findings), (len(one.inputs), []))

    def test_a_reader_that_breaks_is_found(self):
        class Broken(readers.Format):
            def seeds(self):
                return [b"right"]

            def read(self, path):
                if Path(path).read_bytes() != b"right":
                    raise IndexError

        with tempfile.TemporaryDirectory() as folder:
            readers.FORMATS["broken"] = Broken
            self.addCleanup(readers.FORMATS.pop, "broken")
            one = readers.Fuzzer("broken", folder)
            for seed in range(20):
                one.run(seed)
        self.assertGreater(len(one.findings), 10)
        seed, data, problem = one.findings[0]
        self.assertEqual(data, one.data_of(seed), "the same number gives the same file")
        self.assertIn("IndexError", problem)


if __name__ == "__main__":
    unittest.main()
