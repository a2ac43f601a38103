# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of the fabrics that come with Muslin, from their files."""

import json

from muslin.table import SETTINGS
from pages import markdown

HEAD = """\
The fabrics that come with Muslin: the files of `plugin/fabrics`, in the order of Blender's menu. [The guide](../guide/fabrics.md)
says how to use them and how to make your own. `tools/muslin fabrics` prints them with your own, and with bending lengths."""
FOOT = """\
*Bending* is that along the warp; along the weft and against twisting it is so many parts of it. Warp runs along the UV map's u,
weft along v."""
HEADS = (
    "fabric",
    "weight, kg/m²",
    "warp, N/m",
    "weft, N/m",
    "shear, N/m",
    "bending, N m",
    "weft, twist",
    "thickness, mm",
    "friction",
)


def text(root):
    """The page."""
    files = sorted((root / "plugin" / "fabrics").glob("*.json"))
    fabrics = [(path.stem, json.loads(path.read_text("utf-8"))) for path in files]
    fabrics.sort(key=lambda each: each[1]["number"])
    rows = [_numbers(fabric) for _, fabric in fabrics]
    sources = [(markdown.code(name), f["help"], _source(f)) for name, f in fabrics]
    return markdown.page(
        "Fabrics",
        HEAD,
        markdown.table(HEADS, rows),
        FOOT,
        "## What they are, and where their numbers come from",
        markdown.table(("name", "for", "source"), sources),
    )


def _numbers(fabric):
    def number(name, factor=1, group="material"):
        return f"{fabric[group].get(name, SETTINGS[name].default) * factor:g}"

    return (
        fabric["label"],
        *(number(name) for name in ("density", "stretch_warp", "stretch_weft", "shear", "bend")),
        f"{number('bend_weft')}, {number('bend_twist')}",
        number("thickness", 1000, "contact"),
        number("friction", 1, "contact"),
    )


def _source(fabric):
    return markdown.sentence(fabric.get("source", ""))
