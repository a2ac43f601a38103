# SPDX-License-Identifier: GPL-3.0-or-later
"""What the check found, as plain data for a panel: a sentence, what to select, what could mend it."""

from dataclasses import dataclass, field


@dataclass
class Finding:
    """One kind of trouble. `element` ("VERT", "EDGE", "FACE" or "") says what `indices` count."""

    kind: str
    text: str
    stops: bool = False  # the garment cannot be simulated like this
    object_name: str = ""
    element: str = ""
    indices: list = field(default_factory=list)
    fix: str = ""  # what the button says; empty where only the artist can mend it
    detail: str = ""  # what the fix needs to know: a setting, the name of a modifier or object
    frame: int | None = None  # of a bake: since when it has been so

    @property
    def icon(self):
        return "ERROR" if self.stops else "INFO"

    @property
    def selectable(self):
        return bool(self.element and self.indices)


# Of the library's defects: element, one, many, what that means, what the fix is called.
DEFECTS = {
    "NOT_FINITE": ("VERT", "vertex has", "vertices have", "no finite position", "Delete"),
    "REPEATED_VERTEX": (
        "FACE",
        "face uses",
        "faces use",
        "a vertex twice and is left out",
        "Delete Faces",
    ),
    "ZERO_AREA": (
        "FACE",
        "face has",
        "faces have",
        "no area, so nothing holds it in shape",
        "Dissolve",
    ),
    "SLIVER": ("FACE", "face is", "faces are", "very thin, which makes the cloth stiff there", ""),
    "DUPLICATE_FACE": (
        "FACE",
        "face has",
        "faces have",
        "the same corners as another and is left out",
        "Delete Faces",
    ),
    "ISOLATED": (
        "VERT",
        "vertex belongs",
        "vertices belong",
        "to no face or edge and will not move",
        "Delete",
    ),
    "NON_MANIFOLD": (
        "EDGE",
        "edge has",
        "edges have",
        "three faces or more, and bends between them in turn",
        "",
    ),
    "FLIPPED": (
        "EDGE",
        "edge lies",
        "edges lie",
        "between faces that point opposite ways",
        "Recalculate Normals",
    ),
    "DOUBLED_VERTEX": (
        "VERT",
        "vertex lies",
        "vertices lie",
        "exactly on others: the cloth comes apart there",
        "Merge",
    ),
    "BAD_UV": ("FACE", "face has", "faces have", "UV coordinates that are no numbers", ""),
}
STOPPING = {"NOT_FINITE", "INDEX_RANGE"}


def of_defect(name, count, indices, object_name):
    """A finding of the library's mesh check; `count` is how often it was found."""
    element, one, many, meaning, fix = DEFECTS[name]
    if count > 1:
        meaning = meaning.replace("and is left out", "and are left out").replace(
            "holds it", "holds them"
        )
        meaning = meaning.replace("and bends", "and bend")
    text = f"{count} {one if count == 1 else many} {meaning}"
    return Finding(name.lower(), text, name in STOPPING, object_name, element, indices, fix)
