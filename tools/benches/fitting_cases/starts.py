# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts that are made wrong, and whether they are told; good ones, and whether they are left in peace."""

import time
from statistics import median


from common.report import heading, milliseconds, note, table
from muslin import Cloth, Mesh
from muslin.inspection.intersections import count_between, count_self
from test_scenes.contact import catalogue, figures, real
from test_scenes.contact.wrong import KINDS, wrong_start

GARMENTS = (
    *("tshirt", "longsleeve", "jacket_open", "trousers", "skirt_sym"),
    *("coverall_8k", "overalls", "bodysuit_sym"),
)
QUICK = ("tshirt", "trousers")
OWN = {"own_tshirt": figures.tshirt, "own_skirt": figures.skirt}
TIMED = "coverall_8k"
COLUMNS = ("garment", "kind", "told as", "inside", "deep|mm", "body", "self", "limbs", "empty")


def inspected(scene, positions=None, faces=None):
    """(inspection, seconds) of the scene's cloth, or of another start of it, on its bodies."""
    positions = scene.cloth.positions if positions is None else positions
    faces = scene.cloth.faces if faces is None else faces
    with Cloth(Mesh.from_faces(positions, as_lists(faces))) as cloth:
        for body in scene.bodies:
            cloth.add_body(Mesh.from_faces(body.positions(), as_lists(body.faces)))
        cloth.inspect()
        seconds = []
        for _ in range(3):
            begin = time.perf_counter()
            found = cloth.inspect()
            seconds.append(time.perf_counter() - begin)
        return found, median(seconds)


def as_lists(faces):
    return [[int(vertex) for vertex in face] for face in faces]


def scenes(quick):
    """{name: scene} of garments that are worn; those of the folder beside the checkout, if it is there."""
    found = {name: real.real_scene(name) for name in (QUICK if quick else GARMENTS)}
    absent = [name for name, scene in found.items() if scene is None]
    if absent:
        note(
            f"Skipped, since shared/data beside the checkout does not have it: {', '.join(absent)}."
        )
    found = {name: scene for name, scene in found.items() if scene is not None}
    return found or {name: make() for name, make in OWN.items()}


def row(results, name, kind, found):
    faults = ", ".join(fault.name.lower() for fault in type(found.found) if found.found & fault)
    results.row(
        "starts",
        garment=name,
        kind=kind,
        lie=found.lie.name.lower(),
        found=faults,
        inside=found.inside_count,
        deepest=found.deepest,
        body_piercings=found.body_piercings,
        cloth_piercings=found.cloth_piercings,
        self_piercings=found.self_piercings,
        limbs_through=found.limbs_through,
        openings_empty=found.openings_empty,
    )
    return (
        *(name, kind, found.lie.name.lower(), found.inside_count, f"{1000 * found.deepest:.1f}"),
        *(found.body_piercings + found.cloth_piercings, found.self_piercings),
        *(found.limbs_through, found.openings_empty),
    )


def measure_wrong(results, worn):
    """`silent_starts`: those of all that are not told as bad."""
    rows, silent = [], 0
    for garment, (name, scene) in enumerate(worn.items()):
        for number, kind in enumerate(KINDS):
            start = wrong_start(
                kind, scene.cloth.positions, scene.cloth.faces, 97 * garment + number
            )
            found, _ = inspected(scene, *start)
            silent += found.lie.name != "BAD"
            rows.append(row(results, name, kind, found))
    table(COLUMNS, rows, left=3)
    results.number("wrong_starts", len(rows))
    results.number("silent_starts", silent)


def measure_good(results, worn, quick):
    """`false_alarms`: starts as they were made that are told as bad, or scenes that are told at all;
    `miscounted_piercings`: the most by which piercings differ from those that the judge counts."""
    rows, alarms, off = [], 0, 0
    for name, scene in worn.items():
        found, seconds = inspected(scene)
        alarms += found.lie.name == "BAD"
        rows.append(row(results, name, "as it is", found))
        off = max(off, *miscounted(scene, found))
        if name == TIMED:
            results.number("inspect_ms_8k", 1000 * seconds)
            note(f"{name}: inspected in {milliseconds(seconds, 1)} ms.")
    for name, make in list(catalogue.SCENES.items())[:: 3 if quick else 1]:
        found, _ = inspected(make())
        alarms += found.lie.name != "CLEAN"
        rows.append(row(results, name, "scene", found))
    table(COLUMNS, rows, left=3)
    results.number("false_alarms", alarms)
    results.number("miscounted_piercings", off)


def miscounted(scene, found):
    """By how many piercings of body and cloth an inspection and the judge differ."""
    faces = as_lists(scene.cloth.faces)
    counted = [0, 0]
    for body in scene.bodies:
        both = count_between(scene.cloth.positions, faces, body.positions(), as_lists(body.faces))
        counted = [sum(pair) for pair in zip(counted, both)]
    return (
        abs(counted[0] - found.body_piercings),
        abs(counted[1] - found.cloth_piercings),
        abs(count_self(scene.cloth.positions, faces) - found.self_piercings),
    )


def measure(results, quick):
    heading("Starts")
    note(
        "Garments on the body that they were made for, begun wrongly in five ways each, and as they are. "
        "A wrong start must be told as bad; a good one never, though garments that people modelled are "
        "slightly inside of the body in places, and that is told, too."
    )
    worn = scenes(quick)
    measure_wrong(results, worn)
    measure_good(results, worn, quick)
