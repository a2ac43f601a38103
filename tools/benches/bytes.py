# SPDX-License-Identifier: GPL-3.0-or-later
"""A hash of the positions of every scene, solver, scheme and mirror: what a change that only moves code must keep.

Every scene, method and quality, with and without contact and mirror, on one and two threads. All settings are written
out: a default that changes on purpose changes no hash here.
"""

import argparse
import hashlib
import json
from functools import partial

from common.bench import note
from muslin import Cloth
from test_scenes import catalogue as free
from test_scenes import sheets
from test_scenes.contact import catalogue as contact
from test_scenes.contact import mirrored
from test_scenes.contact.play import FRAME_SECONDS, Play, mesh_of

FRAMES, QUICK_FRAMES, QUICK_STRIDE = 20, 6, 6
ASYMMETRIC = 4  # frames more: the uneven arm moves from frame 20 on
FABRIC = {"density": 0.2, "stretch_warp": 2300, "stretch_weft": 1800, "shear": 300, "bend": 2e-5}
FABRIC |= {"rope_density": 0.01, "rope_stretch": 500, "pin_stiffness": 2000, "substeps": 2}
FABRIC |= {"damping": 0, "stiffness_damping": 0, "gravity": (0, 0, -9.81), "wind": (0, 0, 0)}
FABRIC |= {"air_drag": 0, "normal_drag": 0.5, "tangent_drag": 0.05, "drag_law": "linear"}
FREE_SCENES = ("cloth", "flag", "rope", "cloth_with_rope", "cylinder", "skirt", "bodice_back")
PLAIN = {"scheme": "plain", "quality": "custom", "iterations": 3, "estimate": "translation"}
METHODS = {
    "draft": {"scheme": "two_level", "quality": "draft"},
    "fit": {"scheme": "two_level", "quality": "fit"},
    "final": {"scheme": "two_level", "quality": "final"},
    "plain": PLAIN,
    "one": {**PLAIN, "iterations": 1},
    "previous": {**PLAIN, "iterations": 1, "estimate": "previous"},
    "rotation": {**PLAIN, "iterations": 1, "estimate": "rotation"},
    "rotation2": {**PLAIN, "iterations": 1, "estimate": "rotation", "order": 2},
    "anderson": {"scheme": "anderson", "quality": "custom", "iterations": 6},
    "implicit": {"solver": "implicit", "iterations": 2, "scheme": "plain", "quality": "custom"},
    "sweep": {"solver": "sweep", "sweep_method": "kim", "sweeps": 4},
}
THREADS = {"solver": "threads", "iterations": 2, "area_stiffness": 30}
WOVEN = {
    "woven_sheet": partial(sheets.grid, 90, 60, (0.9, 0.6), "quads"),
    "woven_cylinder": partial(sheets.cylinder_sheet, 40, 30, 0.25, 1.0, "quads"),
}
VARIANTS = {
    "edge_": {"model": "edge"},
    "slack_": {"tension_only": True},
    "edge_slack_": {"model": "edge", "tension_only": True},
    "derived_": {"shear_axes": "derived"},
    "product_": {"shear_energy": "product"},
    "flat_": {"bend_rest": "flat"},
    "bdf2_": {"integrator": "bdf2"},
    "damped_": {"damping": 0.3, "stiffness_damping": 0.002, "air_drag": 0.1},
    "double_": {"precision": "double"},
    "single_": {"precision": "single"},
}
ORDERINGS = ("natural", "cuthill_mckee", "reverse_cuthill_mckee", "amd", "metis", "dissection")
MIRRORED = {
    "hanging": partial(mirrored.hanging, 25),
    "tshirt": partial(mirrored.tshirt, 0.03, 0.03),
    "jacket": partial(mirrored.jacket, 0.034, 0.03),
    "uneven_tshirt": partial(mirrored.uneven_tshirt, 0.03, 0.03),
    "two_triangulations": partial(mirrored.two_triangulations, 0.03, 0.03),
    "pocketed": partial(mirrored.pocketed, 0.03, 0.03),
}


def digest(tracks):
    total = hashlib.sha256()
    for positions in tracks:
        total.update(positions.tobytes())
    return total.hexdigest()[:16]


