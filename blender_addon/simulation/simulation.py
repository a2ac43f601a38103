# SPDX-License-Identifier: GPL-3.0-or-later
"""Garments under simulation, one or several in one cloth: what is read of them, the native cloth, its results.

The main thread feeds; the step itself runs in a thread of its own. No Blender reference is kept:
undo makes them invalid, so every call gets the object again. Of several it is the innermost.
"""

from itertools import zip_longest
from time import perf_counter

import bpy
import numpy as np

from .. import recording
from ..layers import joint_feed
from ..layers.partners import partners
from ..mirror import mirror_plane
from ..mirror.solved import Solved, telling
from ..muslin import Cloth, MuslinError, Status
from ..muslin.edited import carried, survivors
from ..muslin.inspection.verdict import StepWarningLog
from ..muslin.table import takes
from ..scene import arrays, lookup, place
from ..scene.problems import Problem, speaking_of
from ..words import listed
from . import members
from .presettle import Layering
from .worker import Worker


class StepWarnings:
    """Counts frames; of what drapes, and stays at its frame, steps."""

    def __init__(self, is_draping):
        self._is_draping = is_draping
        self.clear()

    def clear(self):
        self._steps = 0
        self._seen = StepWarningLog("step" if self._is_draping else "frame")

    def look(self, frame, levels):
        """After a step to this frame, which left this LevelReport."""
        self._steps += 1
        self._seen.add(self._steps if self._is_draping else frame, levels)

    def reports(self):
        return self._seen.reports()


TO_MILLIMETRES, TO_PER_CENT = 1e3, 1e2
QUIET_STEPS = 12  # without motion or changes before a cloth is refined
# The UV map, too: it is the pattern, or tells warp from weft.
MESH_ARRAYS = ("positions", "face_sizes", "face_vertices", "edges", "uvs", "uv_indices")


def frame_seconds(scene, obj):
    """Simulated time of a frame: a remapped scene plays slower, or faster."""
    render = scene.render
    remapped = render.frame_map_old / render.frame_map_new
    return render.fps_base / render.fps * remapped * obj.muslin.time_scale


def depsgraph_of(scene, obj):
    """The evaluated scene of the view layer that is looked at, or else of one that has the object."""
    layers = list(scene.view_layers)
    if bpy.context.scene == scene:
        layers.insert(0, bpy.context.view_layer)
    for layer in layers:
        if obj.name not in layer.objects or layer.depsgraph is None:
            layer.update()  # a scene that is not shown lags behind
        if obj.name in layer.objects:
            return layer.depsgraph
    raise Problem(
        f"{obj.name} is in no view layer of the scene {scene.name}: its collection is switched off, "
        "or it belongs to another scene"
    )


def budget_of(obj, live):
    """Time for a step, ms; 0: always the full mesh."""
    return obj.muslin.budget_ms if live and takes("budget_ms", obj.muslin.solver) else 0.0


def same_cloth(one, other):
    """Whether two readings of a garment give the same matrix: only where it starts may differ."""
    pairs = [(getattr(one.mesh, name), getattr(other.mesh, name)) for name in MESH_ARRAYS]
    pairs += [(one.pin_vertices, other.pin_vertices), (one.pin_weights, other.pin_weights)]
    pairs += zip(one.maps.values(), other.maps.values())
    pairs += zip_longest(one.links, other.links)
    return all(arrays.same(a, b) for a, b in pairs)


def carry_over(member, left):
    """((positions, velocities), whether they come from the cloth before) of a garment in a new cloth.
    left: the Member in the cloth before with its positions and velocities, or None."""
    obj, garment = member.find(), member.garment
    is_bent = arrays.is_edited(obj) and place.is_deformed(obj)
    if left is None:
        if is_bent:
            where = "where Blender does not bend it as modifiers or shape keys do"
            raise Problem(f"{obj.name} is in Edit Mode, {where}; leave it first")
        return (garment.start, np.zeros_like(garment.start)), False
    before, *state = left
    origin = survivors(before.garment.modelled, garment.modelled)
    found = carried(garment.mesh, origin, *state, garment.start)
    if is_bent:  # what is pinned stays
        garment.start = found[0]
    return found, is_bent or bool((origin >= 0).any())


