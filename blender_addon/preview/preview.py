# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that is seen while it is computed: along the timeline, or draping on a fixed frame.

The artist's mesh is not touched: a modifier shows the state until it is kept or discarded. Along the timeline it takes a step
per frame, at rest before the first one, and is refined while the timeline stands still.
"""

from time import perf_counter

import bpy

from .. import running
from ..garment import garment_data, garment_settings
from ..layers.partners import partners
from ..scene import arrays, lookup, place
from ..scene.problems import Problem, refuse_linked
from ..simulation.members import are_there, find, note_error
from ..simulation.presettle import AtRest
from ..simulation.simulation import Simulation, depsgraph_of
from ..simulation.statistics import level_text, rows
from ..words import counted
from . import preview_view
from .edits import Edits
from .hands import AllHands


TIMELINE, DRAPE, HELD = "timeline", "drape", "held"
STATISTICS_EVERY = 0.5  # s
LOOK_EVERY = 0.05  # s, where nothing happens
PAUSE = 0.5  # s that the timeline stands still before the cloth is refined
SMOOTHING = 0.2  # weight of the newest in the frames per second


class Preview:
    """The preview of a garment, or of several in one cloth. See running.previews for what others read of it. shapes: uid -> its shown
    shape in the object's space, which is what is kept."""

    def __init__(self, obj, scene, mode):
        self.scene_name = scene.name
        self.mode = mode
        self.note = ""
        self.frames_per_second = 0.0
        self.steps = 0
        self._editing = False
        self._edits = Edits()
        self._hands = AllHands()
        self._stepped = self._next_statistics = self._next_look = 0.0
        self._simulation = None
        self.shapes = {}
        self._at_rest = AtRest()
        self._followed = perf_counter()  # when the timeline moved last
        self._paused = None  # the cloth as the timeline left it, while it is refined
        self._settles = False  # by steps to the shape at rest
        self._is_restless = False  # settling was stopped before the cloth came to rest
        self._build(obj, scene)

    def hands_of(self, uid):
        return self._hands[uid]

    @property
    def uids(self):
        return self._simulation.uids

    @property
    def uid(self):
        return self._simulation.uid

    @property
    def name(self):
        return self._simulation.name

    @property
    def frame(self):
        return self._simulation.frame

    @property
    def cloth(self):
        """The cloth, once no step works on it: any other call would be refused until then."""
        self._simulation.ready(None)
        return self._simulation.cloth

    @property
    def text(self):
        speed = ""
        if self.frames_per_second and not self.settled:
            speed = f"{self.frames_per_second:.1f} frames per second"
        settles = self._settles or self._at_rest.is_under_way
        verb, more = {
            TIMELINE: ("simulate", f" with the timeline, frame {self.frame}"),
            DRAPE: ("settle" if settles else "drape", ""),
            HELD: ("wait", " to be kept or discarded"),
        }[self.mode]
        what = f"{verb}{'' if len(self.uids) > 1 else 's'}{more}"
        pierced = self._simulation.levels.body_pierced
        trapped = f"{counted(pierced, 'edge')} through a body" if pierced else ""
        state = speed, self.level_text, trapped
        parts = (f"{self.name} {what}", *state, self.note, self._edits.note)
        return ", ".join(part for part in parts if part)

    @property
    def level_text(self):
        return level_text(self._simulation.levels, self._is_restless)

    @property
    def step_warnings(self):
        return self._simulation.step_warnings.reports()

    @property
    def settled(self):
        """Whether it is refined and at rest: nothing happens until something is moved or set."""
        return bool(self._simulation.levels.settled) and not self._simulation.started

    def objects(self):
        """Garment, scene and evaluated scene, found again each time."""
        scene = bpy.data.scenes.get(self.scene_name)
        found = self.garments()
        if scene is None or not found:
            raise Problem(f"{self.name} was deleted; its preview has ended")
        if len(found) < len(self.uids):
            self._build(found[0], scene, keep_state=True)  # those that are left go on
            found = self.garments()
        return found[0], scene, depsgraph_of(scene, found[0])

    def garments(self):
        objects = (find(member.uid, member.name) for member in self._simulation.members)
        return [obj for obj in objects if obj is not None]

    def _build(self, obj, scene, keep_state=False):
        """A garment in Edit Mode begins by sweeps; a simulation by sweeps goes on so: see Edits."""
        before, edited = self._simulation, self.mode == DRAPE
        self._edits.stop()
        if before is not None:
            self._simulation.abort()
            self._paused = None
        fresh = Simulation(
            obj,
            scene,
            depsgraph_of(scene, obj),
            live=True,
            edited=edited,
            sweeping=arrays.is_edited(obj) if before is None else before.sweeping,
            before=before if keep_state else None,
        )
        if before is not None:
            before.close()
            self._at_rest.drop()
        self._simulation = fresh
        self._register()
        preview_view.begin(fresh.shapes())

    def _register(self):
        """All garments of the cloth have this preview, and no others."""
        for uid in [uid for uid, preview in running.previews.items() if preview is self]:
            if uid not in self.uids:
                del running.previews[uid]
                preview_view.hide_everywhere(uid)
        for uid in self.uids:
            if running.previews.get(uid, self) is not self:
                discard(uid)
            running.previews[uid] = self

    # What is seen of it

    @property
    def shown(self):
        """The shape in the view, of several garments the innermost's; None: as it is in the scene."""
        return self.shapes.get(self.uid)

    def show(self, depsgraph, is_still=False):
        """Relative to where the objects stand now. is_still: not a frame after the shape before it; it does not move, and the next one
        comes from here."""
        objects = [member.find() for member in self._simulation.members]
        matrices = [place.as_matrix(each.evaluated_get(depsgraph).matrix_world) for each in objects]
        for obj, matrix in zip(objects, matrices):
            garment_data.refuse_matrix(obj, matrix)  # it may have been flattened during the step
        self.shapes = self._simulation.shapes(matrices)
        if is_still:
            preview_view.begin(self.shapes)
        self._show_shapes(None if self.is_refined else self._simulation.rate)

    def _show_shapes(self, rate):
        """rate: frames per second, None where they are of the frame that is shown."""
        for member in self._simulation.members:
            obj, shape = member.find(), self.shapes.get(member.uid)
            if shape is not None:  # else it has joined the others, and was not simulated yet
                preview_view.show(obj, shape, self._simulation.fit_maps_of(member, obj), rate)

    def _hide(self):
        for member in self._simulation.members:
            preview_view.hide(member.find())

    def update_fit(self):
        """The fit map was switched on or off; while a step is under way, the next one sees it."""
        if self.shown is not None and self._simulation.ready():
            self._simulation.update_fit()
            self._show_shapes(None)

    def restart(self):
        obj, scene, depsgraph = self.objects()
        self._simulation.interrupt()
        if not self._simulation.begin_again(obj, scene, depsgraph):
            self._build(obj, scene)
        self.note = ""
        self._stepped = 0.0
        self.shapes = {}
        self._hide()
        preview_view.begin(self._simulation.shapes())

    def _is_edited(self):
        """Whether a mesh is being edited; afterwards the cloth goes on with what it became."""
        editing = any(map(arrays.is_edited, self.garments()))
        if editing:
            self.note = "paused until Edit Mode is left"
        elif self._editing:
            self.note = ""
            obj, scene, _ = self.objects()
            self._simulation.check_meshes()
            self._build(obj, scene, keep_state=True)
        self._editing = editing
        return editing

    def _take_settings(self, obj, scene):
        """Sliders act at once; only what changes the mesh or the solver needs rebuilding."""
        if self._simulation.settings_changed(obj):
            self._build(obj, scene, keep_state=True)

    def _measure(self):
        now = perf_counter()
        self.steps += 1
        if self._stepped and now > self._stepped:
            speed = 1.0 / (now - self._stepped)
            old = self.frames_per_second or speed
            self.frames_per_second = old + SMOOTHING * (speed - old)
        self._stepped = now
        if now >= self._next_statistics:
            running.statistics.update(dict.fromkeys(self.uids, rows(self._simulation)))
            self._next_statistics = now + STATISTICS_EVERY

    # Along the timeline

    @property
    def is_refined(self):
        """Whether the timeline has paused: the frame stays, and only gets finer."""
        return self._paused is not None

    def follow_frame(self, scene):
        obj, _, depsgraph = self.objects()
        frame, first = scene.frame_current, obj.muslin.frames(scene)[0]
        self._followed = perf_counter()
        if self._paused is not None:  # the motion continues as without the pause
            self._simulation.abort()
            self._simulation.restore(self._paused)
            self._paused = None
        if self._is_edited():
            return
        if frame == first:
            self.restart()
            self.begin_at_rest()
        elif frame == self.frame + 1:
            if self._at_rest.is_under_way:  # settling is no motion
                self._at_rest.finish(self._simulation)
                preview_view.begin(self._simulation.shapes())
            self._take_settings(obj, scene)
            self._simulation.feed(obj, scene, depsgraph)
            self._simulation.start()
            self._simulation.collect()
            self._measure()
            self.show(depsgraph)
            self.note = self._simulation.feeder.jumped
        elif frame != self.frame:
            self.note = (
                f"paused: the timeline jumped to {frame}. Go to frame {self.frame + 1} to continue "
                f"or to {first} to restart; Play Every Frame never jumps"
            )

    def begin_at_rest(self):
        """The cloth is where it is in the scene: what is worn settles, in a preview on play until it moves on."""
        obj, scene, depsgraph = self.objects()
        if self._at_rest.begin(obj, self._simulation, scene, depsgraph):
            self._simulation.update_fit()
            self.show(depsgraph, is_still=True)
        self.note = self._at_rest.text

    def _come_to_rest(self, depsgraph):
        """One step of settling is shown, and the next begun: not before, since no two threads may ask a cloth."""
        if self._simulation.started and self._simulation.collect():
            self._measure()
            self.show(depsgraph, is_still=True)
        self._at_rest.advance(self._simulation)
        self.note = self._at_rest.text
        self._is_restless = self._at_rest.is_restless

    def pause(self):
        """The timeline stands still: refine what is too fine for it, step by step, and show it."""
        simulation = self._simulation
        if not simulation.ready():
            return
        _, _, depsgraph = self.objects()
        is_edited = any(map(arrays.is_edited, self.garments()))
        if self._at_rest.is_under_way and not is_edited:
            self._come_to_rest(depsgraph)
            return
        if (
            perf_counter() - self._followed < PAUSE
            or is_edited
            or self.shown is None  # as it is in the scene: nothing was simulated yet
            or simulation.levels.level_count < 2
            or simulation.frame != bpy.data.scenes[self.scene_name].frame_current
        ):
            return
        simulation.check_meshes()
        if simulation.started and simulation.collect():
            self._measure()
            self.show(depsgraph)
        if self._paused is None:
            self._paused = simulation.snapshot()
        if not self.settled:
            simulation.start(refining=True)

    # Draping on a fixed frame

    def advance(self, seconds):
        """Take what the last step gave, show it, and begin the next; waits at most so long."""
        obj, scene, depsgraph = self.objects()
        if not self._follow_edits(obj, scene, depsgraph):
            return
        simulation = self._simulation
        if not simulation.ready(seconds) or (self.settled and perf_counter() < self._next_look):
            return
        self._next_look = perf_counter() + LOOK_EVERY
        if self._at_rest.is_under_way:
            self._come_to_rest(depsgraph)
            return
        if simulation.started and simulation.collect():
            self._measure()
            report = simulation.settling
            if self._settles and report is not None:
                self._settles = not report.settled
                self.note = f"{1e3 * report.mean:.2g} mm/s" if self._settles else ""
                self._is_restless = report.settled and not report.came_to_rest
            self.show(depsgraph)
        self._simulation = self._edits.hand_over(simulation, obj, scene, depsgraph)
        self._take_settings(obj, scene)
        self._simulation.feeder.hands = self._hands.follow(self._simulation)
        self._simulation.feed(obj, scene, depsgraph)
        self.note = self._simulation.feeder.jumped or self.note
        rests = self._simulation.rests()
        if self._settles:
            self._simulation.begin(self._simulation.settle)
        elif not (rests and self.settled):
            self._simulation.start(refining=rests)

    def settle(self, obj):
        """Go to the shape at rest, step by step; afterwards it drapes as usual. The solver of threads can only drape. A worn garment
        whose placement is better on the modelled pose of the body comes from there."""
        can_settle = not garment_settings.is_woven(obj.muslin)
        if can_settle and self._simulation.feeder.colliders.are_posed(obj):
            self.begin_at_rest()
        self._settles = can_settle and not self._at_rest.is_under_way

    def _follow_edits(self, obj, scene, depsgraph):
        """Whether it can go on. An edited mesh is shown at once: the old shape fits no more."""
        simulation = self._edits.follow(self._simulation, obj, scene, depsgraph)
        if simulation is None:
            self._hide()
        elif simulation is not self._simulation:
            self._simulation = simulation
            self._at_rest.drop()
            self._register()
            self.show(depsgraph)
        return simulation is not None

    # The end

    def hold(self, note=""):
        """No more steps; the shape stays shown until it is kept or discarded."""
        self._edits.stop()
        self._hands.drop()
        self._simulation.abort()
        self._at_rest.drop()
        self.mode, self.note = HELD, note

    def close(self):
        self._edits.stop()
        self._simulation.close()
        self._at_rest.drop()


