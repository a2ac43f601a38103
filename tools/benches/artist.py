# SPDX-License-Identifier: GPL-3.0-or-later
"""An artist's afternoon: clicks, seconds until cloth moves and rests, frames a second, and what shows through."""

import shutil
from functools import lru_cache
from statistics import mean, median

import numpy as np
from blender import outside_of, overhead_of
from blender_cases.session import open_sessions
from common.bench import Bench, heading, note
from common.garments import MOTIONS, REAL, data_files
from muslin import Cloth, pattern, read_obj, seams
from muslin.inspection.intersections import count_between
from muslin.inspection.surface import surface_of_faces
from muslin.sewing import runs
from test_scenes.contact import real
from test_scenes.contact.quality import inside, stretches

QUICK_HELP = "one garment, few frames; the same figures of other sizes"
FIGURES = """
clicks_to_drape | <= 3 | clicks from imported meshes to a draped garment
dress_s_8k | <= 4 | from the click to the settled coverall of 8,426 vertices, s
first_motion_s | <= 0.5 | from the click to its first visible motion, s
live_fps_8k | >= 20 | frames a second in the add-on, coverall, budget 41 ms
seam_gap_mm | <= 1 | largest gap of a t-shirt's pattern sewn around the body, mm
sewn_stretch | <= 1.1 | its edge stretch, 99th percentile
overhead_ms | <= 3 | of a baked frame outside the native step, two garments, ms
inside_any_frame | 0 | vertices inside the body in any frame, all garments and motions
"""


@lru_cache(maxsize=1)
def session():
    """The newest Blender of this machine; None where there is none."""
    found = open_sessions(("5.2",)) or open_sessions(("4.3", "3.4"))
    return found[0] if found else None


def files(*names):
    """Copies of these files of the data folder, where Blender sees them; None where one, or Blender, is absent."""
    paths = data_files(*names)
    if paths is None or session() is None:
        return None
    copies = [session().folder / path.name for path in paths]
    for path, copy in zip(paths, copies):
        if not copy.exists():
            shutil.copyfile(path, copy)
    return [str(copy) for copy in copies]


def dressing(results, quick):
    heading("Dress This Body: from imported meshes to the garment at rest")
    note(
        "Garment and body imported from OBJ, each clicked at, and the button pressed; each in a Blender that was just "
        "started, so that loading the library counts. Without a window."
    )
    rows = []
    for name in ("coverall_8k",) if quick else ("coverall_8k", "tshirt", "bodysuit_sym"):
        given = files(f"{name}.obj", "body.obj")
        if given is None:
            continue
        asked = {"garment": given[0], "body": given[1]}
        turns = [session().run("dressing", **asked) for _ in range(1 if quick else 3)]
        best = min(turns, key=lambda run: run["settled"])
        motion = min(run["first_motion"] for run in turns)
        rows.append({"garment": name, **best, "first_motion": motion})
        if name == "coverall_8k":
            results.number("clicks_to_drape", best["clicks"] if best["rests"] else None)
            results.figures(dress_s_8k=best["settled"], first_motion_s=motion)
    results.table("dressing", rows)


def playing(results, quick):
    heading("Preview on Play: frames a second in the add-on, a coverall on arms that rise")
    given = files("coverall_8k.obj", "body.obj", "body_arms.pc2")
    if given is None:
        return
    asked = dict(zip(("garment", "body", "motion"), given), frames=16 if quick else 61)
    answer = session().run("playing", budget=41.0, **asked)  # ms: 24 frames a second
    taken, counts = answer["frames"], answer["simulated"]
    row = {"fps": 1e3 / mean(taken), "median_ms": median(taken), "slowest_ms": max(taken)}
    row |= {"fewest_vertices": min(counts), "most_vertices": max(counts)}
    results.table("playing", [row], live_fps_8k=row["fps"])


# --- a pattern laid flat around the body that is sewn together --------------------------------------

NECK = 0.835  # of a person's height
SURFACE = {"thickness": 0.004, "friction": 0.3}


