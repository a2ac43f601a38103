# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables and headings of the generated pages."""

WARNING = "<!-- Made by tools/docs. Do not edit. -->"


def table(heads, rows):
    """A table; cells may hold anything but line ends."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def page(title, *parts):
    """A whole page: a heading, a word to those who would edit it, and its parts."""
    return "\n\n".join((f"# {title}", WARNING, *filter(None, parts))) + "\n"


def code(text):
    return f"`{text}`" if text else ""


def sentence(text):
    """With a capital, and without its end: a cell holds one."""
    return text[:1].upper() + text[1:].rstrip(".")


def _cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")
