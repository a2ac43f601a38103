# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels in a real window: a cloth on a sphere, draped and baked, with both places open.

Looks at the pictures are for people; what fails here is anything that a panel prints while it is
drawn, and any state that does not come.
"""

import sys
import tempfile
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import bpy
import screen
from listener import Listener
from mathutils import Vector

FRAMES = 6  # at 10 a second: without a graphics card each takes a second to draw
PAGE = 5  # sections on a picture; what is below the window's edge is drawn, too
TAB_BELOW = 161  # pixels from the sidebar's top to the middle of our tab, after Item, Tool, View
REST = 0.2  # seconds in which panels come to rest
LONGEST = 120.0  # seconds that draping or baking may take


LISTENER = Listener(sys.stderr)
shown = []  # the panels of the page that is open, if any
pages = count()


def window():
    return bpy.context.window_manager.windows[0]


def area_of(kind):
    return next(area for area in window().screen.areas if area.type == kind)


def in_window():
    """Blender's clock calls without a window; buttons need one."""
    return bpy.context.temp_override(window=window(), area=area_of("VIEW_3D"))


def close_area(kind):
    """More room for what is tested."""
    with bpy.context.temp_override(window=window(), area=area_of(kind)):
        bpy.ops.screen.area_close()


def arrange():
    """A 3D view and properties of a usual width; the window is smaller than a monitor."""
    for kind in ("OUTLINER", "DOPESHEET_EDITOR", "PROPERTIES"):
        close_area(kind)
    with in_window():
        bpy.ops.screen.area_split(direction="VERTICAL", factor=0.6)
    yield from screen.drawn()  # both know their place from then on
    right = max(window().screen.areas, key=lambda area: area.x)
    right.type = "PROPERTIES"
    yield from screen.drawn()


def show_sidebar():
    """Our tab of the sidebar. Blender 3.4 cannot choose a tab by Python, but a click can."""
    area = area_of("VIEW_3D")
    area.spaces.active.show_region_ui = True
    area.spaces.active.show_region_toolbar = False
    yield from screen.drawn()
    region = next(region for region in area.regions if region.type == "UI")
    try:
        region.active_panel_category = "Muslin"
    except AttributeError:
        x, y = region.x + region.width - 11, region.y + region.height - TAB_BELOW
        window().event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=y)
        for value in ("PRESS", "RELEASE"):
            yield from screen.drawn()
            window().event_simulate(type="LEFTMOUSE", value=value, x=x, y=y)
    yield from screen.drawn()


