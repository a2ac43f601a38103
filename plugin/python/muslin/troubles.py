"""What went wrong within steps that came to their end all the same, in words for whoever simulates.

SPDX-License-Identifier: GPL-3.0-or-later
"""

from dataclasses import dataclass

from .lying import counted

# Of each count of a step: what it means, and what to look for.
WORDS = {
    "curtailed": "there was more that the cloth could touch than can be looked for, and some of it was passed through: is "
    "its size, or that of its pattern, in metres?",
    "retried": "the cloth was thrown apart, and the step was made again in smaller ones: is its fabric too stiff, or the "
    "step too long for the solver?",
    "mended": "contact would have torn the cloth to more than three times its length, and it was held back: does it fit the "
    "body, and lie around it at the start?",
}


@dataclass(frozen=True)
class Trouble:
    """kind: a name of WORDS. first: the frame, or step, that had it first."""

    kind: str
    first: int
    text: str


class Troubles:
    """Is told how steps went, in their order, by Stats or by LevelReports. unit: what is counted, "frame" or "step"."""

    def __init__(self, unit="frame"):
        self._unit = unit
        self._numbers = {name: [] for name in WORDS}  # of the frames that had it

    def add(self, number, step):
        """Of a frame, or of a part of one: then its number comes again."""
        for name, numbers in self._numbers.items():
            if getattr(step, name) > 0 and number not in numbers[-1:]:
                numbers.append(number)

    def told(self):
        """A Trouble of each kind that there was."""
        found = ((name, numbers) for name, numbers in self._numbers.items() if numbers)
        return [Trouble(name, numbers[0], self._text(name, numbers)) for name, numbers in found]

    def _text(self, name, numbers):
        frames = counted(len(numbers), self._unit, f"{self._unit}s")
        return f"in {frames}, first in {self._unit} {numbers[0]}, {WORDS[name]}"
