# SPDX-License-Identifier: GPL-3.0-or-later
"""A strip of a measured fabric by the file's own numbers, solved here and shared with no other code.

The file has the numbers of the stress s_uu = c11 G_uu + c12 G_vv, s_vv = c22 G_vv + c12 G_uu, s_uv = c33 G_uv / 2 of
Green's strain G for slack cloth and at a stretch of 1/6 at five angles from the warp; linear between them, nothing below
zero, and doubled by the program that shipped the files.
"""

import numpy as np

LARGEST = 1 / 6  # stretch of the file's last rows
ANGLE = np.pi / 8  # between them
FINE = 1e-7  # of strains, for differences
LONGEST = 0.02  # change of a strain in a step of Newton's method
STEPS = 80


class Table:
    def __init__(self, content):
        self.rows = 2 * np.maximum(np.array(content["stretching"]), 0)

    def stress(self, strain):
        """s_uu, s_vv, s_uv at G_uu, G_vv, G_uv, N/m."""
        uu, vv, uv = strain
        mean, half = (uu + vv) / 2, (uu - vv) / 2
        stretch = np.sqrt(max(1 + 2 * (mean + np.hypot(half, uv)), 0)) - 1
        place = min(0.5 * np.arctan2(abs(uv), half) / ANGLE, 4 - 1e-9)
        row = int(place)
        taut = self.rows[1 + row] + (place - row) * (self.rows[2 + row] - self.rows[1 + row])
        part = np.clip(stretch / LARGEST, 0, 1)
        c11, c12, c22, c33 = self.rows[0] + part * (taut - self.rows[0])
        return np.array([c11 * uu + c12 * vv, c22 * vv + c12 * uu, 0.5 * c33 * uv])

    def pulls(self, degrees, stretches):
        """Force per width at rest of a strip that is free at its sides, N/m, at ascending stretches."""
        turn = np.radians(degrees)
        cosine, sine = np.cos(turn), np.sin(turn)

        def turned(along, across, mixed):
            """Of a tensor in the strip's own axes, or back with the other sign of the sine."""
            return np.array(
                [
                    along * cosine**2 + across * sine**2 - 2 * mixed * cosine * sine,
                    along * sine**2 + across * cosine**2 + 2 * mixed * cosine * sine,
                    (along - across) * cosine * sine + mixed * (cosine**2 - sine**2),
                ]
            )

        def own(stress):
            uu, vv, uv = stress
            return np.array(
                [
                    uu * cosine**2 + vv * sine**2 + 2 * uv * cosine * sine,
                    uu * sine**2 + vv * cosine**2 - 2 * uv * cosine * sine,
                    (vv - uu) * cosine * sine + uv * (cosine**2 - sine**2),
                ]
            )

        found, free = [], np.zeros(2)
        for stretch in stretches:
            along = stretch + stretch**2 / 2

            def sides(free, along=along):
                return own(self.stress(turned(along, *free)))[1:]

            free = _root(sides, free)
            found.append(own(self.stress(turned(along, *free)))[0] * (1 + stretch))
        return np.array(found)


def _root(function, at):
    """Where two numbers vanish, by Newton's method with differences, halved until it gets nearer."""
    for _ in range(STEPS):
        value = function(at)
        slopes = np.column_stack(
            [(function(at + d) - function(at - d)) / (2 * FINE) for d in FINE * np.eye(2)]
        )
        change = np.linalg.lstsq(slopes, -value, rcond=None)[0]
        change *= min(1, LONGEST / max(np.abs(change).max(), 1e-30))
        while np.abs(change).max() > 1e-12 and (
            np.linalg.norm(function(at + change)) > np.linalg.norm(value)
        ):
            change /= 2
        at = at + change
        if np.abs(change).max() < 1e-12:
            break
    return at
