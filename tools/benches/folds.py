# SPDX-License-Identifier: GPL-3.0-or-later
"""How cloth folds: discs, strips, layers and swings at each quality, beside the conventional solver."""

import sys
import time
from functools import partial

from common import command
from common.report import heading, note, short, table
from folds_cases import clamp, curtain, cusick, disc_fall, falls, flag, layers, rig, swing
from truth import settings_of
from truth_cases import rig as truth_rig

QUICK_HELP = "one irregular mesh of each case; the same keys"
# Keys without their quality, and what measures them.
CASES = (
    (("fold_response",), disc_fall.response),
    (("table_time",), falls.table_time),
    (("layers_time",), falls.layers_time),
    (("wavy_height_mm", "wavy_growth_mm"), falls.wavy),
    (("swing_left",), swing.swing_left),
    (("layer_ratio", "layer_lift_mm", "layer_far_same"), layers.layers),
    (("landing_gain",), falls.landing),
    (("curtain_mm", "curtain_squeezed"), curtain.curtain),
    (("clamp_degrees",), clamp.clamp_degrees),
    (("flag_tip_speed", "flag_still_speed"), flag.flag_tip_speed),
    (("cusick_silk", "cusick_order"), cusick.silk),
    (("area_kept",), cusick.table_area),
)
# What to reach at draft, fit and final: (least, most), None where there is no bound.
REACH = {
    "fold_response": ((0.70, None), (0.92, None), (0.97, None)),
    "table_time": ((None, 1.5), (None, 1.15), (None, 1.05)),
    "wavy_height_mm": ((None, 30), (None, 15), (None, 15)),
    "wavy_growth_mm": ((None, 5), (None, 3), (None, 3)),
    "swing_left": ((0.95, None), (0.95, None), (0.99, None)),
    "layer_ratio": ((None, 0.10), (None, 0.02), (None, 0.02)),
    "layer_lift_mm": ((None, 1), (None, 0.1), (None, 0.1)),
    "layer_far_same": ((1, None), (1, None), (1, None)),
    "landing_gain": ((None, 0.02), (None, 0.01), (None, 0.005)),
    "curtain_mm": ((60, None), (90, None), (90, None)),
    "curtain_squeezed": ((0.8, None), (0.8, None), (0.8, None)),
    "clamp_degrees": (None, (40.5, 42.5), (40.5, 42.5)),
    "flag_tip_speed": ((0.5, None), (0.8, None), (0.8, None)),
    "flag_still_speed": ((None, 0.01), (None, 0.01), (None, 0.01)),
    "cusick_silk": (None, (20, 40), (20, 40)),
    "cusick_order": (None, (1, None), (1, None)),
    "area_kept": ((0.97, None), (0.97, None), (0.97, None)),
}


def wanted(only):
    """The cases of --only, or all; a name that is none is refused."""
    chosen = [case for case in CASES if only in (None, *case[0])]
    if not chosen:
        names = ", ".join(key for keys, _ in CASES for key in keys)
        raise SystemExit(f"tools/bench folds: there is no {only}; there are {names}")
    return chosen


def judged(key, quality, value):
    """(what to reach, whether it is); a figure without a bound is always reached."""
    bounds = REACH.get(key)
    bound = bounds[rig.QUALITIES.index(quality)] if bounds else None
    if bound is None:
        return "-", True
    least, most = bound
    fits = (least is None or value >= least) and (most is None or value <= most)
    if least is not None and most is not None:
        return f"{least:g}-{most:g}", fits
    return (f"<= {most:g}" if least is None else f">= {least:g}"), fits


def figures(numbers, cases):
    """Rows of the last table: each key by quality, beside the conventional solver."""
    rows = []
    for key in (key for keys, _ in cases for key in keys):
        cells = [_figure(numbers, key, quality) for quality in rig.QUALITIES]
        rows.append((key, *cells, short(numbers.get(f"{key}_conventional"))))
    return rows


def _figure(numbers, key, quality):
    value = numbers.get(f"{key}_{quality}")
    if value is None:
        return None
    reach, reached = judged(key, quality, value)
    return f"{short(value)} ({reach}{'' if reached else ', NO'})"


def measure(results, quick, cases=CASES):
    begin = time.monotonic()
    print("How cloth folds")
    if quick:
        note("Quick run: fewer meshes; the figures proper are those of a full run.")
    seconds = []
    for keys, case in cases:
        start = time.monotonic()
        case(results, quick)
        seconds.append((keys[0], time.monotonic() - start))
    heading("Figures, the worst of all meshes; what to reach in brackets")
    table(("key", *rig.QUALITIES, "conventional"), figures(results.numbers, cases))
    results.number("bench_seconds", round(time.monotonic() - begin, 1))
    longest = ", ".join(
        f"{key} {taken:.0f} s" for key, taken in sorted(seconds, key=lambda s: -s[1])
    )
    note(f"Measured in {results.numbers['bench_seconds']:.0f} s: {longest}.")


def add_options(parser):
    parser.add_argument("--only", metavar="KEY", help="measure what gives this figure, no other")
    parser.add_argument(
        "--quality", choices=rig.QUALITIES, action="append", help="only this; may be given again"
    )
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a setting of every cloth, such as integrator=bdf2; may be given again",
    )


def main():
    options = command.parse("folds", __doc__, QUICK_HELP, more=add_options)
    truth_rig.EXTRA.update(settings_of(options.set))
    rig.CHOSEN[:] = options.quality or rig.QUALITIES
    return command.run(partial(measure, cases=wanted(options.only)), options)


if __name__ == "__main__":
    sys.exit(main())
