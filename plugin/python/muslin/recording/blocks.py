# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of one call by value, free of any address: read from memory, and put back into it.

A call's arguments are a list: bytes for a number, None for a null pointer, a Block for what a
pointer points to. The same lengths are worked out from the numbers when memory is read and when a
file is, so a file cannot make the library read beyond what it holds.
"""

import ctypes
import hashlib
import struct
from dataclasses import dataclass, field

from .signatures import CORNERS, ONE, VERTICES, comparable_parts, members

MOST_BYTES = 1 << 30  # of one call; a mesh of ten million vertices takes half of it
POINTER_BYTES = ctypes.sizeof(ctypes.c_void_p)
DIGEST_BYTES = 8
NOT_COMPARED = bytes(DIGEST_BYTES)

NULL, DATA, ROOM = range(3)  # what a pointer is: null, given, only written to
HEAD = struct.Struct("<BQ")


class BlockError(Exception):
    """The arguments do not fit each other; in words."""


@dataclass
class Block:
    """What a pointer points to: `length` bytes, with their values unless they are only written."""

    length: int
    data: bytes = None
    members: list = field(default_factory=list)


def number_of(argument, data):
    return argument.kind.from_buffer_copy(data).value


def struct_of(kind, block):
    """A struct with a block's values; what it lacks, as one of an older version does, is zero."""
    return kind.from_buffer_copy(block.data.ljust(ctypes.sizeof(kind), b"\0"))


def array_bytes(signature, argument, blocks, vertices):
    """Bytes of an array argument by the other arguments; none if there is no such cloth."""
    count = argument.array.count
    if count == VERTICES:
        count = vertices
    elif isinstance(count, int):
        count = number_of(signature.arguments[count], blocks[count])
    elif blocks[count[0]]:
        position, name = count
        count = getattr(struct_of(signature.arguments[position].pointed, blocks[position]), name)
    else:
        count = 0
    return limited(max(count or 0, 0) * argument.array.width * ctypes.sizeof(argument.pointed))


def member_bytes(values, kind, count, width, sizes):
    """Bytes of an array that a struct points to. sizes: the corners of each face, as a Block."""
    if count == CORNERS:
        numbers = memoryview(sizes.data).cast("i") if sizes else ()
        count = sum(number for number in numbers if number > 0)
    elif count == ONE:
        count = 1
    else:
        count = max(getattr(values, count), 0)
    return limited(count * width * ctypes.sizeof(kind))


def limited(length):
    if length > MOST_BYTES:
        raise BlockError(f"an array of {length} bytes is too large to be recorded")
    return length


def capture(signature, arguments, vertices):
    """The blocks of a call that is about to be made, and the address of each argument."""
    blocks, places = [], []
    for one, value in zip(signature.arguments, arguments):
        place = address_of(one.kind, value)
        is_number, is_single = one.pointed is None, place and one.array is None
        number = bytes(one.kind(plain(value))) if is_number else None
        blocks.append(capture_one(one, place) if is_single else number)
        places.append(place)
    for position, one in enumerate(signature.arguments):
        if places[position] and one.array is not None:
            length = array_bytes(signature, one, blocks, vertices)
            data = ctypes.string_at(places[position], length) if one.is_input else None
            blocks[position] = Block(length, data)
    return blocks, places


def plain(value):
    return value.value if isinstance(value, ctypes._SimpleCData) else value


def address_of(kind, value):
    """Where a pointer argument points to; None for null and for numbers."""
    if value is None or not issubclass(kind, (ctypes._Pointer, ctypes.c_char_p, ctypes.c_void_p)):
        return None
    if not isinstance(value, bytes):
        value = kind.from_param(value)
    return ctypes.cast(value, ctypes.c_void_p).value


