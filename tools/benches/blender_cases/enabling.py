# SPDX-License-Identifier: GPL-3.0-or-later
"""How long enabling the add-on takes, and that neither NumPy nor the library is loaded for it."""

from statistics import median

from common.report import heading, note


def measure(results, sessions, quick):
    heading("Enabling the add-on in a fresh process")
    note(
        "Factory settings, then enabled by name, s. Once without bytecode, as right after the "
        "installation, then the median of several processes. First use: loading the library."
    )
    middles, firsts, early = [], [], 0
    for session in sessions:
        session.forget_bytecode()
        runs = [session.run("enabling", factory=True) for _ in range(3 if quick else 6)]
        first, later = runs[0]["enable"], median(run["enable"] for run in runs[1:])
        use = median(run["first_use"] for run in runs[1:])
        loaded = sum(run["library_loaded"] + run["numpy_loaded"] for run in runs)
        results.row(
            "enabling", version=session.version, first=first, later=later, use=use, loaded=loaded
        )
        middles.append(later)
        firsts.append(first)
        early += loaded
    results.show("enabling", "version first later use loaded")
    results.number("enable_s", max(middles))
    results.number("enable_first_s", max(firsts))
    results.number("enable_loads", early)
