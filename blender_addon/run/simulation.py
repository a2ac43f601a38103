# SPDX-License-Identifier: GPL-3.0-or-later
"""One garment under simulation: what is read from the scene, the native cloth, and its results.

The main thread feeds; the step itself runs in a thread of its own. No Blender reference is kept:
undo makes them invalid, so every call gets the object anew (see find()).
"""

from time import perf_counter

import bpy
import numpy as np

from ..muslin import Cloth, MuslinError, Status
from ..muslin.edited import carried, survivors
from ..scene import arrays, lookup, mirror, place
from ..scene.feed import Feed
from ..scene.garment import read_garment
from ..scene.problems import Problem, speaking_of
from . import fit, record
from .solved import Solved, telling
from .worker import Worker

QUIET_STEPS = 12  # before a cloth that lies still and is not touched is refined
# The UV map, too: it is the pattern, or tells warp from weft.
MESH_ARRAYS = ("positions", "face_sizes", "face_vertices", "edges", "uvs", "uv_indices")


def find(uid, name):
    """The garment, or None; what was converted to a curve is none any more.

    An undo to before it had its uid must not lose it: then by name.
    """
    found = lookup.find(uid)
    if found is None:
        found = bpy.data.objects.get(name)
        if found is None or not found.muslin.enabled or found.muslin.uid:
            return None
        found.muslin.uid = uid
    return found if found.type == "MESH" else None


def frame_seconds(scene, obj):
    """That go by for the cloth from one frame to the next: a remapped scene plays slower, or faster."""
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
            layer.update()  # a scene that nobody looks at lags behind
        if obj.name in layer.objects:
            return layer.depsgraph
    raise Problem(
        f"{obj.name} is in no view layer of the scene {scene.name}: its collection is switched off, "
        "or it belongs to another scene",
        object_name=obj.name,
    )


def budget_of(obj, live):
    """Time for a step, ms; 0 for what simulates the garment itself. Threads have no coarser levels."""
    return obj.muslin.budget_ms if live and obj.muslin.solver != "threads" else 0.0


def mesh_counts(obj):
    """Enough to see that a mesh became another one: vertices, edges and faces."""
    return arrays.counts(obj.data)


def same_cloth(one, other):
    """Whether two readings of a garment give the same matrix: only where it starts may differ."""
    pairs = [(getattr(one.mesh, name), getattr(other.mesh, name)) for name in MESH_ARRAYS]
    pairs += [(one.pin_vertices, other.pin_vertices), (one.pin_weights, other.pin_weights)]
    pairs += zip(one.scales, other.scales)
    return all(
        (a is None and b is None) or (a is not None and b is not None and np.array_equal(a, b))
        for a, b in pairs
    )


