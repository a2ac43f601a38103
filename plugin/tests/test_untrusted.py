"""Files of strangers: links, paths that lead elsewhere, counts beyond all measure. Each is refused or read as nothing,
and nothing is written but where Muslin's own files belong.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import io
import json
import os
import struct
import unittest
import zipfile

import numpy as np

from farm_jobs import JobTest, small_job
from in_process import run_in_process
from muslin import FileError, read_obj, read_pc2
from muslin.command import batch_summary
from muslin.command.inputs import read_npy
from muslin.fabric_file import read_fabric
from muslin.farm.job import read_job
from muslin.farm.record import read_record
from muslin.farm.tasks import tasks_of
from muslin.upsampling import Upsampling
from test_pc2 import FolderTest

DEEP = "[" * 100_000 + "]" * 100_000


class JobFolder(JobTest):
    """A job that came with its folder of records, and with links among them."""

    def setUp(self):
        super().setUp()
        self.victim = self.folder.parent / f"{self.folder.name}.victim"
        self.victim.write_bytes(b"precious")
        self.addCleanup(self.victim.unlink)
        self.write(small_job(leave_out=[{"garment": "flag"}, {"shot": "wind"}]))

    def linked(self, place):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(self.victim)

    def test_links_among_its_own_files_are_refused(self):
        names = ("sheet.still.plain.json", "sheet.still.plain.lock", "summary.json")
        places = [self.state / name for name in names]
        places.append(self.folder / "caches" / "still" / ".sheet_plain.pc2.lock")
        for place in places:
            with self.subTest(place.name):
                self.linked(place)
                result = run_in_process("batch", self.path, "--again")
                self.assertNotEqual(result.returncode, 0)
                self.assertIn("is a link", result.stdout + result.stderr)
                self.assertNotIn("Traceback", result.stdout + result.stderr)
                self.assertEqual(self.victim.read_bytes(), b"precious")
                place.unlink()

    def test_a_linked_folder_of_records_is_refused(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        self.state.symlink_to(elsewhere)
        self.assertIn("is a link", self.run_batch(code=2).stderr)
        self.assertEqual(os.listdir(elsewhere), [])

    def test_outputs_stay_in_the_folder(self):
        (self.folder / "out").symlink_to("/tmp")
        for output in (
            "../{garment}.pc2",
            "/tmp/{garment}.pc2",
            "out/{garment}.pc2",
            "a/../../b.pc2",
        ):
            with self.subTest(output):
                self.write(small_job(output=output))
                self.assertIn("outside of the folder", self.run_batch(code=2).stderr)

    def test_settings_that_would_write_are_unknown(self):
        for name in ("stats", "record", "last_frame", "verdict", "fit_report", "output"):
            with self.subTest(name):
                self.write(small_job(settings={name: str(self.victim)}))
                self.assertIn("is not a setting of drape", self.run_batch(code=2).stderr)

    def test_records_that_make_no_sense(self):
        """As if there were none."""
        self.run_batch()
        task = tasks_of(read_job(self.path))[0]
        good = json.loads(task.state(".json").read_text())
        self.assertEqual(read_record(task)["state"], "finished")
        changes = (
            {"verdict": {"worst": {}, "since": {}}},
            {"verdict": {"worst": {**good["verdict"]["worst"], "inside_count": "x"}, "since": {}}},
            {"verdict": []},
            {"verdict": {**good["verdict"], "unclean": {"body_pierced": {"frames": [["x"]]}}}},
            {"verdict": {**good["verdict"], "unclean": [3]}},
            {"reason": ["x"]},
            {"inputs": [{"path": 5}]},
            {"outputs": "x"},
        )
        for change in changes:
            with self.subTest(change):
                task.state(".json").write_text(json.dumps({**good, **change}))
                self.assertEqual(read_record(task), {})
        task.state(".json").write_text(DEEP)
        self.assertEqual(read_record(task), {})

    def test_records_that_name_what_never_ends(self):
        self.run_batch()
        task = tasks_of(read_job(self.path))[0]
        good = json.loads(task.state(".json").read_text())
        for path in ("/dev/zero", "/dev/stdin", "a\0b", "/"):
            with self.subTest(path):
                good["inputs"] = [{"path": path, "sha256": "0"}]
                task.state(".json").write_text(json.dumps(good))
                self.assertIn("to do", self.run_batch("--list").stdout)

    def test_frames_that_were_not_clean_are_told(self):
        """In the line of a task; a record of an older version has none."""
        worst = {
            "body_piercings": 3,
            "self_piercings": 0,
            "inside_count": 0,
            "largest_stretch": 1.0,
        }
        verdict = {"worst": worst, "since": {}}
        self.assertNotIn("frames", batch_summary.faults({"verdict": verdict}))
        runs = {"frames": [[12, 14], [30, 30]], "worst": 3, "worst_frame": 13}
        verdict["unclean"] = {"body_pierced": runs}
        told = batch_summary.faults({"verdict": verdict})
        self.assertIn("; frames 12-14, 30: edges through the body, worst 3 in 13", told)

    def test_summaries_that_make_no_sense(self):
        path = self.folder / "summary.json"
        for text in (DEEP, "[]", '{"tasks": 3}', '{"tasks": [{"task": [], "state": {}}]}', "\xff"):
            path.write_text(text)
            self.assertEqual(batch_summary.rows_of(path), [])


class Readers(FolderTest):
    def refused(self, read, content, *parts):
        self.path.write_bytes(content)
        with self.assertRaises(FileError) as caught:
            read(self.path)
        for part in (str(self.path), *parts):
            self.assertIn(part, str(caught.exception))

    def test_point_caches_of_any_count(self):
        most = 2**31 - 1
        for vertices, frames in (
            (most, most),
            (most, 1),
            (1, most),
            (-1, 1),
            (1, -1),
            (2**30, 4),
        ):
            header = struct.pack("<12siiffi", b"POINTCACHE2\0", 1, vertices, 0, 1, frames)
            with self.subTest(vertices=vertices, frames=frames):
                self.refused(read_pc2, header + bytes(64))

    def test_meshes_of_any_number(self):
        head = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n"
        for corner in (
            b"9" * 30,
            b"-" + b"9" * 30,
            b"9" * 5000,
            b"4294967297",
            b"0",
            b"1/9999999999",
        ):
            with self.subTest(corner[:12]):
                self.refused(read_obj, head + b"vt 0 0\nf 1/1 2/1 " + corner + b"\n")

    def test_maps_with_objects_or_more_than_is_there(self):
        data = io.BytesIO()
        np.save(data, np.array([{}], dtype=object), allow_pickle=True)
        self.refused(read_npy, data.getvalue(), "not a .npy file")
        head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (%s,), }"
        for count in (b"9" * 18, b"9" * 30, b"4"):
            text = head % count
            text += b" " * (118 - len(text) % 64) + b"\n"
            packed = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(24)
            with self.subTest(count):
                self.refused(read_npy, packed)

    def test_operators_that_unpack_to_more_than_there_is_memory(self):
        with zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("header.npy", bytes(1 << 20))
        content = bytearray(self.path.read_bytes())
        at = content.rindex(b"PK\x01\x02")
        content[at + 24 : at + 28] = struct.pack("<I", 0xFFFFFFF0)  # what it says of its size
        self.refused(Upsampling.load, bytes(content))

    def test_fabrics_and_jobs_nested_without_end(self):
        self.path = self.path.with_suffix(".json")
        self.refused(read_fabric, DEEP.encode(), "not JSON")
        self.refused(read_job, DEEP.encode(), "not JSON")
        self.refused(read_job, b'{"muslin_job": ' + b"9" * 10_000 + b"}")


if __name__ == "__main__":
    unittest.main()
