# SPDX-License-Identifier: GPL-3.0-or-later
"""How cloth folds: discs, strips, layers and swings at each quality, beside the conventional solver."""

import sys

from common.parts import Bench, add_settings, settings_of
from common.report import heading, judged, short, table
from folds_cases import clamp, curtain, cusick, disc_fall, falls, flag, layers, rig, swing
from truth_cases import rig as truth_rig

QUICK_HELP = "one irregular mesh of each case; the same keys"
# Keys without their quality, and what measures them.
PARTS = {
    "fold_response": disc_fall.response,
    "table_time": falls.table_time,
    "layers_time": falls.layers_time,
    "wavy_height_mm": falls.wavy,
    "wavy_growth_mm": falls.wavy,
    "swing_left": swing.swing_left,
    "layer_ratio": layers.layers,
    "layer_lift_mm": layers.layers,
    "layer_far_same": layers.layers,
    "landing_gain": falls.landing,
    "curtain_mm": curtain.curtain,
    "curtain_squeezed": curtain.curtain,
    "clamp_degrees": clamp.clamp_degrees,
    "flag_tip_speed": flag.flag_tip_speed,
    "flag_still_speed": flag.flag_tip_speed,
    "cusick_silk": cusick.silk,
    "cusick_order": cusick.silk,
    "area_kept": cusick.table_area,
}
# What to reach at draft, fit and final.
REACH = {
    "fold_response": (">= 0.70", ">= 0.92", ">= 0.97"),
    "table_time": ("<= 1.5", "<= 1.15", "<= 1.05"),
    "wavy_height_mm": ("<= 30", "<= 15", "<= 15"),
    "wavy_growth_mm": ("<= 5", "<= 3", "<= 3"),
    "swing_left": (">= 0.95", ">= 0.95", ">= 0.99"),
    "layer_ratio": ("<= 0.10", "<= 0.02", "<= 0.02"),
    "layer_lift_mm": ("<= 1", "<= 0.1", "<= 0.1"),
    "layer_far_same": (">= 1",) * 3,
    "landing_gain": ("<= 0.02", "<= 0.01", "<= 0.005"),
    "curtain_mm": (">= 60", ">= 90", ">= 90"),
    "curtain_squeezed": (">= 0.8",) * 3,
    "clamp_degrees": ("-", "40.5..42.5", "40.5..42.5"),
    "flag_tip_speed": (">= 0.5", ">= 0.8", ">= 0.8"),
    "flag_still_speed": ("<= 0.01",) * 3,
    "cusick_silk": ("-", "20..40", "20..40"),
    "cusick_order": ("-", ">= 1", ">= 1"),
    "area_kept": (">= 0.97",) * 3,
}


def show(results):
    """Each key by quality, beside the conventional solver."""
    rows = []
    for key in PARTS:
        cells = [_figure(results.numbers, key, quality) for quality in rig.QUALITIES]
        conventional = short(results.numbers.get(f"{key}_conventional"))
        if any((*cells, conventional)):
            rows.append((key, *cells, conventional))
    heading("Figures, the worst of all meshes; what to reach in brackets")
    table(("key", *rig.QUALITIES, "conventional"), rows)


def _figure(numbers, key, quality):
    value = numbers.get(f"{key}_{quality}")
    if value is None:
        return None
    reach = REACH.get(key, "---")[rig.QUALITIES.index(quality)]
    return f"{short(value)} ({reach}{', NO' if judged(value, reach) == 'NO' else ''})"


def add_options(parser):
    add_settings(parser)
    parser.add_argument(
        "--quality", choices=rig.QUALITIES, action="append", help="only this; may be given again"
    )


def begin(options):
    truth_rig.EXTRA.update(settings_of(options.set))
    rig.CHOSEN[:] = options.quality or rig.QUALITIES


BENCH = Bench("folds", __doc__, QUICK_HELP, PARTS, options=add_options, begin=begin, show=show)

if __name__ == "__main__":
    sys.exit(BENCH.main())
