# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloth of the tests and benches whose figures are written down; it stays when the library's defaults change."""

# A shear modulus of 300 N/m makes a cloth that hardly drapes, but forgives much; the defaults are those of real cotton.
REFERENCE = {
    "density": 0.2,
    "stretch_warp": 2300,
    "stretch_weft": 2300,
    "shear": 300,
    "bend": 2e-5,
    "rope_density": 0.01,
    "rope_stretch": 500,
    "damping": 0,
    "pin_stiffness": 2000,
    "normal_drag": 0.5,
    "tangent_drag": 0.05,
    "drag_law": "linear",
}
