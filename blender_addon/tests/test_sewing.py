# SPDX-License-Identifier: GPL-3.0-or-later
"""Sewing in Blender: loose edges as seams, ropes beside them, an elastic, and a garment cut into panels."""

import unittest

import bpy
import fake_layout
import numpy as np
import scenes
from support import addon

SIZE = 5


def two_pieces(apart=0.2, rope=True):
    """Two sheets with loose edges between them, and a rope that hangs on one."""
    line = np.linspace(0, 0.4, SIZE)
    points = [(x + start, y, 1.0) for start in (0.0, 0.4 + apart) for y in line for x in line]
    faces = [
        tuple(first + row * SIZE + column + k for k in (0, 1, SIZE + 1, SIZE))
        for first in (0, SIZE * SIZE)
        for row in range(SIZE - 1)
        for column in range(SIZE - 1)
    ]
    stitches = [(row * SIZE + SIZE - 1, SIZE * SIZE + row * SIZE) for row in range(SIZE)]
    edges = list(stitches)
    if rope:
        points += [(0.0, 0.0, 0.9), (0.0, 0.0, 0.8)]
        edges += [(0, 50), (50, 51)]
    mesh = bpy.data.meshes.new("Pieces")
    mesh.from_pydata(points, edges, faces)
    obj = bpy.data.objects.new("Pieces", mesh)
    bpy.context.scene.collection.objects.link(obj)
    scenes.select(obj)
    bpy.ops.muslin.add()
    obj.muslin.output = "pc2"
    bpy.context.view_layer.update()
    return obj, np.array(stitches)


def simulation_of(obj, scene):
    return addon("simulation.simulation").Simulation(
        obj, scene, bpy.context.evaluated_depsgraph_get()
    )


def gaps(positions, stitches):
    return np.linalg.norm(positions[stitches[:, 0]] - positions[stitches[:, 1]], axis=1)


