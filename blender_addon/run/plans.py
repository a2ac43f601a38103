# SPDX-License-Identifier: GPL-3.0-or-later
"""Which frames a bake computes and where it takes up: decided before anything is touched."""

from dataclasses import dataclass

from ..output import cache, results
from ..scene import lookup
from ..scene.problems import Problem
from ..scene.together import named, partners
from .simulation import depsgraph_of

FROM_START, FROM_CURRENT, CONTINUE = "start", "current", "continue"


@dataclass(frozen=True)
class Plan:
    """The bake of a garment, or of several in one cloth. resume: the frame whose cached state is gone on from, or None.

    uid, name: of the innermost; others: those of the others.
    """

    uid: str
    name: str
    scene_name: str
    first: int
    last: int
    resume: int | None = None
    others: tuple = ()

    @property
    def members(self):
        """(uid, name) of each garment."""
        return ((self.uid, self.name), *self.others)

    @property
    def title(self):
        return named([name for _, name in self.members])

    @property
    def frames(self):
        """How many frames there are to compute."""
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
            results.adopt(each, scene)  # what a crash left goes on where it ended
    obj = objects[0]
    first, last = obj.muslin.frames(scene)
    resume = None
    if how != FROM_START:
        first, resume = _take_up_all(objects, scene, how, first)
    if last < first:
        raise Problem(
            f"{obj.name}: the bake would end at frame {last}, before it begins at {first}",
            object_name=obj.name,
        )
    if resume is not None and resume >= last:
        raise Problem(
            f"{obj.name}: already baked up to frame {resume}; the last frame to bake is {last}",
            object_name=obj.name,
        )
    (uid, name), *others = [(lookup.ensure_uid(each), each.name) for each in objects]
    return Plan(uid, name, scene.name, first, last, resume, tuple(others))


def together_in(scene, obj):
    """The garments of one cloth with this one, as the simulation will find them."""
    layer = depsgraph_of(scene, obj).view_layer
    return partners(obj, scene, layer)


def _take_up_all(objects, scene, how, first):
    """As _take_up(). A crash may leave one garment with a frame more than another."""
    firsts, resumes = map(set, zip(*(_take_up(obj, scene, how, first) for obj in objects)))
    if len(firsts) > 1 or (None in resumes and len(resumes) > 1):
        raise Problem(
            f"{named([obj.name for obj in objects])} are simulated together, and their bakes do not begin at the same "
            "frame: bake them anew",
            object_name=objects[0].name,
        )
    return firsts.pop(), None if None in resumes else min(resumes)


def _last_exact(obj, scene):
    """The frame to go on from such that the rest is as if nobody had stopped: the last one, unless Blender was killed.

    Then the state is of an earlier frame; without any, positions alone have to do, and the first frame is made anew.
    """
    baked, path = obj.muslin.baked, cache.locate(obj)
    state = cache.read_state(path) if path is not None else None
    is_whole = baked.frame_end >= obj.muslin.frames(scene)[1]
    if state is not None and not is_whole and baked.frame_start <= state[1] <= baked.frame_end:
        return state[1]
    return baked.frame_end if baked.frame_end > baked.frame_start or state is not None else None


def _take_up(obj, scene, how, first):
    """First frame of the cache, and the frame to go on from. Without a cache a bake begins anew."""
    baked = obj.muslin.baked
    if not baked.kind:
        if how == CONTINUE:
            raise Problem(f"{obj.name}: nothing is baked that could go on", object_name=obj.name)
        return scene.frame_current, None
    if baked.vertex_count != len(obj.data.vertices):
        raise Problem(
            f"{obj.name} was baked with {baked.vertex_count} vertices and has "
            f"{len(obj.data.vertices)} now: free the bake and begin anew",
            object_name=obj.name,
        )
    if how == CONTINUE:
        return baked.frame_start, _last_exact(obj, scene)
    if scene.frame_current <= baked.frame_start:
        return scene.frame_current, None
    if scene.frame_current > baked.frame_end:
        raise Problem(
            f"{obj.name}: frame {scene.frame_current} is not baked yet, the last one is "
            f"{baked.frame_end}. Go there, or use Continue",
            object_name=obj.name,
        )
    return baked.frame_start, scene.frame_current
