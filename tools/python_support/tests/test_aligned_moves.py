"""Wide moves that want an aligned address, in a listing of machine code.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import aligned_moves  # noqa: E402

WRONG = (
    "  180001000:\tvmovaps %ymm6,0x20(%rsp)",
    "  180001006:\tvmovapd 0x40(%rsp),%zmm1",
    "  18000100c:\tvmovdqa64 %zmm16,(%rax,%rcx,8)",
)
RIGHT = (
    "  180001000:\tvmovups %ymm6,0x20(%rsp)",
    "  180001006:\tvmovaps %xmm6,0x20(%rsp)",
    "  18000100c:\tvmovapd %ymm2,%ymm1",
    "  180001012:\tvmovdqu64 (%rax),%zmm3",
)


class AlignedMovesTest(unittest.TestCase):
    def test_they_are_told_from_others(self):
        aligned, others = aligned_moves.look([*WRONG, *RIGHT])
        self.assertEqual(aligned, [line.strip() for line in WRONG])
        self.assertEqual(others, 2)


if __name__ == "__main__":
    unittest.main()
