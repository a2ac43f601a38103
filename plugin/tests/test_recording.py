"""Every call into a file and again to the same bytes: options, environment, threads, full disks, crashes.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctypes
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np

from body_meshes import STEP, ball, moved, sheet
from mirror_meshes import roof
from muslin import Cloth, FileError, MuslinError, Pc2Writer, Status, recording, write_obj
from muslin import RECORD_VARIABLE, _abi
from muslin._abi import FUNCTIONS
from muslin.recording import signatures
from muslin.recording.container import Recording
from recorded_calls import RecordingTest, play

SMALL_DISK = 4000  # bytes that fit on it: more than the frames, less than the calls
HERE = Path(__file__).resolve().parent


class SignatureTest(RecordingTest):
    def test_every_pointer_is_described(self):
        """A new function or struct must say what it points to: single numbers are the exception."""
        single = {"muslin_cloth_add_body": {2}, "muslin_debug_eigenvalues": {1, 2}}
        single.update({"muslin_mesh_get_report": {4}, "muslin_cloth_create": {2}})
        single.update({"muslin_cloth_get_inspection": {4}, "muslin_cloth_create_parts": {6}})
        single.update({"muslin_cloth_get_snapshot_size": {1}, "muslin_cloth_get_progress": {1}})
        single.update({"muslin_debug_solve": {3}, "muslin_get_detail_count": {1}})
        for name, signature in signatures.SIGNATURES.items():
            for place, one in enumerate(signature.arguments):
                if one.pointed is not None and one.array is None and not one.struct:
                    self.assertIn(place, single.get(name, ()), f"{name}, argument {place}")
        for struct in _abi.STRUCTS.values():
            signatures.members(struct)  # a KeyError names what is missing

    def test_only_functions_without_effect_are_left_out(self):
        left = set(FUNCTIONS) - set(signatures.SIGNATURES)
        self.assertEqual(left, {"muslin_version", "muslin_abi_version", "muslin_status_text"})

    def test_structs_in_arrays_have_no_padding(self):
        for struct in (_abi.Finding, _abi.Material, _abi.Place, _abi.Seam, _abi.Tack):
            parts = signatures.comparable_parts(struct)
            self.assertEqual(sum(size for _, size in parts), ctypes.sizeof(struct))

    def test_times_are_not_compared(self):
        offsets = [offset for offset, _ in signatures.comparable_parts(_abi.Stats)]
        self.assertNotIn(_abi.Stats.total_seconds.offset, offsets)
        self.assertIn(_abi.Stats.largest_strain.offset, offsets)


class SameBytesTest(RecordingTest):
    def test_everything_replays_to_the_same_bytes(self):
        self.record()
        with Recording(self.file) as file:
            names = {call.signature.name for call in file.calls()}
            self.assertEqual((file.damage, file.cut_off), ("", False))
        unused = set(signatures.SIGNATURES) - names
        left = {"muslin_cloth_place_body", "muslin_cloth_set_iterations", "muslin_cloth_cancel"}
        self.assertEqual(unused, left | {"muslin_cloth_prepare", "muslin_cloth_get_mirror"})
        made = self.assert_same()
        for threads in (1, 5):
            self.assertEqual(self.assert_same("--threads", threads), made)

    def test_recording_changes_nothing(self):
        def drape():
            with Cloth(sheet(8)) as cloth:
                cloth.set_pins([0, 7])
                cloth.step(STEP)
                return cloth.positions()

        plain = drape()
        recording.start(self.file)
        recorded = drape()
        recording.stop()
        np.testing.assert_array_equal(recorded, plain)

    def test_errors_are_recorded_with_their_words(self):
        self.record()
        with Recording(self.file) as file:
            statuses = {call.outcome.status for call in file.calls()}
        for status in ("ERROR_ARGUMENT", "ERROR_SNAPSHOT", "ERROR_HANDLE"):
            self.assertIn(Status[status], statuses)

    def test_drape_with_all_that_moves(self):
        garment, body, output = (self.folder / name for name in ("g.obj", "b.obj", "out.pc2"))
        mesh, obstacle = roof(), ball(middle=(0, 0, -0.2))
        write_obj(garment, mesh.positions, mesh.faces())
        write_obj(body, obstacle.positions, obstacle.faces())
        motions = {"b.pc2": obstacle, "pins.pc2": mesh}
        for name, moving in motions.items():
            with Pc2Writer(self.folder / name, moving.vertex_count) as writer:
                for frame in range(4):
                    writer.write(moved(moving, (0, 0, 0.01 * frame)))
        self.command(
            *("drape", "--garment", garment, "-o", output, "--frames", 4, "--pin", "0,8"),
            *("--pin-motion", self.folder / "pins.pc2", "--self-contact", "--mirror", "auto"),
            *("--body", f"{self.folder / 'b.pc2'}:{body}", "--record", self.file),
        )
        self.assertGreater(self.assert_same(), 20)
        self.assert_same("--threads", 1)
        listed, _ = self.replay("--list")
        for words in ("muslin_cloth_move_body(cloth 1, 0,", "muslin_cloth_move_pins(cloth 1, 2,"):
            self.assertIn(words, listed)

    def test_other_commands(self):
        garment = self.folder / "g.obj"
        write_obj(garment, roof().positions, roof().faces())
        for name in ("check", "info", "symmetry"):
            self.command(name, garment, "--record", self.file)
            self.assert_same()

    def test_until_and_list(self):
        self.record()
        said, _ = self.replay("--until", 7)
        self.assertTrue(said.startswith("7 calls, "), said)
        listed, _ = self.replay("--list", "--until", 7)
        self.assertEqual(len(listed.splitlines()), 8)
        self.assertIn("interface", listed.splitlines()[0])

    def test_cloth_from_before_is_left_out(self):
        with Cloth(sheet(8)) as cloth:
            recording.start(self.file)
            cloth.step(STEP)
            with Cloth(sheet(8)) as other:
                other.step(STEP)
                other.positions()
        recording.stop()
        listed, _ = self.replay("--list")
        self.assertEqual(listed.count("muslin_cloth_step"), 1)
        self.assert_same()

    def test_threads_at_the_same_time(self):
        """Each has cloths and errors of its own; a message belongs to the thread that asks."""
        recording.start(self.file)
        workers = [threading.Thread(target=play, kwargs={"threads": 1}) for _ in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        recording.stop()
        said, _ = self.replay()
        self.assertIn("all the same bytes", said)


class CancelTest(RecordingTest):
    def test_cancelled_step_replays_by_its_outcome(self):
        recording.start(self.file)
        with Cloth(sheet(20), substeps=10000) as cloth:
            worker = threading.Thread(target=self.step_in_vain, args=(cloth,))
            worker.start()
            while worker.is_alive() and cloth.progress() == 0:
                time.sleep(0.001)
            cloth.cancel()  # once: a second could come after the step's end, and stop the next
            worker.join()
            cloth.positions()  # of a state that nobody can tell
            cloth.set_state(sheet(20).positions)
            cloth.set_iterations(2, 2)
            cloth.step(STEP)
            cloth.positions()
        recording.stop()
        said, _ = self.replay()
        for words in ("not made: 1 (cancelled)", "after a cancelled step", "all the same bytes"):
            self.assertIn(words, said)
        listed, _ = self.replay("--list")
        self.assertRegex(listed, r"muslin_cloth_cancel\(cloth 1\) = 0, while call \d+ ran")

    def step_in_vain(self, cloth):
        with self.assertRaises(MuslinError) as raised:
            cloth.step(STEP)
        self.assertEqual(raised.exception.status, Status.ERROR_CANCELLED)


class OutsideTest(RecordingTest):
    """What needs a process of its own."""

    def run_python(self, code, record=None, **options):
        environment = dict(os.environ)
        if record is not None:
            environment[RECORD_VARIABLE] = str(record)
        environment["PYTHONPATH"] = os.pathsep.join([str(HERE), environment["PYTHONPATH"]])
        line = [sys.executable, "-c", "from recorded_calls import *\n" + code]
        return subprocess.run(
            line, capture_output=True, text=True, timeout=120, env=environment, **options
        )

    def test_environment_variable(self):
        result = self.run_python("play()", record=self.folder / "calls-%p.muslin")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        (self.file,) = self.folder.glob("calls-*.muslin")
        self.assertRegex(self.file.name, r"^calls-\d+\.muslin$")
        self.assert_same()

    def test_file_that_cannot_be_written_is_reported_and_all_goes_on(self):
        result = self.run_python("play()", record=self.folder / "nowhere" / "calls")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(
            result.stderr.count("RuntimeWarning: nothing is recorded"), 1, result.stderr
        )

    def test_crash_leaves_the_call_that_crashed(self):
        code = (
            "import os, signal, threading\n"
            "cloth = Cloth(sheet(20), substeps=10000)\n"
            "worker = threading.Thread(target=cloth.step, args=(STEP,), daemon=True)\n"
            "worker.start()\n"
            "while cloth.progress() == 0: pass\n"
            "os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        result = self.run_python(code, record=self.file)
        self.assertEqual(result.returncode, -signal.SIGKILL, result.stderr)
        with Recording(self.file) as file:
            left = [call.signature.name for call in file.calls() if call.outcome is None]
            self.assertEqual(file.damage, "")
        self.assertEqual(left[0], "muslin_cloth_step")
        listed, _ = self.replay("--list")
        self.assertIn("muslin_cloth_step(cloth 1, 0.0416666667) did not return", listed)

    def test_forked_process_does_not_write(self):
        recording.start(self.file)
        child = os.fork()
        if child == 0:
            play(threads=1)
            os._exit(0)
        os.waitpid(child, 0)
        self.assertEqual(recording.path(), str(self.file))
        recording.stop()
        self.assertEqual(self.replay("--list")[0].count("\n"), 1)


class StartTest(RecordingTest):
    def test_existing_files_are_not_overwritten(self):
        precious = self.folder / "shirt.obj"
        precious.write_text("v 0 0 0\n")
        for path in (precious, self.folder, self.folder / "nowhere" / "calls"):
            with self.assertRaises(FileError) as raised:
                recording.start(path)
            self.assertIn(str(path), str(raised.exception))
        self.assertEqual(precious.read_text(), "v 0 0 0\n")
        self.command("check", precious, "--record", precious, code=2)
        self.record()
        self.record()  # a recording may be replaced
        self.assert_same()

    def test_an_older_recording_stays_until_the_first_call(self):
        self.record()
        older = self.file.read_bytes()
        drape = ("drape", "--frames", 2, "-o", self.folder / "o.pc2", "--record", self.file)
        self.command(*drape, "--garment", self.folder / "nosuch.obj", code=2)
        self.assertEqual(self.file.read_bytes(), older)
        os.truncate(self.file, len(older) // 2)
        self.record()
        self.assertEqual(self.file.read_bytes()[:100], older[:100])
        self.assert_same()

    def test_full_disk_leaves_an_older_recording_and_no_empty_file(self):
        self.record()
        older, fresh = self.file.read_bytes(), self.folder / "fresh.muslin"
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, limits)
        with self.assertRaisesRegex(FileError, "cannot be written"):
            recording.start(fresh)
        recording.start(self.file)
        with warnings.catch_warnings(record=True) as reported:
            warnings.simplefilter("always")
            play()
        self.assertEqual(len(reported), 1, [str(one.message) for one in reported])
        self.assertIn(f"recording to {self.file} ended", recording.problem())
        self.assertEqual(self.file.read_bytes(), older)
        self.assertEqual(os.listdir(self.folder), [self.file.name])

    def test_path_and_problem(self):
        self.assertIsNone(recording.path())
        recording.start(self.file)
        self.assertEqual(recording.path(), str(self.file))
        recording.stop()
        self.assertIsNone(recording.path())
        self.assertEqual(recording.problem(), "")
        recording.stop()  # once more is nothing

    def test_an_error_while_recording_is_reported_once(self):
        recording.start(self.file)
        recording._recorder._file.close()  # as a disk that went away
        with warnings.catch_warnings(record=True) as reported:
            warnings.simplefilter("always")
            play()
        self.assertEqual(len(reported), 1, [str(one.message) for one in reported])
        self.assertIn(str(self.file), recording.problem())

    def test_full_disk_ends_the_recording_alone(self):
        garment, outputs = self.folder / "g.obj", [self.folder / f"{i}.pc2" for i in (1, 2)]
        write_obj(garment, roof().positions, roof().faces())
        drape = ("drape", "--garment", garment, "--frames", 3, "-o")
        self.command(*drape, outputs[0])
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_DISK, limits[1]))
        try:
            _, complained = self.command(*drape, outputs[1], "--record", self.file)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        self.assertEqual(complained.count("\n"), 1, complained)
        self.assertIn(f"warning: recording to {self.file} ended", complained)
        self.assertEqual(outputs[0].read_bytes(), outputs[1].read_bytes())
        said, complained = self.replay()  # as far as there was room
        self.assertIn("all the same bytes", said)
