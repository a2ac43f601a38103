# SPDX-License-Identifier: GPL-3.0-or-later
"""The file: a mark, a header in JSON, then two records for every call, what went in and what came out.

A record is its head (kind, bytes in the file, bytes when unpacked, a checksum of them, a checksum of
the head) and its contents; numbers are little-endian.

    header    JSON: versions, machine, the functions with the types of their arguments, sizes of structs
    call      thread (u32), function (u16, as the header counts them), then packed by zlib: arguments
    outcome   number of the call from 1 (u32), status (i32), number of a new cloth or 0 (u64), digests

A call is written before it is made, so the last one of a host that crashed is the one it crashed in.
Nothing is written twice, and a file that ends in the middle of a record is as good as its start.
"""

import json
import os
import platform
import struct
import sys
import zlib
from collections import namedtuple
from dataclasses import dataclass

from .. import __version__, _abi
from ..errors import FileError
from ..files import open_ordinary, reported
from .blocks import DIGEST_BYTES, MOST_BYTES, POINTER_BYTES, BlockError, unpack
from .signatures import SIGNATURES, STRUCT_SIZES, Signature

MARK = b"\x89Muslin calls\r\n\x1a\n"  # the line ends show a transfer that meant it to be text
FORMAT = 1
HEADER, CALL, OUTCOME = 1, 2, 3
HEAD = struct.Struct("<BIIII")
CALL_HEAD = struct.Struct("<IH")
OUTCOME_HEAD = struct.Struct("<IiQ")
MOST_HEADER_BYTES = 1 << 20
MOST_RATIO = 1100  # zlib packs at most 1032 to 1
PACKING = 1  # of zlib: more takes far longer and gains little on floats

Outcome = namedtuple("Outcome", "status created digests")


def record_bytes(kind, contents, size):
    """A record; size: bytes of the contents when unpacked."""
    head = struct.pack("<BIII", kind, len(contents), size, zlib.crc32(contents))
    return head + struct.pack("<I", zlib.crc32(head)) + contents


def header_bytes(library_version):
    """The mark and the header of a new file. It tells nothing about the user or his files."""
    header = {
        "format": FORMAT,
        "muslin": __version__,
        "library": library_version,
        "interface": _abi.ABI_VERSION,
        "system": platform.system(),
        "machine": platform.machine(),
        "byte_order": sys.byteorder,
        "pointer_bytes": POINTER_BYTES,
        "functions": [[name, signature.text] for name, signature in SIGNATURES.items()],
        "structs": STRUCT_SIZES,
    }
    contents = json.dumps(header).encode()
    return MARK + record_bytes(HEADER, contents, len(contents))


def call_bytes(thread, function, arguments):
    contents = CALL_HEAD.pack(thread, function) + zlib.compress(arguments, PACKING)
    return record_bytes(CALL, contents, len(arguments))


def outcome_bytes(number, status, created, digests):
    contents = OUTCOME_HEAD.pack(number, status, created) + b"".join(digests)
    return record_bytes(OUTCOME, contents, len(contents))


@dataclass
class Call:
    """A call of a file. packed, size: its arguments, and their bytes when unpacked.

    during: the number of a call that another thread had under way when it began, 0 without. outcome: None where it did
    not return.
    """

    number: int
    thread: int
    signature: Signature
    packed: bytes
    size: int
    during: int
    outcome: Outcome | None = None

    def blocks(self):
        """Its arguments; a BlockError unless they are as the file says and as the function wants them."""
        try:
            data = zlib.decompressobj().decompress(self.packed, self.size + 1)
        except zlib.error:
            data = b""
        if len(data) != self.size:
            raise BlockError("its arguments cannot be unpacked")
        return unpack(self.signature, data)


