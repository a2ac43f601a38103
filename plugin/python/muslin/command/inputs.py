# SPDX-License-Identifier: GPL-3.0-or-later
"""What `muslin drape` reads besides the garment: pins, maps, the motion of the pins, and bodies: still ones from OBJ files,
moving ones from PC2 files with the faces of an OBJ file."""

import numpy as np

from .. import jumps
from ..errors import FileError, MuslinError, refuse
from ..files import open_ordinary, read_ordinary
from ..inspection.intersections import body_piercings, self_piercings
from ..inspection.surface import surface, surface_of, surface_of_faces
from ..mesh import Mesh
from ..obj import read_obj
from ..pc2 import read_pc2
from ..poses import pose_between
from ..table import MAPS
from .progress import warn


def read_mesh(path):
    """The Mesh of an OBJ file; what was left out of it is a warning."""
    mesh = read_obj(path)
    for note in mesh.notes:
        warn(note)
    return mesh


def read_run(path, vertex_count):
    """The frames of a point cache of the garment."""
    motion = read_pc2(path).positions
    if motion.shape[1] != vertex_count or len(motion) == 0:
        given = f"{len(motion)} frames of {motion.shape[1]} vertices"
        raise FileError(path, f"{given}, but the garment has {vertex_count} vertices")
    return motion


def pinned_vertices(options, garments):
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


def pin_targets(options, pins, garments):
    """A function that gives the pins' targets at a frame (from 0), from PC2 files; None without."""
    if options.pin_motion is None:
        return None
    motions = []
    for path, mesh, start in zip(options.pin_motion, garments.meshes, garments.starts):
        own = pins[(pins >= start) & (pins < start + mesh.vertex_count)] - start
        motions.append(read_pin_motion(path, own, mesh.vertex_count, options.frames))
    if len(pins) == 0:
        warn("--pin-motion moves nothing: no vertex is pinned")
        return None
    return lambda frame: np.concatenate([motion[min(frame, len(motion) - 1)] for motion in motions])


def read_pin_motion(path, pins, vertex_count, frames):
    """Where one garment's point cache takes its pins: frames x pins x 3."""
    motion = read_run(path, vertex_count)
    if len(motion) < frames and len(pins):
        warn(f"{path} has {len(motion)} frames of {frames}: the pins stand still afterwards")
    ways = np.array([motion[index, pins] for index in range(min(frames, len(motion)))])
    bad = np.flatnonzero(~np.isfinite(ways).all(axis=(1, 2)))
    if len(bad):
        problem = "moves a pin to a position that is not a finite number"
        raise FileError(path, f"frame {bad[0] + 1} {problem}")
    return ways


class DrapedBody:
    """One --body. motion: frames x vertices x 3, or None. start: the mesh as the cloth was given it. way: from the
    mesh's own pose to the first frame, where there is a run-up. place: where that has brought it.
    """

    motion = surface = body = start = way = place = None

    def __init__(self, source, frames):
        self.source = source
        self.mesh = read_mesh(source.mesh)
        if len(self.mesh.face_sizes) == 0:
            raise FileError(source.mesh, "no faces: nothing can collide with this body")
        if source.motion is not None:
            self.motion = read_motion(source, self.mesh.vertex_count, frames)

    def positions(self, frame):
        """Where it is at a frame (from 0); after its last frame it stands still."""
        if self.motion is None:
            return self.mesh.positions
        return self.motion[min(frame, len(self.motion) - 1)]

    def join(self, cloth, thickness, friction, run_up):
        """Add it to the cloth, as it is at the first frame, or before a run-up; its warnings get its path."""
        reported = len(cloth.warnings)
        places = self.mesh.positions if run_up else self.positions(0)
        self.start = mesh = Mesh(places, self.mesh.face_sizes, self.mesh.face_vertices)
        try:
            self.body = cloth.add_body(mesh, thickness, friction)
        except MuslinError as error:
            raise error.speaking_of(self.source.mesh) from None
        for text in cloth.warnings[reported:]:
            for sentence in text.sentences:
                warn(f"{self.source.mesh}: {sentence}")
        del cloth.warnings[reported:]

    def move(self, frame):
        """Before the step that ends at this frame; gives a Jump where that is one."""
        if self.motion is not None and frame < len(self.motion):
            return jumps.move(self.body, self.positions(frame - 1), self.positions(frame))
        return None

    def approach(self, part):
        """Before a step of the run-up, that ends at this part of the way to the first frame; likewise."""
        if self.motion is None:
            return None
        if self.way is None:
            self.way = pose_between(self.mesh, self.mesh.positions, self.positions(0))
            self.place = self.mesh.positions
        before, self.place = self.place, self.way(part) if part < 1 else self.positions(0)
        return jumps.move(self.body, before, self.place)

    def surface_at(self, frame):
        """For the judge of intersections."""
        if self.surface is None or self.motion is not None:
            places = self.positions(frame)
            self.surface = surface(places, self.mesh.face_sizes, self.mesh.face_vertices)
        return self.surface


def read_motion(source, vertex_count, frames):
    """The frames of a body's PC2 file; those that the drape will use are looked through."""
    path, motion = source.motion, read_pc2(source.motion).positions
    if motion.shape[1] != vertex_count:
        raise FileError(
            path, f"{motion.shape[1]} points, but {source.mesh} has {vertex_count} vertices"
        )
    if len(motion) == 0:
        raise FileError(path, "no frames")
    if len(motion) < frames:
        warn(f"{path} has {len(motion)} frames of {frames}: the body stands still afterwards")
    for frame in range(1, min(frames, len(motion)) + 1):
        bad = np.flatnonzero(~np.isfinite(motion[frame - 1]).all(axis=1))
        if len(bad):
            problem = f"moves vertex {bad[0]} to a position that is not a finite number"
            raise FileError(path, f"frame {frame} {problem}")
    return motion


def read_bodies(options):
    """All bodies that --body names, not yet known to a cloth."""
    for name in ("thickness", "friction") if not options.body and not options.self_contact else ():
        if getattr(options, name) is not None:
            warn(f"--{name} does nothing without --body or --self-contact")
    return [DrapedBody(source, options.frames) for source in options.body or ()]


def make_judge(options, mesh, bodies):
    """judge(frame, positions) counts piercings for --stats; None without --stats or contact."""
    if options.stats is None or not (bodies or options.self_contact):
        return None

    # Cut once, as the simulation does: the diagonal that is shorter in a later shape is no one's edge.
    triangles = surface_of(mesh).triangles

    def judge(frame, positions):
        cloth = surface_of_faces(positions, triangles, mesh.edges, weld=True)
        found = [body_piercings(cloth, body.surface_at(frame)) for body in bodies]
        return {
            "self_piercings": len(self_piercings(cloth)),
            "body_piercings": sum(len(through) for through, _ in found),
            "cloth_piercings": sum(len(through) for _, through in found),
        }

    return judge
