# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake may leave behind: one table, which menu, panel, exporters and the list of a cache's files read.

A new kind is a row of it; a file of another program that is no exporter of Blender's is written by exports.write_played().
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class OutputKind:
    """name: as .blend files keep it. label, help: of the menu. words: of what there is by now.

    is_keys: shape keys, which live in the .blend itself. ending: of the file that is made of the PC2, "" for none.
    cache_format: of the file that the Mesh Cache modifier plays: the PC2, or the one that is made of it.
    beginnings: how such a file begins; none: see manifest. operator: Blender's exporter of bpy.ops.wm that writes it, and
    options: what it gets besides path and frames; span: how it calls the first and the last frame, if it wants them.
    """

    name: str
    label: str
    help: str
    words: str
    is_keys: bool = False
    ending: str = ""
    cache_format: str = "PC2"
    beginnings: tuple = ()
    operator: str = ""
    options: dict = field(default_factory=dict)
    span: tuple = ()

    @property
    def is_played(self):
        """Whether the modifier plays the file that is made of the PC2."""
        return bool(self.ending) and not self.operator


KINDS = (
    OutputKind(
        "keys",
        "Shape Keys (absolute)",
        "One key per frame and one animated time; plays fastest",
        "shape keys, absolute",
        is_keys=True,
    ),
    OutputKind(
        "relative",
        "Shape Keys (relative)",
        "One key per frame with its own curve; exact to the bit",
        "shape keys, relative",
        is_keys=True,
    ),
    OutputKind(
        "pc2",
        "PC2 Cache",
        "A file next to the .blend and a Mesh Cache modifier; exact to the bit",
        "PC2 cache",
    ),
    OutputKind(
        "mdd",
        "MDD Cache",
        "Like PC2, in a format that more programs read",
        "MDD cache",
        ending=".mdd",
        cache_format="MDD",
    ),
    OutputKind(
        "abc",
        "Alembic",
        "An Alembic file, if this Blender supports it",
        "Alembic",
        ending=".abc",
        beginnings=(b"Ogawa", b"\x89HDF"),  # it has had two formats
        operator="alembic_export",
        options={"selected": True, "flatten": False, "visible_objects_only": False},
        span=("start", "end"),
    ),
    OutputKind(
        "usd",
        "USD",
        "A USD file, if this Blender supports it",
        "USD",
        ending=".usdc",
        beginnings=(b"PXR-USDC",),
        operator="usd_export",
        options={
            "selected_objects_only": True,
            "export_animation": True,
            "visible_objects_only": False,
        },
    ),
)
BY_NAME = {kind.name: kind for kind in KINDS}
OUTPUTS = (
    ("auto", "Automatic", "Shape keys for small bakes, a PC2 cache for large ones"),
    *((kind.name, kind.label, kind.help) for kind in KINDS),
)


def is_keys(name):
    """Whether a bake of this kind is in the .blend itself; False of kinds of a newer Muslin."""
    return name in BY_NAME and BY_NAME[name].is_keys


def kind_named(name):
    """The kind of this name; PC2 for an unknown one, as of a newer Muslin."""
    return BY_NAME.get(name, BY_NAME["pc2"])


def words_of(name):
    return BY_NAME[name].words if name in BY_NAME else name
