# SPDX-License-Identifier: GPL-3.0-or-later
"""A job as a bundle of Open Job Description 2023-09, which AWS Deadline Cloud and others read."""

import json
from pathlib import Path

from ..errors import MuslinError
from ..farm.tasks import files_read
from ..table import SETTINGS
from . import batch_flags, batch_tasks

SPECIFICATION = "jobtemplate-2023-09"
MOST_VALUES = 1024  # of one parameter of a step
NOTICE = 30  # s that a task has to end by itself when it is cancelled


def bundle(folder, job, tasks, options):
    """The template, the values of its parameters, and the files that it needs and makes: pairs of path and text."""
    values = [
        {"name": "JobFile", "value": str(job.path)},
        {"name": "Threads", "value": options.threads},
    ]
    contents = {
        "template": template(job, tasks, options),
        "parameter_values": {"parameterValues": values},
        "asset_references": {"assetReferences": assets(job, tasks)},
    }
    for name, content in contents.items():
        yield Path(folder) / f"{name}.json", json.dumps(content, indent=2) + "\n"


def template(job, tasks, options):
    drapes = [task for task in tasks if not task.is_blend]
    bakes = [task for task in tasks if task.is_blend]
    parameters = [path_parameter("JobFile", "The job: garments, shots and variations")]
    if drapes:
        parameters.append(text_parameter("Muslin", "The command line of Muslin", options.muslin))
    if bakes:
        parameters.append(
            text_parameter("Blender", "A Blender with Muslin's add-on", options.blender)
        )
    threads = {"name": "Threads", "type": "INT", "default": options.threads, "minValue": 1}
    threads["maxValue"] = SETTINGS["threads"].most
    parameters.append({**threads, "description": "Threads of a task; results do not depend on it"})
    return {
        "specificationVersion": SPECIFICATION,
        "name": f"Muslin {job.name}",
        "parameterDefinitions": parameters,
        "steps": [
            *steps("Drape", drapes, drape_space, drape_action(options), options),
            *steps("Bake", bakes, bake_space, bake_action(options), options),
        ],
    }


def path_parameter(name, description):
    kind = {"name": name, "type": "PATH", "objectType": "FILE", "dataFlow": "IN"}
    return {**kind, "description": description}


def text_parameter(name, description, default):
    return {"name": name, "type": "STRING", "default": default, "description": description}


def steps(name, tasks, space, action, options):
    """As many as it takes: a parameter has a limited number of values."""
    for first in range(0, len(tasks), MOST_VALUES):
        yield {
            "name": name if first == 0 else f"{name} {first // MOST_VALUES + 1}",
            "hostRequirements": {
                "amounts": [{"name": "amount.worker.vcpu", "min": options.threads}]
            },
            "parameterSpace": space(tasks[first : first + MOST_VALUES]),
            "script": {"actions": {"onRun": action}},
        }


def drape_space(tasks):
    return {"taskParameterDefinitions": [task_names(tasks)]}


def bake_space(tasks):
    """The .blend file goes with the name; its path is mapped to where it is on the worker."""
    blends = [str(task.shot.blend) for task in tasks]
    if any("{{" in path for path in blends):
        raise MuslinError(None, "--openjd: the path of a .blend file must not have {{ in it")
    files = {"name": "Blend", "type": "PATH", "range": blends}
    return {"taskParameterDefinitions": [task_names(tasks), files], "combination": "(Task, Blend)"}


def task_names(tasks):
    return {"name": "Task", "type": "STRING", "range": [task.name for task in tasks]}


def action(command, arguments):
    cancelled = {"mode": "NOTIFY_THEN_TERMINATE", "notifyPeriodInSeconds": NOTICE}
    return {"command": command, "args": arguments, "cancelation": cancelled}


def drape_action(options):
    task = ["--task", "{{Task.Param.Task}}", "--threads", "{{Param.Threads}}"]
    return action(
        "{{Param.Muslin}}", ["batch", "{{Param.JobFile}}", *task, *batch_flags.of_drape(options)]
    )


def bake_action(options):
    given = (
        "{{Task.Param.Blend}}",
        "{{Param.JobFile}}",
        "{{Task.Param.Task}}",
        "{{Param.Threads}}",
    )
    return action("{{Param.Blender}}", batch_tasks.arguments(*given, batch_flags.of_bake(options)))


def assets(job, tasks):
    """Files and folders that travel with the job."""
    read = {str(job.path), *(str(path) for task in tasks for path in files_read(task))}
    written = {str(job.state_folder), *(str(path.parent) for t in tasks for path in t.outputs)}
    return {
        "inputs": {"filenames": sorted(read), "directories": []},
        "outputs": {"directories": sorted(written)},
        "referencedPaths": [],
    }
