# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes wrong within steps is reported: in the panel while it runs, and after a bake, with the frame since when."""

import unittest

import bpy
import fake_layout
import scenes
from support import addon

THROWN = "a step diverged, or tore the cloth, and was repeated with more substeps"
TORN = "contact stretched edges to more than one and a half times their length"


class TroubleTest(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()
        self.addCleanup(scenes.running().stop_everything)

    def thrown(self, **settings):
        """A sheet whose step is longer than 2 sqrt(m / k), by which symplectic Euler throws it apart."""
        obj = scenes.garment()
        method = {"model": "edge", "solver": "sweep", "sweep_method": "symplectic", "sweeps": 1}
        fabric = {"stretch_warp": 30.0, "stretch_weft": 30.0, "shear": 9.0}
        for name, value in {**method, **fabric, **settings}.items():
            setattr(obj.muslin, name, value)
        return obj

    def torn(self):
        """Limp cloth over two boxes, of which one is torn away upwards by some 12 m/s."""
        obj = scenes.garment(size=12, side=0.4, pins=False)
        obj.muslin.stretch_warp = obj.muslin.stretch_weft = 0.05
        obj.muslin.shear = 0.01
        for x, rise in ((-0.2, 0.0), (0.12, 4.5)):  # m
            bpy.ops.mesh.primitive_cube_add(size=0.4, location=(x, 0.0, 0.79))
            box = bpy.context.active_object
            box.scale.x = 0.5
            box.keyframe_insert("location", frame=1)
            box.location.z += rise
            box.keyframe_insert("location", frame=10)
            obj.muslin.colliders.add().object = box
        scenes.select(obj)
        return obj

    def frames_retried(self, obj):
        """As the statistics of every frame tell."""
        run, found = addon("api").start(obj), []
        for frame in range(2, 11):
            run.step(frame)
            if run._simulation.cloth.stats().retried:
                found.append(frame)
        run.stop()
        self.scene.frame_set(1)
        return found

    def queue(self, obj):
        plans = addon("bake.plans").plan_all([obj], self.scene)
        return addon("bake.bake_queue").BakeQueue(plans, self.scene)

    def baked(self, obj):
        queue = self.queue(obj)
        while queue.advance(None):
            pass
        return queue

    def panel(self, obj, section):
        layout = fake_layout.Layout()
        homes = {"draw_bake": "bake.bake_ui", "draw_preview": "preview.preview_ui"}
        home = addon(homes.get(section, "panels"))
        getattr(home, section)(layout, fake_layout.context_of(obj, width=9999), obj)
        return layout.text()

    def test_bake_tells_it_after_its_end(self):
        obj = self.thrown()
        frames = self.frames_retried(obj)
        self.assertGreater(len(frames), 1)
        queue = self.baked(obj)
        reported = f"n {len(frames)} frames, first in frame {frames[0]}, {THROWN}"
        (finding,) = queue.bakes[0].judge.findings
        self.assertEqual((finding.kind, finding.frame), ("retried", frames[0]))
        self.assertIn("I" + reported, finding.text)
        second, first = queue.summary()
        self.assertEqual((first[0], second[0]), ("WARNING", "WARNING"))
        self.assertIn("1 problem found", first[1])
        self.assertIn("Sheet: i" + reported, second[1])

    def test_buttons_of_a_bake(self):
        """The box below Bake has the sentence, and a way to the frame."""
        obj = self.thrown()
        bpy.ops.muslin.bake()
        self.assertIn(THROWN, self.panel(obj, "draw_bake"))
        (finding,) = addon("check.check_ui").last_findings(obj)
        bpy.ops.muslin.go_to_problem(index=0)
        self.assertEqual(self.scene.frame_current, finding.frame)

    def test_panel_while_it_bakes(self):
        obj = self.thrown()
        queue = self.queue(obj)
        self.assertNotIn(THROWN, self.panel(obj, "draw_running"))
        while queue.bakes[0].done < 8:
            self.assertTrue(queue.advance(0.001))
        self.assertIn(THROWN, self.panel(obj, "draw_running"))

    def test_bake_that_fails_tells_it_too(self):
        queue = self.baked(self.thrown(stretch_warp=4e6, stretch_weft=4e6, shear=1.2e6))
        self.assertEqual([kind for kind, _ in queue.summary()][-1], "ERROR")

    def test_parts_of_a_frame_count_for_the_frame_that_they_lead_to(self):
        obj = self.thrown(subframes=2)
        seen, simulation = [], addon("simulation.simulation").Simulation
        take = simulation._take

        def counted(this, step):
            take(this, step)
            if this.cloth.levels().retried:
                seen.append(1 + queue.bakes[0].done)  # the frame that is made

        simulation._take = counted
        self.addCleanup(setattr, simulation, "_take", take)
        queue = self.queue(obj)
        while queue.advance(None):
            pass
        found = {each.kind: each for each in queue.bakes[0].judge.step_warnings}
        warning = found["retried"]
        self.assertEqual(warning.first, seen[0])
        self.assertIn(f"n {len(set(seen))} frame", warning.text)

    def test_cloth_that_contact_would_have_torn(self):
        queue = self.baked(self.torn())
        self.assertIn(
            "mended", [each.kind for each in queue.bakes[0].judge.step_warnings], queue.summary()
        )
        self.assertIn(TORN, queue.summary()[0][1])

    def test_preview_on_play_tells_it_and_begins_anew(self):
        obj = self.thrown()
        frames = self.frames_retried(obj)
        bpy.ops.muslin.preview()
        for frame in range(2, 11):
            self.scene.frame_set(frame)
        reported = f"In {len(frames)} frames, first in frame {frames[0]}, {THROWN}"
        self.assertIn(reported, self.panel(obj, "draw_running"))
        self.assertNotIn(THROWN, self.panel(obj, "draw_preview"))
        bpy.ops.muslin.stop()
        self.assertIn(reported, self.panel(obj, "draw_preview"))
        bpy.ops.muslin.preview()
        self.scene.frame_set(1)
        self.assertNotIn(THROWN, self.panel(obj, "draw_running"))

    def test_drape_counts_steps(self):
        obj = self.thrown()
        bpy.ops.muslin.drape_now(frames=9)
        self.assertRegex(
            self.panel(obj, "draw_preview"), rf"In \d steps, first in step \d, {THROWN}"
        )
        bpy.ops.muslin.discard()
        self.assertNotIn(THROWN, self.panel(obj, "draw_preview"))

    def test_what_goes_well_is_not_reported(self):
        obj = scenes.garment()
        queue = self.baked(obj)
        self.assertEqual((queue.bakes[0].judge.step_warnings, queue.bakes[0].judge.words), ([], ""))
        self.assertEqual(len(queue.summary()), 1)
        bpy.ops.muslin.drape_now(frames=3)
        self.assertEqual(addon("running").step_warnings_of(obj), [])


if __name__ == "__main__":
    unittest.main()
