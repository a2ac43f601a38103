# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast everything is: solve, iteration, step, frame, set-up and growth, as ratios with their quality."""

import sys

from blender_cases import sizes
from common.parts import Bench
from speed_cases import builtin, conventional, garment, growth, iteration, numbering, plots, setup
from speed_cases import solve
from speed_cases.effort import FULL, LABELS, QUICK

QUICK_HELP = "small meshes, few steps, one Blender; the same figures of other sizes"
# Key, what it is; what to reach is another machine's.
FIGURES = [
    (*figure, "-")
    for figure in (
        ("solve_speedup_1t_20k", "CHOLMOD's best solve over ours, 20k, one thread"),
        ("solve_speedup_1t_100k", "the same, 100k"),
        ("solve_speedup_2t_20k", "the same, 20k, ours on two threads"),
        ("solve_speedup_2t_100k", "the same, 100k"),
        ("solve_speedup_1t_20k_least", "ratio of the least times, 20k, one thread"),
        ("solve_speedup_1t_100k_least", "the same, 100k"),
        ("solve_speedup_2t_20k_least", "the same, 20k, two threads"),
        ("solve_speedup_2t_100k_least", "the same, 100k"),
        ("solve_error_1t_20k", "relative error of our answer, 20k"),
        ("solve_error_1t_100k", "the same, 100k"),
        ("solve_error_2t_20k", "the same, 20k, two threads"),
        ("solve_error_2t_100k", "the same, 100k"),
        ("solve_speedup_eigen_1t_20k", "Eigen's solve over ours, 20k, one thread"),
        ("solve_speedup_eigen_1t_100k", "the same, 100k"),
        ("solve_over_floor_100k", "our solve over reading the factor twice, 100k, two threads"),
        ("solve_over_floor_1t_100k", "the same, both on one thread"),
        (
            "iteration_over_cholmod_solve",
            "an iteration on two threads over CHOLMOD's best solve, 20k",
        ),
        ("iteration_over_cholmod_solve_1t", "the same, ours on one thread"),
        ("step_speedup_pcg", "conventional PCG step over ours, one iteration"),
        ("step_response_pcg", "its response"),
        ("step_largest_strain", "its largest strain"),
        ("step_speedup_pcg_draft", "the same ratio at draft"),
        ("step_response_pcg_draft", "its response"),
        ("step_largest_strain_draft", "its largest strain"),
        ("vs_builtin_free_20k", "Blender's own frame over ours, free sheet, fixed rounds, worst"),
        ("free_response", "its lowest response"),
        ("free_largest_stretch", "its largest edge stretch"),
        ("vs_builtin_free_20k_draft", "the same ratio at draft"),
        ("vs_builtin_sphere_20k", "the same on a sphere, fixed rounds"),
        ("sphere_response", "its lowest response"),
        ("sphere_largest_stretch", "its largest edge stretch"),
        ("sphere_deepest_mm", "its deepest vertex in the sphere, mm"),
        ("vs_builtin_sphere_20k_draft", "the same ratio at draft"),
        ("sphere_response_draft", "its lowest response"),
        (
            "numbering_elimination",
            "a step with vertices as the factor eliminates them, over rows, 100k",
        ),
        ("numbering_random", "the same, numbered at random"),
        ("frame_ms_100k", "frame of a worn 100k t-shirt, draft, two threads, ms"),
        ("frame_deepest_mm_100k", "its deepest vertex in the body at the end, mm"),
        ("frame_largest_strain_100k", "its largest strain"),
        ("frame_ms_100k_least", "the same with one plain iteration and substep, ms"),
        ("frame_largest_strain_100k_least", "its largest strain"),
        ("setup_s_100k", "from nothing to the first prepared step, two threads, s"),
        ("setup_ordering_s_100k", "of it, ordering"),
        ("setup_analysis_s_100k", "analysis"),
        ("setup_factor_s_100k", "factor"),
        ("setup_rest_s_100k", "all else"),
        ("refactor_s_100k", "another stretch, prepared, s"),
        ("setup_s_100k_1t", "set-up on one thread, s"),
        ("refactor_s_100k_1t", "another stretch on one thread, s"),
        ("growth_exponent", "step, one iteration, 5k to 200k vertices"),
        ("growth_exponent_draft", "the same at draft"),
        ("plain_bytes_per_vertex_200k", "memory, one iteration, bytes per vertex"),
        ("draft_bytes_per_vertex_200k", "the same at draft"),
        ("scaling_2", "two threads over one, whole step, one iteration, 100k"),
        ("scaling_2_draft", "the same at draft"),
        ("scaling_16", "sixteen threads over one"),
        ("scaling_16_draft", "the same at draft"),
        ("scaling_same_bytes", "1: the same positions for any number of threads"),
    )
]


def sized(part):
    """A part at the sizes of a full or a quick run."""
    return lambda results, quick: part.measure(results, QUICK if quick else FULL)


def last(results):
    """What this machine cannot tell is there, as nothing."""
    for key in (*(key for key, *_ in FIGURES), *sizes.keys(LABELS)):
        results.numbers.setdefault(key, None)


PARTS = {
    "solve": sized(solve),
    "iteration": sized(iteration),
    "conventional": sized(conventional),
    "numbering": sized(numbering),
    "garment": sized(garment),
    "setup": sized(setup),
    "growth": sized(growth),
    "builtin": sized(builtin),
}
BENCH = Bench("speed", __doc__, QUICK_HELP, PARTS, FIGURES, last=last, plots=plots.write_all)

if __name__ == "__main__":
    sys.exit(BENCH.main())
