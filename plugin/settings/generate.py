#!/usr/bin/env python3
"""Makes the C side of settings.json: `generate.py SETTINGS.json FOLDER`, run by the build.

FOLDER/include/muslin_settings.h        the public enums and structs, included by muslin.h
FOLDER/private/settings_table.c         their defaults and ranges, as plugin/src/settings.h wants them
FOLDER/private/settings_fields.h        where each field stands in its table
FOLDER/native/base/abilities.h          what each solver and model can
FOLDER/native/laws/material_fields.h   the native Material, in double

The same table gives the same bytes, and a file that would not change is left alone.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import sys
import textwrap
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[1] / "python"
WIDTH = 100
MADE = "Made from plugin/settings/settings.json by generate.py; change it there."
C_TYPES = {"float": "float", "int": "int32_t", "flag": "int32_t", "choice": "int32_t"}
KINDS = {"float": "FIELD_FLOAT", "int": "FIELD_INT", "flag": "FIELD_INT", "choice": "FIELD_CHOICE"}


def comment(text, indent=""):
    """A C comment, wrapped."""
    whole = f"/* {text}\0*/"  # the end stays with its last word
    style = {"width": WIDTH - len(indent), "subsequent_indent": " * ", "break_on_hyphens": False}
    lines = textwrap.wrap(whole, **style)
    return "".join(f"{indent}{line}\n" for line in lines).replace("\0", " ")


def guarded(name, body):
    return f"#ifndef {name}\n#define {name}\n\n{body}\n#endif\n"


def enum_text(enum):
    lines = [comment(enum.help), f"typedef enum Muslin{enum.name} {{\n"]
    for choice in enum.choices:
        lines.append(comment(choice.help, "    "))
        lines.append(f"    {enum.prefix}{choice.name} = {choice.value},\n")
    return "".join(lines) + f"}} Muslin{enum.name};\n"


def field_words(setting):
    """What stands above a field: unit, range and default, then the help."""
    if setting.type in ("array", "struct"):
        return ": ".join(filter(None, (setting.unit, setting.help)))
    facts = [f"Muslin{setting.enum.name}" if setting.enum else setting.unit]
    facts.append("1 or 0" if setting.type == "flag" else setting.range_words())
    if setting.checked or setting.least is not None or setting.length > 1:
        numbers = setting.default if setting.length > 1 else [setting.default]
        parts = numbers if setting.enum else [f"{number:g}" for number in numbers]
        facts.append(f"default {', '.join(parts)}")
    words = "; ".join(filter(None, (setting.help, setting.header)))
    return ": ".join(filter(None, (", ".join(filter(None, facts)), words)))


def declaration(setting):
    if setting.type == "array":
        return f"const {C_TYPES[setting.of]} *{setting.name};"
    if setting.type == "struct":
        return f"const Muslin{setting.nested} *{setting.name};"
    row = f"[{setting.length}]" if setting.length > 1 else ""
    return f"{C_TYPES[setting.type]} {setting.name}{row};"


def struct_text(struct):
    lines = [comment(struct.help), f"typedef struct Muslin{struct.name} {{\n"]
    lines.append(comment(f"sizeof(Muslin{struct.name})", "    ") + "    uint32_t size;\n")
    for setting in struct.settings:
        words = field_words(setting)
        lines.append(comment(words, "    ") if words else "")
        lines.append(f"    {declaration(setting)}\n")
    return "".join(lines) + f"}} Muslin{struct.name};\n"


def public_header(table):
    head = f"The settings of muslin.h, which includes this file: units, ranges and defaults. {MADE}"
    head = comment(head) + comment("SPDX-License-Identifier: GPL-3.0-or-later")
    version = comment("Raised whenever a struct or a function changes its meaning.")
    body = [f"#include <stdint.h>\n\n{version}#define MUSLIN_ABI_VERSION {table.version}\n"]
    body += map(enum_text, (*table.enums.values(), tables().enum_of_maps(table)))
    body += map(struct_text, table.structs.values())
    return head + guarded("MUSLIN_SETTINGS_H", "\n".join(body))


def literal(setting, value):
    """A number as a C constant of the field's type."""
    if setting.type == "float":
        return f"{value!r}f" if isinstance(value, float) else f"{value}.0f"
    return str(value)


