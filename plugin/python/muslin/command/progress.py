# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes to stderr: sentences, warnings, and on a terminal, not in a pipe, one line that says how far the simulation is."""

import shutil
import sys
import time

from ..errors import printable

BAR_WIDTH = 24
REDRAW_SECONDS = 0.1


def say(text):
    print(f"muslin: {text}", file=sys.stderr)


def warn(text):
    """One line for one warning, whatever the text holds."""
    print("muslin: warning: " + printable(" ".join(text.split())), file=sys.stderr)


def duration(seconds):
    """Time in words: "4 s", "2 min 05 s", "1 h 03 min"."""
    seconds = int(seconds + 0.5)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    return f"{seconds // 3600} h {seconds // 60 % 60:02d} min"


class Line:
    """Draws to stderr when that is a terminal, always on the same line."""

    def __init__(self):
        self.active = sys.stderr.isatty()
        self.begin = time.monotonic()
        self.drawn = 0.0

    def draw(self, text, last=False):
        """Not more often than an eye can follow, but for the last."""
        now = time.monotonic()
        if self.active and (last or now - self.drawn >= REDRAW_SECONDS):
            self.drawn = now
            self._write(text[: shutil.get_terminal_size().columns - 1])

    def _write(self, text):
        """Nothing more once the terminal is closed: whatever is simulated ends by the signal of that, not by this."""
        try:
            sys.stderr.write("\r\x1b[K" + text)
            sys.stderr.flush()
        except OSError:
            self.active = False

    def clear(self):
        """Leave an empty line for what comes next."""
        if self.active:
            self._write("")


class SettleProgress(Line):
    """How fast the cloth still moves."""

    @staticmethod
    def text(report, seconds):
        line = f"step {report.steps}  {1e3 * report.mean:.3g} mm/s, the fastest vertex {1e3 * report.fastest:.3g}"
        if report.level:
            line += f"  on {report.simulated_count:,} vertices"
        return f"{line}  {duration(seconds)}"

    def show(self, report):
        self.draw(self.text(report, time.monotonic() - self.begin))


class Progress(Line):
    """How many frames there are, and how long the rest will take."""

    def __init__(self, frames):
        super().__init__()
        self.frames = frames

    def text(self, frame, seconds):
        """The line after `frame` frames in `seconds`. The first frame is given, not computed."""
        full = BAR_WIDTH * frame // self.frames
        line = f"[{'#' * full}{'.' * (BAR_WIDTH - full)}] frame {frame}/{self.frames}"
        steps = frame - 1
        if steps > 0 and seconds > 0:
            left = (self.frames - frame) * seconds / steps
            line += f"  {steps / seconds:.1f} frames/s  {duration(left)} left"
        return line

    def show(self, frame):
        self.draw(self.text(frame, time.monotonic() - self.begin), last=frame == self.frames)
