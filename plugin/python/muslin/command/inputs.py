# SPDX-License-Identifier: GPL-3.0-or-later
"""What `muslin drape` reads besides the garment: pins, maps and the motion of the pins."""

import numpy as np

from ..errors import FileError, refuse
from ..files import open_ordinary, read_ordinary
from ..pc2 import read_pc2
from ..table import MAPS


def pinned_vertices(options, garments, warn):
    """Vertices of the whole that --pin and --pin-above mean, ascending and each once."""
    chosen, mesh = [np.zeros(0, dtype=np.int64)], garments.mesh
    parts = zip(options.pin or (), garments.paths, garments.meshes, garments.starts)
    for ranges, path, part, start in parts:
        for first, last in ranges:
            if last >= part.vertex_count:
                refuse(f"--pin {last}: {path} has only the vertices 0 to {part.vertex_count - 1}")
            chosen.append(np.arange(start + first, start + last + 1))
    for pin in options.pin_above or ():
        found, along = pin.chosen(mesh.positions), mesh.positions[:, pin.axis]
        if len(found) == 0:
            extent = f"from {along.min():.4g} to {along.max():.4g} along that axis"
            warn(f"--pin-above {pin.text} pins nothing: the garment goes {extent}")
        chosen.append(found)
    return np.unique(np.concatenate(chosen))


def scale_maps(options, garments):
    """Arguments of Cloth.set_maps from --mass-map and its like."""
    maps = {}
    for name, setting in MAPS.items():
        paths = getattr(options, f"{name}_map")
        if paths is not None:
            counts = [mesh.vertex_count for mesh in garments.meshes]
            factors = [read_map(*each, setting.holds(0)) for each in zip(paths, counts)]
            maps[name] = np.concatenate(factors)
    return maps


def read_map(path, vertex_count, zero_allowed):
    """One factor for each vertex, from text or from a .npy file."""
    factors = read_npy(path) if str(path).lower().endswith(".npy") else read_numbers(path)
    if factors.shape != (vertex_count,):
        given = " x ".join(map(str, factors.shape))
        raise FileError(path, f"{given} numbers, but the garment has {vertex_count} vertices")
    good = np.isfinite(factors) & ((factors >= 0) if zero_allowed else (factors > 0))
    if not good.all():
        vertex = int(np.flatnonzero(~good)[0])
        least = "zero or more" if zero_allowed else "more than zero"
        factor = f"the factor of vertex {vertex} is {factors[vertex]:g}"
        raise FileError(path, f"{factor}, expected {least}")
    return factors


def read_npy(path):
    try:
        with open_ordinary(path) as file:
            factors = np.load(file, allow_pickle=False)
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror or 'not a .npy file'}") from None
    except (ValueError, EOFError, OverflowError, MemoryError):  # of counts that it only claims
        raise FileError(path, "not a .npy file with numbers") from None
    if not isinstance(factors, np.ndarray) or factors.dtype.kind not in "fiu":
        raise FileError(path, "not a .npy file with numbers")
    return factors.astype(np.float64)


def read_numbers(path):
    try:
        lines = read_ordinary(path).decode("utf-8").splitlines()
    except ValueError:
        raise FileError(path, "not a text file") from None
    factors = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                factors.append(float(line))
            except ValueError:
                raise FileError(path, f"{line.strip()[:40]!r} is not a number", number) from None
    return np.array(factors)


def pin_targets(options, pins, garments, warn):
    """A function that gives the pins' targets at a frame (from 0), from PC2 files; None without."""
    if options.pin_motion is None:
        return None
    motions = []
    for path, mesh, start in zip(options.pin_motion, garments.meshes, garments.starts):
        own = pins[(pins >= start) & (pins < start + mesh.vertex_count)] - start
        motions.append(read_pin_motion(path, own, mesh.vertex_count, options.frames, warn))
    if len(pins) == 0:
        warn("--pin-motion moves nothing: no vertex is pinned")
        return None
    return lambda frame: np.concatenate([motion[min(frame, len(motion) - 1)] for motion in motions])


def read_pin_motion(path, pins, vertex_count, frames, warn):
    """Where one garment's point cache takes its pins: frames x pins x 3."""
    motion = read_pc2(path).positions
    if motion.shape[1] != vertex_count or len(motion) == 0:
        given = f"{len(motion)} frames of {motion.shape[1]} vertices"
        raise FileError(path, f"{given}, but the garment has {vertex_count} vertices")
    if len(motion) < frames and len(pins):
        warn(f"{path} has {len(motion)} frames of {frames}: the pins stand still afterwards")
    ways = np.array([motion[index, pins] for index in range(min(frames, len(motion)))])
    bad = np.flatnonzero(~np.isfinite(ways).all(axis=(1, 2)))
    if len(bad):
        problem = "moves a pin to a position that is not a finite number"
        raise FileError(path, f"frame {bad[0] + 1} {problem}")
    return ways
