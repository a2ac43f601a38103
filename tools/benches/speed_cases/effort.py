# SPDX-License-Identifier: GPL-3.0-or-later
"""How large and how long everything is measured: in full, quickly, or just so that nothing is left out."""

from dataclasses import dataclass, field

LABELS = ("1k", "5k", "20k", "50k", "100k", "200k")  # of the sizes, in keys


def sizes(*sides):
    """Vertices along the side of a sheet, by label."""
    return dict(zip(LABELS, sides))


def full_sizes():
    return sizes(35, 74, 141, 224, 316, 447)


@dataclass(frozen=True)
class Effort:
    """The defaults are the full run. A side is vertices along the edge of a square sheet."""

    name: str = "full"
    sides: dict = field(default_factory=full_sizes)
    solve_turns: dict = field(default_factory=lambda: sizes(60, 40, 20, 10, 8, 6))
    repeats: int = 3  # of what is measured in processes of its own, and of set-ups
    skipped: int = 4  # steps before the clock starts
    timed: int = 12
    pcg_vertices: int = 5472
    pcg_timed: int = 20
    pcg_steps: tuple = (1, 3)  # skipped, timed, at every size
    garment: dict = field(default_factory=lambda: {"spacing": 0.00303})
    garment_frames: tuple = (4, 8)  # skipped, timed
    every_blender: bool = True
    builtin_sides: dict = field(default_factory=full_sizes)

    def grown(self):
        """The sizes of the growth, 5k to 200k."""
        return {label: side for label, side in self.sides.items() if label != "1k"}


FULL = Effort()
QUICK = Effort(
    name="quick",
    sides=sizes(20, 35, 50, 74, 100, 141),
    solve_turns=sizes(10, 10, 10, 6, 6, 6),
    repeats=1,
    skipped=2,
    timed=4,
    pcg_vertices=1245,
    pcg_timed=6,
    pcg_steps=(1, 2),
    garment={"spacing": 0.02, "body_spacing": 0.02},
    garment_frames=(2, 4),
    every_blender=False,
    builtin_sides=sizes(10, 15, 20, 25, 30, 35),
)
# For the test that all keys are there.
TINY = Effort(
    name="tiny",
    sides=sizes(6, 8, 10, 12, 14, 16),
    solve_turns=sizes(1, 1, 1, 1, 1, 1),
    repeats=1,
    skipped=1,
    timed=2,
    pcg_vertices=166,
    pcg_timed=2,
    pcg_steps=(1, 1),
    garment={"spacing": 0.08, "body_spacing": 0.05},
    garment_frames=(1, 2),
    every_blender=False,
    builtin_sides=sizes(6, 8, 10, 12, 14, 16),
)
