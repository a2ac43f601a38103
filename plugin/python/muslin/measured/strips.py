# SPDX-License-Identifier: GPL-3.0-or-later
"""How a strip of a fabric stretches under a weight, and how far it hangs over an edge.

It is cut along the warp, the weft or the bias, pulled at its ends and free at its sides: so it also becomes narrower,
and sheared where warp and weft differ.
"""

import math

import numpy as np

GRAVITY = 9.81
ANGLES = {"warp": 0.0, "weft": math.pi / 2, "bias": math.pi / 4}  # of the strip from the warp
ROUNDS = 100  # of Newton's method; most strips need six
CLOSE = 1e-12  # last change of a length over the length


def bend_stiffness(material, direction):
    """Moment per width and curvature of a strip, N m: a sheet folded as a cylinder across the direction."""
    warp = material["bend"]
    weft, twist = warp * material["bend_weft"], warp * material["bend_twist"]
    return {"warp": warp, "weft": weft, "bias": (warp + weft + 2 * twist) / 4}[direction]


def bending_length(material, direction):
    """Peirce's bending length, m: half of the overhang whose end is 41.5 degrees below the edge."""
    return (bend_stiffness(material, direction) / (material["density"] * GRAVITY)) ** (1 / 3)


def bend_from_overhang(density, overhang):
    """Bending stiffness, N m, of a strip of which `overhang` (m) hangs to 41.5 degrees; density in kg/m^2."""
    return density * GRAVITY * (overhang / 2) ** 3


class Strip:
    """A strip that is strained the same everywhere. Its state is (length, shift, width) over those at rest; warp,
    weft and the two diagonals are springs, as in native/laws/triangle.c."""

    def __init__(self, material, direction):
        shear = material["shear"]
        stretch = material["stretch_warp"], material["stretch_weft"]
        self.stiffness = np.array([max(k - shear, 0.0) for k in stretch] + [2 * shear] * 2)
        cosine, sine = math.cos(ANGLES[direction]), math.sin(ANGLES[direction])
        # What warp and weft become: a 2 x 3 matrix each, times the state.
        warp = np.array([[cosine, -sine, 0], [0, 0, -sine]])
        weft = np.array([[sine, cosine, 0], [0, 0, cosine]])
        half = math.sqrt(0.5)
        self.maps = np.stack([warp, weft, half * (warp + weft), half * (warp - weft)])

    def derivatives(self, state):
        """Gradient and second derivative, never indefinite, of the energy per area, N/m."""
        places = self.maps @ state
        lengths = np.maximum(np.linalg.norm(places, axis=1), 1e-9)
        along = places / lengths[:, None]
        pull = self.stiffness * (lengths - 1)
        rows = np.einsum("ki,kij->kj", along, self.maps)
        across = np.einsum("ki,kij->kj", along[:, ::-1] * (1, -1), self.maps)
        slack = np.maximum(pull / lengths, 0)
        second = np.einsum("k,ki,kj->ij", self.stiffness, rows, rows)
        return pull @ rows, second + np.einsum("k,ki,kj->ij", slack, across, across)

    def stretched(self, force):
        """The state under a force per width at rest, N/m."""
        return self._balanced((1.0, 0.0, 1.0), force, slice(0, 3))

    def pulled(self, strain):
        """The force per width, N/m, at a strain along the strip."""
        if not self.stiffness.any():
            return 0.0
        state = self._balanced((1 + strain, 0.0, 1.0), 0.0, slice(1, 3))
        return float(self.derivatives(state)[0][0])

    def _balanced(self, start, force, free):
        """Where these numbers of the state are in balance with a force along the strip, by Newton's method."""
        state, wanted = np.array(start), np.array([force, 0.0, 0.0])[free]
        tiny = 1e-12 * self.stiffness.max() * np.eye(len(wanted))
        for _ in range(ROUNDS):
            gradient, second = self.derivatives(state)
            step = np.linalg.solve(second[free, free] + tiny, wanted - gradient[free])
            state[free] += step * min(1.0, 0.3 / np.abs(step).max(initial=1e-300))
            if np.abs(step).max() < CLOSE:
                break
        return state


LARGEST = 1 / 6  # the stretch of the table's last rows
ANGLE_STEP = math.pi / 8  # between them
BIAS_ROUNDS = 60  # until the strains on the bias stand


def strip_of(material, direction):
    """A strip that can be pulled, of a material that is measured or not."""
    if any(material.get("stretch_samples", ())):
        return MeasuredStrip(material["stretch_samples"], direction)
    return Strip(material, direction)


class MeasuredStrip:
    """A strip along warp, weft or bias, free to get narrower.

    The strain is Green's, e = stretch + stretch^2 / 2; the stresses are s_uu = c11 e_uu + c12 e_vv, s_vv = c22 e_vv + c12
    e_uu and s_uv = c33 e_uv / 2; the table's numbers are those at the largest stretch and its angle to the warp.
    """

    def __init__(self, samples, direction):
        self.rows = [samples[4 * row : 4 * row + 4] for row in range(6)]
        self.direction = direction

    def numbers(self, stretch, angle):
        """c11, c12, c22, c33 at a stretch and an angle in steps of the table, linear between."""
        part = min(max(stretch / LARGEST, 0.0), 1.0)
        step = min(int(angle), 3)
        low, high = self.rows[1 + step], self.rows[2 + step]
        at = [a + (angle - step) * (b - a) for a, b in zip(low, high)]
        return [slack + part * (far - slack) for slack, far in zip(self.rows[0], at)]

    def pulled(self, strain):
        """The force per width at rest, N/m, at a strain (a stretch) along the strip."""
        green = strain + strain**2 / 2
        stress = self.on_bias(green) if self.direction == "bias" else self.along(strain, green)
        return (1 + strain) * stress

    def along(self, strain, green):
        """Across it is free: that stress is zero."""
        c11, c12, c22, _ = self.numbers(strain, ANGLES[self.direction] / ANGLE_STEP)
        along, across = (c11, c22) if self.direction == "warp" else (c22, c11)
        return (along - c12 * c12 / across) * green if across > 0 else 0.0

    def on_bias(self, green):
        """s_uu, s_vv and s_uv are half of the stress along it; the strains show where in the table they are."""
        angle, stretch, stress = 2.0, green, 0.0
        for _ in range(BIAS_ROUNDS):
            c11, c12, c22, c33 = self.numbers(stretch, angle)
            area = c11 * c22 - c12 * c12
            if not (area > 0 and c33 > 0):
                return 0.0
            uu, vv, uv = (c22 - c12) / area / 2, (c11 - c12) / area / 2, 1 / c33
            stress = green / ((uu + vv) / 2 + uv)
            mean, half, shear = stress * (uu + vv) / 2, stress * (uu - vv) / 2, stress * uv
            angle = (angle + math.atan2(shear, half) / 2 / ANGLE_STEP) / 2
            largest = math.sqrt(max(1 + 2 * (mean + math.hypot(half, shear)), 0.0)) - 1
            stretch = (stretch + largest) / 2
        return stress
