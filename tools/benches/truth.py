# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the cloth obeys mechanics: strips, sheets and friction against textbooks, on any mesh."""

import sys

from common.parts import Bench, add_settings, settings_of
from truth_cases import bending, buckling, contact, drape, friction, motion, plots, rig, theory

QUICK_HELP = "two triangulations, one size, at fit; the same keys"
PEIRCE_REACH = 1.0  # degrees


def peirce_reach():
    right = theory.peirce_degrees()
    return f"{right - PEIRCE_REACH:.2f}..{right + PEIRCE_REACH:.2f}"


PARTS = {
    "cantilever_error": bending.cantilever,
    "peirce_degrees": bending.cantilever,
    "standing_error": buckling.standing,
    "lateral_error": buckling.lateral,
    "stick_slip_error": friction.stick_slip,
    "capstan_error": friction.capstan,
    "swing_error": motion.swings,
    "closed_form_error": motion.closed_forms,
    "similarity_error": bending.similarity,
    "bending_spread": bending.spread,
    "cusick_in_band": drape.cusick,
    "momentum_loss": contact.momentum,
    "creep_mm_s": contact.creep,
    "stopping_error": friction.stopping,
}
# Key, what it is, what to reach: the worst of all meshes, sizes and qualities.
FIGURES = (
    ("cantilever_error", "drop over reach of a clamped strip, relative", "<= 0.03"),
    ("peirce_degrees", "how far a strip of twice its bending length hangs", peirce_reach),
    ("standing_error", "weight at which an upright strip bends over, relative", "<= 0.04"),
    ("lateral_error", "weight at which a strip on edge turns aside, relative", "<= 0.08"),
    ("stick_slip_error", "friction that holds a pressed strip's foot, relative", "<= 0.05"),
    ("capstan_error", "tensions of a band around a cylinder, relative", "<= 0.03"),
    ("swing_error", "rates of a hanging sheet's small swings, relative", "<= 0.01"),
    ("closed_form_error", "catenary, own weight, fall in air, incline, relative", "<= 0.01"),
    ("similarity_error", "twice the size, eight times as stiff, over the length", "<= 0.01"),
    ("bending_spread", "stiffest over softest of all directions", "<= 1.08"),
    ("cusick_in_band", "fabrics within the published drapes", "1"),
    ("momentum_loss", "share that two free sheets lose when they meet", "<= 1e-3"),
    ("creep_mm_s", "of cloth that friction should hold, mm/s", "<= 0.01"),
    ("stopping_error", "way of a sheet that slides to rest, relative", "<= 0.02"),
)


def begin(options):
    rig.EXTRA.update(settings_of(options.set))


BENCH = Bench(
    "truth",
    __doc__,
    QUICK_HELP,
    PARTS,
    FIGURES,
    options=add_settings,
    begin=begin,
    plots=plots.write_all,
)

if __name__ == "__main__":
    sys.exit(BENCH.main())
