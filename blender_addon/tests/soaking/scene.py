# SPDX-License-Identifier: GPL-3.0-or-later
"""What an artist does to a scene meanwhile: time, objects, modes, renders."""

import bmesh
import bpy
import scenes

from .steps import leave_modes, press, select, step

MODES = ("EDIT", "EDIT", "EDIT", "SCULPT", "WEIGHT_PAINT", "VERTEX_PAINT", "TEXTURE_PAINT")
MODIFIERS = ("SUBSURF", "WAVE", "MIRROR", "SOLIDIFY", "CLOTH", "MESH_CACHE", "ARMATURE")
OBJECTS_MOST = 14  # so that a life does not get slower and slower


@step(6, pushes=False)
def wait(turn):
    yield turn.rng.random() * 0.15


@step(14, pushes=False)
def next_frame(turn):
    scene = bpy.context.scene
    scene.frame_set(scene.frame_current + 1)


@step(5, pushes=False)
def jump(turn):
    scene = bpy.context.scene
    scene.frame_set(turn.rng.randint(scene.frame_start - 3, scene.frame_end + 5))


@step(4, pushes=False)
def rewind(turn):
    bpy.context.scene.frame_set(bpy.context.scene.frame_start)


@step(3, pushes=False)
def play(turn):
    press("screen.animation_play")
    yield turn.rng.random() * 0.3
    if turn.rng.random() < 0.8:
        press("screen.animation_cancel", restore_frame=turn.rng.random() < 0.5)


@step(2)
def change_range(turn):
    scene = bpy.context.scene
    scene.frame_start = turn.rng.randint(-2, 3)
    scene.frame_end = scene.frame_start + turn.rng.randint(0, 20)


@step(1)
def change_clock(turn):
    render = bpy.context.scene.render
    render.fps = turn.rng.choice([24, 25, 30])
    render.frame_map_new = turn.rng.choice([100, 100, 50, 200])
    bpy.context.scene.unit_settings.scale_length = turn.rng.choice([1.0, 1.0, 0.01])


@step(4)
def move(turn):
    obj = turn.object()
    if obj is not None and obj.library is None:
        obj.location = [turn.rng.uniform(-0.5, 0.5) for _ in range(3)]
        obj.scale = [turn.rng.choice([1.0, 1.0, 0.5, -1.0, 0.0]) for _ in range(3)]
        if turn.rng.random() < 0.3:
            obj.keyframe_insert("location")


def must_stay(obj):
    """Whether it may leave only the scene that is shown. Blender 4.3 itself crashes, with or without add-ons, when an
    object of several scenes is deleted from all of them, that is undone, and another of the scenes is shown.
    """
    return bpy.app.version[:2] == (4, 3) and obj.library is None and len(obj.users_scene) > 1


@step(3)
def delete(turn):
    obj = turn.object()
    if obj is None:
        return
    leave_modes()
    kept = must_stay(obj)
    if turn.rng.random() < 0.5 or kept:
        select(obj)
        press("object.delete", use_global=turn.rng.random() < 0.3 and not kept)
    else:
        bpy.data.objects.remove(obj)


@step(1)
def delete_mesh(turn):
    leave_modes()
    kept = {obj.data for obj in bpy.data.objects if must_stay(obj)}
    mesh = turn.one_of([mesh for mesh in bpy.data.meshes if mesh not in kept])
    if mesh is not None:
        bpy.data.meshes.remove(mesh)


@step(4)
def rename(turn):
    obj = turn.object()
    if obj is not None and obj.library is None:
        obj.name = turn.rng.choice(["Sheet", "Coat", "a/b:c", "  .", "Ünïcode ✂", "x" * 60, "Ball"])


@step(4)
def duplicate(turn):
    if len(bpy.data.objects) < OBJECTS_MOST and turn.mesh() is not None:
        press("object.duplicate", linked=turn.rng.random() < 0.4)


@step(2)
def new_garment(turn):
    if len(bpy.data.objects) < OBJECTS_MOST:
        leave_modes()
        obj = scenes.grid(
            "Sheet", size=turn.rng.choice([3, 7, 11]), height=turn.rng.uniform(0.5, 1.5)
        )
        select(obj) if obj.name in bpy.context.view_layer.objects else None
        press("muslin.add")
        obj.muslin.cache_folder = str(turn.folder / "cache")


@step(2)
def hide(turn):
    obj = turn.object()
    if obj is not None:
        leave_modes()
        obj.hide_viewport = turn.rng.random() < 0.5 and obj.library is None
        obj.hide_set(turn.rng.random() < 0.5)


@step(1)
def unlink(turn):
    obj = turn.object()
    collections = [c for c in bpy.data.collections if c.library is None]
    place = turn.one_of([*obj.users_collection]) if obj is not None else None
    if place is not None and place.library is None and place.override_library is None:
        leave_modes()
        place.objects.unlink(obj)
        to = turn.one_of(collections)
        if to is not None and to.override_library is None and turn.rng.random() < 0.7:
            to.objects.link(obj)


@step(2)
def parent(turn):
    obj, other = turn.object(), turn.object()
    if obj is not None and obj.library is None and obj != other and other.parent != obj:
        obj.parent = turn.rng.choice([None, other])


