# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake may leave behind."""

OUTPUTS = (
    ("auto", "Automatic", "Shape keys for small bakes, a PC2 cache for large ones"),
    ("keys", "Shape Keys (absolute)", "One key a frame and one animated time; plays fastest"),
    ("relative", "Shape Keys (relative)", "One key a frame with its own curve; exact to the bit"),
    ("pc2", "PC2 Cache", "A file beside the .blend and a Mesh Cache modifier; exact to the bit"),
    ("mdd", "MDD Cache", "As PC2, in the format that other programs know"),
    ("abc", "Alembic", "An Alembic file, where this Blender has it"),
    ("usd", "USD", "A USD file, where this Blender has it"),
)

IN_FILE = ("keys", "relative")  # those that live in the .blend itself

NAMES = {
    "keys": "shape keys, absolute",
    "relative": "shape keys, relative",
    "pc2": "PC2 cache",
    "mdd": "MDD cache",
    "abc": "Alembic",
    "usd": "USD",
}
