"""Signals, failures and terminals: finished frames are kept, and nobody is disturbed without need.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
import unittest

import numpy as np

from muslin import read_obj
from test_command import CommandTest


class RunningTest(CommandTest):
    """A drape that runs until a test ends it."""

    FRAMES = 1000000

    def start(self, *arguments):
        command = self.command(*self.drape_arguments("--frames", self.FRAMES, *arguments))
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()
        process.stderr.close()

    def wait_for_frames(self, process, count):
        """Wait until some frames are in the temporary file."""
        size = 32 + count * 12 * len(self.scene.positions)
        limit = time.monotonic() + 60
        while time.monotonic() < limit:
            self.assertIsNone(process.poll(), "ended too early")
            parts = [path for path in self.folder.iterdir() if path.name.endswith(".part")]
            try:
                if parts and parts[0].stat().st_size >= size:
                    return
            except FileNotFoundError:
                pass  # renamed meanwhile: the next look tells whether it ended too early
            time.sleep(0.02)
        self.fail("no frames were written")


class SignalTest(RunningTest):
    def check_kept_frames(self, process):
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertNotIn("Traceback", errors)
        frames = self.frames()
        self.assertGreaterEqual(len(frames), 3)
        self.assertLess(len(frames), self.FRAMES)
        self.assertIn(f"frames 1 to {len(frames)} are in {self.output}", errors)
        self.assertEqual(self.output.stat().st_size, 32 + frames.nbytes)
        self.assertTrue(np.isfinite(frames[-1]).all())
        self.assertEqual([path for path in self.folder.iterdir() if ".part" in path.name], [])

    def test_signals_keep_the_finished_frames(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                process = self.start("--pin", self.pin_list)
                self.wait_for_frames(process, 3)
                self.assertFalse(self.output.exists())
                process.send_signal(number)
                self.check_kept_frames(process)
                self.output.unlink()

    def test_a_closed_terminal_keeps_the_finished_frames(self):
        """Nothing can be written to it any more, neither progress nor what is said at the end."""
        terminal, inner = pty.openpty()
        process = subprocess.Popen(
            self.command(*self.drape_arguments("--frames", self.FRAMES, "--pin", self.pin_list)),
            stdin=inner,
            stdout=inner,
            stderr=inner,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        os.close(inner)
        self.wait_for_frames(process, 3)
        os.close(terminal)
        self.assertEqual(process.wait(timeout=60), 130)
        self.assertGreaterEqual(len(self.frames()), 3)

    def test_long_step_is_cancelled(self):
        """One frame would take minutes; the signal ends it at the next substep."""
        stats, last = self.folder / "stats.json", self.folder / "last.obj"
        work = ("--substeps", 10000, "--iterations", 1000)
        process = self.start(*work, "--stats", stats, "--last-frame", last)
        self.wait_for_frames(process, 1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(len(self.frames()), 1)
        self.assertEqual(len(json.loads(stats.read_text())["frames"]), 1)
        self.assertEqual(read_obj(last).vertex_count, len(self.scene.positions))


class EarlyTest(CommandTest):
    def test_signal_during_the_imports(self):
        """A numpy that is interrupted while it is imported."""
        (self.folder / "numpy.py").write_text("raise KeyboardInterrupt\n")
        path = os.pathsep.join([str(self.folder), os.environ.get("PYTHONPATH", "")])
        result = subprocess.run(
            self.command("check", self.garment),
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
        )
        self.assertEqual((result.returncode, result.stdout, result.stderr), (130, "", ""))

    def test_info_that_takes_long(self):
        """Factoring is one call of the library that does not listen; here a long sleep stands in."""
        code = (
            "import ctypes, sys; from muslin.command import info, main\n"
            "def measure(*_): print('measuring', flush=True); ctypes.CDLL(None).sleep(60)\n"
            "info.measure = measure; sys.exit(main(sys.argv[1:]))"
        )
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                command = [sys.executable, "-c", code, "info", str(self.garment)]
                with subprocess.Popen(
                    command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
                ) as process:
                    self.assertEqual(process.stdout.readline(), "measuring\n")
                    process.send_signal(number)
                    _, errors = process.communicate(timeout=20)
                self.assertEqual((process.returncode, errors), (130, "muslin: interrupted\n"))

    def test_info_that_fails(self):
        """An error in the thread is reported as ever."""
        self.garment.write_text("v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        result = self.run_command("info", self.garment, code=2)
        self.assertIn("vertex 0", result.stderr)
        self.assertNotIn("Traceback", result.stderr)


class FailureTest(CommandTest):
    def test_divergence_keeps_the_finished_frames(self):
        """Gravity near the largest float overflows after some frames, where no air brakes the fall."""
        arguments = ("--frames", 100, "--gravity", "0,0,-1e38", "--fps", "0.1", "--normal-drag", 0)
        arguments += ("--tangent-drag", 0)
        result = self.drape(*arguments, code=1)
        count = len(self.frames())
        self.assertIn(f"frame {count + 1} of 100 failed", result.stderr)
        self.assertIn(f"frames 1 to {count} are in {self.output}", result.stderr)
        self.assertTrue(np.isfinite(self.frames()).all())


class TerminalTest(CommandTest):
    def test_progress_on_a_terminal(self):
        """A bar with frame, speed and time left, and a last line; nothing on stdout."""
        try:
            master, slave = pty.openpty()
        except OSError:
            self.skipTest("this machine has no pseudo-terminals")
        command = self.command(*self.drape_arguments("--frames", 200, "--pin", self.pin_list))
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave)
        os.close(slave)
        shown = self.read_terminal(master)
        self.assertEqual(process.communicate(timeout=60)[0], b"")
        self.assertEqual(process.returncode, 0)
        self.assertRegex(shown, r"frame \d+/200")
        self.assertRegex(shown, r"[\d.]+ frames/s")
        self.assertRegex(shown, r"\d+ s left")
        self.assertIn(f"200 frames in {self.output}", shown)

    def read_terminal(self, master):
        shown = b""
        try:
            while select.select([master], [], [], 60)[0]:
                part = os.read(master, 4096)
                if not part:
                    break
                shown += part
        except OSError:  # the other end is closed
            pass
        os.close(master)
        return shown.decode()


if __name__ == "__main__":
    unittest.main()