def fit_of(cloth, with_tension):
    """Strain, tension, pressure and ease of a cloth as it is now, in the units of the fit map: quantity -> n numbers float32. No ease
    without bodies; tension takes longer than all others. Runs in any thread, touches nothing of Blender.
    """
    fit = cloth.fit()
    found = {"warp": fit.warp * TO_PER_CENT, "weft": fit.weft * TO_PER_CENT}
    found["shear"] = np.degrees(fit.shear)
    if with_tension:
        found["tension"] = tension(cloth)
    found["pressure"] = fit.pressure
    if np.isfinite(fit.gap).all():
        found["ease"] = fit.gap * TO_MILLIMETRES
    return found


def tension(cloth):
    return np.maximum(*cloth.tensions())


class Simulation:
    """A cloth that follows its scene. frame: of the state that it has now.

    mirrored: False solves it whole. live: True takes the artist's budget for a step; False simulates the full mesh. edited: True
    simulates it in Edit Mode, too, draping on a fixed frame. sweeping: True solves by sweeps what has a factor otherwise. before:
    another simulation of this garment to go on from, with no step under way; its mesh may differ. making: a Making that is ready.
    alone: True leaves out the garments that are simulated with it.

    members: the garments of the cloth, innermost first; uid and name are the first one's. levels: the LevelReport of the last step,
    or of the state that replaced it. settling: the SettleReport of the last settle(). rate: frames of the scene a second. fit_maps:
    of the last step, see fit_of(); None where they are not wanted.
    """

    def __init__(
        self,
        obj,
        scene,
        depsgraph,
        mirrored=True,
        live=False,
        edited=False,
        sweeping=False,
        before=None,
        making=None,
        alone=False,
    ):
        objects = [obj] if alone else partners(obj, scene, depsgraph.view_layer)
        if making is not None:
            objects = [member.find() for member in making.fed[1]]
        obj = objects[0]
        self.uid = lookup.ensure_uid(obj)
        self.name = listed([each.name for each in objects])
        self.seconds = frame_seconds(scene, obj)
        self.step_seconds = 0.0  # of the last step
        self.cloth = self._worker = self.settling = None
        self.started = False
        self._asked = False  # to stop the step that is under way
        self._live, self._is_draping, self.sweeping = live, edited, sweeping
        self.fit_maps = None
        self._layering = None  # before the first step of what is watched
        self.step_warnings = StepWarnings(edited)
        is_mirrored = mirrored and obj.muslin.mirror.enabled and len(objects) == 1
        self._solved = Solved(self, is_mirrored)
        with telling(self._solved), speaking_of(self.name):
            how = mirrored, edited, sweeping
            fed = making.fed if making else joint_feed.feeding(objects, scene, depsgraph, *how)
            self.feeder, self.members = fed
            self.choose_fit()
            state = self._state_from(before)
            self._build(obj, scene, depsgraph, making)
        if state is not None:
            self.put(*state, mirrored_anew=before.cloth.mirror().mode == "off")
        if state is None or set(before.uids) != set(self.uids):
            self.put_in_order(scene, depsgraph)
        self.vertex_count = self.cloth.vertex_count
        self.levels = self.cloth.levels()
        self._stand(scene, depsgraph)
        self._solved.look()

    def _state_from(self, before):
        """Positions and velocities that another simulation leaves to this one; None without one."""
        left = {}
        if before is not None:
            positions, velocities = before.cloth.state()
            left = {m.uid: (m, positions[m.span], velocities[m.span]) for m in before.members}
        found = [carry_over(member, left.get(member.uid)) for member in self.members]
        if not any(is_kept for _, is_kept in found):
            return None
        states = [state for state, _ in found]
        starts = [member.garment.start for member in self.members]
        self.feeder.garment.start = np.concatenate(starts)
        return tuple(map(np.concatenate, zip(*states)))

    def _build(self, obj, scene, depsgraph, making):
        if making is not None:
            self.cloth = making.cloth.take()
        else:
            garment, budget = self.feeder.garment, budget_of(obj, self._live)
            self.cloth = Cloth(garment.mesh, **garment.settings, budget_ms=budget)
        try:
            self.feeder.begin(self.cloth, obj, scene, depsgraph, is_set_up=making is not None)
        except Exception:
            self.close()
            raise

    def _stand(self, scene, depsgraph):
        """Remember the objects' matrices, for the way back into their own space."""
        for member in self.members:
            obj = member.find()
            member.name = obj.name
            member.matrix = place.as_matrix(obj.evaluated_get(depsgraph).matrix_world)
        self.name = listed([member.name for member in self.members])
        self.frame = scene.frame_current
        self._step_frame = self.frame + (scene.frame_subframe > 0.0)  # that a part of it leads to
        self.rate = scene.render.fps / scene.render.fps_base
        self.unit = place.unit_of(scene)

    @property
    def uids(self):
        return [member.uid for member in self.members]

    # In the main thread

    def check_meshes(self):
        for member in self.members:
            now, before = members.mesh_counts(member.find()), member.counts
            if now != before:
                raise Problem(
                    f"The mesh of {member.name} has changed: {before[0]} vertices and "
                    f"{before[2]} faces before, {now[0]} and {now[2]} now. Start again"
                )

    def feed(self, obj, scene, depsgraph, jump=False, part=1.0):
        """The scene as it is now is the goal of the next step, which takes this part of a frame."""
        self.seconds = part * frame_seconds(scene, obj)
        self.choose_fit()
        self.check_meshes()
        with telling(self._solved), speaking_of(self.name):
            self.feeder.follow(self.cloth, obj, scene, depsgraph, jump=jump)
        self._stand(scene, depsgraph)

    def begin_again(self, obj, scene, depsgraph):
        """Back to how the garment is in the scene now, with the same matrix. False: its rest shape, pins or maps have changed, so
        that it has to be rebuilt."""
        fresh = joint_feed.read_again(self.feeder, obj, scene, depsgraph)
        if not self.is_made_of(fresh) or self.settings_changed(obj):
            return False
        self.feed(obj, scene, depsgraph, jump=True)
        with speaking_of(self.name):
            start = np.concatenate([garment.start for garment in fresh])
            self.feeder.start(self.cloth, start)
        self.levels = self.cloth.levels()
        self.step_warnings.clear()
        self.put_in_order(scene, depsgraph)
        return True

    def put_in_order(self, scene, depsgraph):
        """Where draping garments begin inside each other, the next steps put them on one after the other. A bake, or a preview along
        the timeline, does that before its first frame: see Presettle."""
        if self._is_draping:
            with speaking_of(self.name):
                self._layering = Layering(self, scene, depsgraph)

    def hand_over_order(self):
        """Someone else puts the garments on in their order: see Presettle."""
        if self._layering is not None:
            self._layering.close()
        self._layering = None

    def is_made_of(self, garments):
        """Whether the matrix is that of these readings."""
        return all(map(same_cloth, garments, [member.garment for member in self.members]))

    def settings_changed(self, obj):
        """Sliders act at once. True: the change needs a new Simulation."""
        if self.cloth.settings["budget_ms"] != budget_of(obj, self._live):
            return True
        with speaking_of(obj.name):
            return self.feeder.settings_changed(self.cloth, obj)

    # The step, and who waits for it

    def step(self):
        """One frame. Runs in any thread, touches nothing of Blender."""
        self._take(self.cloth.step)

    def refine(self):
        """One step of a cloth that is left alone, on the way to the full mesh. Likewise."""
        self._take(self.cloth.refine)

    def settle(self):
        """One step to the shape at rest, see settling, of a length that is the library's own. Likewise."""

        def step(_seconds):
            self.settling = self.cloth.settle()

        self._take(step)

    def _take(self, step):
        began = perf_counter()
        if self._layering is not None and not self._layering.is_over:
            self._layering.advance()
            return
        try:
            step(self.seconds)
        except MuslinError as error:
            if error.status != Status.ERROR_CANCELLED or self._asked:
                raise
            step(self.seconds)  # the cancellation was meant for an earlier step, which had ended
        self.step_seconds = perf_counter() - began
        self._has_stepped = True
        self.measure_fit()

    def start(self, refining=False):
        """Begin the step in the background, or one that refines."""
        self.begin(self.refine if refining else self.step)

    def begin(self, work, can_cancel=True):
        """Do something else in the background that touches nothing of Blender. can_cancel: the cloth itself steps."""
        self._worker = self._worker or Worker()
        self.started = True
        self._asked, self._can_cancel = False, can_cancel
        self._has_stepped = False
        self._worker.start(work)

    def rests(self):
        """Whether it has settled, or lies still, was not touched for a while and has levels to be refined on."""
        if self._live:
            self.levels = self.cloth.levels()
        still = self.levels.quiet_steps >= QUIET_STEPS and self.levels.level_count > 1
        return bool(self.levels.settled) or still

    def ready(self, seconds=0.0):
        """Whether no step is under way, now or after waiting at most so long; None: forever."""
        return self._worker is None or self._worker.wait(seconds)

    def collect(self):
        """End the step that was started; its error is raised here. False: it was interrupted."""
        if not self.started:
            return False
        self.started = False
        try:
            with speaking_of(self.name):
                self._worker.finish()
        except Problem as problem:
            if getattr(problem.__cause__, "status", None) == Status.ERROR_CANCELLED:
                return False
            raise
        self.levels = self.cloth.levels()  # not in the thread: see worker
        if self._has_stepped:
            self.step_warnings.look(self._step_frame, self.levels)
        self._solved.look()
        return True

    def interrupt(self):
        """Make a step that is under way stop early, and wait for it."""
        if not self.ready():
            self._asked = True
            if self._can_cancel:
                self.cloth.cancel()
            self.ready(None)

    def abort(self):
        """Afterwards no step is under way, and none is to be collected: no two threads may ask a cloth."""
        self.interrupt()
        self.started = False

    # How the garments fit

    def choose_fit(self):
        """The maps that the artist wants now. What is watched has the tension only where it is shown. In the main thread."""
        fits = [member.find().muslin.fit for member in self.members]
        wanted = [fit.quantity for fit in fits if fit.enabled]
        self._wants_fit = bool(wanted)
        self._wants_tension = "tension" in wanted or not self._live

    def measure_fit(self):
        """The maps of the cloth as it is now, or none. Runs in any thread, touches nothing of Blender."""
        self.fit_maps = fit_of(self.cloth, self._wants_tension) if self._wants_fit else None

    def add_tension(self):
        """Where it is missing: a shape that is kept has all maps."""
        if self.fit_maps is not None and "tension" not in self.fit_maps:
            self.fit_maps["tension"] = tension(self.cloth)

    def update_fit(self):
        self.choose_fit()
        self.measure_fit()

    def fit_maps_of(self, member, obj):
        if self.fit_maps is None or not obj.muslin.fit.enabled:
            return None
        return {quantity: numbers[member.span] for quantity, numbers in self.fit_maps.items()}

    # Results

    def positions_world(self):
        with speaking_of(self.name):
            return self.cloth.positions()

    def shapes(self, matrices=None):
        """{uid: positions in the object's space}: where it stood when it was fed, or of other matrices."""
        return members.split(self.members, self.positions_world(), self.unit, matrices)

    def snapshot(self):
        with speaking_of(self.name):
            return self.cloth.snapshot()

    def restore(self, snapshot):
        with speaking_of(self.name):
            self.cloth.restore(snapshot)
        self.levels = self.cloth.levels()

    def put(self, positions, velocities=None, mirrored_anew=False):
        """Go on from a state, m and m/s; where it has to be symmetric, from its mean with its image."""
        garment = self.feeder.garment
        is_strict = mirrored_anew or garment.settings.get("mirror") == "exact"
        state = positions, velocities
        with speaking_of(self.name):
            if is_strict and self.cloth.mirror().mode == "exact":
                built_from = garment.mesh, garment.settings
                state = mirror_plane.symmetrised(*built_from, *state)
            self.cloth.set_state(*state)
        self.levels = self.cloth.levels()

    def notes(self):
        """Of the feed and the library, each sentence once."""
        warnings = map(self.feeder.words, self.cloth.warnings)
        return [*dict.fromkeys(filter(None, [*self.feeder.notes, *warnings, recording.problem]))]

    def close(self):
        """Give all memory back; a step under way is stopped first."""
        if self._worker is not None:
            self.interrupt()
            self._worker.close()
            self._worker = None
        self.hand_over_order()
        if self.cloth is not None:
            self.cloth.close()
