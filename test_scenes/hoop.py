# SPDX-License-Identifier: GPL-3.0-or-later
"""A tight sleeve on a cylinder: the scene, and the tension and pressure that it must have.

A tube of cloth that is stretched around a cylinder by the factor h, and along it by a, has the energy

    W(h, a) = 1/2 sum_i k_i (l_i - 1)^2,    l_i = |(h s_i, a c_i)|

for each square metre of its pattern: over warp, weft and the two diagonals between them (native/laws/triangle.h),
with s_i and c_i the parts of thread i around the cylinder and along it. Without friction nothing pulls along:
dW/da = 0 tells a. The hoop tension is T = dW/dh / a, in N for each metre along the cylinder as it is worn, and the
pressure is p = T / r, with r the radius of the cloth's middle surface.
"""

from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from muslin import Cloth
from muslin import Mesh as MuslinMesh

from test_scenes import solids
from test_scenes.sheets import checkerboard, grid_quads

RADIUS, LENGTH = 0.05, 0.1  # m: of the cylinder, of the sleeve before it is worn
CYLINDER_SIDES = 256
DAMPING = 5.0  # 1/s: rest is wanted, not the way there
BEGIN = 1.02  # radius of the sleeve when it is let go, over that of the shell
RIM = 0.02  # m: so far from the ends the closed form holds


@dataclass(frozen=True)
class Sleeve:
    """tight: how much it would be stretched if it kept all of the thickness from the cylinder."""

    tight: float = 0.1
    around: int = 64  # vertices
    cut: str = "quads"  # or "triangles", or "uneven": triangles whose vertices were moved about
    bias: bool = False  # cut at 45 degrees: warp and weft both run around
    warp: float = 1000.0  # N/m
    weft: float = 1000.0
    shear: float = 200.0
    thickness: float = 0.004  # m
    quality: str = "fit"

    @property
    def radius(self):
        """m, as it is cut."""
        return (RADIUS + self.thickness) / (1 + self.tight)

    def mesh(self):
        """As it is cut, upright around the z axis. Its UV map tells where the threads run."""
        side = 2 * np.pi * self.radius / self.around
        rings = round(LENGTH / side) + 1
        turns, heights = np.meshgrid(np.arange(self.around), np.linspace(-0.5, 0.5, rings))
        if self.cut == "uneven":
            moved = np.random.default_rng(5).uniform(-0.2, 0.2, (2, *turns.shape))
            turns = turns + moved[0]
            heights[1:-1] += moved[1, 1:-1] / (rings - 1)
        angle, z = (2 * np.pi / self.around * turns).ravel(), LENGTH * heights.ravel()
        places = np.stack([self.radius * np.cos(angle), self.radius * np.sin(angle), z], -1)
        quads = grid_quads(self.around, rings, wrap=True)
        faces = quads if self.cut == "quads" else checkerboard(quads, self.around)
        corners = np.asarray(faces).ravel()
        # a face beyond the last column goes on where the others are, not back at the start
        first = angle[np.repeat(np.asarray(faces)[:, 0], len(faces[0]))]
        along = self.radius * (first + _wrapped(angle[corners] - first))
        uvs = np.stack([z[corners], along], -1)
        if self.bias:
            uvs = uvs @ np.array([[1, 1], [-1, 1]]) * np.sqrt(0.5)
        return MuslinMesh.from_faces(places, np.asarray(faces), uvs=uvs)

    def energy_slopes(self, hoop, along):
        """dW by h and by a, N/m."""
        angles = np.radians(np.array([0, 90, 45, -45]) + (45 if self.bias else 0))
        stiffness = np.array(
            [self.warp - self.shear, self.weft - self.shear, *2 * [2 * self.shear]]
        )
        s, c = np.sin(angles), np.cos(angles)
        length = np.hypot(hoop * s, along * c)
        pull = stiffness * (length - 1) / length
        return np.sum(pull * hoop * s * s), np.sum(pull * along * c * c)

    def closed_form(self, hoop):
        """How much it is stretched along, and the hoop tension, N/m as it is worn."""
        low, high = 0.5, 1.5
        for _ in range(60):
            along = (low + high) / 2
            low, high = (low, along) if self.energy_slopes(hoop, along)[1] > 0 else (along, high)
        return along, self.energy_slopes(hoop, along)[0] / along

    def reported_tension(self, fit):
        """The hoop tension, N/m, that the strains of a fit mean by the same law, per vertex."""
        if self.bias:  # S_u, S_v = (h, +-a)/sqrt2
            length, sheared = 1 + (fit.warp + fit.weft) / 2, np.sin(fit.shear)
            hoop, along = length * np.sqrt(1 + sheared), length * np.sqrt(1 - sheared)
        else:
            hoop, along = 1 + fit.weft, 1 + fit.warp
        return np.array([self.energy_slopes(h, a)[0] / a for h, a in zip(hoop, along)])


def _wrapped(angle):
    return (angle + np.pi) % (2 * np.pi) - np.pi


def wear(sleeve, frames=60, **settings):
    """The positions of a sleeve at rest on its cylinder, and its Fit."""
    with worn(sleeve, frames, **settings) as cloth:
        return cloth.positions(), cloth.fit()


@contextmanager
def worn(sleeve, frames=60, **settings):
    """The cloth of a sleeve at rest on its cylinder, for `with`."""
    mesh = sleeve.mesh()
    body = solids.cylinder(RADIUS, -LENGTH, LENGTH, sides=CYLINDER_SIDES, spacing=LENGTH)
    with Cloth(
        mesh,
        quality=sleeve.quality,
        gravity=(0, 0, 0),
        damping=DAMPING,
        stretch_warp=sleeve.warp,
        stretch_weft=sleeve.weft,
        shear=sleeve.shear,
        **settings,
    ) as cloth:
        cloth.add_body(
            MuslinMesh.from_faces(body.positions, body.faces), sleeve.thickness, friction=0.0
        )
        larger = BEGIN * (RADIUS + sleeve.thickness) / sleeve.radius
        cloth.set_state(mesh.positions * np.float32([larger, larger, 1]))
        for _ in range(frames):
            cloth.step(1 / 24)
        yield cloth


class Errors(NamedTuple):
    """Relative, but for the last three; over all vertices away from the ends."""

    tension_rms: float
    tension_worst: float
    pressure_rms: float
    pressure_worst: float
    gap: float  # m, the worst
    pressure: float  # Pa, the mean as told
    stand_off: float  # m from the cylinder, the mean


def errors(sleeve, positions, fit):
    """Of the hoop tension that the told strain means, of the told pressure and gap. Radii are those at which the cloth
    is, so its stand-off counts."""
    x, y, z = positions.astype(float).T
    radius = np.hypot(x, y)
    inner = np.abs(z) < LENGTH / 2 - RIM
    closed = [sleeve.closed_form(r / sleeve.radius)[1] for r in radius[inner]]
    tension = sleeve.reported_tension(fit)[inner] / closed - 1
    pressure = fit.pressure[inner] * radius[inner] / closed - 1
    gap = fit.gap[inner] - (radius[inner] - RADIUS)
    found = []
    for error in (tension, pressure):
        found += [float(np.sqrt(np.mean(error**2))), float(np.abs(error).max())]
    stand_off = float(radius[inner].mean() - RADIUS)
    return Errors(*found, float(np.abs(gap).max()), float(fit.pressure[inner].mean()), stand_off)
