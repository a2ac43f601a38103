# SPDX-License-Identifier: GPL-3.0-or-later
"""What a batch says: a line per task, and at the end how long it took and what passes through what."""

import json
from collections import Counter

from ..errors import FileError, printable
from ..farm.job import not_a_link
from ..files import read_ordinary, to_json, write_atomic
from ..inspection.verdict import Unclean, unclean_text
from .batch_pool import DONE, FAILED, KEPT, STOPPED

STATES = (DONE, KEPT, FAILED, STOPPED)


def piercings(record):
    """Edges through bodies or the cloth, in the worst frame; None where no one looked."""
    worst = record.get("verdict", {}).get("worst")
    return None if worst is None else worst["body_piercings"] + worst["self_piercings"]


def line(result):
    name, record = result.task.name, result.record
    if result.state == STOPPED:
        return f"{name}: stopped"
    if result.state == FAILED:
        log = result.task.state(".log")
        reason = printable(record.get("reason", "")) or "no reason was recorded"
        return f"{name}: failed: {reason} ({log})"
    time = f"done in {result.seconds:.1f} s" if result.state == DONE else "kept"
    return f"{name}: {time}{faults(record)}"


def faults(record):
    """What is wrong at worst and at the end; nothing where no one looked."""
    verdict = record.get("verdict", {})
    if not verdict:
        return ""
    worst = verdict["worst"]
    stretch = 100.0 * max(0.0, worst["largest_stretch"] - 1.0)
    text = f"; piercings {piercings(record)}, inside {worst['inside_count']}, stretched by {stretch:.0f} %"
    since = [f"{what} since frame {at}" for what, at in verdict["since"].items() if at is not None]
    text += f"; at the end {printable(', '.join(since))}" if since else ""
    return text + "".join(f"; {words}" for words in unclean(verdict))


def unclean(verdict):
    """A few words on the frames with edges through bodies, and on those that were stretched."""
    for kind, found in verdict.get("unclean", {}).items():
        yield unclean_text(Unclean(kind, found["frames"], found["worst"], found["worst_frame"], ""))


def is_good(record):
    """Whether nothing is wrong with the cloth, or no one looked."""
    return bool(record.get("verdict", {}).get("good", True))


def numbers(job, results, seconds, at_once):
    """The whole batch, for machines."""
    rows = [
        {
            "task": result.task.name,
            "state": result.state,
            "seconds": result.record.get("seconds"),
            "piercings": piercings(result.record),
            "worst": result.record.get("verdict", {}).get("worst"),
            "good": result.record.get("verdict", {}).get("good"),
            "reason": result.record.get("reason", ""),
            "outputs": [one["path"] for one in result.record.get("outputs", [])],
        }
        for result in results
    ]
    counts = Counter(result.state for result in results)
    return {
        "job": job.name,
        "seconds": seconds,
        "work_seconds": sum(result.seconds for result in results),
        "at_once": at_once,
        **{state: counts[state] for state in STATES},
        "tasks": sorted(rows, key=lambda row: row["task"]),
    }


def last_lines(found, not_begun):
    """The end of a batch in words."""
    parts = [f"{found[state]} {state}" for state in STATES if found[state]]
    if not_begun:
        parts.append(f"{not_begun} not begun")
    times = f"{found['seconds']:.1f} s, {found['work_seconds']:.1f} s of work"
    yield f"{', '.join(parts)}; {times}, {found['at_once']} at a time"
    pierced = [row for row in found["tasks"] if row["piercings"]]
    if pierced:
        worst = max(pierced, key=lambda row: row["piercings"])
        worst = f"{worst['piercings']} edges in {worst['task']}"
        yield f"intersections in {len(pierced)} of {len(found['tasks'])} tasks, at worst {worst}"


def write(job, names, found):
    """The rows of other tasks of the job stay: a batch may be of some, or be stopped before it came to all."""
    path = not_a_link(job.state_folder / "summary.json")
    rows = {row["task"]: row for row in (*rows_of(path), *found["tasks"]) if row["task"] in names}
    counts = Counter(row["state"] for row in rows.values())
    counts = {state: counts[state] for state in STATES}
    whole = {**found, **counts, "tasks": [rows[name] for name in sorted(rows)]}
    write_atomic(path, to_json(whole).encode())


def rows_of(path):
    """Of a summary that is there; none of one that cannot be read."""
    try:
        rows = json.loads(read_ordinary(path))["tasks"]
        words = ("task", "state")
        return [row for row in rows if all(isinstance(row.get(one), str) for one in words)]
    except (FileError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []
