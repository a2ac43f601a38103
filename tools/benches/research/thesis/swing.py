# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables 7.3 to 7.5: time per step of the swing test, conventional against linear."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from common.measure import Run, cloth_of, run_interleaved
from common.report import Rows, digits, heading, milliseconds, note, short, table
from test_scenes.patterns import SWING_SQUARES
from research.thesis import published
from research.thesis.fabric import STEP_SECONDS, largest_eigenvalue, matching_scale, scaled_fabric
from research.thesis.meshes import swing_square

PCG_TOLERANCE = 1e-3
KEY_SIZE = 5472
# The thesis's own law; with that of curvature conventional steps are three times as slow.
BENDING = "hinge"
LOOSE_TOLERANCES = (1e-2, 1e-1)
RESPONSE_STEP = 20  # frame 10 at 24 frames a second
METHODS = ("conventional", "rotation", "translation")
NAMES = {
    "edge": ("conventional edge", "linear edge IER", "linear edge IVT"),
    "triangle": ("conventional triangle", "linear triangle IAR", "linear triangle IVT"),
}
STEP_COLUMNS = (
    "name seconds_least seconds_median seconds_most thesis_seconds speedup thesis_speedup "
    "pcg_iterations drop drop_of_conventional mean_strain largest_strain"
)
TOLERANCE_COLUMNS = "name seconds_median speedup pcg_iterations mean_strain largest_strain"
BLOCKS = (
    ("force", "calculating force"),
    ("assemble", "building system matrix"),
    ("solve", "solving system"),
    ("contact", "collision process"),
)


@dataclass
class Effort:
    """How long to measure."""

    skipped: int
    timed: int
    repetitions: int  # of the key size; the others have one
    soft_sizes: str  # of the soft fabrics: "all", or the "key" size

    @property
    def drop_at(self):
        return min(RESPONSE_STEP, self.skipped + self.timed)


def measure(results, matched_scales, effort):
    """The reference fabric at all sizes, soft ones to compare; then the tables by block."""
    heading("Table 7.3: time per step of the swing test")
    note(
        "A square of 1 m held by two corners swings down from the horizontal; one thread, one "
        f"substep of 1/{round(1 / STEP_SECONDS)} s, one iteration. Conventional: one Newton step "
        "by conjugate gradients with block-Jacobi preconditioner until "
        f"|r| <= {PCG_TOLERANCE:g} |b|, pattern built once, the same library. "
        f"{effort.skipped} steps are skipped and {effort.timed} timed, the methods in turn, five "
        f"steps each. Drop: mean over the vertices after {effort.drop_at} steps. "
        "Strain: after the last step."
    )
    print()
    note("(a) The reference fabric.")
    default = Fabric("default", "", lambda *_: 1.0)
    blocks = _fabric(results, default, SWING_SQUARES, effort)
    sizes = SWING_SQUARES if effort.soft_sizes == "all" else (KEY_SIZE,)
    note(
        "(b) As soft as table 6.1 at each size: the largest eigenvalue of each matrix is the "
        "thesis's for its model. Here conjugate gradients have the least to do and the linear "
        "models gain the least. Such cloth has no strength at this step and falls almost freely."
    )
    _fabric(results, Fabric("soft", "_soft", _soft_scale), sizes, effort)
    note("(c) The fabric that matches table 6.1 at 166 vertices, kept at all sizes.")
    same = Fabric("soft166", "_soft166", lambda model, _: matched_scales[model])
    _fabric(results, same, sizes, effort)
    _block_tables(results, blocks)
    _tolerances(results, effort)


@dataclass
class Fabric:
    """The reference fabric with its stiffness scaled: scale(model, vertices)."""

    name: str
    suffix: str
    scale: Callable


def _soft_scale(model, count):
    with cloth_of(*swing_square(count), model=model) as cloth:
        return matching_scale(cloth, published.EIGENVALUES[model][1])


def _fabric(results, fabric, sizes, effort):
    """One table for each size; returns the runs of the key size by model."""
    kept = {}
    for count in sizes:
        rows, described = Rows(results, "7.3", STEP_COLUMNS), []
        for model in published.STEP:
            scale = fabric.scale(model, count)
            runs = _measure_model(model, count, scale, effort)
            with cloth_of(*swing_square(count), model=model) as cloth:
                largest = largest_eigenvalue(cloth, scale)
            _add(rows, fabric.name, model, count, runs, scale, largest)
            described.append(
                f"{model} k = {short(scaled_fabric(scale)['stretch_warp'])} N/m, "
                f"largest eigenvalue {short(largest)}"
            )
            if count == KEY_SIZE:
                kept[model] = runs
                _record(results, model, fabric.suffix, runs, largest)
        note(f"{count} vertices; {'; '.join(described)}")
        rows.show()
    return kept


def _measure_model(model, count, scale, effort):
    """The three methods, stepped in turn; a repetition starts anew and adds its times."""
    merged = None
    for _ in range(effort.repetitions if count == KEY_SIZE else 1):
        runs = [_start(method, model, count, scale) for method in METHODS]
        run_interleaved(runs, STEP_SECONDS, effort.skipped, effort.timed, effort.drop_at)
        for run in runs:
            run.cloth.close()
        if merged:
            for old, new in zip(merged, runs):
                old.seconds += new.seconds
                old.pcg += new.pcg
                for stage in old.stages:
                    old.stages[stage] += new.stages[stage]
        else:
            merged = runs
    return merged


