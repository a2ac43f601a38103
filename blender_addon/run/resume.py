# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes a bake up at a frame of its caches: exactly where the whole state was stored, otherwise from
the positions, with the speeds that the last two frames show."""

import numpy as np

from ..output import cache
from ..scene import place
from ..scene.problems import Problem, speaking_of


def resume(simulation, frame, matrices_before):
    """Put a simulation that stands at `frame` into the state of that frame; a note, or "".

    matrices_before: of the objects a frame earlier, to see how fast the vertices were.
    """
    paths = [_path(member) for member in simulation.members]
    states = [cache.read_state(path) for path in paths]
    is_one = all(state is not None and state == states[0] for state in states)
    if is_one and states[0][1] == frame and _restore(simulation, states[0][0]):
        return ""
    found = [
        _from_cache(path, member, frame, before, simulation)
        for path, member, before in zip(paths, simulation.members, matrices_before)
    ]
    positions, speeds = map(np.concatenate, zip(*found))
    simulation.put(positions, speeds)
    return f"Frames after {frame} go on from stored positions, not from the exact state."


def _path(member):
    path = cache.locate(member.find())
    if path is None:
        raise Problem(f"{member.name} has no cache that could be continued", member.name)
    return path


def _from_cache(path, member, frame, matrix_before, simulation):
    """Positions and velocities of one garment, in the world; at rest where the cache begins with this frame."""
    kept = cache.read(path)
    index = frame - int(kept.start)
    if not 0 <= index < len(kept.positions):
        raise Problem(f"The cache of {member.name} has no frame {frame}", member.name)
    with speaking_of(member.name):
        at, last = kept.positions[index], kept.positions[max(index - 1, 0)]
    now = place.to_world(at, member.matrix, simulation.unit)
    if index == 0:
        return now, np.zeros_like(now)
    before = place.to_world(last, matrix_before, simulation.unit)
    return now, (now - before) / simulation.seconds


def _restore(simulation, snapshot):
    """Whether the state fits this cloth: other settings or another version may not."""
    try:
        with speaking_of(simulation.name):
            simulation.cloth.restore(snapshot)
    except Problem:
        return False
    return True
