# SPDX-License-Identifier: GPL-3.0-or-later
"""Muslin's own buttons and settings."""

import bpy
from events import button, press as press_key

from .steps import Turn, press, select, step

NUMBERS = 4  # a number gets a value between a quarter of and four times its default
HIDDEN = ("rna_type", "name", "uid", "uid_owner", "live_pins", "cache_folder", "baked")


@step(8, pushes=False)
def drape(turn):
    if turn.garment() is not None:
        press("muslin.drape_now", "INVOKE_DEFAULT", settle=turn.rng.random() < 0.3)
        yield turn.rng.random() * 0.1


@step(1, pushes=False)
def drape_by_script(turn):
    if turn.garment() is not None:
        press("muslin.drape_now", frames=turn.rng.randint(1, 3))


@step(6, pushes=False)
def preview(turn):
    if turn.garment() is not None:
        press("muslin.preview")


@step(6, pushes=False)
def bake(turn):
    if turn.garment() is not None:
        which = turn.rng.choice(["bake", "bake", "bake_from_current", "continue_bake"])
        press(f"muslin.{which}", "INVOKE_DEFAULT", scope=turn.rng.choice(["ACTIVE", "ALL"]))
        yield turn.rng.random() * 0.2


@step(2, pushes=False)
def bake_by_script(turn):
    if turn.garment() is not None:
        press(f"muslin.{turn.rng.choice(['bake', 'bake_from_current', 'continue_bake'])}")


@step(4, pushes=False)
def free(turn):
    if turn.garment() is not None:
        press("muslin.free", scope=turn.rng.choice(["ACTIVE", "ALL"]))


@step(1, pushes=False)
def rescue(turn):
    if turn.garment() is not None:
        press("muslin.rescue")


@step(4, pushes=False)
def stop(turn):
    press("muslin.stop")


@step(4, pushes=False)
def discard(turn):
    if turn.garment() is not None:
        press("muslin.discard")


@step(3, may_model=True, pushes=False)
def keep(turn):
    if turn.garment() is not None:
        press("muslin.keep", mode=turn.rng.choice(["key", "mesh"]))


@step(5, pushes=False)
def escape(turn):
    press_key("ESC")
    yield 0.0


@step(3, pushes=False, by_clock=True)
def take_by_mouse(turn):
    """No key comes between what the mouse does."""
    at = turn.rng.randint(-60, 60), turn.rng.randint(-40, 40)
    shift, ctrl = turn.rng.choice([(False, False), (False, False), (True, False), (False, True)])
    button("PRESS", at, ctrl=ctrl, shift=shift)
    yield 0.0
    to = turn.rng.randint(-60, 60), turn.rng.randint(-40, 40)
    button("RELEASE", to, ctrl=ctrl, shift=shift)
    yield 0.0


@step(2, pushes=False)
def hands(turn):
    if turn.garment() is not None:
        press(f"muslin.{turn.rng.choice(['grab', 'let_go', 'keep_pins'])}")


@step(4, pushes=False)
def look(turn):
    """Check, and what else only looks."""
    if turn.garment() is not None:
        names = ["check", "check", "find_symmetry", "go_to_problem", "fit_colours"]
        press(f"muslin.{turn.rng.choice(names)}")


@step(2, pushes=False)
def select_problem(turn):
    if turn.garment() is not None:
        press(f"muslin.{turn.rng.choice(['select_problem', 'select_unpaired'])}")


@step(1, may_model=True, pushes=False)
def mend(turn):
    if turn.garment() is not None:
        press("muslin.fix_problem")


@step(1)
def measure(turn):
    obj = turn.garment()
    if obj is not None:
        obj.muslin.mirror.enabled = True
        press("muslin.measure_mirror", "INVOKE_DEFAULT")
        yield turn.rng.random() * 0.2


@step(0.5, pushes=False)
def compare(turn):
    if turn.garment() is not None:
        press("muslin.compare_fabrics", fabrics=turn.rng.choice(["silk", "denim", "nonsense"]))


@step(1, pushes=False)
def fabric(turn):
    if turn.garment() is not None:
        names = ["save_fabric", "reset_fabric", "remove_fabric", "share_settings"]
        press(f"muslin.{turn.rng.choice(names)}")


@step(2)
def sew(turn):
    obj = turn.garment()
    if obj is not None:
        names = ["add_tack", "remove_tack", "add_elastic", "remove_elastic", "cut_pattern"]
        press(f"muslin.{turn.rng.choice(names)}")
        for tack in obj.muslin.sewing.tacks:
            tack.group = turn.rng.choice(["", "Pins", "nonsense"])
            tack.object = turn.object()


@step(3)
def change_garments(turn):
    if turn.mesh() is not None:
        press(f"muslin.{turn.rng.choice(['add', 'add', 'remove'])}")


@step(1)
def dress(turn):
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj.type == "MESH")
    press(f"muslin.{turn.rng.choice(['dress', 'fit_suit'])}")


@step(3)
def colliders(turn):
    obj = turn.garment()
    if obj is not None:
        other = turn.object()
        other.select_set(True)
        press(f"muslin.{turn.rng.choice(['collider_add', 'collider_add', 'collider_remove'])}")
        if obj.muslin.colliders:
            obj.muslin.colliders[0].object = turn.object("MESH", "CURVE")
        obj.muslin.collider_collection = turn.one_of(bpy.data.collections)
        select(obj)


@step(12)
def set_something(turn):
    obj = turn.garment()
    if obj is None or obj.library is not None:
        return
    settings = obj.muslin
    group = turn.rng.choice(
        [settings, settings, settings, settings.mirror, settings.fit, settings.sewing]
    )
    props = [p for p in group.bl_rna.properties if p.identifier not in HIDDEN and not p.is_readonly]
    prop = turn.rng.choice(props)
    value = _value(turn, obj, prop)
    if value is not None:
        try:
            setattr(group, prop.identifier, value)
        except (AttributeError, TypeError):  # what is overridden takes not everything
            return


def _value(turn: Turn, obj, prop):
    rng = turn.rng
    if prop.type == "BOOLEAN":
        return rng.random() < 0.5 if not prop.is_array else None
    if prop.type == "ENUM":
        return rng.choice(prop.enum_items.keys()) if prop.enum_items else None
    if prop.type == "INT":
        return min(max(prop.default + rng.randint(-3, 3), prop.hard_min), prop.hard_max)
    if prop.type == "FLOAT" and not prop.is_array:
        value = (prop.default or 0.1) * NUMBERS ** rng.uniform(-1.0, 1.0)
        return min(max(value, prop.hard_min), prop.hard_max)
    if prop.type == "STRING":
        groups = [group.name for group in obj.vertex_groups]
        return rng.choice(["", "nonsense", *groups])
    if prop.type == "POINTER" and prop.fixed_type.identifier == "Object":
        return turn.object()
    return None