def capture_one(argument, place):
    """A single number or struct, with the arrays that the struct points to."""
    kind = argument.pointed
    length = ctypes.sizeof(kind)
    if not argument.struct:
        return Block(length, ctypes.string_at(place, length))
    if kind._fields_[0][0] == "size":  # an older caller's struct may be shorter
        reported = ctypes.c_uint32.from_address(place).value
        length = min(length, reported) if reported >= 4 else length
    data = bytearray(ctypes.string_at(place, length))
    block = Block(length, bytes(data))
    values, sizes = struct_of(kind, block), None
    for name, offset, element, count, width in members(kind):
        member = None
        target = ctypes.cast(getattr(values, name), ctypes.c_void_p).value
        if target and offset + POINTER_BYTES <= length:
            bytes_there = member_bytes(values, element, count, width, sizes)
            member = Block(bytes_there, ctypes.string_at(target, bytes_there))
        data[offset : offset + POINTER_BYTES] = bytes(len(data[offset : offset + POINTER_BYTES]))
        sizes = member if name == "face_sizes" else sizes
        block.members.append(member)
    block.data = bytes(data)
    return block


def digests(signature, blocks, places, status):
    """A digest for each argument that the call writes to, NOT_COMPARED where it means nothing."""
    written = zip(signature.arguments, blocks, places)
    return [digest(*each, status) for each in written if each[0].compared]


def digest(argument, block, place, status):
    # After an error the arrays mean nothing, and the caller may have left anything in them.
    if block is None or (argument.array and status < 0):
        return NOT_COMPARED
    data = ctypes.string_at(place, block.length)
    if argument.kind is ctypes.c_char_p:
        data = data.partition(b"\0")[0]
    elif argument.struct and not argument.array:
        parts = comparable_parts(argument.pointed)
        data = b"".join(data[at : at + size] for at, size in parts if at + size <= len(data))
    return hashlib.blake2b(data, digest_size=DIGEST_BYTES).digest()


def pack(signature, blocks):
    """All blocks as the bytes that a file holds."""
    parts = []
    for one, block in zip(signature.arguments, blocks):
        if one.pointed is None:
            parts.append(block)
        else:
            pack_block(block, parts)
            for member in block.members if block else ():
                pack_block(member, parts)
    return b"".join(parts)


def pack_block(block, parts):
    if block is None:
        parts.append(HEAD.pack(NULL, 0))
    elif block.data is None:
        parts.append(HEAD.pack(ROOM, block.length))
    else:
        parts += (HEAD.pack(DATA, block.length), block.data)


class Reader:
    """Takes pieces from bytes that may hold anything."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, length):
        if length > len(self.data) - self.at:
            raise BlockError("its arguments are cut short")
        self.at += length
        return self.data[self.at - length : self.at]

    def block(self):
        kind, length = HEAD.unpack(self.take(HEAD.size))
        if kind == NULL:
            return None
        if kind == ROOM:
            return Block(limited(length))
        if kind != DATA:
            raise BlockError("its arguments are of an unknown kind")
        return Block(length, self.take(length))


def unpack(signature, data):
    """The blocks of a call in a file. BlockError unless every one is as the function wants it."""
    reader = Reader(data)
    blocks = []
    for one in signature.arguments:
        if one.pointed is None:
            blocks.append(reader.take(ctypes.sizeof(one.kind)))
            continue
        block = reader.block()
        if block is not None:
            if (block.data is None) == one.is_input:
                raise BlockError(f"{one.name} is an input recorded as an output, or the reverse")
            if one.array is None:
                check_one(one, block, reader)
        blocks.append(block)
    if reader.at != len(data):
        raise BlockError("there is more than its arguments")
    return blocks


def check_one(argument, block, reader):
    """The length of a single number or struct; then the arrays that it points to are read."""
    length = ctypes.sizeof(argument.pointed)
    if block.length > length or (block.length < (4 if argument.struct else length)):
        raise BlockError(f"{argument.name} has {block.length} bytes, expected {length}")
    if not argument.struct:
        return
    values, sizes = struct_of(argument.pointed, block), None
    for name, _, element, count, width in members(argument.pointed):
        member = reader.block()
        if member is not None:
            expected = member_bytes(values, element, count, width, sizes)
            if member.data is None or member.length != expected:
                raise BlockError(f"{name} has {member.length} bytes, expected {expected}")
            sizes = member if name == "face_sizes" else sizes
        block.members.append(member)


def check_arrays(signature, blocks, vertices):
    """Refuse arrays that are shorter or longer than the numbers of the call say."""
    for one, block in zip(signature.arguments, blocks):
        if one.array is not None and block is not None:
            expected = array_bytes(signature, one, blocks, vertices)
            if block.length != expected:
                raise BlockError(f"{one.name} has {block.length} bytes, expected {expected}")