def make_scene():
    """A sheet above a sphere, seen from the front and a little from above."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.4, segments=32, ring_count=16)
    bpy.ops.object.shade_smooth()
    ball = bpy.context.object
    ball.name = "Body"
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=30, y_subdivisions=30, size=1.5)
    bpy.ops.object.shade_smooth()
    sheet = bpy.context.object
    sheet.name = "Sheet"
    sheet.location.z = 0.42
    bpy.context.scene.frame_end = FRAMES
    bpy.context.scene.render.fps = 10
    space = area_of("VIEW_3D").spaces.active
    space.overlay.show_overlays = False  # the grid costs as much as all the rest that is drawn
    view = space.region_3d
    view.view_distance = 4.2
    view.view_location = beside(view, 1.0) + Vector((0.0, 0.0, -0.1))
    return sheet, ball


def beside(view, distance):
    """A place to look at that brings the origin so many metres to the left: the sidebar covers the right."""
    return view.view_rotation @ Vector((distance, 0.0, 0.0))


def until(ready, what):
    """Waits, drawing, until something is so."""
    waited = 0.0
    while not ready():
        if waited > LONGEST:
            raise TimeoutError(what)
        waited += 0.1
        yield 0.1


def window_1_arrange():
    sys.stderr = LISTENER
    yield from arrange()
    with in_window():
        make_scene()
    yield from screen.drawn()
    area_of("PROPERTIES").spaces.active.context = "PHYSICS"
    yield from show_sidebar()
    yield from picture("panel_not_yet")


def window_2_drape():
    sheet, ball = bpy.data.objects["Sheet"], bpy.data.objects["Body"]
    with in_window():
        assert bpy.ops.muslin.add() == {"FINISHED"}
    assert sheet.muslin.enabled
    item = sheet.muslin.colliders.add()
    item.object = ball
    with in_window():
        bpy.ops.muslin.drape_now("INVOKE_DEFAULT")
    yield from until(lambda: lowest(sheet) < -0.1, "the sheet did not fall")
    yield from picture("panel_draping")
    with in_window():
        bpy.ops.muslin.stop()
    yield from picture("panel_draped")
    assert lowest(sheet) < -0.1, f"the stopped sheet is not shown: lowest at {lowest(sheet)}"
    with in_window():
        bpy.ops.muslin.discard()
    yield from screen.drawn()
    assert all(
        vertex.co.z == 0.0 for vertex in evaluated(sheet)
    ), "discarding left something behind"


def at_work():
    from addon import running

    return running


def evaluated(obj):
    return obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices


def lowest(obj):
    return min(vertex.co.z for vertex in evaluated(obj))


def window_3_bake():
    """From where the sheet starts: a window draws each step of settling; window_first_hour waits for that."""
    sheet = bpy.data.objects["Sheet"]
    sheet.muslin.settle_first = False
    with in_window():
        bpy.ops.muslin.bake("INVOKE_DEFAULT")
    yield from until(lambda: at_work().bake.bakes[0].done > 0, "the bake did not begin")
    yield from picture("panel_baking")
    yield from until(lambda: sheet.muslin.baked.frame_end == FRAMES, "the bake did not end")
    bpy.context.scene.frame_set(FRAMES)
    yield from picture("panel_baked")


def window_4_every_section():
    """Each section open once, in both places."""
    from addon import panels

    with in_window():
        bpy.ops.muslin.check()
    names = [section.name for section in panels.SECTIONS]
    for page in range(0, len(names), PAGE):
        open_only(names[page : page + PAGE])
        yield from picture(f"panel_page_{page // PAGE + 1}")


def window_5_swatches():
    """Every fabric of Muslin has an icon of its own; icons are made only where there is a window."""
    from addon.fabric import fabric_list

    icons = [icon for _, _, _, icon, _ in fabric_list.items()]
    assert len(icons) >= 14 and len(set(icons)) == len(icons), icons
    assert all(isinstance(icon, int) and icon > 0 for icon in icons), icons


def open_only(names):
    """Whether a section is open can only be said when it is registered."""
    from addon import panels

    for kind in reversed(shown or panels.CLASSES):
        bpy.utils.unregister_class(kind)
    page = f"_{next(pages)}"  # Blender remembers by its name what was open
    shown[:] = [turned(kind, page, names) for kind in panels.CLASSES]
    for kind in shown:
        bpy.utils.register_class(kind)


def turned(kind, page, names):
    """A panel for this page alone."""
    members = {"bl_idname": kind.bl_idname + page, "bl_options": set()}
    if hasattr(kind, "bl_parent_id"):
        members["bl_parent_id"] = kind.bl_parent_id + page
        if not kind.bl_idname.endswith(tuple(names)):
            members["bl_options"] = {"DEFAULT_CLOSED"}
    return type(members["bl_idname"], (kind,), members)


def picture(name):
    """As screen.picture, when panels have come to rest: opening and growing is animated."""
    for area in window().screen.areas:
        area.tag_redraw()
    yield REST
    for area in window().screen.areas:  # without the scene, which takes most of the time
        for region in area.regions:
            if area.type != "VIEW_3D" or region.type == "UI":
                region.tag_redraw()
    return (yield from screen.picture(name))


def window_6_step_warnings():
    """All that a step can tell, while it drapes, while it bakes and afterwards."""
    sheet = bpy.data.objects["Sheet"]
    with all_step_warnings():
        open_only(["preview"])
        press("drape_now", "INVOKE_DEFAULT")
        preview = at_work().previews[sheet.muslin.uid]
        yield from until(
            lambda: len(preview.step_warnings) == 3, "not all warnings were shown of a step"
        )
        yield from picture("panel_step_warnings_draping")
        press("stop")
        yield from picture("panel_step_warnings_draped")
        press("discard")
        open_only(["bake"])
        press("bake", "INVOKE_DEFAULT")
        yield from until(
            lambda: len(at_work().bake.step_warnings) == 3, "not all warnings were shown of a frame"
        )
        yield from picture("panel_step_warnings_baking")
        yield from until(lambda: at_work().bake is None, "the bake did not end")
    yield from picture("panel_step_warnings_baked")


def press(button, *how):
    with in_window():
        getattr(bpy.ops.muslin, button)(*how)


@contextmanager
def all_step_warnings():
    """Every step tells of everything that can go wrong in one."""
    from addon.muslin.inspection.verdict import WORDS
    from addon.simulation.simulation import StepWarnings

    step, look = SimpleNamespace(**dict.fromkeys(WORDS, 1)), StepWarnings.look
    StepWarnings.look = lambda self, frame, _: look(self, frame, step)
    yield
    StepWarnings.look = look


def window_7_bad_start():
    """Check, of a sheet that begins within the body."""
    sheet = bpy.data.objects["Sheet"]
    sheet.location.z = 0.1
    press("check")
    open_only(["check"])
    yield from picture("panel_bad_start")


def window_8_file_of_a_stranger():
    """It names a folder outside of its own."""
    bpy.data.objects["Sheet"].muslin.cache_folder = "//../somebody/else/has/named/this/folder"
    with tempfile.TemporaryDirectory(prefix="muslin-window-") as folder:
        path = str(Path(folder) / "stranger.blend")
        with in_window():
            bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
            bpy.ops.wm.open_mainfile(filepath=path, load_ui=False)
        open_only(["bake"])
        yield from picture("panel_of_a_stranger")


def put_back():
    """The panels as the add-on has them."""
    from addon import panels

    for kind in reversed(shown):
        bpy.utils.unregister_class(kind)
    for kind in panels.CLASSES:
        bpy.utils.register_class(kind)
    shown.clear()
    yield from screen.drawn()


def expect_no_errors():
    """From now on nobody listens."""
    sys.stderr = LISTENER.stream
    heard = LISTENER.text()
    assert "Traceback" not in heard and "Error" not in heard, heard


def window_9_as_it_was():
    yield from put_back()
    expect_no_errors()
