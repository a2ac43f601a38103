# SPDX-License-Identifier: GPL-3.0-or-later
"""`muslin info`: what a mesh is made of, and what simulating it takes with each ordering."""

from dataclasses import asdict

import numpy as np

from .. import _enums, exits
from ..cloth import Cloth
from ..errors import MuslinError
from ..files import to_json
from ..mesh import check_mesh
from ..obj import read_obj
from ..settings import word
from . import replay_command
from .check import counted
from .drape_options import processor_count
from .simulation import interruptible
from .statistics import report_numbers

DESCRIPTION = """Components, size, and for each ordering of the matrix the numbers in its factor, the fill (factor over lower
triangle of the matrix), operations, seconds, memory."""
STEP_SECONDS = 1.0 / 24.0
# Orderings of the band kind take long on large meshes, and the file's own numbering may fill the
# matrix beyond all measure. More work than this (some ten seconds) needs to be asked for.
MOST_FLOPS = 2e10
# Work of the Cuthill-McKee orderings on a sheet of n vertices, over n^2; measured at n = 200000.
BAND_FLOPS = 3.5
# A vertex with more neighbours (the middle of a large fan) makes the band as wide as they are many.
MOST_DEGREE = 200


def add_command(commands):
    summary = "report what simulating a mesh takes"
    parser = commands.add_parser("info", help=summary, description=DESCRIPTION)
    parser.add_argument("mesh", metavar="G.obj")
    parser.add_argument("--json", action="store_true", help="print JSON")
    every = "try every ordering, even if it takes long"
    parser.add_argument("--all", action="store_true", help=every)
    replay_command.add_option(parser)
    parser.set_defaults(run=run)


def run(options):
    found = (options.mesh, *interruptible(lambda: look(options)))
    print(to_json(as_numbers(*found)) if options.json else "\n".join([*lines(*found), ""]), end="")
    return exits.OK


def look(options):
    """The mesh, its check and the measured orderings."""
    mesh = read_obj(options.mesh)
    result = check_mesh(mesh)
    if not result.can_simulate:
        raise MuslinError(result.status, f"{options.mesh}: {result.message}")
    return mesh, result, measure_orderings(mesh, options.all)


def measure_orderings(mesh, try_all):
    """For "auto" and each ordering: the numbers of its report, or {"skipped": reason}."""
    chosen = measure(mesh, _enums.Ordering.AUTO)
    measured = {"auto": chosen}
    for ordering in _enums.Ordering:
        name = word(ordering)
        flops = 0.0 if try_all else likely_flops(mesh, ordering)
        if name in ("auto", chosen.get("ordering")):
            measured[name] = chosen
        elif flops > MOST_FLOPS:
            problem = f"skipped: may take up to {flops:.0e} flops; ask for it with --all"
            measured[name] = {"skipped": problem}
        else:
            measured[name] = measure(mesh, ordering)
    return measured


def measure(mesh, ordering):
    try:
        with Cloth(mesh, ordering=ordering, threads=processor_count()) as cloth:
            cloth.prepare(STEP_SECONDS)
            return report_numbers(cloth.report())
    except MuslinError as error:
        if error.status not in (_enums.Status.ERROR_MEMORY, _enums.Status.ERROR_MATRIX):
            raise
        return {"skipped": error.message}


def likely_flops(mesh, ordering):
    """Operations that factoring may take with the orderings that can be very slow; else 0."""
    if ordering == _enums.Ordering.NATURAL:
        return envelope_flops(mesh)
    if ordering in (_enums.Ordering.CUTHILL_MCKEE, _enums.Ordering.REVERSE_CUTHILL_MCKEE):
        if largest_degree(mesh) > MOST_DEGREE:  # no sheet: the band may be the whole matrix
            return mesh.vertex_count**3 / 3
        return BAND_FLOPS * mesh.vertex_count**2
    return 0.0


