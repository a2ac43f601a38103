"""Snapshots from elsewhere: damaged ones are refused, and forged ones, whose seal is right, break nothing.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import struct
import unittest

import numpy as np

from body_meshes import ball
from muslin import Cloth, Mesh, MuslinError, Status
from scene_meshes import hung_sheet

STEP = 1 / 24
SEAL = struct.Struct("<QIIQQ")  # magic, version, nothing, bytes behind it, checksum
WAYS = ({}, {"budget_ms": 5.0}, {"mirror": "auto"}, {"fold_memory": 0.5})


def sealed(snapshot):
    """With the checksum that its bytes have, as whoever forges one would give it."""
    seal = list(SEAL.unpack_from(snapshot))
    seal[3] = len(snapshot) - SEAL.size
    data = SEAL.pack(*seal)[:-8] + snapshot[SEAL.size :]
    total = 0
    for (word,) in struct.iter_unpack("<Q", data + bytes(-len(data) % 8)):
        total = (total ^ word) * 0x9E3779B97F4A7C15 % 2**64
        total ^= total >> 32
    return SEAL.pack(*seal[:4], total) + snapshot[SEAL.size :]


def farther(snapshot):
    """Forged: what is 0.9e9 m away, or as fast, is beyond 1e9."""
    numbers = np.frombuffer(snapshot, "<f8", len(snapshot) // 8).copy()
    numbers[abs(numbers - 0.9e9) < 1e6] = 1.1e9
    return sealed(numbers.tobytes() + snapshot[numbers.nbytes :])


class SealTest(unittest.TestCase):
    def refused(self, cloth, snapshot, part):
        with self.assertRaises(MuslinError) as caught:
            cloth.restore(snapshot)
        self.assertEqual(caught.exception.status, Status.ERROR_SNAPSHOT)
        self.assertIn(part, str(caught.exception))

    def test_a_flipped_bit_is_found_wherever_it_is(self):
        mesh, pins = hung_sheet()
        for settings in ({}, {"budget_ms": 5.0}, {"mirror": "auto"}):
            with self.subTest(settings), Cloth(mesh, **settings) as cloth:
                cloth.set_pins(pins)
                cloth.step(STEP)
                good = cloth.snapshot()
                bits = np.random.default_rng(3).integers(0, 8 * len(good), 200)
                for bit in (*bits.tolist(), *range(8 * 8, 8 * 12), 8 * len(good) - 1):
                    bad = bytearray(good)
                    bad[bit // 8] ^= 1 << bit % 8
                    self.refused(cloth, bytes(bad), "snapshot")
                self.assertEqual(good, cloth.snapshot())
                cloth.restore(good)

    def test_damage_and_other_versions_are_reported(self):
        mesh, _ = hung_sheet()
        with Cloth(mesh) as cloth:
            good = cloth.snapshot()
            self.refused(cloth, good[:-8] + b"\1" * 8, "damaged")
            self.refused(cloth, good[:8] + b"\2" + good[9:], "of version 2")
            self.refused(cloth, good[:-1], f"had {len(good)} bytes")
            self.refused(cloth, b"x" * len(good), "no snapshot")

    def test_cloth_as_far_away_as_may_be(self):
        """It moves, and takes its own snapshot back."""
        mesh, _ = hung_sheet()
        far = mesh.positions * np.float32(1e6) + np.float32([9e8, 0, 0])
        with Cloth(Mesh(far, mesh.face_sizes, mesh.face_vertices)) as cloth:
            cloth.set_state(far, np.full_like(far, 1e6))
            cloth.step(STEP)
            kept, positions = cloth.snapshot(), cloth.positions()
            cloth.step(STEP)
            cloth.restore(kept)
            np.testing.assert_array_equal(cloth.positions(), positions)

    def test_cloth_that_comes_back_from_the_border(self):
        """Its first step takes it to have been beyond."""
        mesh, _ = hung_sheet()
        far = mesh.positions * np.float32(1e6)
        far += np.float32([1e9 - far[:, 0].max(), 0, 0])
        with Cloth(Mesh(far, mesh.face_sizes, mesh.face_vertices)) as cloth:
            cloth.set_state(far, np.full_like(far, -1e6))
            cloth.step(STEP)
            snapshot = cloth.snapshot()
            cloth.restore(snapshot)
            self.assertEqual(cloth.snapshot(), snapshot)

    def test_cloth_farther_away_than_any_is_refused(self):
        mesh, _ = hung_sheet()
        for settings in ({}, {"budget_ms": 5.0}):
            with self.subTest(settings), Cloth(mesh, **settings) as cloth:
                good = cloth.snapshot()
                cloth.set_state(mesh.positions + np.float32([0, 0, 0.9e9]))
                cloth.restore(cloth.snapshot())
                self.refused(cloth, farther(cloth.snapshot()), "farther away")
                cloth.set_state(mesh.positions, np.full_like(mesh.positions, 0.9e9))
                cloth.restore(cloth.snapshot())
                self.refused(cloth, farther(cloth.snapshot()), "farther away")
                cloth.restore(good)


class ForgedTest(unittest.TestCase):
    def cloth(self, **settings):
        mesh, pins = hung_sheet(8)
        cloth = Cloth(mesh, **settings)
        self.addCleanup(cloth.close)
        cloth.set_pins(pins)
        middle = mesh.positions.mean(axis=0) - np.float32([0, 0.05, 0.2])
        cloth.add_body(ball(middle=middle, radius=0.15))
        cloth.step(STEP)
        return cloth

    def test_a_seal_made_anew_is_good(self):
        for settings in WAYS:
            cloth = self.cloth(**settings)
            good = cloth.snapshot()
            self.assertEqual(sealed(good), good)
            cloth.restore(sealed(good))

    def test_whatever_is_forged_is_refused_or_simulated(self):
        """Numbers that mean counts, places or flags, at random places, many of them in the headers."""
        chance = np.random.default_rng(7)
        words = (0, 1, -1, 2**31 - 1, 2**31, 2**63 - 1, 2**62, 0x7FF8 << 48, 0x7FF0 << 48)
        for settings in WAYS:
            cloth = self.cloth(**settings)
            good = cloth.snapshot()
            refused = 0
            for turn in range(60):
                bad = bytearray(good)
                end = len(good) if turn % 2 else SEAL.size + 160
                at = int(chance.integers(SEAL.size // 8, end // 8)) * 8
                bad[at : at + 8] = struct.pack("<Q", int(chance.choice(words)) % 2**64)
                refused += self.tried(cloth, sealed(bytes(bad)))
                cloth.restore(good)
            self.assertGreater(refused, 5, settings)
            self.assertEqual(cloth.snapshot(), good)

    def test_cut_or_lengthened_ones_are_refused(self):
        for settings in WAYS:
            cloth = self.cloth(**settings)
            good = cloth.snapshot()
            for size in (SEAL.size, SEAL.size + 8, len(good) // 2, len(good) - 8, len(good) - 1):
                self.assertTrue(self.tried(cloth, sealed(good[:size])), size)
            self.assertTrue(self.tried(cloth, sealed(good + bytes(8))))

    def tried(self, cloth, snapshot):
        """Whether it is refused; if not, the cloth can be stepped, and stays finite."""
        try:
            cloth.restore(snapshot)
        except MuslinError as error:
            self.assertEqual(error.status, Status.ERROR_SNAPSHOT)
            return True
        try:
            cloth.step(STEP)
        except MuslinError as error:
            self.assertEqual(error.status, Status.ERROR_DIVERGED)
        self.assertTrue(np.isfinite(cloth.positions()).all())
        return False


if __name__ == "__main__":
    unittest.main()