@step(3)
def modifier(turn):
    obj = turn.mesh()
    if obj is None or obj.library is not None:
        return
    if obj.modifiers and turn.rng.random() < 0.6:
        name = turn.one_of(obj.modifiers).name
        if turn.rng.random() < 0.5:
            press("object.modifier_remove", modifier=name)
        else:
            press("object.modifier_move_to_index", modifier=name, index=0)
    elif len(obj.modifiers) < 4:
        made = obj.modifiers.new("Artist", turn.rng.choice(MODIFIERS))
        if made is not None and made.type == "SUBSURF":
            made.levels = made.render_levels = 1


@step(1, may_model=True)
def apply_modifier(turn):
    obj = turn.mesh()
    if obj is not None and obj.modifiers:
        press("object.modifier_apply", modifier=turn.one_of(obj.modifiers).name)


@step(2)
def vertex_group(turn):
    obj = turn.mesh()
    if obj is None or obj.library is not None:
        return
    if obj.vertex_groups and turn.rng.random() < 0.5:
        obj.vertex_groups.remove(turn.one_of(obj.vertex_groups))
    else:
        group = obj.vertex_groups.new(name="Pins")
        count = len(obj.data.vertices)
        group.add(
            [turn.rng.randrange(count) for _ in range(3) if count], turn.rng.random(), "REPLACE"
        )


@step(2)
def shape_key(turn):
    if turn.mesh() is not None:
        names = ["shape_key_add", "shape_key_add", "shape_key_remove"]
        press(f"object.{turn.rng.choice(names)}")


@step(1)
def other_mesh(turn):
    """The object shows another mesh from now on."""
    obj = turn.mesh()
    mesh = turn.one_of([m for m in bpy.data.meshes if m.library is None])
    if obj is not None and obj.library is None and mesh is not None:
        obj.data = mesh if turn.rng.random() < 0.5 else mesh.copy()


@step(7, may_model=True, pushes=False)
def toggle_mode(turn):
    """Leaving a mode writes the mesh."""
    obj = bpy.context.view_layer.objects.active
    if obj is None:
        return
    if obj.mode != "OBJECT":
        press("object.mode_set", mode="OBJECT")
    elif turn.garment() is not None:
        press("object.mode_set", mode=turn.rng.choice(MODES))


@step(7, may_model=True)
def edit(turn):
    obj = turn.garment()
    if obj is None:
        return
    if obj.mode != "EDIT":
        leave_modes()
        press("object.mode_set", mode="EDIT")
    if obj.mode != "EDIT" or len(obj.data.vertices) > 2000:
        return
    mesh = bmesh.from_edit_mesh(obj.data)
    for vertex in mesh.verts:
        vertex.select_set(turn.rng.random() < 0.2)
    mesh.select_flush_mode()
    bmesh.update_edit_mesh(obj.data)
    names = [
        "subdivide",
        "delete",
        "vertices_smooth",
        "merge",
        "extrude_region",
        "flip_normals",
        "separate",
    ]
    name = turn.rng.choice(names)
    options = {
        "merge": {"type": "CENTER"},
        "delete": {"type": "VERT"},
        "separate": {"type": "SELECTED"},
    }
    press(f"mesh.{name}", **options.get(name, {}))
    if turn.rng.random() < 0.3:
        press("transform.translate", value=(0.0, 0.0, turn.rng.uniform(-0.2, 0.2)))


@step(2, may_model=True)
def transform(turn):
    if turn.mesh() is not None:
        press("object.transform_apply")


@step(1, may_model=True)
def join(turn):
    if turn.mesh() is not None:
        for obj in bpy.context.view_layer.objects:
            obj.select_set(obj.type == "MESH" and turn.rng.random() < 0.4 or obj.select_get())
        press("object.join")


@step(3)
def render(turn):
    """As by a script, or as by F12, whose handlers run in a thread of their own."""
    scene = bpy.context.scene
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x = scene.render.resolution_y = 24
    scene.render.filepath = str(turn.folder / "picture")
    scene.render.use_lock_interface = turn.rng.random() < 0.5
    bpy.context.preferences.view.render_display_type = "NONE"
    if scene.camera is None:
        scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    how = turn.rng.choice(["EXEC_DEFAULT", "INVOKE_DEFAULT"])
    press(
        "render.render",
        how,
        animation=turn.rng.random() < 0.3 and scene.frame_end - scene.frame_start < 8,
    )
    for _ in range(200):
        if not bpy.app.is_job_running("RENDER"):
            break
        yield 0.05


def _open_tab(region):
    try:
        region.active_panel_category = "Muslin"
    except (AttributeError, TypeError):  # read-only in older Blenders, unknown where nobody drew it
        return


@step(2, pushes=False)
def draw(turn):
    """Panels, overlays and another shading, all of it drawn."""
    for area in bpy.context.window_manager.windows[0].screen.areas:
        if area.type == "VIEW_3D":
            space = area.spaces.active
            space.show_region_ui = turn.rng.random() < 0.7
            space.overlay.show_overlays = turn.rng.random() < 0.7
            space.shading.type = turn.rng.choice(["SOLID", "SOLID", "WIREFRAME"])
            for region in area.regions:
                if region.type == "UI" and hasattr(region, "active_panel_category"):
                    _open_tab(region)
        area.tag_redraw()
    yield 0.0
    yield 0.0
