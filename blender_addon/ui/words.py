# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers and sentences as a panel shows them. Knows nothing of cloth."""

import re
import textwrap

# Pixels at a scale of 1: of an average letter, and of what a panel needs beside its text.
LETTER = 6.0
BORDERS = 36
TABS = 20  # of the sidebar
ICON = 22
NARROWEST = 18  # letters; below that a panel is not readable anyway


def letters_across(context, icon=False):
    """How many letters fit into a line of the region that is being drawn."""
    scale = context.preferences.system.ui_scale or 1.0
    width = context.region.width / scale - BORDERS - (ICON if icon else 0)
    if context.region.type == "UI":
        width -= TABS
    return max(NARROWEST, int(width / LETTER))


def paragraph(layout, context, text, icon="NONE"):
    """A text of any length, as labels that fit the panel's width; the icon is before the first."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    lines = wrapped(str(text), letters_across(context, icon != "NONE"))
    for number, line in enumerate(lines or [""]):
        if icon == "NONE":
            column.label(text=line)
        else:
            column.label(text=line, icon=icon if number == 0 else "BLANK1")


class Wrapper(textwrap.TextWrapper):
    """Breaks paths between their folders; names that are longer than a line anywhere, rather than cut them off."""

    wordsep_re = re.compile(r"([ \n\t]+)|(?<=[/\\])(?=\S{4})")  # but not in N/m


def wrapped(text, letters):
    """The lines of a text; a number stays with its %."""
    lines = Wrapper(letters).wrap(text.replace(" %", "\u00a0%"))
    return [line.replace("\u00a0", " ") for line in lines]


def thousands(number):
    """19881 -> "19,881"."""
    return f"{int(number):,}"


def count(number, one, many=None):
    """count(3, "edge") -> "3 edges"."""
    return f"{thousands(number)} {one if number == 1 else many or one + 's'}"
