# SPDX-License-Identifier: GPL-3.0-or-later
"""Films as animated GIF files: few colours, and of each picture only what differs from the last."""

import struct

import numpy as np

COLOURS = 255  # and one that stands for what stays as it is
STAYS = 255
BITS = 5  # of each channel, that tell colours apart
CODES = 4096  # at most, of the compression


def write_gif(path, pictures, seconds=0.08):
    """pictures: arrays (height, width, 3), shown so long each, again and again."""
    palette, numbers = quantised(np.stack(pictures))
    height, width = numbers.shape[1:]
    with open(path, "wb") as file:
        file.write(b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0))
        file.write(palette.astype(np.uint8).tobytes())
        file.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")  # for ever
        for index, shown in enumerate(numbers):
            drawn = shown if index == 0 else np.where(shown == numbers[index - 1], STAYS, shown)
            # drawn over the last one, with a colour that can be seen through
            control = struct.pack("<BHBB", 0x05, round(100 * seconds), STAYS, 0)
            file.write(b"\x21\xf9\x04" + control)
            file.write(b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0))
            file.write(b"\x08" + blocks(compressed(drawn.ravel().tolist())) + b"\x00")
        file.write(b"\x3b")


def quantised(pictures):
    """The most frequent colours (256, 3), and which of them each pixel has."""
    cells = (pictures >> (8 - BITS)).astype(np.int64)
    cells = (cells[..., 0] << 2 * BITS) | (cells[..., 1] << BITS) | cells[..., 2]
    found, count = np.unique(cells, return_counts=True)
    chosen = found[np.argsort(-count, kind="stable")[:COLOURS]]
    shift, mask = np.array([2 * BITS, BITS, 0]), (1 << BITS) - 1
    middle = 1 << (7 - BITS)

    def colours(cell):
        return (((cell[:, None] >> shift) & mask) << (8 - BITS)) + middle

    table, palette = np.zeros(1 << 3 * BITS, np.int64), np.zeros((256, 3), np.int64)
    palette[: len(chosen)] = colours(chosen)
    for cell, colour in zip(found, colours(found)):
        table[cell] = np.square(palette[: len(chosen)] - colour).sum(1).argmin()
    return palette, table[cells]


def compressed(numbers):
    """GIF's LZW of numbers of eight bits, as bytes."""
    clear, end = 256, 257
    out, filled, place = bytearray(), 0, 0
    known, size = {}, 9
    prefix = None

    def put(code):
        nonlocal filled, place
        filled |= code << place
        place += size
        while place >= 8:
            out.append(filled & 255)
            filled >>= 8
            place -= 8

    put(clear)
    for number in numbers:
        if prefix is None:
            prefix = number
            continue
        pair = prefix, number
        if pair in known:
            prefix = known[pair]
            continue
        put(prefix)
        known[pair] = code = 258 + len(known)
        if code == 1 << size and size < 12:
            size += 1
        if code == CODES - 1:
            put(clear)
            known, size = {}, 9
        prefix = number
    put(prefix)
    put(end)
    if place:
        out.append(filled & 255)
    return bytes(out)


def blocks(data):
    """In pieces of at most 255 bytes, each after its length."""
    pieces = [data[at : at + 255] for at in range(0, len(data), 255)]
    return b"".join(bytes([len(piece)]) + piece for piece in pieces)