def initialiser(setting):
    if setting.type == "choice":
        chosen = next(choice for choice in setting.enum.choices if choice.word == setting.default)
        return setting.enum.prefix + chosen.name
    if setting.length > 1:
        return "{" + ", ".join(literal(setting, part) for part in setting.default) + "}"
    return literal(setting, setting.default)


def entry(setting, struct=None):
    """A Field of plugin/src/settings.h."""
    facts = [f'.name = "{setting.name}"', f'.unit = "{setting.unit}"']
    if struct:
        whole = f"Muslin{struct.name}"
        facts.append(f".offset = offsetof({whole}, {setting.name})")
        facts.append(f".size = sizeof((({whole} *)0)->{setting.name})")
    if setting.checked and setting.type in KINDS:
        facts += [f".kind = {KINDS[setting.type]}", f".count = {setting.length}"]
    if setting.type == "choice":
        facts.append(f".choices = {snake(setting.enum.name)}_choices")
        facts.append(f".choice_count = {len(setting.enum.choices)}")
    elif setting.type in KINDS:
        # rounded as the field's own numbers are
        least = "-INFINITY" if setting.least is None else literal(setting, setting.least)
        most = "INFINITY" if setting.most is None else literal(setting, setting.most)
        facts += [f".least = {least}", f".most = {most}"]
        facts += [".above = true"] * setting.above + [".below = true"] * setting.below
    if setting.needs:
        facts.append(f".needs = ABILITY_{setting.needs.upper()}")
    return "{" + ", ".join(facts) + "}"


def snake(name):
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


def struct_tables(struct):
    """Defaults, fields and the StructTable of a struct."""
    name, whole = snake(struct.name), f"Muslin{struct.name}"
    first = layout(setting for setting in struct.settings if setting.since == 1)
    fields = "".join(f"    {entry(setting, struct)},\n" for setting in struct.settings)
    numbers = [setting for setting in struct.settings if setting.is_number]
    defaults = "".join(f"    .{number.name} = {initialiser(number)},\n" for number in numbers)
    return (
        f"static const {whole} {name}_defaults = {{\n    .size = sizeof({whole}),\n{defaults}}};\n\n"
        f"static const Field {name}_fields[] = {{\n{fields}}};\n\n"
        f"const StructTable settings_{name} = {{\n"
        f'    .name = "{whole}",\n    .size = sizeof({whole}),\n'
        f"    .first_size = {first},\n    .fields = {name}_fields,\n"
        f"    .field_count = {len(struct.settings)},\n"
        f"    .defaults = &{name}_defaults,\n}};\n"
    )


def choices_text(enum):
    values = ", ".join(map(str, sorted(choice.value for choice in enum.choices)))
    return f"static const int32_t {snake(enum.name)}_choices[] = {{{values}}};\n"


def copy(setting):
    """From the public struct to the native one, number by number."""
    if setting.length == 1:
        return f"    to->{setting.name} = from->{setting.name};\n"
    return (
        f"    for (int i = 0; i < {setting.length}; ++i) {{\n"
        f"        to->{setting.name}[i] = from->{setting.name}[i];\n    }}\n"
    )


def private_source(table):
    head = f"Defaults and ranges of every setting. {MADE}"
    parts = [comment(head) + '#include <math.h>\n#include <stddef.h>\n\n#include "settings.h"\n']
    parts.append("".join(map(choices_text, table.enums.values())))
    parts += map(struct_tables, table.structs.values())
    arguments = [f"const Field argument_{one.name} = {entry(one)};\n" for one in table.arguments]
    parts.append("".join(arguments))
    rows = "".join(f"    {entry(setting)},\n" for setting in table.maps.values())
    parts.append(f"const Field map_fields[MAP_KINDS] = {{\n{rows}}};\n")
    lines = "".join(map(copy, table.structs["Material"].settings))
    whole = "settings_material_of(const MuslinMaterial *from, Material *to)"
    parts.append(f"void {whole} {{\n{lines}}}\n")
    return "\n".join(parts)