def begin(obj, scene, mode, settle=False):
    """A preview of a garment, or the one it has, in another mode. settle: see Preview.settle."""
    now = _begun(obj, scene, mode)
    for uid in now.uids:
        running.errors.pop(uid, None)
    if settle:
        now.settle(obj)
    if mode == TIMELINE and now.shown is None:
        now.begin_at_rest()
    return now


def _begun(obj, scene, mode):
    refuse_linked(obj)
    now = running.previews.get(lookup.ensure_uid(obj))
    if now is None:
        return Preview(obj, scene, mode)
    now._simulation.abort()
    now._at_rest.drop()
    worn = partners(obj, scene, depsgraph_of(scene, obj).view_layer)
    if [lookup.ensure_uid(each) for each in worn] != now.uids:
        now._build(obj, scene, keep_state=True)  # another one is worn with it now
    if mode == DRAPE:
        now._edits.begin_again()
        now._paused = None  # it goes on from what is seen
    else:
        now._simulation.check_meshes()
    now.mode, now.note, now.scene_name = mode, "", scene.name
    now._next_look = 0.0
    return now


def frame_changed(scene):
    """For the handler: every preview along this scene's timeline takes its step."""
    for preview in running.all_previews():
        if preview.mode == TIMELINE and preview.scene_name == scene.name:
            try:
                preview.follow_frame(scene)
            except Problem as problem:
                end(preview, problem)


