"""Recordings that are cut off, damaged, of another version, or forged: a status and words, never a traceback.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import random
import struct
import tempfile
import zlib
from functools import lru_cache
from pathlib import Path

from muslin import recording
from muslin.recording import container
from muslin.recording.blocks import MOST_BYTES, BlockError, Reader, pack, unpack
from muslin.recording.container import Recording
from muslin.recording.signatures import SIGNATURES
from recorded_calls import RecordingTest, file_of, play, records, with_arguments, with_header

HUGE = 2**31 - 1


@lru_cache
def recorded_bytes():
    """The file of one play, for all tests."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calls.muslin"
        recording.start(path)
        play()
        recording.stop()
        return path.read_bytes()


class BadFile(RecordingTest):
    def setUp(self):
        super().setUp()
        self.whole = recorded_bytes()

    def broken(self, data, words, code=2):
        """The command refuses the file in one line that has the words."""
        self.file.write_bytes(data)
        said, complained = self.replay(code=code)
        self.assertEqual(complained.count("\n"), 1, complained)
        self.assertIn(str(self.file), complained)
        self.assertIn(words, complained)
        return said


class BrokenFileTest(BadFile):
    def test_cut_off_anywhere(self):
        """Every whole record before the end counts; a cut in the first ones leaves no header."""
        start = len(container.MARK) + sum(container.HEAD.size + len(r[1]) for r in self.head())
        lengths = random.Random(5).sample(range(start, len(self.whole)), 8)
        for length in lengths:
            self.file.write_bytes(self.whole[:length])
            said, complained = self.replay()
            self.assertIn("all the same bytes", said)
            self.assertNotIn("damaged", complained)
        self.broken(self.whole[: start - 1], "header")
        for length in (0, 5, len(container.MARK) - 1):
            self.broken(self.whole[:length], "not a recording of Muslin")

    def head(self):
        return records(self.whole)[:1]

    def test_flipped_bytes_are_seen(self):
        """The calls before the damage are replayed all the same."""
        for place in random.Random(6).sample(range(len(self.whole)), 12):
            data = bytearray(self.whole)
            data[place] ^= 0x10
            self.file.write_bytes(bytes(data))
            said, complained = self.replay(code=2)
            self.assertEqual(complained.count("\n"), 1, complained)
            self.assertNotIn("differ", said)

    def test_not_a_recording(self):
        self.broken(b"v 0 0 0\n" * 50, "not a recording of Muslin")
        self.file.unlink()
        _, complained = self.replay(code=2)
        self.assertIn("cannot be read", complained)

    def test_another_version(self):
        for changes, words in (
            ({"interface": 999}, "interface 999"),
            ({"format": 7}, "format is 7"),
            ({"byte_order": "big"}, "byte order"),
            ({"pointer_bytes": 4}, "pointer bytes"),
            ({"functions": 5}, "no functions"),
            ({"functions": [[1]]}, "header"),
        ):
            self.broken(with_header(self.whole, **changes), words)

    def test_functions_of_another_kind_are_refused_when_called(self):
        functions = [[name, "uint64"] for name in SIGNATURES]
        self.broken(with_header(self.whole, functions=functions), "call 1 is of a function")

    def test_header_that_is_no_object(self):
        for contents in (b"[]", b"7", b"{", b"[" * 100000, b"\xff"):
            self.broken(file_of([(container.HEADER, contents, len(contents))]), "header")

    def test_records_in_no_order(self):
        first, call, outcome, *_ = records(self.whole)
        for found in ([first, outcome], [first, call, outcome, outcome], [first, first]):
            self.broken(file_of(found), "makes no sense")
        self.broken(file_of([first, (9, b"", 0)]), "makes no sense")
        self.broken(file_of([first, call, (container.OUTCOME, b"short", 5)]), "makes no sense")