def fall(name, frames, soft=False, **settings):
    """A free scene or woven piece in a breeze, held by its pins, or by soft ones that move."""
    mesh, pins = (WOVEN[name](), ()) if name in WOVEN else free.make(name)
    pins = pins if len(pins) else [0, len(mesh.positions) // 2]
    with Cloth(mesh_of(mesh), **{**FABRIC, "wind": (2, 1, 0), **settings}) as cloth:
        targets = mesh.positions[pins]
        cloth.set_pins(pins, weights=[0.4] * len(pins) if soft else None)
        track = []
        for frame in range(frames):
            cloth.move_pins(targets + [0.01 * frame, 0, 0.005 * frame])
            cloth.step(FRAME_SECONDS)
            track.append(cloth.positions())
    return digest(track)


def meet(make, frames, **settings):
    """A scene of contact; friction as the scene has it, else 0.3."""
    scene = make()
    scene.settings.setdefault("friction", 0.3)
    with Play(scene, quads="mirror" in settings, **{**FABRIC, **settings}) as play:
        return digest(play.run(frames).track)


def free_cases(frames):
    for scene in FREE_SCENES:
        for method, settings in METHODS.items():
            yield f"{scene} {method}", partial(fall, scene, frames, **settings)
    for variant, changed in VARIANTS.items():
        for method in ("draft", "plain", "rotation", "anderson", "implicit"):
            settings = {**METHODS[method], **changed}
            for scene in ("cloth_with_rope", "cylinder"):
                yield f"{scene} {variant}{method}", partial(fall, scene, frames, **settings)
    for ordering in ORDERINGS:
        settings = {**METHODS["draft"], "ordering": ordering}
        yield f"skirt {ordering}", partial(fall, "skirt", frames, **settings)
    for method in ("draft", "plain", "anderson", "implicit"):
        yield f"flag soft_{method}", partial(fall, "flag", frames, soft=True, **METHODS[method])


def contact_cases(frames):
    for scene, make in contact.SCENES.items():
        for method in ("draft", "fit", "plain"):
            yield f"{scene} contact_{method}", partial(meet, make, frames, **METHODS[method])
    for scene in ("sphere", "stack", "sleeve", "bead"):
        for method in ("final", "anderson", "implicit"):
            make = contact.SCENES[scene]
            yield f"{scene} contact_{method}", partial(meet, make, frames, **METHODS[method])
        settings = {**METHODS["fit"], "model": "edge", "tension_only": True}
        meeting = partial(meet, contact.SCENES[scene], frames, **settings)
        yield f"{scene} contact_edge_slack", meeting


def mirror_cases(frames):
    for scene, make in MIRRORED.items():
        for mirror in ("auto", "halve"):
            for method in ("draft", "fit"):
                settings = {**METHODS[method], "mirror": mirror, "asymmetric_body": "whole"}
                yield f"{scene} mirror_{mirror}_{method}", partial(meet, make, frames, **settings)
    for method in ("plain", "anderson", "implicit"):
        settings = {**METHODS[method], "mirror": "exact"}
        yield f"hanging mirror_{method}", partial(meet, MIRRORED["hanging"], frames, **settings)
    for closure in ("zip", "button"):
        settings = {**METHODS["draft"], "mirror": "exact", "closure": closure, "overlap": 0.03}
        yield f"jacket {closure}", partial(meet, MIRRORED["jacket"], frames, **settings)


def thread_cases(frames):
    for scene in ("rope", "skirt", *WOVEN):
        yield f"{scene} threads", partial(fall, scene, frames, **THREADS)
    yield "woven_sheet soft_threads", partial(fall, "woven_sheet", frames, soft=True, **THREADS)
    yield "skirt contact_threads", partial(meet, contact.SCENES["skirt"], frames, **THREADS)


def cases(quick):
    """(name, function that gives the hash), each on one thread and on two."""
    frames = QUICK_FRAMES if quick else FRAMES
    kinds = [
        *free_cases(frames),
        *contact_cases(frames),
        *mirror_cases(frames + ASYMMETRIC),
        *thread_cases(frames),
    ]
    for at, (name, case) in enumerate(kinds):
        if not quick or at % QUICK_STRIDE == 0:
            for threads in (1, 2):
                yield f"{name} x{threads}", partial(case, threads=threads)


def parse():
    parser = argparse.ArgumentParser(prog="tools/bench bytes", description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="also write the hashes to FILE")
    parser.add_argument("--quick", action="store_true", help="every sixth case, few frames each")
    parser.add_argument("--against", metavar="FILE", help="an earlier --json: tell what differs")
    parser.add_argument("--only", metavar="TEXT", default="", help="cases with TEXT in their name")
    return parser.parse_args()


def compare(hashes, path):
    """The names of the cases whose hash is another one in the file; those it lacks are said, too."""
    with open(path, encoding="utf-8") as file:
        before = json.load(file)["hashes"]
    missing = [name for name in hashes if name not in before]
    if missing:
        note(f"{len(missing)} cases are new: {', '.join(missing[:4])}")
    return [name for name in hashes if name in before and before[name] != hashes[name]]


def main():
    options = parse()
    hashes = {}
    for name, case in cases(options.quick):
        if options.only in name:
            hashes[name] = case()
            print(f"{hashes[name]}  {name}", flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"quick": options.quick, "hashes": hashes}, file, indent=1)
    if not options.against:
        return 0
    changed = compare(hashes, options.against)
    for name in changed:
        print(f"CHANGED  {name}")
    note(f"{len(hashes)} cases, {len(changed)} changed.")
    return 1 if changed else 0
