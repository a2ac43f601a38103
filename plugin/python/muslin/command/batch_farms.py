# SPDX-License-Identifier: GPL-3.0-or-later
"""A job as a job type of Flamenco 3: the script that its manager compiles a job with."""

import json
import os
from pathlib import Path

from ..table import SETTINGS
from . import batch_flags
from .batch_tasks import EXPRESSION

# Its manager reads no files, so the tasks are in the script. ES5, and `const`: what a manager's JavaScript knows.
HEAD = """// SPDX-License-Identifier: GPL-3.0-or-later
// Made by `muslin batch --flamenco`. Put it into the folder `scripts` beside flamenco-manager.

// Tasks have the .blend file of each, from the job's folder on; empty: its bodies are files.
const MADE = """
SCRIPT = r""";

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


def script(job, tasks, options):
    """The text of the script."""
    listed = [{"name": task.name, "blend": blend_of(job, task)} for task in tasks]
    values = {
        "label": f"Muslin: {job.name}",
        "job": str(job.path),
        "threads": options.threads,
        "most": SETTINGS["threads"].most,
        "drapeFlags": batch_flags.of_drape(options),
        "bakeFlags": batch_flags.of_bake(options),
        "muslin": options.muslin,
        "tasks": listed,
        "bake": EXPRESSION,
    }
    return HEAD + json.dumps(values, indent=4) + SCRIPT


def blend_of(job, task):
    """From the job's folder on where it is below, else its whole path."""
    if not task.is_blend:
        return ""
    path = Path(os.path.normpath(task.shot.blend))
    beside = job.folder in path.parents
    return (path.relative_to(job.folder) if beside else path).as_posix()
