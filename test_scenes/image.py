# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures as uint8 arrays (height, width, 3): PNG files, captions in a tiny font, contact sheets."""

import struct
import zlib

import numpy as np

GLYPHS = {
    "0": "01110 10001 10011 10101 11001 10001 01110",
    "1": "00100 01100 00100 00100 00100 00100 01110",
    "2": "01110 10001 00001 00110 01000 10000 11111",
    "3": "01110 10001 00001 00110 00001 10001 01110",
    "4": "00010 00110 01010 10010 11111 00010 00010",
    "5": "11111 10000 11110 00001 00001 10001 01110",
    "6": "00110 01000 10000 11110 10001 10001 01110",
    "7": "11111 00001 00010 00100 01000 01000 01000",
    "8": "01110 10001 10001 01110 10001 10001 01110",
    "9": "01110 10001 10001 01111 00001 00010 01100",
    "a": "00000 00000 01110 00001 01111 10001 01111",
    "b": "10000 10000 11110 10001 10001 10001 11110",
    "c": "00000 00000 01110 10001 10000 10001 01110",
    "d": "00001 00001 01101 10011 10001 10011 01101",
    "e": "00000 00000 01110 10001 11111 10000 01110",
    "f": "00110 01000 11100 01000 01000 01000 01000",
    "g": "00000 01101 10011 10011 01101 00001 01110",
    "h": "10000 10000 10110 11001 10001 10001 10001",
    "i": "00100 00000 01100 00100 00100 00100 01110",
    "k": "10000 10000 10010 10100 11000 10100 10010",
    "l": "01100 00100 00100 00100 00100 00100 01110",
    "m": "00000 00000 11010 10101 10101 10101 10101",
    "n": "00000 00000 10110 11001 10001 10001 10001",
    "o": "00000 00000 01110 10001 10001 10001 01110",
    "p": "00000 10110 11001 11001 10110 10000 10000",
    "r": "00000 00000 10110 11001 10000 10000 10000",
    "s": "00000 00000 01111 10000 01110 00001 11110",
    "t": "01000 01000 11100 01000 01000 01001 00110",
    "u": "00000 00000 10001 10001 10001 10011 01101",
    "v": "00000 00000 10001 10001 10001 01010 00100",
    "w": "00000 00000 10101 10101 10101 10101 01010",
    "y": "00000 00000 10001 10001 01111 00001 01110",
    "P": "11110 10001 10001 11110 10000 10000 10000",
    "%": "11001 11001 00010 00100 01000 10011 10011",
    "-": "00000 00000 00000 11111 00000 00000 00000",
    ".": "00000 00000 00000 00000 00000 01100 01100",
    " ": "00000 00000 00000 00000 00000 00000 00000",
}


def write_png(path, image):
    """Writes an RGB picture; rows are stored with the 'up' filter, which suits smooth shading."""
    height, width, _ = image.shape
    rows = image.reshape(height, width * 3).astype(np.uint8)
    filtered = rows.copy()
    filtered[1:] -= rows[:-1]
    data = np.concatenate([np.full((height, 1), 2, np.uint8), filtered], 1).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, body in ((b"IHDR", header), (b"IDAT", zlib.compress(data, 7)), (b"IEND", b"")):
            check = zlib.crc32(kind + body)
            file.write(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", check))


def write_text(image, text, x, y, scale=2, colour=(95, 95, 100)):
    """Writes text with its upper left corner at (x, y), in place; characters it lacks are skipped."""
    for letter in text:
        if letter not in GLYPHS:
            continue
        rows = [[int(dot) for dot in row] for row in GLYPHS[letter].split()]
        dots = np.kron(np.array(rows, bool), np.ones((scale, scale), bool))
        area = image[y : y + dots.shape[0], x : x + dots.shape[1]]
        area[dots[: area.shape[0], : area.shape[1]]] = colour
        x += 6 * scale


def contact_sheet(pictures, columns):
    """Pictures of one size side by side, row by row; missing ones at the end stay background."""
    height, width, _ = pictures[0].shape
    rows = -(-len(pictures) // columns)
    sheet = np.empty((rows * height, columns * width, 3), np.uint8)
    sheet[:] = pictures[0][0, 0]
    for k, picture in enumerate(pictures):
        top, left = k // columns * height, k % columns * width
        sheet[top : top + height, left : left + width] = picture
    return sheet
