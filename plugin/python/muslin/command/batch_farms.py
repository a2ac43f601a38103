# SPDX-License-Identifier: GPL-3.0-or-later
"""A job for a farm: a script for Flamenco 3, a bundle of Open Job Description 2023-09 (AWS Deadline Cloud and
others), or an array job of Slurm."""

import json
import os
import shlex
from pathlib import Path

from ..errors import printable, refuse
from ..farm.tasks import files_read
from ..table import SETTINGS
from . import batch_tasks
from .batch_tasks import EXPRESSION


def of_bake(options):
    """Arguments of a Blender that bakes a task."""
    return ["--again"] if options.again else []


def of_drape(options):
    """Arguments of `batch --task`, besides its own."""
    return of_bake(options) + (["--fail"] if options.fail else [])


# Its manager reads no files, so the tasks are in the script. ES5, and `const`: what a manager's JavaScript knows.
FLAMENCO_HEAD = """// SPDX-License-Identifier: GPL-3.0-or-later
// Made by `muslin batch --flamenco`. Put it into the folder `scripts` beside flamenco-manager.

// Tasks have the .blend file of each, from the job's folder on; empty: its bodies are files.
const MADE = """
FLAMENCO_SCRIPT = r""";

const JOB_TYPE = {
    label: MADE.label,
    description: "Drape the garments of a Muslin job, a task for each garment, shot and variation",
    settings: [
        { key: "job_file", type: "string", subtype: "file_path", required: true, default: MADE.job,
          description: "The job, at a place that all workers see" },
        { key: "only", type: "string", required: false, default: "*",
          description: "Only tasks whose names match: garment.shot.variation, as shirt.*.silk" },
        { key: "threads", type: "int32", required: false, default: MADE.threads, propargs: {min: 1, max: MADE.most},
          description: "Threads of a task; results do not depend on it" },
        { key: "muslin", type: "string", required: false, default: MADE.muslin, visible: "submission",
          description: "The command line of Muslin, for shots that are no .blend files" },
    ]
};

function compileJob(job) {
    const settings = job.settings;
    const only = settings.only || "*";
    const threads = String(settings.threads || MADE.threads);
    const pattern = matching(only);
    const wanted = MADE.tasks.filter(function (task) { return pattern.test(task.name); });
    if (wanted.length === 0) {
        throw "no task matches " + only;
    }
    wanted.forEach(function (one) {
        job.addTask(one.blend ? bakeTask(one, settings, threads) : drapeTask(one, settings, threads));
    });
}

// As --only of the command line: * and ? stand for any letters and any letter, [ab] and [!ab] for some.
function matching(only) {
    const plain = only.replace(/[.+^${}()|\\]/g, "\\$&");
    return new RegExp("^" + plain.replace(/\*/g, ".*").replace(/\?/g, ".").replace(/\[!/g, "[^") + "$");
}

function bakeTask(one, settings, threads) {
    const task = author.Task(one.name, "blender");
    const isWhole = one.blend.charAt(0) === "/" || one.blend.charAt(1) === ":";
    task.addCommand(author.Command("blender-render", {
        exe: "{blender}",
        exeArgs: "{blenderArgs}",
        argsBefore: ["-b", "-t", threads],
        blendfile: isWhole ? one.blend : path.join(path.dirname(settings.job_file), one.blend),
        args: ["--python-exit-code", "1", "--python-expr", MADE.bake, "--", settings.job_file, one.name,
               "--threads", threads].concat(MADE.bakeFlags),
    }));
    return task;
}

function drapeTask(one, settings, threads) {
    const task = author.Task(one.name, "misc");
    task.addCommand(author.Command("exec", {
        exe: settings.muslin || MADE.muslin,
        args: ["batch", settings.job_file, "--task", one.name, "--threads", threads].concat(MADE.drapeFlags),
    }));
    return task;
}
"""


def flamenco_script(job, tasks, options):
    values = {
        "label": f"Muslin: {job.name}",
        "job": str(job.path),
        "threads": options.threads,
        "most": SETTINGS["threads"].most,
        "drapeFlags": of_drape(options),
        "bakeFlags": of_bake(options),
        "muslin": options.muslin,
        "tasks": [{"name": task.name, "blend": blend_of(job, task)} for task in tasks],
        "bake": EXPRESSION,
    }
    return FLAMENCO_HEAD + json.dumps(values, indent=4) + FLAMENCO_SCRIPT


def blend_of(job, task):
    """From the job's folder on where it is below, else its whole path."""
    if not task.is_blend:
        return ""
    path = Path(os.path.normpath(task.shot.blend))
    beside = job.folder in path.parents
    return (path.relative_to(job.folder) if beside else path).as_posix()


SPECIFICATION = "jobtemplate-2023-09"
MOST_VALUES = 1024  # of one parameter of a step
NOTICE = 30  # s that a task has to end by itself when it is cancelled