def private_header(table):
    head = f"Where each field stands in the table of its struct. {MADE}"
    enums = []
    for struct in table.structs.values():
        prefix = snake(struct.name).upper()
        names = "".join(f"    {prefix}_{field.name.upper()},\n" for field in struct.settings)
        enums.append(f"enum {{\n{names}}};\n")
    return comment(head) + guarded("SETTINGS_FIELDS_H", "\n".join(enums))


def mask_texts(abilities, kind, able):
    """What each kind can, as bits: of those that are named. able: gives the words of an ability's."""
    words = sorted({word for ability in abilities for word in able(ability)})
    for word in words:
        bits = [f"1U << ABILITY_{one.name.upper()}" for one in abilities if word in able(one)]
        yield f"#define {kind}_{word.upper()}_CAN \\\n    ({' | '.join(['1U << ABILITY_NONE', *bits])})\n"


def abilities_header(table):
    abilities = table.abilities.values()
    names = lacking = ""
    for one in abilities:
        name, words = f"ABILITY_{one.name.upper()}", f'"{one.lacking}"' if one.lacking else "0"
        names += comment(one.help, "    ") + f"    {name},\n"
        lacking += f"    [{name}] = {words}, \\\n"
    head = f"What solvers and models can, and what is said of one that cannot. {MADE}"
    parts = [f"typedef enum Ability {{\n    ABILITY_NONE,\n{names}}} Ability;\n"]
    parts += mask_texts(abilities, "SOLVER", lambda one: one.solvers)
    parts += mask_texts(abilities, "MODEL", lambda one: one.models)
    parts.append(f"#define ABILITY_LACKING {{ \\\n{lacking}}}\n")
    return comment(head) + guarded("BASE_ABILITIES_H", "\n".join(parts))


def native_header(table):
    struct = table.structs["Material"]
    head = f"What the cloth is made of, as the laws need it. {MADE}"
    lines = ["typedef struct Material {\n"]
    for setting in struct.settings:
        lines.append(comment(f"{setting.unit}: {setting.help}", "    "))
        row = f"[{setting.length}]" if setting.length > 1 else ""
        lines.append(f"    double {setting.name}{row};\n")
    body = "".join(lines) + "} Material;\n"
    return comment(head) + guarded("MODEL_MATERIAL_FIELDS_H", body)


def layout(settings):
    """Bytes of a struct with these fields after its `size`."""
    total, widest = 4, 4
    for setting in settings:
        size = alignment = 4 if setting.is_number else 8
        total += -total % alignment + size * setting.length
        widest = max(widest, alignment)
    return total + -total % widest


def check_versions(table):
    """Old callers are known by the size of their struct, and fill the first of its fields."""
    for struct in table.structs.values():
        versions = [setting.since for setting in struct.settings]
        if versions != sorted(versions):
            refuse(struct, "a newer field stands before an older one")
        if versions[-1] > table.version:
            refuse(struct, "a field is newer than the interface")
        kinds = sorted(set(versions))
        known = ([s for s in struct.settings if s.since <= version] for version in kinds)
        if len({layout(settings) for settings in known}) < len(kinds):
            refuse(struct, "two versions are of the same size; let one more field come with it")


def refuse(struct, problem):
    raise SystemExit(f"generate.py: {struct.name}: {problem}")


def write(path, text):
    """Leaves a file that is right already as old as it is, so that nothing is compiled again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def tables():
    """The module that reads the table."""
    sys.path.insert(0, str(PYTHON))
    from muslin import table

    return table


def main(settings, folder):
    table = tables().read(settings)
    check_versions(table)
    for path, text in {
        "include/muslin_settings.h": public_header,
        "private/settings_table.c": private_source,
        "private/settings_fields.h": private_header,
        "native/base/abilities.h": abilities_header,
        "native/laws/material_fields.h": native_header,
    }.items():
        write(Path(folder) / path, text(table))


if __name__ == "__main__":
    main(*sys.argv[1:])
