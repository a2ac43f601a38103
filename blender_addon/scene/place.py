# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the cloth stands: in the stack of modifiers, and in the world.

The cloth's place in the stack is that of Muslin's own modifier, else before the first modifier that
changes the number of vertices. What is before it shapes the start and moves the pins; what is after
it works on the result. The simulation runs in the world, in metres.
"""

import json
from contextlib import contextmanager

import numpy as np

OWN_MODIFIERS = ("Muslin Preview", "Muslin Cache")  # Blender may add ".001"
KEY_RECORD = "muslin"  # property of a block of shape keys: JSON that names those that Muslin made

# All others may change how many vertices there are, or their order.
KEEPS_VERTICES = {
    *("ARMATURE", "CAST", "CLOTH", "COLLISION", "CORRECTIVE_SMOOTH", "CURVE", "DATA_TRANSFER"),
    *("DISPLACE", "DYNAMIC_PAINT", "HOOK", "LAPLACIANDEFORM", "LAPLACIANSMOOTH", "LATTICE"),
    *("MESH_CACHE", "MESH_DEFORM", "MESH_SEQUENCE_CACHE", "NORMAL_EDIT", "PARTICLE_SYSTEM"),
    *("SHRINKWRAP", "SIMPLE_DEFORM", "SMOOTH", "SOFT_BODY", "SURFACE", "SURFACE_DEFORM"),
    *("UV_PROJECT", "UV_WARP", "VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX"),
    *("VERTEX_WEIGHT_PROXIMITY", "VOLUME_DISPLACE", "WARP", "WAVE", "WEIGHTED_NORMAL"),
}
# Of those, the ones that move no vertex.
MOVES_NOTHING = {
    *("COLLISION", "DATA_TRANSFER", "NORMAL_EDIT", "PARTICLE_SYSTEM", "SURFACE", "UV_PROJECT"),
    *("UV_WARP", "VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX", "VERTEX_WEIGHT_PROXIMITY"),
    "WEIGHTED_NORMAL",
}
RIGID_PARENTS = {"OBJECT", "BONE", "VERTEX", "VERTEX_3"}  # the others deform their children


def is_own_modifier(modifier):
    return modifier.type == "MESH_CACHE" and modifier.name.startswith(OWN_MODIFIERS)


def key_record(obj):
    """What Muslin wrote about the shape keys that it made; {} where it made none."""
    keys = obj.data.shape_keys
    text = keys.get(KEY_RECORD) if keys is not None else None
    if not isinstance(text, str):
        return {}
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def own_keys(obj):
    """The shape keys that Muslin made, as far as they are still there."""
    names = key_record(obj).get("names", ())
    blocks = obj.data.shape_keys.key_blocks if names else ()
    return [blocks[name] for name in names if name in blocks]


def cloth_place(obj):
    """Index in obj.modifiers of the cloth: where its modifier is, or is to be put."""
    modifiers = list(enumerate(obj.modifiers))
    own = [index for index, modifier in modifiers if is_own_modifier(modifier)]
    changing = [index for index, modifier in modifiers if modifier.type not in KEEPS_VERTICES]
    return (own or changing or [len(modifiers)])[0]


def before(obj):
    return [m for m in list(obj.modifiers)[: cloth_place(obj)] if m.show_viewport]


def changes_vertices(obj):
    """Modifiers in use before the cloth that change the vertices. Nodes can do anything: they are believed until they are read."""
    allowed = KEEPS_VERTICES | {"NODES"}
    return [modifier for modifier in before(obj) if modifier.type not in allowed]


def is_deformed(obj):
    """Whether anything before the cloth bends the mesh; otherwise the object's matrix says all."""
    if any(modifier.type not in MOVES_NOTHING for modifier in before(obj)):
        return True
    if obj.parent is not None and obj.parent_type not in RIGID_PARENTS:
        return True
    keys = obj.data.shape_keys
    return keys is not None and len(keys.key_blocks) - len(own_keys(obj)) > 1


@contextmanager
def temporarily(wanted, view_layer):
    """Within it these values hold: (owner, property, value). All is put back whatever happens inside. Gives whether any differed."""
    done = []
    try:
        for owner, name, value in wanted:
            if getattr(owner, name) != value:
                done.append((owner, name, getattr(owner, name)))
                setattr(owner, name, value)
        if done:
            view_layer.update()
        yield bool(done)
    finally:
        for owner, name, value in reversed(done):
            setattr(owner, name, value)


def quiet(obj, view_layer):
    """Within it, the evaluated object is what comes before the cloth, without Muslin's own result. Costs two evaluations of this
    object, or nothing where nothing has to be switched off."""
    wanted = [(m, "show_viewport", False) for m in list(obj.modifiers)[cloth_place(obj) :]]
    ours = own_keys(obj)
    wanted += [(block, "mute", True) for block in ours]
    if ours and key_record(obj).get("absolute"):  # they made all keys absolute
        wanted.append((obj.data.shape_keys, "use_relative", True))
    return temporarily(wanted, view_layer)


def unit_of(scene):
    """Metres in a Blender unit."""
    return float(scene.unit_settings.scale_length)


def as_matrix(matrix):
    return np.array(matrix, dtype=np.float64)


def _apply(positions, linear, offset):
    """positions @ linear.T + offset, computed in double precision; the array itself if that is it."""
    if np.array_equal(linear, np.identity(3)) and not offset.any():
        return positions
    extended = np.empty((len(positions), 4))  # one product is twice as quick as product and sum
    extended[:, :3] = positions
    extended[:, 3] = 1.0
    return (extended @ np.vstack((linear.T, offset))).astype(np.float32)


def to_world(positions, matrix, unit=1.0):
    """From an object's own coordinates (n x 3) to the world in metres, float32. At the world's origin the numbers stay the same."""
    matrix = as_matrix(matrix)
    return _apply(positions, matrix[:3, :3] * unit, matrix[:3, 3] * unit)


def to_size(positions, matrix, unit=1.0):
    """As to_world() but around the origin: far away from it, float32 would blur a small mesh."""
    return _apply(positions, as_matrix(matrix)[:3, :3] * unit, np.zeros(3))


def to_local(positions, matrix, unit=1.0):
    """From the world in metres (n x 3) back to an object's own coordinates, float32."""
    inverse = np.linalg.inv(as_matrix(matrix))
    return _apply(positions, inverse[:3, :3] / unit, inverse[:3, 3])


def is_flat(matrix):
    """Whether the matrix flattens or loses what it moves, so that there is no way back."""
    matrix = as_matrix(matrix)
    if not np.isfinite(matrix).all():
        return True
    sizes = np.linalg.svd(matrix[:3, :3], compute_uv=False)
    return bool(sizes[2] <= 1e-9 * sizes[0])
