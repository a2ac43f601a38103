# SPDX-License-Identifier: GPL-3.0-or-later
"""How cloth folds: discs, strips, layers and swings at each quality, beside the conventional solver."""

from common.bench import Bench, add_settings, settings_of
from folds_cases import discs, rig, sheets
from truth_cases import rig as truth_rig

QUICK_HELP = "one irregular mesh of each case; the same keys"
# Keys without their quality: what measures them, and what to reach at draft, fit and final. Some have one of the
# conventional solver, too.
CASES = {
    "fold_response": (discs.response, ">= 0.70", ">= 0.92", ">= 0.97"),
    "table_time": (sheets.table_time, "<= 1.5", "<= 1.15", "<= 1.05"),
    "layers_time": (sheets.layers_time, "-", "-", "-"),
    "wavy_height_mm": (sheets.wavy, "<= 30", "<= 15", "<= 15"),
    "wavy_growth_mm": (sheets.wavy, "<= 5", "<= 3", "<= 3"),
    "swing_left": (sheets.swing_left, ">= 0.95", ">= 0.95", ">= 0.99"),
    "layer_ratio": (sheets.layers, "<= 0.10", "<= 0.02", "<= 0.02"),
    "layer_lift_mm": (sheets.layers, "<= 1", "<= 0.1", "<= 0.1"),
    "layer_far_same": (sheets.layers, ">= 1", ">= 1", ">= 1"),
    "landing_gain": (sheets.landing, "<= 0.02", "<= 0.01", "<= 0.005"),
    "curtain_mm": (sheets.curtain, ">= 60", ">= 90", ">= 90"),
    "curtain_squeezed": (sheets.curtain, ">= 0.8", ">= 0.8", ">= 0.8"),
    "clamp_degrees": (sheets.clamp_degrees, "-", "40.5..42.5", "40.5..42.5"),
    "flag_tip_speed": (sheets.flag_tip_speed, ">= 0.5", ">= 0.8", ">= 0.8"),
    "flag_still_speed": (sheets.flag_tip_speed, "<= 0.01", "<= 0.01", "<= 0.01"),
    "cusick_silk": (discs.silk, "-", "20..40", "20..40"),
    "cusick_order": (discs.silk, "-", ">= 1", ">= 1"),
    "area_kept": (discs.table_area, ">= 0.97", ">= 0.97", ">= 0.97"),
}


def begin(options):
    truth_rig.EXTRA.update(settings_of(options.set))


PARTS = {key: measure for key, (measure, *_) in CASES.items()}
FIGURES = "\n".join(
    f"{key}_{quality} | {reach} | the worst of all meshes"
    for key, (_, *reaches) in CASES.items()
    for quality, reach in zip(rig.QUALITIES, reaches)
)
BENCH = Bench("folds", __doc__, QUICK_HELP, PARTS, FIGURES, add_settings, begin)
