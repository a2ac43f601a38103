"""Threads on one cloth: refused by name, and a close that never takes a cloth from under a step.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import gc
import tempfile
import threading
import time
import unittest
from pathlib import Path

from muslin import Cloth, MuslinError, Status, recording
from muslin.recording import container
from muslin.recording.replay import Replay
from scene_meshes import hung_sheet

STEP = 1 / 24
PATIENCE_SECONDS = 60


class Stepping:
    """Steps a cloth in a thread until it is told to end, or the cloth is gone. statuses: of the steps that raised."""

    def __init__(self, cloth):
        self._cloth = cloth
        self._end = False
        self.statuses, self.messages = [], []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        while not self._end and Status.ERROR_HANDLE not in self.statuses:
            try:
                self._cloth.step(STEP)
            except MuslinError as error:
                self.statuses.append(error.status)
                self.messages.append(error.message)

    def end(self):
        self._end = True
        self.wait()

    def wait(self):
        self._thread.join()


def meet(cloth):
    """The error of a call that comes during a step."""
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        try:
            cloth.positions()
        except MuslinError as error:
            return error
    return None


class Busy(unittest.TestCase):
    def setUp(self):
        mesh, pins = hung_sheet()
        self.cloth = Cloth(mesh, substeps=50)
        self.addCleanup(self.cloth.close)
        self.cloth.set_pins(pins)

    def test_a_second_thread_is_reported(self):
        stepping = Stepping(self.cloth)
        error = meet(self.cloth)
        self.cloth.progress()
        self.cloth.cancel()
        meet(self.cloth)
        stepping.end()
        self.assertEqual(error.status, Status.ERROR_BUSY)
        self.assertIn("another thread", error.message)
        self.assertIn(Status.ERROR_CANCELLED, stepping.statuses)
        self.assertLessEqual(set(stepping.statuses), {Status.ERROR_CANCELLED, Status.ERROR_BUSY})
        self.cloth.step(STEP)

    def test_closing_during_a_step_stops_it(self):
        stepping = Stepping(self.cloth)
        meet(self.cloth)
        self.cloth.close()
        stepping.wait()
        self.assertIn(Status.ERROR_HANDLE, stepping.statuses)
        reported = dict(zip(stepping.statuses, stepping.messages))
        self.assertEqual(reported[Status.ERROR_CANCELLED], "cancelled")

    def test_a_finalizer_waits(self):
        """Python gives a cloth back at any moment, in any thread, whoever still has its handle."""
        stepping = Stepping(self.cloth)
        meet(self.cloth)
        self.cloth.__del__()
        gc.collect()
        stepping.wait()
        self.assertIn(Status.ERROR_HANDLE, stepping.statuses)

    def test_a_recording_of_it_is_replayed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "busy.muslin"
            recording.start(path)
            try:
                mesh, _ = hung_sheet()
                with Cloth(mesh, substeps=50) as cloth:
                    stepping = Stepping(cloth)
                    meet(cloth)
                    stepping.end()
            finally:
                recording.stop()
            notes = self.replayed(path)
        self.assertTrue(any("another thread" in note for note in notes), notes)

    def replayed(self, path):
        replay, notes = Replay(), set()
        with container.Recording(path) as read:
            for call in read.calls():
                result = replay.make(call)
                self.assertEqual(result.differences, [], call.signature.name)
                notes.add(result.note)
        replay.close()
        return notes


if __name__ == "__main__":
    unittest.main()
