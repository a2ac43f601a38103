# SPDX-License-Identifier: GPL-3.0-or-later
"""A thousand frames of every mesh at every stiffness and step: nothing may blow up."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from common.bench import Bench, heading, note
from common.measure import BARE, energy_of
from muslin import Cloth, LibraryError, MuslinError, check_mesh, read_obj
from test_scenes import catalogue
from test_scenes.contact import real
from test_scenes.contact.play import mesh_of

QUICK_HELP = "100 frames, meshes of up to 2000 vertices"
FRAMES, QUICK_FRAMES, QUICK_SIZE = 1000, 100, 2000
STIFFNESSES, STEPS = (10, 1e3, 1e6), (1 / 24, 1 / 1000)
DENSITY, ROPE_DENSITY = 0.1, 0.02
ALLOWED = 0.01  # of m g (the size of the mesh): what energy may be seen above the start's
LINE = "  {:<24}{:>9}{:>11}{:>12}{:>12}"


def measure(results, quick):
    heading("Energy above the start's, as a share of what falling by the mesh's own size frees")
    frames = QUICK_FRAMES if quick else FRAMES
    note(
        f"{frames} frames of fit quality, nothing that damps, held by the highest hundredth of the vertices, which are shaken "
        "by 5 cm for the first second, then still. The start is the state at that moment. Failed: not finite, or energy "
        f"above the start by more than {ALLOWED:g}."
    )
    meshes = [pair for pair in meshes_here() if not quick or pair[1].vertex_count <= QUICK_SIZE]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        # the smallest first, each row as soon as it is there: the large ones take minutes
        waiting = [
            (name, mesh, k, [pool.submit(endure, mesh, k, h, frames) for h in STEPS])
            for name, mesh in sorted(meshes, key=lambda pair: pair[1].vertex_count)
            for k in STIFFNESSES
        ]
        print(LINE.format("mesh", "vertices", "k, N/m", *(f"1/{1 / h:.0f} s" for h in STEPS)))
        for name, mesh, k, runs in waiting:
            gains = [run.result() for run in runs]
            cells = ["not finite" if gain is None else f"{gain:.4g}" for gain in gains]
            print(LINE.format(name, f"{mesh.vertex_count:,}", f"{k:,.0f}", *cells), flush=True)
            for h, gain in zip(STEPS, gains):
                results.row("endurance", mesh=name, stiffness=k, step=h, gain=gain)
    found = [row["gain"] for row in results.of("endurance")]
    failed = sum(gain is None or gain > ALLOWED for gain in found)
    results.figures(runs=len(found), failed=failed)
    note(f"{failed} of {len(found)} runs failed.")


def meshes_here():
    """(name, mesh) of every scene that a cloth can be made of, some of the defective ones cannot; and of every garment and
    the body beside the checkout."""
    for name in catalogue.SCENES:
        try:
            mesh = mesh_of(catalogue.make(name)[0])
            Cloth(mesh).close()
            yield name, mesh
        except LibraryError:
            raise
        except (MuslinError, ValueError) as error:
            note(f"{name} is refused: {error}")
    for path in sorted(real.FOLDER.glob("*.obj")):
        yield f"data/{path.stem}", read_obj(path)


def endure(mesh, stiffness, seconds, frames):
    """The largest energy above the start's, or None if a number is not finite."""
    places = mesh.positions.astype(float)
    size = float(np.ptp(places, axis=0).max())
    pins = np.argsort(-places[:, 2], kind="stable")[: max(2, len(places) // 100)].astype(np.int32)
    fabric = {"stretch_warp": 1.15 * stiffness, "stretch_weft": 1.15 * stiffness, "bend": 1e-4}
    fabric |= {"shear": 0.15 * stiffness, "rope_stretch": stiffness, **BARE}
    fabric |= {"density": DENSITY, "rope_density": ROPE_DENSITY}
    still_from = round(min(1.0, 0.2 * frames * seconds) / seconds)
    energies = []
    with Cloth(mesh, substeps=1, threads=1, **fabric) as cloth:
        cloth.set_pins(pins)
        for frame in range(1, frames + 1):
            away = 0.05 * np.sin(4 * np.pi * min(frame, still_from) * seconds)
            cloth.move_pins((places[pins] + [away, 0, 0]).astype(np.float32))
            cloth.step(seconds)
            energies.append(energy_of(cloth.stats()))
            if not np.isfinite(energies[-1]):
                return None
        if not np.isfinite(cloth.positions()).all():
            return None
    start, *later = energies[still_from:]  # from the first frame whose pins have not moved
    mass = DENSITY * check_mesh(mesh).report.area + ROPE_DENSITY * size
    return max(0.0, (max(later) - start) / (mass * 9.81 * size))


BENCH = Bench("endurance", __doc__, QUICK_HELP, {"all": measure})