class Simulation:
    """A cloth that follows its scene. frame: of the state that it has now.

    mirrored: False solves it whole, whatever the artist has chosen.
    live: True takes the artist's budget for a step; False simulates the garment itself.
    edited: True simulates it in edit mode, too. sweeping: True solves by sweeps what has a factor otherwise.
    before: another simulation of this garment, with no step under way, to go on from; its mesh may be another one.
    making: a Making that is ready, of the garment as it is now.
    levels: the LevelReport of the last step, or of the state that was put in its place.
    settling: the SettleReport of the last settle().
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
    ):
        self.uid = lookup.ensure_uid(obj)
        self.name = obj.name
        self.seconds = frame_seconds(scene, obj)
        self.step_seconds = 0.0  # of the last step
        self.cloth = self._worker = self.settling = None
        self.started = False
        self.fit_maps = None  # of the last step, see fit.maps(); None where they are not wanted
        self._tells_fit = obj.muslin.fit.enabled
        self._asked = False  # to stop the step that is under way
        self._live, self._edited, self.sweeping = live, edited, sweeping
        self._solved = Solved(self, mirrored and obj.muslin.mirror.enabled)
        with telling(self._solved), speaking_of(obj.name):
            self.feeder = making.feeder if making else self._feed(obj, scene, depsgraph, mirrored)
            self.counts = mesh_counts(obj)
            state = self._state_from(before, obj)
            self._build(obj, scene, depsgraph, making)
        if state is not None:
            self.put(*state, mirrored_anew=before.cloth.mirror().mode == "off")
        self.vertex_count = self.cloth.vertex_count
        self.levels = self.cloth.levels()
        self._stand(obj, scene, depsgraph)
        self._solved.look()

    def _feed(self, obj, scene, depsgraph, mirrored):
        return Feed(obj, scene, depsgraph, mirrored, edited=self._edited, sweeping=self.sweeping)

    def _state_from(self, before, obj):
        """Positions and velocities that another simulation leaves to this mesh; None without one."""
        garment = self.feeder.garment
        is_bent = arrays.is_edited(obj) and place.is_deformed(obj)
        if before is None:
            if is_bent:
                raise Problem(
                    f"{obj.name} is in edit mode, where Blender does not bend it as modifiers or shape keys do; "
                    "leave it first",
                    obj.name,
                )
            return None
        origin = survivors(before.modelled, garment.modelled)
        if not (origin >= 0).any() and not is_bent:
            return None
        state = carried(garment.mesh, origin, *before.cloth.state(), garment.start)
        if is_bent:  # what is pinned stays
            garment.start = state[0]
        return state

    def _build(self, obj, scene, depsgraph, making):
        garment = self.feeder.garment
        if making is not None:
            self.cloth = making.take()
        else:
            self.cloth = Cloth(
                garment.mesh, **garment.settings, budget_ms=budget_of(obj, self._live)
            )
        try:
            self.feeder.begin(self.cloth, obj, scene, depsgraph, is_set_up=making is not None)
        except Exception:
            self.close()
            raise

    def _stand(self, obj, scene, depsgraph):
        """Remember where the object is, for the way back into its own space."""
        self.frame = scene.frame_current
        self.matrix = place.as_matrix(obj.evaluated_get(depsgraph).matrix_world)
        self.unit = place.unit_of(scene)

    @property
    def modelled(self):
        """The Mesh that it was built from, in the object's own coordinates."""
        return self.feeder.garment.modelled

    # In the main thread

    def check_mesh(self, obj):
        now = mesh_counts(obj)
        if now != self.counts:
            raise Problem(
                f"The mesh of {obj.name} became another one: {self.counts[0]} vertices and "
                f"{self.counts[2]} faces before, {now[0]} and {now[2]} now. Start again",
                object_name=obj.name,
            )

    def feed(self, obj, scene, depsgraph, jump=False, part=1.0):
        """The scene as it is now is where the next step leads to, which takes this part of a frame."""
        self.name = obj.name
        self.seconds = part * frame_seconds(scene, obj)
        self._tells_fit = obj.muslin.fit.enabled
        self.check_mesh(obj)
        with telling(self._solved), speaking_of(obj.name):
            self.feeder.follow(self.cloth, obj, scene, depsgraph, jump=jump)
        self._stand(obj, scene, depsgraph)

    def begin_again(self, obj, scene, depsgraph):
        """Back to how the garment is in the scene now, with the matrix as it is.

        False: its rest shape, pins or maps are others, so that it has to be built anew.
        """
        fresh, before = read_garment(obj, scene, depsgraph), self.feeder.garment
        if not same_cloth(fresh, before) or self.settings_changed(obj):
            return False
        self.feed(obj, scene, depsgraph, jump=True)
        with speaking_of(obj.name):
            self.cloth.set_state(fresh.start)
        self.levels = self.cloth.levels()
        return True

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
        """One step of a cloth that is left alone, on the way to the garment itself. Likewise."""
        self._take(self.cloth.refine)

    def settle(self):
        """One step to the shape at rest, see settling. Likewise."""
        self._take(self._settle)

    def _settle(self, _seconds):
        """The length of such steps is the library's own."""
        self.settling = self.cloth.settle()

    def _take(self, step):
        began = perf_counter()
        try:
            step(self.seconds)
        except MuslinError as error:
            if error.status != Status.ERROR_CANCELLED or self._asked:
                raise
            step(self.seconds)  # that was meant for an earlier step, which had ended
        self.step_seconds = perf_counter() - began
        self.levels = self.cloth.levels()
        self.tell_fit(self._tells_fit)

    def tell_fit(self, is_wanted):
        """The maps of the cloth as it is now, or none. Likewise."""
        stretch = self.feeder.garment.scales[1]
        self.fit_maps = fit.maps(self.cloth, stretch) if is_wanted else None

    def start(self, refining=False):
        """Begin the step in the background, or one that refines."""
        self.begin(self.refine if refining else self.step)

    def begin(self, work):
        """Do something else with the cloth in the background, that touches nothing of Blender."""
        if self._worker is None:
            self._worker = Worker()
        self.started = True
        self._asked = False
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
        self._solved.look()
        return True

    def interrupt(self):
        """Make a step that is under way stop early, and wait until it has."""
        if not self.ready():
            self._asked = True
            self.cloth.cancel()
            self.ready(None)

    # Results

    def positions_world(self):
        with speaking_of(self.name):
            return self.cloth.positions()

    def local(self, matrix=None):
        """Positions in the object's space: where it stood when it was fed, or of another matrix."""
        matrix = self.matrix if matrix is None else matrix
        return place.to_local(self.positions_world(), matrix, self.unit)

    def stats(self):
        return self.cloth.stats()

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
        with speaking_of(self.name):
            if is_strict and self.cloth.mirror().mode == "exact":
                positions, velocities = mirror.symmetrised(
                    garment.mesh, garment.settings, positions, velocities
                )
            self.cloth.set_state(positions, velocities)
        self.levels = self.cloth.levels()

    def notes(self):
        """What the feed and the library remarked, each sentence once."""
        warnings = map(self.feeder.words, self.cloth.warnings)
        return [*dict.fromkeys([*self.feeder.notes, *warnings, *record.notes()])]

    def close(self):
        """Give all memory back; a step under way is stopped first."""
        if self._worker is not None:
            self.interrupt()
            self._worker.close()
            self._worker = None
        if self.cloth is not None:
            self.cloth.close()
