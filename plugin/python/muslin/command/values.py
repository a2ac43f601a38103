# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of option values for argparse. A refusal says what was given; argparse adds the option."""

import math
import re
from argparse import ArgumentParser, ArgumentTypeError
from collections import namedtuple

import numpy as np

from ..arrays import INT32
from ..table import SETTINGS

PC2_COLON = ".pc2:"  # between a body's point cache and its mesh, or two runs
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
LARGEST_FLOAT = float(np.finfo(np.float32).max)
LARGEST_INT = 2**31 - 1


class Parser(ArgumentParser):
    """Takes no abbreviated options: another option may begin like that in the next version."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, allow_abbrev=False, **options)


def spelled(name):
    """An option, of its name among those that were parsed."""
    return "--" + name.replace("_", "-")


def number(text):
    """Any finite number that the library's float32 can hold."""
    try:
        value = float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a number") from None
    if not math.isfinite(value) or abs(value) > LARGEST_FLOAT:
        raise ArgumentTypeError(f"{text!r} is not a finite number")
    return value


def whole(text):
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a whole number") from None


def ranged(setting):
    """The type of a setting's option: a number in its range."""
    kind = whole if setting.type == "int" else number

    def convert(text):
        value = 0 if text == setting.zero else kind(text)
        if setting.type == "int" and abs(value) > LARGEST_INT:
            raise ArgumentTypeError(f"{text!r} is not between -{LARGEST_INT} and {LARGEST_INT}")
        if not setting.holds(value):
            raise ArgumentTypeError(f"{text!r} is {outside(setting, value)}")
        return value

    return convert


def outside(setting, value):
    """How a number misses a setting's range, in words."""
    unit = f" {setting.unit}" if setting.unit else ""
    if setting.least is not None and value <= setting.least:
        if setting.least == 0:
            return "not greater than zero" if setting.above else "negative"
        return f"{'not more' if setting.above else 'less'} than {setting.least:g}{unit}"
    return f"{'not less' if setting.below else 'more'} than {setting.most:g}{unit}"


def positive(text):
    value = number(text)
    if value <= 0:
        raise ArgumentTypeError(f"{text!r} is not greater than zero")
    return value


def frame_rate(text):
    value = positive(text)
    longest = SETTINGS["seconds"].most
    if value * longest < 1:
        raise ArgumentTypeError(f"{text!r} is less than {1 / longest:g}")
    return value


def weight(text):
    positive(text)  # 0 would pin nothing
    return ranged(SETTINGS["weight"])(text)


def count(text, least=1):
    value = whole(text)
    if not least <= value <= INT32.max:
        raise ArgumentTypeError(f"{text!r} is not a whole number from {least}")
    return value


def count_or_none(text):
    """0 means none."""
    return count(text, 0)


def numbers(text, counts, kind=number):
    """Numbers with commas between them, as many as one of `counts` says."""
    values = tuple(map(kind, text.split(",")))
    if len(values) not in counts:
        wanted = " or ".join(map(str, counts))
        raise ArgumentTypeError(f"{text!r} has {len(values)} numbers, expected {wanted}")
    return values


def vector(text):
    return numbers(text, (3,))


def plane(text, other):
    """A point and a normal; `other` is the word that the option takes besides."""
    if text in AXES:
        return (0.0, 0.0, 0.0), AXES[text]
    if "," not in text:
        raise ArgumentTypeError(f"{text!r} is not {other}, x, y, z or px,py,pz,nx,ny,nz")
    values = numbers(text, (6,))
    if not any(values[3:]):
        raise ArgumentTypeError(f"{text!r} has a normal of length zero")
    return values[:3], values[3:]


def mirror_plane(text):
    return text if text == "find" else plane(text, "find")


def one_or_two(text):
    """One stiffness for both directions of the fabric, or warp and weft."""
    values = numbers(text, (1, 2), ranged(SETTINGS["stretch_warp"]))
    return values[0], values[-1]


def coefficients(text):
    return numbers(text, range(1, SETTINGS["coefficients"].length + 1))


# Where a body comes from: the path of its mesh, and of its point cache or None.
BodySource = namedtuple("BodySource", "mesh motion", defaults=(None,))


def split_pair(text):
    """What is before the colon behind a point cache, and after it; other colons may be part of a path."""
    at = text.lower().find(PC2_COLON)
    end = at + len(PC2_COLON)
    return (text[: end - 1], text[end:]) if at >= 0 else (None, text)


def body_source(text):
    """B.obj, or B.pc2:B.obj."""
    motion, mesh = split_pair(text)
    if motion is None and text.lower().endswith(".pc2"):
        raise ArgumentTypeError(f"{text!r} has no faces: give B.pc2:B.obj")
    if motion is not None and not mesh:
        raise ArgumentTypeError(f"{text!r} names no mesh after the colon")
    return BodySource(mesh, motion)


def run_pair(text):
    """Two point caches, COARSE.pc2:FINE.pc2."""
    pair = split_pair(text)
    if not all(pair):
        raise ArgumentTypeError(f"{text!r} does not name two runs: give COARSE.pc2:FINE.pc2")
    return pair


class PinAbove(namedtuple("PinAbove", "text axis below value")):
    """Pin by height: vertices at or beyond `value` along an axis; below it when `below`."""

    def chosen(self, positions):
        """Indices of the vertices that are meant."""
        along = positions[:, self.axis].astype(np.float64)
        return np.flatnonzero(along <= self.value if self.below else along >= self.value)


def pin_above(text):
    """AXIS:VALUE, with the axis x, y, z, or -x, -y, -z for below."""
    axis, colon, value = text.partition(":")
    below = axis.startswith("-")
    letter = axis[1:] if below else axis
    if not colon or letter not in ("x", "y", "z"):
        raise ArgumentTypeError(f"{text!r} is not AXIS:VALUE, such as z:1.4 or -z:0.1")
    return PinAbove(text, "xyz".index(letter), below, number(value))


def index_ranges(text):
    """Pairs (first, last) of "3,17,40-52". Kept as pairs: a range may be larger than any mesh."""
    if text.strip().lower() == "none":
        return []
    pairs = []
    for part in map(str.strip, text.split(",")):
        first, dash, last = part.partition("-")
        try:
            pairs.append((int(first), int(last if dash else first)))
        except ValueError:
            raise ArgumentTypeError(f"{part!r} is not a vertex or a range such as 40-52") from None
        if not 0 <= pairs[-1][0] <= pairs[-1][1]:
            raise ArgumentTypeError(f"{part!r} is not a range from a lower to a higher vertex")
    return pairs


# A number, a list of numbers, an axis of --pin-above, or a value to be refused by its name (-inf).
NEGATIVE_VALUE = re.compile(r"-(?:[0-9.]|[xyz]:|inf|nan)", re.IGNORECASE)
LONG_OPTION = re.compile(r"--[a-z][a-z-]*")


def join_negative_values(arguments):
    """The arguments, with each negative value joined to the option before it."""
    joined = []
    for argument in arguments:
        previous = joined[-1] if joined else ""
        if NEGATIVE_VALUE.match(argument) and LONG_OPTION.fullmatch(previous):
            joined[-1] = f"{previous}={argument}"
        else:
            joined.append(argument)
    return joined
