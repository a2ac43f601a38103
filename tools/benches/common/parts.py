# SPDX-License-Identifier: GPL-3.0-or-later
"""A bench made of parts, of which `--only` chooses some, with a table of its figures at the end."""

import time
from dataclasses import dataclass

from common import command
from common.report import heading, judged, note, reach_text, short, table


@dataclass(frozen=True)
class Bench:
    """What one bench is made of; main() runs it by the command line.

    about    a sentence, of which what is before the colon is printed first
    parts    by name, or by the keys of the figures that they give: functions of (results, quick), or modules with such a
             `measure` and perhaps draw(results, folder)
    figures  key, what it is, what others say of it (see `columns`), and what to reach as judged() reads it
    options  adds options of the bench's own to a parser; begin(options) reads them before anything is measured
    last     what is made of all parts' numbers, a function of results
    plots    draws from all rows: a function of (rows, folder)
    show     another table than that of the figures: a function of results
    """

    name: str
    about: str
    quick_help: str
    parts: dict
    figures: tuple = ()
    columns: tuple = ()
    options: object = None
    begin: object = None
    last: object = None
    plots: object = None
    show: object = None

    def chosen(self, names=None):
        """The parts of these names, each once; a name that is none is refused."""
        for name in names or ():
            if name not in self.parts:
                there = ", ".join(self.parts)
                raise SystemExit(f"tools/bench {self.name}: there is no {name}; there are {there}")
        return list(dict.fromkeys(self.parts[name] for name in names or self.parts))

    def reached(self, key, value):
        """Whether a value of a figure is what it should be: "yes", "NO", or None where nothing is asked."""
        return judged(value, next(figure[-1] for figure in self.figures if figure[0] == key))

    def measure(self, results, quick, only=None, folder=None):
        begin, seconds = time.monotonic(), {}
        print(self.about.partition(":")[0])
        if quick:
            note(f"Quick run: {self.quick_help}; the figures proper are those of a full run.")
        command.describe_machine(results)
        parts = self.chosen(only)
        for part in parts:
            start = time.monotonic()
            getattr(part, "measure", part)(results, quick)
            seconds[self._name_of(part)] = time.monotonic() - start
        if self.last:
            self.last(results)
        for part in parts if folder else ():
            if hasattr(part, "draw"):
                part.draw(results, folder)
        (self.show or self._show)(results)
        if folder and self.plots:
            self.plots(results.rows, folder)
        results.number("bench_seconds", round(time.monotonic() - begin, 1))
        longest = sorted(seconds.items(), key=lambda item: -item[1])
        parted = ", ".join(f"{name} {taken:.0f} s" for name, taken in longest)
        note(f"Measured in {results.numbers['bench_seconds']:.0f} s: {parted}.")

    def _name_of(self, part):
        return next(name for name, other in self.parts.items() if other is part)

    def _show(self, results):
        found = results.numbers
        rows = [
            (text, key, short(found[key]), *rest, reach_text(reach), judged(found[key], reach))
            for key, text, *rest, reach in self.figures
            if key in found
        ]
        if rows:
            heading("Figures")
            table(("what", "key", "ours", *self.columns, "reach", "reached"), rows, left=2)

    def draws(self):
        return bool(self.plots) or any(hasattr(part, "draw") for part in self.parts.values())

    def main(self):
        """Its exit code."""

        def add_options(parser):
            parser.add_argument("--only", metavar="NAME", nargs="+", help="only what gives these")
            if self.options:
                self.options(parser)

        about = f"{self.about} --only takes: {', '.join(self.parts)}."
        options = command.parse(self.name, about, self.quick_help, self.draws(), add_options)
        self.chosen(options.only)
        if self.begin:
            self.begin(options)
        folder = options.plots if self.draws() else None
        return command.run(
            lambda results, quick: self.measure(results, quick, options.only, folder), options
        )


def settings_of(texts):
    """NAME=VALUE of --set; what reads as a number is one."""
    found = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            found[name] = float(value)
        except ValueError:
            found[name] = value
    return found


def add_settings(parser):
    """--set, for settings_of()."""
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a setting of every cloth, such as integrator=bdf2; may be given again",
    )