def largest_degree(mesh):
    """At least as many as the neighbours of any vertex, however polygons are cut to triangles."""
    triangles = np.repeat(mesh.face_sizes - 2, mesh.face_sizes)
    degrees = np.bincount(mesh.face_vertices, triangles, minlength=mesh.vertex_count)
    return float((degrees + np.bincount(mesh.edges.ravel(), minlength=mesh.vertex_count)).max())


def envelope_flops(mesh):
    """A bound on the operations of factoring in the file's own numbering: a row of the factor starts no further left
    than that of the matrix. Bending couples neighbours of neighbours, so the lowest neighbour is taken twice.
    """
    lowest = np.arange(mesh.vertex_count, dtype=np.int64)
    for _ in range(2):
        lowest = lowest_neighbour(mesh, lowest)
    width = np.arange(mesh.vertex_count) - lowest
    return float((width.astype(np.float64) ** 2).sum())


def lowest_neighbour(mesh, lowest):
    result = lowest.copy()
    if len(mesh.face_sizes):
        of_face = np.minimum.reduceat(lowest[mesh.face_vertices], mesh.corner_starts)
        np.minimum.at(result, mesh.face_vertices, np.repeat(of_face, mesh.face_sizes))
    if len(mesh.edges):
        of_edge = lowest[mesh.edges].min(axis=1)
        np.minimum.at(result, mesh.edges.ravel(), np.repeat(of_edge, 2))
    return result


def size_text(count):
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def lines(path, mesh, result, orderings):
    report = result.report
    low, high = mesh.positions.min(axis=0).tolist(), mesh.positions.max(axis=0).tolist()
    extent = " x ".join(f"{top - bottom:.4g}" for bottom, top in zip(low, high))
    yield f"{path}: {counted(mesh)}"
    if result.findings:
        yield f"defects      {len(result.findings)}, listed by muslin check"
    yield f"components   {report.component_count}"
    yield f"edges        {report.edge_count}, {report.boundary_edge_count} on a border"
    yield f"edge length  {report.shortest_edge:.4g} to {report.longest_edge:.4g} m"
    yield f"size         {extent} m, from {vector_text(low)} to {vector_text(high)}"
    yield f"area         {report.area:.4g} m^2"
    chosen = orderings["auto"]
    if "skipped" in chosen:
        yield f"memory       unknown: {chosen['skipped']}"
    else:
        memory = size_text(chosen["memory_bytes"])
        yield f"memory       {memory} with {chosen['ordering']}, the default"
        yield f"matrix       {chosen['matrix_nonzeros']} nonzeros"
    yield ""
    yield f"{'ordering':22} {'nnz(L)':>12} {'fill':>7} {'flops':>10} {'seconds':>9} {'memory':>10}"
    for name, numbers in orderings.items():
        if "skipped" in numbers and name != "auto":
            yield f"{name:22} {numbers['skipped']}"
        elif name != "auto":
            yield (
                f"{name:22} {numbers['factor_nonzeros']:12d} {numbers['fill']:7.2f} "
                f"{numbers['factor_flops']:10.3g} {numbers['seconds']:9.4f} "
                f"{size_text(numbers['memory_bytes']):>10}"
            )


def vector_text(vector):
    return "(" + ", ".join(f"{number:.4g}" for number in vector) + ")"


def as_numbers(path, mesh, result, orderings):
    report = asdict(result.report)
    del report["defects"]
    default, positions = orderings["auto"], mesh.positions
    return {
        "path": str(path),
        "vertex_count": mesh.vertex_count,
        "face_count": len(mesh.face_sizes),
        "loose_edge_count": len(mesh.edges),
        "defect_count": len(result.findings),
        **report,
        "bounds": [positions.min(axis=0).tolist(), positions.max(axis=0).tolist()],
        "default_ordering": default.get("ordering"),
        "memory_bytes": default.get("memory_bytes"),
        "orderings": {name: numbers for name, numbers in orderings.items() if name != "auto"},
    }