class Recording:
    """A file opened for reading. header: what it says about itself. damage: what is wrong, in words. cut_off: it ends
    in the middle of a record, as that of a host that crashed may."""

    def __init__(self, path):
        self.path = path
        self.damage = ""
        self.cut_off = False
        self._file = open_ordinary(path)
        self._size = os.fstat(self._file.fileno()).st_size
        try:
            self.header = self._read_header()
            self._functions = self._check_header()
        except Exception:
            self._file.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

    def refuse(self, problem):
        raise FileError(self.path, problem)

    def _read(self, length):
        with reported(self.path, "cannot be read"):
            return self._file.read(length)

    def _read_header(self):
        if self._read(len(MARK)) != MARK:
            self.refuse("this is not a recording of Muslin")
        kind, _, contents = self._record() or (None, 0, b"")
        try:
            header = json.loads(contents) if kind == HEADER else None
        except (ValueError, RecursionError):
            header = None
        if not isinstance(header, dict):
            self.refuse("its header cannot be read")
        return header

    def _check_header(self):
        """The signatures of the functions as this file counts them."""
        header = self.header
        if header.get("format") != FORMAT:
            self.refuse(f"its format is {header.get('format')!r}, this Muslin reads {FORMAT}")
        if header.get("interface") != _abi.ABI_VERSION:
            self.refuse(
                f"it was recorded with interface {header.get('interface')!r} (Muslin "
                f"{header.get('muslin')!r}), this Muslin has {_abi.ABI_VERSION}; replay it with the "
                "version that recorded it"
            )
        for name, expected in (("byte_order", sys.byteorder), ("pointer_bytes", POINTER_BYTES)):
            if header.get(name) != expected:
                words = name.replace("_", " ")
                self.refuse(f"its {words} is {header.get(name)!r}, here it is {expected!r}")
        if not isinstance(header.get("functions"), list):
            self.refuse("its header names no functions")
        return [self._signature(entry) for entry in header["functions"]]

    def _signature(self, entry):
        """The signature that an entry means; None, if only a call is an error, where there is none."""
        if not isinstance(entry, list) or not entry or not isinstance(entry[0], str):
            self.refuse("its header cannot be read")
        signature = SIGNATURES.get(entry[0])
        return signature if signature and entry[1:] == [signature.text] else None

    def _record(self):
        """Kind, size when unpacked and contents of the next record; None at the end, see damage."""
        at = self._file.tell()
        head = self._read(HEAD.size)
        if len(head) < HEAD.size:
            self.cut_off = bool(head)
            return None
        kind, length, size, checksum, head_checksum = HEAD.unpack(head)
        most = MOST_HEADER_BYTES if kind == HEADER else MOST_BYTES
        if zlib.crc32(head[:-4]) != head_checksum or size > min(most, MOST_RATIO * length):
            return self._damaged(at)
        if length > self._size - at - HEAD.size:
            self.cut_off = True
            return None
        contents = self._read(length)
        if len(contents) != length or zlib.crc32(contents) != checksum:
            return self._damaged(at)
        return kind, size, contents

    def _damaged(self, at, why="its bytes are not what was written"):
        self.damage = f"damaged at byte {at}: {why}"

    def calls(self):
        """Every call in the order in which they began, each when its outcome is known."""
        waiting = {}  # calls by number, in order; the first is given out when nothing is to come
        running = {}  # number by thread
        number = 0
        while True:
            at = self._file.tell()
            record = self._record()
            if record is None:
                break
            kind, size, contents = record
            if kind == CALL and len(contents) >= CALL_HEAD.size:
                number += 1
                call = self._call(number, size, contents, running)
                if call is None:
                    self._damaged(at, f"call {number} is of a function that this Muslin lacks")
                    break
                # A thread makes one call after the other, so one before without outcome was left.
                running[call.thread] = number
                waiting[number] = call
            elif kind != OUTCOME or not self._take_outcome(contents, waiting, running):
                self._damaged(at, "the record makes no sense here")
                break
            yield from ready(waiting, running)
        yield from waiting.values()

    def _call(self, number, size, contents, running):
        thread, function = CALL_HEAD.unpack_from(contents)
        signature = self._functions[function] if function < len(self._functions) else None
        if signature is None:
            return None
        during = next((other for owner, other in running.items() if owner != thread), 0)
        return Call(number, thread, signature, contents[CALL_HEAD.size :], size, during)

    def _take_outcome(self, contents, waiting, running):
        """Put an outcome to its call; False if it fits none."""
        if len(contents) < OUTCOME_HEAD.size:
            return False
        number, status, created = OUTCOME_HEAD.unpack_from(contents)
        rest = contents[OUTCOME_HEAD.size :]
        call = waiting.get(number)
        if call is None or running.get(call.thread) != number:
            return False
        if len(rest) != DIGEST_BYTES * sum(one.compared for one in call.signature.arguments):
            return False
        del running[call.thread]
        digests = [rest[at : at + DIGEST_BYTES] for at in range(0, len(rest), DIGEST_BYTES)]
        call.outcome = Outcome(status, created, digests)
        return True


def ready(waiting, running):
    """Take the calls from the front that are over, or were left without outcome."""
    while waiting:
        number = next(iter(waiting))
        if running.get(waiting[number].thread) == number:
            return
        yield waiting.pop(number)