class ForgedCallTest(BadFile):
    """A forger gets the checksums right, too."""

    def forged(self, name, change, words, code=2):
        return self.broken(with_arguments(self.whole, name, change), words, code)

    def test_counts_beyond_the_arrays(self):
        def more_vertices(arguments):
            struct.pack_into("<i", arguments, 9 + 4, HUGE // 100)

        def more_pins(arguments):
            struct.pack_into("<i", arguments, 8, 1000)

        self.forged("muslin_cloth_create", more_vertices, "positions has")
        self.forged("muslin_cloth_set_pins", more_pins, "vertices has")

    def test_sizes_of_faces_beyond_the_corners(self):
        def larger_face(arguments):
            at = 9 + 56 + 9 + 64 * 12 + 9
            self.assertEqual(struct.unpack_from("<i", arguments, at), (3,))
            struct.pack_into("<i", arguments, at, 1000)

        self.forged("muslin_cloth_create", larger_face, "face_vertices has")

    def test_addresses_are_not_believed(self):
        """A mesh without UVs whose struct points to some all the same."""

        def pointing(arguments):
            struct.pack_into("<Q", arguments, 9 + 48, 0x10)

        self.file.write_bytes(with_arguments(self.whole, "muslin_cloth_create", pointing))
        self.assert_same()

    def test_memory_out_of_proportion(self):
        def much_room(arguments):
            arguments[:] = struct.pack("<QBQQ", 1, 2, MOST_BYTES, MOST_BYTES)

        def too_much_room(arguments):
            arguments[:] = struct.pack("<QBQQ", 1, 2, 2**60, 2**60)

        self.forged("muslin_cloth_get_snapshot", much_room, "bytes of memory")
        self.forged("muslin_cloth_get_snapshot", too_much_room, "too large")

    def test_cut_short_and_too_long(self):
        def shorter(arguments):
            del arguments[-1]

        self.forged("muslin_cloth_step", shorter, "cut short")
        self.forged("muslin_cloth_step", lambda arguments: arguments.append(0), "more than")

    def test_bomb_of_zeros(self):
        """The size that a record claims is believed neither way."""
        first, call, *_ = records(self.whole)
        head = call[1][: container.CALL_HEAD.size]
        for claimed, words in ((10, "unpacked"), (MOST_BYTES + 1, "damaged")):
            bomb = head + zlib.compress(bytes(50_000_000), 9)
            self.broken(file_of([first, (container.CALL, bomb, claimed)]), words)

    def test_outcome_that_differs_is_named(self):
        found = records(self.whole)
        place = next(i for i in range(len(found)) if found[i][0] == container.OUTCOME and i > 40)
        contents = bytearray(found[place][1])
        number, status, created = container.OUTCOME_HEAD.unpack_from(contents)
        container.OUTCOME_HEAD.pack_into(contents, 0, number, status - 100, created)
        found[place] = container.OUTCOME, bytes(contents), len(contents)
        self.file.write_bytes(file_of(found))
        said, _ = self.replay(code=1)
        self.assertIn(f"call {number}, ", said)
        self.assertIn(f"status {status - 100} was recorded, now {status}", said)
        self.assertIn("1 calls differ", said)

    def test_another_place_gives_other_bytes(self):
        def elsewhere(arguments):
            struct.pack_into("<f", arguments, 9 + 56 + 9, -0.4)  # x of the mesh's first vertex

        self.file.write_bytes(with_arguments(self.whole, "muslin_cloth_create", elsewhere))
        said, _ = self.replay(code=1)
        self.assertIn("positions differs", said)

    def test_random_arguments_never_raise_anything_else(self):
        """Without the library: what passes here has arrays of the lengths that its numbers say."""
        chance = random.Random(7)
        self.file.write_bytes(self.whole)
        with Recording(self.file) as file:
            calls = [(call.signature, pack(call.signature, call.blocks())) for call in file.calls()]
        for _ in range(3000):
            signature, data = chance.choice(calls)
            data = bytearray(data)
            for _ in range(chance.randint(1, 4)):
                if data:
                    data[chance.randrange(len(data))] = chance.choice((0, 1, 2, 0x7F, 0xFF))
            try:
                unpack(signature, bytes(data))
            except BlockError:
                pass
        with self.assertRaises(BlockError):
            Reader(b"\x01" + b"\xff" * 8).block()
