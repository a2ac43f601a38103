# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes a bake up at a frame of its cache: exactly where the whole state was stored, otherwise from
the positions, with the speeds that the last two frames show."""

from ..output import cache
from ..scene import place
from ..scene.problems import Problem, speaking_of


def resume(simulation, path, frame, matrix_before):
    """Put a simulation that stands at `frame` into the state of that frame; a note, or "".

    matrix_before: of the object a frame earlier, to see how fast the vertices were.
    """
    if path is None:
        raise Problem(f"{simulation.name} has no cache that could be continued", simulation.name)
    state = cache.read_state(path)
    if state is not None and state[1] == frame and _restore(simulation, state[0]):
        return ""
    kept = cache.read(path)
    index = frame - int(kept.start)
    if not 0 <= index < len(kept.positions):
        raise Problem(f"The cache of {simulation.name} has no frame {frame}", simulation.name)
    now = place.to_world(kept.positions[index], simulation.matrix, simulation.unit)
    speeds = None
    if index > 0:
        before = place.to_world(kept.positions[index - 1], matrix_before, simulation.unit)
        speeds = (now - before) / simulation.seconds
    simulation.put(now, speeds)
    return f"Frames after {frame} go on from stored positions, not from the exact state."


def _restore(simulation, snapshot):
    """Whether the state fits this cloth: other settings or another version may not."""
    try:
        with speaking_of(simulation.name):
            simulation.cloth.restore(snapshot)
    except Problem:
        return False
    return True
