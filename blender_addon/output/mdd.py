# SPDX-License-Identifier: GPL-3.0-or-later
"""MDD files: big-endian, a header of counts and times in seconds, then frames of positions."""

import struct

import numpy as np

from ..muslin.files import AtomicFile


def write(path, positions, frame_start, fps):
    """Write frames x n x 3 positions in Blender's own axes; OSError where that fails."""
    frames, vertices = positions.shape[:2]
    times = (np.arange(frames) + frame_start) / fps
    output = AtomicFile(path)
    try:
        output.write(struct.pack(">ii", frames, vertices))
        output.write(times.astype(">f4").tobytes())
        for frame in positions:
            output.write(frame.astype(">f4").tobytes())
        output.commit()
    finally:
        output.discard()
