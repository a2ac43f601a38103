"""What went wrong within steps that came to their end all the same, in words for whoever simulates.

SPDX-License-Identifier: GPL-3.0-or-later
"""

from dataclasses import dataclass

# Of each count of a step: what it means, and what to look for.
WORDS = {
    "curtailed": "the cloth met too much to look at all of it, and may pass through some: is its size, or that of its "
    "pattern, in metres?",
    "retried": "a step overshot, and was made again in smaller ones: is the fabric too stiff for the solver, or the step too "
    "long?",
    "mended": "contact pulled the cloth to nearly three times its length, and it was held back: does it fit the body, and lie "
    "around it at the start?",
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
        first = f"{self._unit} {numbers[0]}"
        when = first if len(numbers) == 1 else f"{len(numbers)} {self._unit}s, first in {first}"
        return f"in {when}, {WORDS[name]}"