def watch():
    """Refine previews along the timeline while that stands still."""
    if not bpy.app.background and not bpy.app.timers.is_registered(_look):
        bpy.app.timers.register(_look, first_interval=LOOK_EVERY)


def _look():
    """For the timer. Seconds until the next look; None: no more."""
    watched = [preview for preview in running.all_previews() if preview.mode == TIMELINE]
    windows = bpy.context.window_manager.windows
    if watched and not any(window.screen.is_animation_playing for window in windows):
        for preview in watched:
            try:
                before = preview.text
                preview.pause()
                if preview.text != before:
                    running.redraw()
            except Problem as problem:
                end(preview, problem)
    return LOOK_EVERY if watched else None


def end(preview, problem):
    """A preview that cannot go on. Its shape stays shown as long as it fits the mesh."""
    words = str(problem)
    note_error(preview._simulation.members, problem)
    running.last_words.update(dict.fromkeys(preview.uids, words))
    if not are_there(preview._simulation.members):
        discard(preview.uid)
    else:
        preview.hold(words)


def discard(uid):
    """End a preview and hide it. Whether there was one."""
    preview = running.previews.get(uid)
    if preview is None:
        return False
    for each in [each for each, found in running.previews.items() if found is preview]:
        del running.previews[each]
        preview_view.hide_everywhere(each)
    preview.close()
    return True


def tidy():
    """After undo and redo: previews whose garment is gone end, and none is shown that is over."""
    for preview in running.all_previews():
        if not preview.garments():
            discard(preview.uid)
    for obj in bpy.data.objects:
        if obj.library is None and obj.type == "MESH" and obj.muslin.uid not in running.previews:
            if running.bake is None or obj.muslin.uid not in running.bake.uids:
                preview_view.hide(obj)