class SewingTest(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()

    def run_steps(self, obj, count=24):
        simulation = simulation_of(obj, self.scene)
        self.addCleanup(simulation.close)
        for _ in range(count):
            simulation.step()
        return simulation

    def test_loose_edges_are_ropes_until_they_are_to_be_sewn(self):
        obj, stitches = two_pieces()
        simulation = self.run_steps(obj, 8)
        self.assertGreater(gaps(simulation.positions_world(), stitches).min(), 0.1)
        obj.muslin.sewing.enabled = True
        self.assertTrue(simulation.settings_changed(obj), "another cloth is needed")
        simulation = self.run_steps(obj)
        positions = simulation.positions_world()
        self.assertLess(gaps(positions, stitches).max(), 1e-3)
        rope = np.linalg.norm(positions[50] - positions[0])
        self.assertAlmostEqual(float(rope), 0.1, delta=0.02)  # it is a rope all the same

    def test_elastics_gather_and_let_go(self):
        obj, _ = two_pieces(rope=False)
        obj.muslin.gravity = 0.0
        for name, first in (("Waist", 0), ("Cuff", SIZE * SIZE)):
            group = obj.vertex_groups.new(name=name)
            group.add(list(range(first, first + SIZE)), 1.0, "REPLACE")
            bpy.ops.muslin.add_elastic()
            elastic = obj.muslin.sewing.elastics[-1]
            elastic.group, elastic.share = name, 0.5
        elastic.release = 5
        simulation = self.run_steps(obj, 48)

        def lengths():
            rows = simulation.positions_world().reshape(2, SIZE * SIZE, 3)[:, :SIZE]
            return np.linalg.norm(np.diff(rows, axis=1), axis=2).sum(axis=1)

        self.assertLess(lengths().max(), 0.385)
        self.scene.frame_set(5)
        simulation.feed(obj, self.scene, bpy.context.evaluated_depsgraph_get())
        for _ in range(24):
            simulation.step()
        waist, cuff = lengths()
        self.assertLess(waist, 0.385)
        self.assertGreater(cuff, 0.395)
        bpy.ops.muslin.remove_elastic(number=1)
        self.assertEqual(len(obj.muslin.sewing.elastics), 1)
        obj.vertex_groups.clear()
        with self.assertRaisesRegex(addon("scene.problems").Problem, "that sewing needs"):
            simulation_of(obj, self.scene)

    def test_starting_again_opens_the_seams(self):
        obj, stitches = two_pieces(rope=False)
        obj.muslin.sewing.enabled = True
        simulation = self.run_steps(obj)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        self.assertTrue(simulation.begin_again(obj, self.scene, depsgraph))
        self.assertGreater(gaps(simulation.positions_world(), stitches).min(), 0.19)
        for _ in range(24):
            simulation.step()
        self.assertLess(gaps(simulation.positions_world(), stitches).max(), 1e-3)

    def unwrapped_tube(self):
        """A garment, cut open along one line in its UV map."""
        bpy.ops.mesh.primitive_cylinder_add(
            vertices=16, radius=0.2, depth=0.4, end_fill_type="NOTHING"
        )
        obj = bpy.context.object
        layer = obj.data.uv_layers.active or obj.data.uv_layers.new()
        step = 2 * np.pi * 0.2 / 16
        for number, polygon in enumerate(sorted(obj.data.polygons, key=self.angle)):
            for loop in polygon.loop_indices:
                x, y, z = obj.data.vertices[obj.data.loops[loop].vertex_index].co
                place = np.arctan2(y, x) % (2 * np.pi) / (2 * np.pi) * 16
                place += (
                    16 if place < number - 0.5 else 0
                )  # the last face ends where the first began
                layer.data[loop].uv = (step * place, z)
        bpy.ops.muslin.add()
        obj.muslin.output = "pc2"
        return obj

    def test_panels_have_nothing_of_what_belongs_to_the_garment(self):
        obj = self.unwrapped_tube()
        obj.vertex_groups.new(name="S").add([0, 1], 1.0, "REPLACE")
        obj.muslin.size_group = "S"
        obj.muslin.sewing.tacks.add().group = "S"
        obj.muslin.baked.kind = "pc2"
        obj.constraints.new("LIMIT_LOCATION")
        for frame, x in ((1, 1.0), (10, 2.0)):
            obj.location.x = x
            obj.keyframe_insert("location", frame=frame)
        bpy.context.scene.frame_set(1)
        bpy.ops.muslin.cut_pattern()
        made = bpy.context.object
        self.assertEqual((made.muslin.size_group, len(made.muslin.sewing.tacks)), ("", 0))
        self.assertEqual((made.muslin.baked.kind, obj.muslin.baked.kind), ("", "pc2"))
        bpy.context.scene.frame_set(5)
        self.assertEqual((*made.matrix_world.translation, len(made.constraints)), (0, 0, 0, 0))
        self.run_steps(made)

    def test_a_tube_is_cut_into_panels_and_sewn(self):
        obj = self.unwrapped_tube()
        self.assertEqual(bpy.ops.muslin.cut_pattern(), {"FINISHED"})
        made = bpy.context.object
        self.assertIsNot(made, obj)
        self.assertTrue(obj.hide_get())
        self.assertEqual(len(made.data.vertices), len(obj.data.vertices) + 2)
        self.assertTrue(made.muslin.sewing.enabled)
        bpy.context.view_layer.update()
        stitches = np.array([e.vertices[:] for e in made.data.edges if e.is_loose])
        self.assertEqual(len(stitches), 2)
        positions = self.run_steps(made).positions_world()
        self.assertLess(gaps(positions, stitches).max(), 1e-3)

    @staticmethod
    def angle(polygon):
        return np.arctan2(polygon.center[1], polygon.center[0]) % (2 * np.pi)

    def strapped(self):
        """A sheet that is tacked to a ball by one corner until frame 5, the tack, and a simulation of it."""
        obj = scenes.garment(pins=False, size=5, side=0.4)
        body = scenes.ball(radius=0.2, moving=False)
        body.location = (-0.2, -0.2, 1.25)
        scenes.select(obj)
        bpy.context.view_layer.update()
        obj.muslin.colliders.add().object = body
        obj.vertex_groups.new(name="Strap").add([0], 1.0, "REPLACE")
        bpy.ops.muslin.add_tack()
        tack = obj.muslin.sewing.tacks[0]
        tack.group, tack.target, tack.release = "Strap", body, 5
        simulation = simulation_of(obj, self.scene)
        self.addCleanup(simulation.close)
        return obj, tack, simulation

    def test_a_tack_holds_to_a_body_and_lets_go(self):
        obj, tack, simulation = self.strapped()
        start = simulation.positions_world()[0].copy()
        for _ in range(12):
            simulation.step()
        self.assertLess(np.linalg.norm(simulation.positions_world()[0] - start), 0.08)
        self.scene.frame_set(5)
        simulation.feed(obj, self.scene, bpy.context.evaluated_depsgraph_get())
        for _ in range(24):
            simulation.step()
        self.assertLess(simulation.positions_world()[0, 2], 0.5)
        tack.target = bpy.data.objects.new("Nothing", None)
        with self.assertRaisesRegex(
            addon("scene.problems").Problem, "neither one of its colliders"
        ):
            simulation_of(obj, self.scene)

    def test_a_tack_holds_again_when_the_timeline_starts_again(self):
        obj, _, simulation = self.strapped()
        for frame in (5, 1):  # let go, then back
            self.scene.frame_set(frame)
            depsgraph = bpy.context.evaluated_depsgraph_get()
            simulation.feed(obj, self.scene, depsgraph)
            simulation.step()
        self.assertTrue(simulation.begin_again(obj, self.scene, depsgraph))
        start = simulation.positions_world()[0].copy()
        for _ in range(12):
            simulation.step()
        self.assertLess(np.linalg.norm(simulation.positions_world()[0] - start), 0.08)

    def follow(self, obj, simulation, frames):
        """Step through frames; the positions of each."""
        found = []
        for frame in frames:
            self.scene.frame_set(frame)
            simulation.feed(obj, self.scene, bpy.context.evaluated_depsgraph_get())
            simulation.step()
            found.append(simulation.positions_world().tobytes())
        return found

    def test_going_back_and_on_gives_the_same_bytes(self):
        """An elastic and a strap that lets go at frame 5, from a state before that, and from the start."""
        obj, _, simulation = self.strapped()
        simulation.close()
        obj.vertex_groups.new(name="Waist").add(range(5), 1.0, "REPLACE")
        bpy.ops.muslin.add_elastic()
        elastic = obj.muslin.sewing.elastics[0]
        elastic.group, elastic.share = "Waist", 0.5
        simulation = simulation_of(obj, self.scene)
        self.addCleanup(simulation.close)
        before = self.follow(obj, simulation, (2, 3))
        state = simulation.snapshot()
        after = self.follow(obj, simulation, range(4, 9))
        simulation.restore(state)
        self.assertEqual(self.follow(obj, simulation, range(4, 9)), after)
        self.scene.frame_set(1)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        self.assertTrue(simulation.begin_again(obj, self.scene, depsgraph))
        self.assertEqual(self.follow(obj, simulation, range(2, 9)), before + after)

    def test_what_holds_again_is_as_long_as_at_first(self):
        """Back before the release without another state: the strap has the length of the start, and is not measured
        where the cloth has fallen to."""
        obj, _, simulation = self.strapped()
        self.follow(obj, simulation, (*range(2, 8), 4))
        report = simulation.cloth.link_report()
        self.assertEqual(report.released, 0)
        self.assertGreater(report.largest_gap, 0.02)

    def test_seams_open_at_a_frame(self):
        obj, stitches = two_pieces(rope=False)
        sewing = obj.muslin.sewing
        sewing.enabled, sewing.release = True, 10
        obj.vertex_groups.new(name="Pin").add(range(SIZE * SIZE), 1.0, "REPLACE")
        obj.muslin.pin_group = "Pin"
        simulation = simulation_of(obj, self.scene)
        self.addCleanup(simulation.close)
        self.follow(obj, simulation, range(2, 10))
        self.assertLess(gaps(simulation.positions_world(), stitches).max(), 1e-3)
        self.follow(obj, simulation, range(10, 16))
        self.assertGreater(gaps(simulation.positions_world(), stitches).min(), 0.1)

    def test_a_tack_between_garments(self):
        inner = scenes.garment("Inner", size=5, side=0.4)
        outer = scenes.garment("Outer", pins=False, size=5, side=0.4, height=1.05)
        for obj, layer in ((inner, 1), (outer, 2)):
            obj.muslin.together, obj.muslin.layer, obj.muslin.output = True, layer, "pc2"
            obj.vertex_groups.new(name="Button").add([0, 4], 1.0, "REPLACE")
        scenes.select(outer)
        bpy.ops.muslin.add_tack()
        tack = outer.muslin.sewing.tacks[0]
        tack.group, tack.target, tack.target_group = "Button", inner, "Button"
        bpy.context.view_layer.update()
        self.assertFalse(any(f.stops for f in addon("check.check_ui").look(outer, bpy.context)))
        bpy.ops.muslin.drape_now(frames=16)
        preview = scenes.running().previews[outer.muslin.uid]
        ways = preview.shapes[outer.muslin.uid] - preview.shapes[inner.muslin.uid]
        self.assertLess(np.linalg.norm(ways[[0, 4]], axis=1).max(), 0.08)
        bpy.ops.muslin.discard()
        self.assertEqual(bpy.ops.muslin.bake(), {"FINISHED"})

    def test_the_section_is_drawn(self):
        obj, _ = two_pieces()
        sections = {section.name: section for section in addon("panels").SECTIONS}
        drawn = fake_layout.draw(sections["sewing"], obj).drawn
        for entry in (
            ("prop", "enabled"),
            ("operator", "muslin.add_elastic"),
            ("operator", "muslin.add_tack"),
            ("operator", "muslin.cut_pattern"),
        ):
            self.assertIn(entry, drawn)


if __name__ == "__main__":
    unittest.main()
