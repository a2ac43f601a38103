# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns the frame buffer of Xvfb, an XWD file, into PNG pictures whenever a Blender script asks.

Usage: pictures.py FRAMEBUFFER REQUEST PNG: waits for the file REQUEST, writes the picture and removes REQUEST as the
answer; so on until it is ended. A REQUEST that is not empty holds the path of the PNG to write instead of PNG.
"""

import os
import struct
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from test_scenes.image import write_png  # noqa: E402

# The 25 fields of an XWD header, big-endian, by their position.
HEADER_SIZE, VERSION, WIDTH, HEIGHT, BYTE_ORDER, BITS_PER_PIXEL, BYTES_PER_LINE = (
    0,
    1,
    4,
    5,
    7,
    11,
    12,
)
RED_MASK, GREEN_MASK, BLUE_MASK, COLOURS = 14, 15, 16, 19
COLOUR_SIZE = 12  # bytes of one entry of the colour table
POLL = 0.02  # seconds


def read_xwd(path):
    """The picture in an XWD file of 32 bits a pixel, as uint8 (height, width, 3)."""
    data = Path(path).read_bytes()
    header = struct.unpack_from(">25I", data)
    if header[VERSION] != 7 or header[BITS_PER_PIXEL] != 32:
        raise ValueError(f"{path} is no XWD file of version 7 with 32 bits a pixel")
    start = header[HEADER_SIZE] + header[COLOURS] * COLOUR_SIZE
    kind = ">u4" if header[BYTE_ORDER] else "<u4"
    shape = header[HEIGHT], header[BYTES_PER_LINE] // 4
    pixels = np.frombuffer(data, kind, shape[0] * shape[1], start).reshape(shape)
    pixels = pixels[:, : header[WIDTH]]
    channels = []
    for mask in (header[RED_MASK], header[GREEN_MASK], header[BLUE_MASK]):
        lowest = (mask & -mask).bit_length() - 1
        channels.append(((pixels & mask) >> lowest).astype(np.uint8))
    return np.stack(channels, 2)


def answer(framebuffer, request, default):
    """Writes one picture under its name at once, so that nobody sees half of it."""
    path = request.read_text().strip() or default
    write_png(path + ".part", read_xwd(framebuffer))
    os.replace(path + ".part", path)
    request.unlink()


def main(framebuffer, request, default):
    """Answers requests until the process is ended."""
    request = Path(request)
    while True:
        if request.exists():
            answer(framebuffer, request, default)
        time.sleep(POLL)


if __name__ == "__main__":
    main(*sys.argv[1:])
