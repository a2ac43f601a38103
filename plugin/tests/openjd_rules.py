"""The published rules of a job template of Open Job Description, version 2023-09, as far as JSON can break them.

Written after the specification alone ("2023-09 Template Schemas"); the numbers in brackets are its sections. Whatever
a template has that no rule here knows is an error, so that nothing passes unseen.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import re
import unicodedata

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")  # [7.1]
REFERENCE = re.compile(r"\{\{\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*\}\}")  # [7.3]
CAPABILITY = re.compile(r"(?:\w+:)?(amount|attr)\.[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
SESSION = {
    "Session.WorkingDirectory",
    "Session.HasPathMappingRules",
    "Session.PathMappingRulesFile",
}
NUMBERS = (int, float)


class Broken(Exception):
    """A rule is broken; the message has the place and the section."""


def need(condition, where, rule):
    if not condition:
        raise Broken(f"{where}: {rule}")


def fields(where, content, required, optional=()):
    need(isinstance(content, dict), where, "must be an object")
    for name in required:
        need(name in content, where, f"{name} is missing")
    for name in content:
        need(name in (*required, *optional), where, f"{name} is unknown")


def a_list(where, content, least, most=None):
    need(isinstance(content, list), where, "must be a list")
    need(len(content) >= least, where, f"at least {least} elements")
    need(most is None or len(content) <= most, where, f"at most {most} elements")


def text(where, content, least, most, controls=""):
    """Without characters of the category Cc [8]."""
    need(isinstance(content, str), where, "must be a string")
    need(least <= len(content), where, f"at least {least} characters")
    need(most is None or len(content) <= most, where, f"at most {most} characters")
    bad = [c for c in content if unicodedata.category(c) == "Cc" and c not in controls]
    need(not bad, where, f"control characters {bad}")


def identifier(where, content):
    need(isinstance(content, str) and IDENTIFIER.fullmatch(content), where, "no identifier [7.1]")


def description(where, content):
    if "description" in content:
        text(f"{where}.description", content["description"], 1, 2048, "\n\r\t")  # [7.2]


def format_string(where, content, known):
    """Every {{ is a reference to a value of its scope [7.3]."""
    rest = REFERENCE.sub("", content)
    need("{{" not in rest and "}}" not in rest, where, "braces that are no reference [7.3]")
    for name in REFERENCE.findall(content):
        need(name in known, where, f"{name} is not in scope [7.3.1]")


def unique(where, names, what):
    need(len(set(names)) == len(names), where, f"two {what} of one name")


def check_template(template):
    """[1.1]"""
    required = ("specificationVersion", "name", "steps")
    optional = ("$schema", "description", "parameterDefinitions", "jobEnvironments")
    fields("template", template, required, optional)
    need(template["specificationVersion"] == "jobtemplate-2023-09", "specificationVersion", "[1.1]")
    need("jobEnvironments" not in template, "jobEnvironments", "no rule here knows them")
    description("template", template)
    parameters = template.get("parameterDefinitions")
    if parameters is not None:
        a_list("parameterDefinitions", parameters, 1, 50)
    kinds = {}
    for number, one in enumerate(parameters or []):
        check_parameter(f"parameterDefinitions[{number}]", one)
        kinds[one["name"]] = one["type"]
    unique("parameterDefinitions", [one["name"] for one in parameters or []], "parameters")
    # [7.3.1]: of a PATH, Param is known on the host alone.
    early = {f"RawParam.{name}" for name in kinds}
    early |= {f"Param.{name}" for name, kind in kinds.items() if kind != "PATH"}
    text("name", template["name"], 1, 128)  # [1.1.1]
    format_string("name", template["name"], early)
    a_list("steps", template["steps"], 1)
    late = early | {f"Param.{name}" for name in kinds} | SESSION
    for number, step in enumerate(template["steps"]):
        check_step(f"steps[{number}]", step, early, late)
    unique("steps", [step["name"] for step in template["steps"]], "steps")


PARAMETER_FIELDS = {
    "STRING": ("default", "allowedValues", "minLength", "maxLength"),
    "PATH": ("default", "allowedValues", "minLength", "maxLength", "objectType", "dataFlow"),
    "INT": ("default", "allowedValues", "minValue", "maxValue"),
    "FLOAT": ("default", "allowedValues", "minValue", "maxValue"),
}


def check_parameter(where, one):
    """[2]"""
    need(isinstance(one, dict) and one.get("type") in PARAMETER_FIELDS, where, "type [2]")
    fields(where, one, ("name", "type"), ("description", *PARAMETER_FIELDS[one["type"]]))
    identifier(f"{where}.name", one["name"])
    description(where, one)
    if one["type"] in ("STRING", "PATH"):
        for value in (one.get("default", ""), *one.get("allowedValues", ())):
            need(isinstance(value, str) and len(value) <= 1024, where, "a value [2.5]")
    if one["type"] == "INT":
        for name in ("default", "minValue", "maxValue"):
            need(is_integer(one.get(name, 0)), f"{where}.{name}", "an integer [2.3]")
        least, most = (
            int(one.get(name, one.get("default", 0))) for name in ("minValue", "maxValue")
        )
        need(
            "default" not in one or least <= int(one["default"]) <= most, where, "default in range"
        )
    need(one.get("objectType", "FILE") in ("FILE", "DIRECTORY"), where, "objectType [2.2]")
    need(one.get("dataFlow", "IN") in ("NONE", "IN", "OUT", "INOUT"), where, "dataFlow [2.2]")


def is_integer(value):
    if isinstance(value, str):
        return re.fullmatch(r"-?[0-9]+", value) is not None
    return isinstance(value, int) and not isinstance(value, bool)


def check_step(where, step, early, late):
    """[3]"""
    optional = ("description", "dependencies", "hostRequirements", "parameterSpace")
    fields(where, step, ("name", "script"), optional)
    text(f"{where}.name", step["name"], 1, 64)  # [3.1]
    description(where, step)
    need("dependencies" not in step, where, "no rule here knows dependencies")
    if "hostRequirements" in step:
        check_requirements(f"{where}.hostRequirements", step["hostRequirements"])
    known = set(late)
    if "parameterSpace" in step:
        for name in check_space(f"{where}.parameterSpace", step["parameterSpace"], early):
            known |= {f"Task.Param.{name}", f"Task.RawParam.{name}"}
    fields(f"{where}.script", step["script"], ("actions",))
    actions = step["script"]["actions"]
    fields(f"{where}.script.actions", actions, ("onRun",))
    check_action(f"{where}.script.actions.onRun", actions["onRun"], known)


def check_requirements(where, content):
    """[3.3]"""
    fields(where, content, (), ("amounts", "attributes"))
    need(content, where, "amounts or attributes [3.3]")
    need(sum(map(len, content.values())) <= 50, where, "at most 50 [3.3]")
    need("attributes" not in content, where, "no rule here knows attributes")
    for one in content["amounts"]:
        fields(where, one, ("name",), ("min", "max"))
        name = one["name"]
        need(CAPABILITY.fullmatch(name) and len(name) <= 100, where, "a capability [3.3.1.1]")
        need(name.lower().split(":")[-1].startswith("amount."), where, "an amount [3.3.1.1]")
        need("min" in one or "max" in one, where, "min or max [3.3.1]")
        need(all(isinstance(one.get(n, 0), NUMBERS) for n in ("min", "max")), where, "a number")
        need(one.get("min", 0) >= 0 and one.get("max", 1) > 0, where, "[3.3.1]")


def check_space(where, space, early):
    """[3.4]; gives the names of the parameters."""
    fields(where, space, ("taskParameterDefinitions",), ("combination",))
    definitions = space["taskParameterDefinitions"]
    a_list(where, definitions, 1, 16)
    for one in definitions:
        fields(where, one, ("name", "type", "range"))
        identifier(where, one["name"])
        need(one["type"] in ("STRING", "PATH"), where, "no rule here knows other types")
        a_list(f"{where}.range", one["range"], 1, 1024)  # [3.4.1.3], [3.4.1.4]
        for value in one["range"]:
            need(isinstance(value, str) and 1 <= len(value) <= 1024, where, "a value [3.4.2]")
            format_string(f"{where}.range", value, early)
    names = [one["name"] for one in definitions]
    unique(where, names, "task parameters")
    if "combination" in space:
        check_combination(where, space["combination"], definitions)
    return names


def check_combination(where, expression, definitions):
    """[3.4.3], of one associative operator over all parameters."""
    need(1 <= len(expression) <= 1280, where, "length [3.4.3]")
    need(re.fullmatch(r"\([A-Za-z0-9_ ,]+\)", expression), where, "no rule here knows more")
    names = [name.strip() for name in expression[1:-1].split(",")]
    need(sorted(names) == sorted(one["name"] for one in definitions), where, "each once [3.4.3]")
    need(len({len(one["range"]) for one in definitions}) == 1, where, "equal lengths [3.4.3]")


def check_action(where, action, known):
    """[5]"""
    fields(where, action, ("command",), ("args", "timeout", "cancelation"))
    text(f"{where}.command", action["command"], 1, None)
    format_string(f"{where}.command", action["command"], known)
    a_list(f"{where}.args", action.get("args", []), 0)
    for number, argument in enumerate(action.get("args", [])):
        text(f"{where}.args[{number}]", argument, 0, None)
        format_string(f"{where}.args[{number}]", argument, known)
    cancelled = action.get("cancelation", {"mode": "TERMINATE"})
    need(cancelled.get("mode") in ("TERMINATE", "NOTIFY_THEN_TERMINATE"), where, "[5.3]")
    if cancelled["mode"] == "NOTIFY_THEN_TERMINATE":
        fields(where, cancelled, ("mode",), ("notifyPeriodInSeconds",))
        period = cancelled.get("notifyPeriodInSeconds", 1)
        need(isinstance(period, int) and 1 <= period <= 600, where, "[5.3.2]")
    if "timeout" in action:
        need(isinstance(action["timeout"], int) and action["timeout"] > 0, where, "timeout [5]")


def tasks_of(template, values):
    """(command, arguments) of every task of a job made with these values, as a worker would run them."""
    given = {one["name"]: one.get("default") for one in template["parameterDefinitions"]} | values
    for step in template["steps"]:
        definitions = step["parameterSpace"]["taskParameterDefinitions"]
        for chosen in zip(*(one["range"] for one in definitions)):
            known = {f"Param.{name}": str(value) for name, value in given.items()}
            names = (f"Task.Param.{one['name']}" for one in definitions)
            known.update(zip(names, chosen))
            action = step["script"]["actions"]["onRun"]
            yield [
                REFERENCE.sub(lambda found: known[found.group(1)], part)
                for part in (action["command"], *action["args"])
            ]