def openjd_bundle(folder, job, tasks, options):
    """The template, the values of its parameters, and the files that it needs and makes: pairs of path and text."""
    values = {"JobFile": str(job.path), "Threads": options.threads}
    values = [{"name": name, "value": value} for name, value in values.items()]
    read = {str(job.path), *(str(path) for task in tasks for path in files_read(task))}
    written = {str(job.state_folder), *(str(path.parent) for t in tasks for path in t.outputs)}
    assets = {
        "inputs": {"filenames": sorted(read), "directories": []},
        "outputs": {"directories": sorted(written)},
        "referencedPaths": [],
    }
    contents = {
        "template": template(job, tasks, options),
        "parameter_values": {"parameterValues": values},
        "asset_references": {"assetReferences": assets},
    }
    for name, content in contents.items():
        yield Path(folder) / f"{name}.json", json.dumps(content, indent=2) + "\n"


def template(job, tasks, options):
    drapes = [task for task in tasks if not task.is_blend]
    bakes = [task for task in tasks if task.is_blend]
    file = {"name": "JobFile", "type": "PATH", "objectType": "FILE", "dataFlow": "IN"}
    parameters = [{**file, "description": "The job: garments, shots and variations"}]
    if drapes:
        parameters.append(text_parameter("Muslin", "The command line of Muslin", options.muslin))
    if bakes:
        words = "A Blender with Muslin's add-on"
        parameters.append(text_parameter("Blender", words, options.blender))
    threads = {"name": "Threads", "type": "INT", "default": options.threads, "minValue": 1}
    threads["maxValue"] = SETTINGS["threads"].most
    parameters.append({**threads, "description": "Threads of a task; results do not depend on it"})
    task = ["--task", "{{Task.Param.Task}}", "--threads", "{{Param.Threads}}"]
    drape = action("{{Param.Muslin}}", ["batch", "{{Param.JobFile}}", *task, *of_drape(options)])
    given = ["Task.Param.Blend", "Param.JobFile", "Task.Param.Task", "Param.Threads"]
    given = [f"{{{{{name}}}}}" for name in given]
    bake = action("{{Param.Blender}}", batch_tasks.arguments(*given, of_bake(options)))
    return {
        "specificationVersion": SPECIFICATION,
        "name": f"Muslin {job.name}",
        "parameterDefinitions": parameters,
        "steps": [
            *steps("Drape", drapes, drape, options),
            *steps("Bake", bakes, bake, options),
        ],
    }


def text_parameter(name, description, default):
    return {"name": name, "type": "STRING", "default": default, "description": description}


def steps(name, tasks, action, options):
    """As many as it takes: a parameter has a limited number of values."""
    amount = {"name": "amount.worker.vcpu", "min": options.threads}
    for first in range(0, len(tasks), MOST_VALUES):
        yield {
            "name": name if first == 0 else f"{name} {first // MOST_VALUES + 1}",
            "hostRequirements": {"amounts": [amount]},
            "parameterSpace": space(tasks[first : first + MOST_VALUES]),
            "script": {"actions": {"onRun": action}},
        }


def space(tasks):
    """A .blend file goes with the name; its path is mapped to where it is on the worker."""
    names = {"name": "Task", "type": "STRING", "range": [task.name for task in tasks]}
    blends = [str(task.shot.blend) for task in tasks if task.is_blend]
    if not blends:
        return {"taskParameterDefinitions": [names]}
    if any("{{" in path for path in blends):
        refuse("--openjd: the path of a .blend file must not have {{ in it")
    files = {"name": "Blend", "type": "PATH", "range": blends}
    return {"taskParameterDefinitions": [names, files], "combination": "(Task, Blend)"}


def action(command, arguments):
    cancelled = {"mode": "NOTIFY_THEN_TERMINATE", "notifyPeriodInSeconds": NOTICE}
    return {"command": command, "args": arguments, "cancelation": cancelled}


SLURM_SCRIPT = """#!/bin/bash
# Made by `muslin batch --slurm` of {job}; submit it with sbatch. Tasks that are up to date end at once unless
# --again is said below, so the whole array, or any part of it (--array=3,7), may be submitted again.
#SBATCH --job-name={name}
#SBATCH --array=0-{last}{limit}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={threads}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output="{log}"
tasks=(
{tasks}
)
exec {muslin} batch {job} --task "${{tasks[$SLURM_ARRAY_TASK_ID]}}" \\
    --threads "${{SLURM_CPUS_PER_TASK:-{threads}}}" --blender {blender}{flags}
"""


def slurm_script(job, tasks, options):
    """The text of the script. The names are in it, so that numbers mean the same when the job's file changes."""
    log = str(job.state_folder / "slurm-%A_%a.log").replace("%", "%%")
    log = log.replace("%%A_%%a", "%A_%a")
    if '"' in log or "\\" in log or not str(job.path).isprintable():
        refuse(f"--slurm: {printable(str(job.path))} has a name that no script can hold")
    return SLURM_SCRIPT.format(
        name=job.name,
        last=len(tasks) - 1,
        limit=f"%{options.at_once}" if options.at_once is not None else "",
        threads=options.threads,
        log=log,
        tasks="\n".join(f"    {task.name}" for task in tasks),
        muslin=shlex.quote(options.muslin),
        blender=shlex.quote(options.blender),
        job=shlex.quote(str(job.path)),
        flags="".join(f" {flag}" for flag in of_drape(options)),
    )
