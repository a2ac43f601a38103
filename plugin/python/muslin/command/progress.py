"""One line on a terminal that says how far the simulation is. Nothing at all in a pipe.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import shutil
import sys
import time

BAR_WIDTH = 24
REDRAW_SECONDS = 0.1


def duration(seconds):
    """Time in words: "4 s", "2 min 05 s", "1 h 03 min"."""
    seconds = int(seconds + 0.5)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    return f"{seconds // 3600} h {seconds // 60 % 60:02d} min"


class Progress:
    """Draws to stderr when that is a terminal."""

    def __init__(self, frames, stream=None):
        self.stream = sys.stderr if stream is None else stream
        self.active = self.stream.isatty()
        self.frames = frames
        self.begin = time.monotonic()
        self.drawn = 0.0

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
        """Draw the line, but not more often than an eye can follow."""
        now = time.monotonic()
        if self.active and (frame == self.frames or now - self.drawn >= REDRAW_SECONDS):
            self.drawn = now
            width = shutil.get_terminal_size().columns - 1
            self.stream.write("\r\x1b[K" + self.text(frame, now - self.begin)[:width])
            self.stream.flush()

    def clear(self):
        """Leave an empty line for what comes next."""
        if self.active:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
