# SPDX-License-Identifier: GPL-3.0-or-later
"""Which frames a bake computes and where it takes up: decided before anything is touched."""

from dataclasses import dataclass

from ..output import results
from ..scene import lookup
from ..scene.problems import Problem

FROM_START, FROM_CURRENT, CONTINUE = "start", "current", "continue"


@dataclass(frozen=True)
class Plan:
    """One garment's bake. resume: the frame whose cached state is gone on from, or None."""

    uid: str
    name: str
    scene_name: str
    first: int
    last: int
    resume: int | None = None

    @property
    def frames(self):
        """How many frames there are to compute."""
        return self.last - (self.first - 1 if self.resume is None else self.resume)


def plan(obj, scene, how=FROM_START):
    """The bake of a garment from its first frame, from the current one, or from where it ended."""
    results.check(obj, obj.muslin.output)
    if how == CONTINUE:
        results.adopt(obj, scene)  # what a crash left goes on where it ended
    first, last = obj.muslin.frames(scene)
    resume = None
    if how != FROM_START:
        first, resume = _take_up(obj, scene, how, first)
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
    return Plan(lookup.ensure_uid(obj), obj.name, scene.name, first, last, resume)


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
        return baked.frame_start, baked.frame_end
    if scene.frame_current <= baked.frame_start:
        return scene.frame_current, None
    if scene.frame_current > baked.frame_end:
        raise Problem(
            f"{obj.name}: frame {scene.frame_current} is not baked yet, the last one is "
            f"{baked.frame_end}. Go there, or use Continue",
            object_name=obj.name,
        )
    return baked.frame_start, scene.frame_current