def _start(method, model, count, scale, tolerance=PCG_TOLERANCE):
    settings = {**scaled_fabric(scale), "bending": BENDING}
    if method == "conventional":
        settings.update(solver="implicit", iterations=1, pcg_tolerance=tolerance)
    else:
        settings.update(solver="linear", iterations=1, estimate=method)
    return Run(method, cloth_of(*swing_square(count), model=model, **settings))


def _add(rows, fabric, model, count, runs, scale, largest):
    conventional = runs[0]
    for index, run in enumerate(runs):
        theirs = published.STEP[model][count][index]
        their_speedup = published.SPEEDUP[model][count][index]
        rows.add(
            name=NAMES[model][index],
            fabric=fabric,
            vertices=count,
            model=model,
            method=run.name,
            stretch=scaled_fabric(scale)["stretch_warp"],
            step_seconds=STEP_SECONDS,
            largest_eigenvalue=largest,
            seconds_least=run.least,
            seconds_median=run.middle,
            seconds_most=run.most,
            thesis_seconds=theirs / 1000,
            speedup=conventional.middle / run.middle,
            thesis_speedup=their_speedup,
            pcg_iterations=run.iterations if index == 0 else None,
            pcg_tolerance=PCG_TOLERANCE if index == 0 else None,
            drop=run.drop,
            drop_of_conventional=run.drop / conventional.drop,
            mean_strain=run.stats.mean_strain,
            largest_strain=run.stats.largest_strain,
        )


def _record(results, model, suffix, runs, largest):
    """The figures at the key size."""
    conventional, turning, flying = runs
    turning_name = "ier" if model == "edge" else "iar"
    for name, run in (("ivt", flying), (turning_name, turning)):
        results.number(f"{model}_{name}_speedup{suffix}", conventional.middle / run.middle)
    results.number(f"{model}_ivt_step_ms{suffix}", 1000 * flying.middle)
    results.number(f"{model}_conventional_step_ms{suffix}", 1000 * conventional.middle)
    results.number(f"{model}_pcg_iterations{suffix}", conventional.iterations)
    results.number(f"{model}_largest_eigenvalue{suffix}", largest)
    results.number(f"{model}_ivt_drop_of_conventional{suffix}", flying.drop / conventional.drop)


def _block_tables(results, kept):
    for number, model in (("7.4", "edge"), ("7.5", "triangle")):
        heading(
            f"Table {number}: time per block, {KEY_SIZE} vertices, {model} model, reference fabric"
        )
        note(
            "Medians, ms. The linear models build no matrix; what stands there is their right-hand "
            "side, which for the conventional model is part of calculating force."
        )
        header = ["block"]
        for name in NAMES[model]:
            header += [name.replace(" ", "|", 1), "thesis"]
        runs = kept[model]
        rows = []
        for stage, name in BLOCKS:
            ours = [run.stage(stage) for run in runs]
            rows.append(_block_row(name, ours, published.BLOCKS[model][stage]))
            results.row(
                number,
                block=stage,
                vertices=KEY_SIZE,
                **{method: seconds for method, seconds in zip(METHODS, ours)},
                thesis_ms=published.BLOCKS[model][stage],
            )
        theirs = published.STEP[model][KEY_SIZE]
        rows.append(_block_row("total", [median(run.seconds) for run in runs], theirs))
        table(header, rows)


def _block_row(name, ours, theirs):
    row = [name]
    for seconds, published_ms in zip(ours, theirs):
        row += [milliseconds(seconds), digits(published_ms)]
    return row


def _tolerances(results, effort):
    """What the speed-up would be against an opponent that solves less well."""
    heading(f"Speed-up against looser conjugate gradients, {KEY_SIZE} vertices, reference fabric")
    note(f"The figure above is for {PCG_TOLERANCE:g}. Half as many steps are timed here.")
    rows = Rows(results, "tolerance", TOLERANCE_COLUMNS)
    for model in published.STEP:
        opponents = [
            _start("conventional", model, KEY_SIZE, 1.0, tolerance)
            for tolerance in LOOSE_TOLERANCES
        ]
        linear = _start("translation", model, KEY_SIZE, 1.0)
        runs = [*opponents, linear]
        run_interleaved(runs, STEP_SECONDS, effort.skipped, effort.timed // 2, effort.drop_at)
        for tolerance, run in zip(LOOSE_TOLERANCES, opponents):
            speedup = run.middle / linear.middle
            results.number(f"{model}_ivt_speedup_pcg_{tolerance:g}", speedup)
            rows.add(
                name=f"{NAMES[model][0]} to {tolerance:g}",
                model=model,
                vertices=KEY_SIZE,
                pcg_tolerance=tolerance,
                seconds_median=run.middle,
                speedup=speedup,
                pcg_iterations=run.iterations,
                mean_strain=run.stats.mean_strain,
                largest_strain=run.stats.largest_strain,
            )
        for run in runs:
            run.cloth.close()
    rows.show()
