# SPDX-License-Identifier: GPL-3.0-or-later
"""What is not symmetric: sides cut differently, a pocket, a body that raises one arm alone."""

import numpy as np
from common.report import Rows, heading, note, percent, short, table, whole
from mirror_cases.pairs import PLAIN, asymmetry_of, largest
from mirror_cases.speed import COARSE
from muslin.inspection.intersections import count_between
from test_scenes.contact import mirrored
from test_scenes.contact.judge import distance
from test_scenes.contact.play import Play, size_of
from test_scenes.mesh import Mesh, fan
from test_scenes.mirror import mirror_pairs

FRAMES, QUICK_FRAMES = 24, 8
SWITCH_FRAMES, QUICK_SWITCH_FRAMES = 72, 30
BEFORE = 5  # frames that a switch is compared with

SWITCH_COLUMNS = "frame towards way way_before kick kick_before whole_way whole_kick"


def measure(results, quick):
    options = COARSE if quick else {}
    frames = QUICK_FRAMES if quick else FRAMES
    _halved(results, mirrored.two_triangulations(**options), frames)
    _extra(results, mirrored.pocketed(**options), frames)
    _switch(
        results, mirrored.uneven_tshirt(**options), QUICK_SWITCH_FRAMES if quick else SWITCH_FRAMES
    )


def _surface_distance(points, surface, faces):
    """Distances of points to the nearest place of a surface, m."""
    corners = np.asarray(surface, float)[fan(faces)]
    return np.array([distance(point, corners) for point in np.asarray(points, float)])


def _halved(results, scene, frames):
    heading("Sides that are triangulated differently, mode halve, linear rounds")
    common = {"quads": True, "kept": False, **PLAIN[1]}
    with Play(scene, **common) as all_of_it, Play(scene, mirror="halve", **common) as half:
        rows = []
        for frame in range(frames + 1):
            if frame:
                all_of_it.step(), half.step()
            if frame not in (0, 1, min(10, frames), frames):
                continue
            here = half.cloth.positions()
            apart = _surface_distance(here, all_of_it.positions(), scene.cloth.faces) / size_of(
                scene
            )
            results.row(
                "halve",
                frame=frame,
                largest=float(apart.max()),
                rms=float(np.sqrt((apart**2).mean())),
            )
            rows.append((frame, percent(apart.max(), 3), percent(np.sqrt((apart**2).mean()), 3)))
        report = half.cloth.mirror()
    note(
        f"{whole(len(scene.cloth.positions))} vertices, {whole(report.half_vertex_count)} of the half, "
        f"{whole(report.unpaired)} without a partner. Distance of every vertex to the surface of the "
        "whole run, over the size of the garment; frame 0 is what cutting and riding leave."
    )
    table(("frame", "largest", "RMS"), rows, left=0)
    results.number("halve_distance", float(apart.max()))
    results.number("halve_distance_rms", float(np.sqrt((apart**2).mean())))


def _extra(results, scene, frames):
    heading("A pocket on one side only, mode exact, linear rounds")
    count = len(scene.cloth.positions) - mirrored.POCKET**2
    shirt, pocket = (scene.cloth.faces[(scene.cloth.faces >= count).any(1) == k] for k in (0, 1))
    partner = mirror_pairs(Mesh(scene.cloth.positions[:count], shirt))
    common = {"quads": True, "kept": False, **PLAIN[1]}
    with Play(scene, mirror="exact", **common) as play:
        report = play.cloth.mirror()
        if report.extra_count != len(scene.cloth.positions) - count:
            note(f"Skipped: {report.extra_count} extra vertices found.")
            return
        start = _surface_distance(
            play.cloth.positions()[count:], scene.cloth.positions, shirt
        ).max()
        asymmetry = strain = 0.0
        for _ in range(frames):
            here = play.step()
            asymmetry = max(asymmetry, asymmetry_of(here[:count], partner))
            strain = max(strain, _strain(scene.cloth.positions, here, pocket))
    apart = _surface_distance(here[count:], here, shirt).max()
    pierced = sum(count_between(here, pocket, here, shirt))
    results.row(
        "extra",
        vertices=report.extra_count,
        frames=frames,
        start_distance=float(start),
        end_distance=float(apart),
        largest_strain=strain,
        piercings=pierced,
        asymmetry=asymmetry,
        seconds=sum(play.seconds) / frames,
    )
    results.number("extra_piercings", pierced)
    note(
        f"{report.extra_count} extra vertices, {frames} frames: the pocket is at most {1000 * apart:.1f} mm from "
        f"the shirt ({1000 * start:.1f} at the start), pierces it {pierced} times at the end, its largest strain "
        f"of any frame is {percent(strain)}; the shirt's asymmetry is {short(asymmetry)} m."
    )


def _strain(rest, here, faces):
    """Largest change of length of the sides of faces, over the rest length."""
    lengths = [
        np.linalg.norm(points[faces].astype(float) - points[np.roll(faces, 1, 1)], axis=2)
        for points in (rest, here)
    ]
    return float(np.abs(lengths[1] / lengths[0] - 1).max())


def _switch(results, scene, frames):
    heading("One arm goes its own way: solved whole while it does, linear rounds")
    note(
        "Way: the largest of any vertex within a frame; kick: the largest change of it from one frame to the "
        "next. Before: the largest "
        f"of the {BEFORE} frames before a switch. Whole run: the same frames of a run that is never halved."
    )
    common = {"quads": True, **PLAIN[1]}
    settings = {"mirror": "exact", "asymmetric_body": "whole"}
    with Play(scene, **common) as all_of_it, Play(scene, **settings, **common) as play:
        wholes = [0]
        for _ in range(frames):
            all_of_it.step(), play.step()
            wholes.append(play.cloth.mirror().solved_whole)
        warnings = play.cloth.warnings
    switches = [f for f in range(BEFORE + 2, frames + 1) if wholes[f] != wholes[f - 1]]
    ratios, kicks = [0.0], [0.0]
    rows = Rows(results, "switch", SWITCH_COLUMNS)
    for frame in switches:
        found = [*_way(play.track, frame), *_way(all_of_it.track, frame)]
        ratios.append(found[0] / found[1])
        kicks.append(found[2] / found[3])
        towards = "whole" if wholes[frame] else "half"
        rows.add(
            frame=frame,
            towards=towards,
            way=found[0],
            way_before=found[1],
            kick=found[2],
            kick_before=found[3],
            whole_way=found[4],
            whole_kick=found[6],
        )
    rows.show()
    results.number("switch_count", len(switches))
    results.number("switch_jump_ratio", max(ratios))
    results.number("switch_kick_ratio", max(kicks))
    note(f"{sum(wholes)} of {frames} frames solved whole. Told: {' / '.join(warnings)}")
    last = play.track[-1]
    note(
        f"Largest distance to the whole run at the end: {percent(largest(last, all_of_it.track[-1]) / size_of(scene), 2)} of the size."
    )


def _way(track, frame):
    """(way at a frame, the largest before, kick, the largest before), m."""
    ways = [largest(track[f], track[f - 1]) for f in range(frame - BEFORE, frame + 1)]
    kicks = [
        largest(track[f].astype(float) - track[f - 1], track[f - 1].astype(float) - track[f - 2])
        for f in range(frame - BEFORE, frame + 1)
    ]
    return ways[-1], max(ways[:-1]), kicks[-1], max(kicks[:-1])