def sewing(results, quick):
    heading("A pattern that assembles itself around the body")
    note("Panels of the UV map, laid flat 10 mm off the body and sewn together: fit, self-contact.")
    rows = []
    for name in ("tshirt_pattern", "shirt_pattern"):
        paths = data_files(f"{name}.obj", "body.obj")
        if paths is not None:
            rows.append({"garment": name, **_sewn(*map(read_obj, map(str, paths)), quick)})
    results.table("sewing", rows)
    for row in rows:
        if row["garment"] == "tshirt_pattern":
            results.figures(seam_gap_mm=row["gap_mm"], sewn_stretch=row["stretch_p99"])


def _sewn(garment, body, quick):
    low, high = body.positions[:, 2].min(), body.positions[:, 2].max()
    up = low + NECK * (high - low) - garment.positions[:, 2].max()  # its upper end to the neck
    garment.positions = garment.positions + np.array([0, 0, up], np.float32)
    panels, pairs = seams.split_loose_edges(pattern.cut(garment, body=body).mesh)
    closed = None
    with Cloth(panels, pattern="uv", quality="fit") as cloth:
        cloth.add_body(body, **SURFACE)
        cloth.set_self_contact(True, **SURFACE)
        sewn = cloth.sew(runs.evenly_sewn(panels, pairs))
        for frame in range(1, 17 if quick else 49):
            cloth.step(1 / 24)
            if closed is None and cloth.link_report(sewn).largest_gap <= 1e-3:
                closed = frame
        gap, found = 1e3 * cloth.link_report(sewn).largest_gap, cloth.inspect()
    row = {"vertices": panels.vertex_count, "stitches": len(pairs), "closed": closed}
    return {**row, "gap_mm": gap, "stretch_p99": found.stretch_p99, "inside": found.inside_count}


# --- baked -----------------------------------------------------------------------------------------


def overhead(results, quick):
    heading("Overhead: a frame's time outside the native step, two garments together, ms")
    note("In turn: one thing after the other. As baked: what is not hidden by the step.")
    given = files("tshirt.obj", "jacket_open.obj", "body.obj", "body_arms.pc2")
    if given is None:
        return
    *garments, body, motion = given
    asked = {"garments": garments, "body": body, "motion": motion, "frames": 8 if quick else 34}
    answer = session().run("together", **asked)
    row = {"in_turn": overhead_of(answer["in turn"]), "as_baked": outside_of(answer["as baked"])}
    row["step"] = median(frame["step"] for frame in answer["in turn"])
    results.table("overhead", [row], overhead_ms=row["in_turn"])


EVERY = 4  # frames between two in which piercings are counted


def wearing(results, quick):
    heading("Worn with the default settings: what is inside the body, at frame 1 and after")
    note(
        "Dress This Body and Bake; nothing is pinned, so that trousers and skirts may slide down. Every frame as Blender "
        "shows it; rays that the library knows nothing of count who is inside. Stretch from frame 8 on."
    )
    rows = []
    for name in ("tshirt",) if quick else REAL:
        for motion in MOTIONS:
            given = files(f"{name}.obj", "body.obj", f"body_{motion}.pc2")
            if given is not None:
                row = {"garment": name, "motion": motion}
                rows.append({**row, **_worn(name, motion, given, 6 if quick else 61)})
    results.table("wearing", rows)
    results.number("inside_any_frame", max((row["inside_most"] for row in rows), default=None))


def _worn(name, motion, given, frames):
    asked = dict(zip(("garment", "body", "motion"), given), frames=frames)
    answer = session().run("wearing", **asked)
    scene = real.real_scene(name, f"body_{motion}")
    track, (body,) = np.load(answer["track"]), scene.bodies
    skin = surface_of_faces(body.positions(0), body.faces).triangles
    cloth = surface_of_faces(scene.cloth.positions, scene.cloth.faces).triangles
    within = [inside(points, body.positions(frame), skin) for frame, points in enumerate(track)]
    pierced = [
        sum(count_between(track[frame], cloth, body.positions(frame), skin))
        for frame in range(0, len(track), EVERY)
    ]
    return {
        "inside_first": within[0],
        "inside_most": max(within),
        "in_frame": int(np.argmax(within)) + 1 if max(within) else None,
        "pierced": max(pierced),
        "stretch_p99": stretches(scene, track)[0],
        "s": answer["seconds"],
    }


PARTS = {"dressing": dressing, "playing": playing, "sewing": sewing}
PARTS |= {"overhead": overhead, "wearing": wearing}
BENCH = Bench("artist", __doc__, QUICK_HELP, PARTS, FIGURES)
