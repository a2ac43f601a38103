# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a cloth: garments over each other, each of a fabric of its own.

    Cloth(mesh, parts=numbers, materials=[fabric("silk"), fabric("wool")])
"""

import ctypes
from collections.abc import Mapping

from . import _abi, arrays
from .errors import MuslinError
from .settings import MATERIAL_FIELDS, change_struct, choice_of
from .calls import plain_value


class Parts:
    """The materials and models of a cloth's parts, as structs.

    numbers: the part of each vertex. materials: for each part a dictionary of settings of the material, and maybe the
    model; what it does not name is as in the definition.
    """

    def __init__(self, definition, vertex_count, numbers, materials):
        if numbers is None or materials is None:
            lacking = "parts" if numbers is None else "materials"
            arrays.refuse(f"{lacking}: also needed where a cloth has parts with materials")
        self.numbers = arrays.indices("parts", numbers)
        if len(self.numbers) != vertex_count:
            arrays.refuse(f"parts: {len(self.numbers)} given for {vertex_count} vertices")
        self.materials, self.models = [], []
        for number, settings in enumerate(materials):
            if not isinstance(settings, Mapping):
                arrays.refuse(f"materials: that of part {number} is not a dictionary of settings")
            settings = dict(settings)
            model = settings.pop("model", None)
            self.models.append(definition.model if model is None else choice_of("model", model))
            self.materials.append(changed(definition.material.contents, settings))

    def create(self, call, mesh, definition, handle):
        """Make the cloth; gives the status."""
        count = len(self.materials)
        return call(
            "muslin_cloth_create_parts",
            mesh,
            definition,
            arrays.int_pointer(self.numbers),
            count,
            (_abi.Material * count)(*self.materials),
            (ctypes.c_int32 * count)(*self.models),
            handle,
        )

    def set(self, call, part, changes):
        """Change some of the material of a part; None: of all. Where one is refused, all stay as they were."""
        if part is not None and not 0 <= part < len(self.materials):
            arrays.refuse(f"part: {part!r}, but the cloth has parts 0 to {len(self.materials) - 1}")
        chosen = range(len(self.materials)) if part is None else [part]
        wanted = {number: changed(self.materials[number], changes) for number in chosen}
        done = []
        try:
            for number, material in wanted.items():
                call("muslin_cloth_set_part_material", number, material)
                done.append(number)
        except MuslinError:
            for number in done:
                call("muslin_cloth_set_part_material", number, self.materials[number])
            raise
        for number, material in wanted.items():
            self.materials[number] = material

    def settings(self):
        """The materials as dictionaries."""
        return [
            {name: plain_value(getattr(material, name)) for name in MATERIAL_FIELDS}
            for material in self.materials
        ]


def changed(material, settings):
    """A copy of a material struct with some settings changed."""
    copy = _abi.Material.from_buffer_copy(material)
    change_struct(copy, MATERIAL_FIELDS, settings)
    return copy
