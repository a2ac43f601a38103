# SPDX-License-Identifier: GPL-3.0-or-later
"""Which frames a bake computes and where it takes up, decided before anything is touched; and how it takes up at a frame of
its caches: exactly where the whole state was stored, otherwise from the positions, with the speeds that the last two
frames show.
"""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ..layers.partners import partners
from ..output import cache, results
from ..scene import lookup, place
from ..scene.problems import Problem, speaking_of
from ..simulation.simulation import depsgraph_of
from ..words import listed

FROM_START, CONTINUE = "start", "continue"


@dataclass(frozen=True)
class Plan:
    """The bake of a garment (uid, name), or of several in one cloth (others; the first is the innermost).
    resume: the frame whose cached state is continued, or None."""

    uid: str
    name: str
    scene_name: str
    first: int
    last: int
    resume: int | None = None
    others: tuple = ()

    @property
    def members(self):
        return ((self.uid, self.name), *self.others)

    @property
    def title(self):
        return listed([name for _, name in self.members])

    @property
    def frames(self):
        return self.last - (self.first - 1 if self.resume is None else self.resume)


def plan_all(garments, scene, how=FROM_START):
    """The bakes of some garments: those that are simulated together have one."""
    found, done = [], set()
    for obj in garments:
        if obj.muslin.uid not in done or not obj.muslin.uid:
            found.append(plan(obj, scene, how))
            done.update(uid for uid, _ in found[-1].members)
    return found


def plan(obj, scene, how=FROM_START):
    """The bake of a garment from its first frame, from the current one, or from where it ended."""
    objects = together_in(scene, obj)
    for each in objects:
        results.check(each, each.muslin.output)
        if how == CONTINUE:
            results.adopt(each, scene)  # continue what a crash left
    obj = objects[0]
    (first, last), resume = obj.muslin.frames(scene), None
    if how != FROM_START:
        first, resume = _take_up_all(objects, scene, how)
    if last < first:
        raise Problem(f"{obj.name}: the last frame, {last}, is before the first, {first}")
    if resume is not None and resume >= last:
        raise Problem(
            f"{obj.name}: already baked up to frame {resume}; the last frame to bake is {last}"
        )
    (uid, name), *others = [(lookup.ensure_uid(each), each.name) for each in objects]
    return Plan(uid, name, scene.name, first, last, resume, tuple(others))


def together_in(scene, obj):
    """The garments of one cloth with this one, as the simulation will find them."""
    layer = depsgraph_of(scene, obj).view_layer
    return partners(obj, scene, layer)


def _take_up_all(objects, scene, how):
    """As _take_up(). A crash may leave one garment with a frame more than another."""
    firsts, resumes = map(set, zip(*(_take_up(obj, scene, how) for obj in objects)))
    if len(firsts) > 1 or (None in resumes and len(resumes) > 1):
        raise Problem(
            f"{listed([obj.name for obj in objects])} are simulated together, but their bakes do not start at the same "
            "frame: bake them again"
        )
    return firsts.pop(), None if None in resumes else min(resumes)


def _last_exact(obj, scene):
    """The frame to continue from so that the rest is as without the interruption: the last one; after a crash the one that a state
    was stored of. None without any state, and with no second frame to read speeds from: the first frame is made again.
    """
    baked, path = obj.muslin.baked, cache.locate(obj)
    state = cache.read_state(path) if path is not None else None
    is_whole = baked.frame_end >= obj.muslin.frames(scene)[1]
    if state is not None and not is_whole and baked.frame_start <= state[1] <= baked.frame_end:
        return state[1]
    return baked.frame_end if baked.frame_end > baked.frame_start or state is not None else None


def _take_up(obj, scene, how):
    """First frame of the cache, and the frame to go on from. Without a cache a bake begins again."""
    baked = obj.muslin.baked
    if not baked.kind:
        if how == CONTINUE:
            raise Problem(f"{obj.name}: there is no bake to continue")
        return scene.frame_current, None
    if baked.vertex_count != len(obj.data.vertices):
        raise Problem(
            f"{obj.name} was baked with {baked.vertex_count} vertices and has "
            f"{len(obj.data.vertices)} now: free the bake and bake again"
        )
    if how == CONTINUE:
        return baked.frame_start, _last_exact(obj, scene)
    if scene.frame_current <= baked.frame_start:
        return scene.frame_current, None
    if scene.frame_current > baked.frame_end:
        raise Problem(
            f"{obj.name}: frame {scene.frame_current} is not baked yet; the last baked frame "
            f"is {baked.frame_end}. Go there, or use Continue"
        )
    return baked.frame_start, scene.frame_current


def resume(simulation, frame, matrices_before):
    """Put a simulation that stands at `frame` into the cached state of that frame; a note, or "".
    matrices_before: of the objects a frame earlier, to see how fast the vertices were."""
    paths = [cache.locate(member.find()) for member in simulation.members]
    for path, member in zip(paths, simulation.members):
        if path is None:
            raise Problem(f"{member.name} has no cache to continue")
    states = [cache.read_state(path) for path in paths]
    is_one = all(state is not None and state == states[0] for state in states)
    if is_one and states[0][1] == frame:
        with suppress(Problem):  # other settings or another version may not take the state
            simulation.restore(states[0][0])
            return ""
    found = [
        _from_cache(path, member, frame, before, simulation)
        for path, member, before in zip(paths, simulation.members, matrices_before)
    ]
    positions, speeds = map(np.concatenate, zip(*found))
    simulation.put(positions, speeds)
    return f"Frames after {frame} continue from stored positions, not from the exact state."


def _from_cache(path, member, frame, matrix_before, simulation):
    """Positions and velocities of one garment, in the world; at rest where the cache begins with this frame."""
    kept = cache.read(path)
    index = frame - int(kept.start)
    if not 0 <= index < len(kept.positions):
        raise Problem(f"The cache of {member.name} has no frame {frame}")
    with speaking_of(member.name):
        at, last = kept.positions[index], kept.positions[max(index - 1, 0)]
    now = place.to_world(at, member.matrix, simulation.unit)
    if index == 0:
        return now, np.zeros_like(now)
    before = place.to_world(last, matrix_before, simulation.unit)
    return now, (now - before) / simulation.seconds
