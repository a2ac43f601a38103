# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures by key, each from as few runs as it takes; runs that several share are made once."""

from dataclasses import replace

from worn_cases import distance
from worn_cases.runs import Case

COVERALL = Case("coverall_8k")
LONG_SLEEVED = Case("longsleeve")
JACKET = Case("jacket_open", count=8000)  # subdivided once: 6,636
QUICK_FRAMES = 10
SMALL = {
    COVERALL: Case("jacket_open", frames=QUICK_FRAMES),
    LONG_SLEEVED: Case("tshirt", frames=QUICK_FRAMES),
    JACKET: Case("longsleeve", frames=QUICK_FRAMES),
}


def sized(case, quick):
    return SMALL[case] if quick else case


def judged_cases(quick):
    """Those whose quality counts: what the figures of time are taken from."""
    coverall, top, jacket = (sized(c, quick) for c in (COVERALL, LONG_SLEEVED, JACKET))
    bare = [replace(case, self_contact=False) for case in (coverall, jacket)]
    return [coverall, top, replace(coverall, quality="fit"), jacket, *bare]


def _frame(key, case, quality="draft"):
    """A figure of time of one case."""

    def measure(book, quick):
        record = book.run(replace(sized(case, quick), quality=quality))
        book.results.number(key, record and record["ms"])

    return (key,), measure


def quality(book, quick):
    """The worst of all runs that figures of time are taken from."""
    found = [record for record in map(book.run, judged_cases(quick)) if record]
    if not found:
        return
    through = [r["body_piercings"] + (r["self_piercings"] or 0) for r in found]
    book.results.number("worn_stretch_p99", max(r["stretch_p99"] for r in found))
    book.results.number("worn_inside", max(r["inside"] for r in found))
    book.results.number("worn_piercings", max(through))


def modifier(book, quick):
    """Blender's Cloth modifier with self-collision over ours with self-contact, the lesser of two garments."""
    _over(book, "worn_vs_modifier", "modifier", [sized(c, quick) for c in (COVERALL, JACKET)])


def nodes(book, quick):
    """The nodes, which know no self-collision, over ours without self-contact."""
    bare = [replace(sized(case, quick), self_contact=False) for case in (COVERALL, JACKET)]
    _over(book, "worn_vs_nodes", "nodes", bare)


def _over(book, key, method, cases):
    """Ours and the rival take turns, so that both see the same machine."""
    pairs = [(book.run(case), book.rivals.run(case, method)) for case in cases]
    ratios = [theirs["ms"] / ours["ms"] for ours, theirs in pairs if ours and theirs]
    book.results.number(key, min(ratios) if len(ratios) == len(cases) else None)


def rms(book, quick):
    distance.measure(book.results, quick)


CASES = (
    _frame("worn_ms_8k", COVERALL),
    _frame("worn_ms_1k", LONG_SLEEVED),
    _frame("worn_fit_ms_8k", COVERALL, "fit"),
    (("worn_vs_modifier",), modifier),
    (("worn_vs_nodes",), nodes),
    (("worn_stretch_p99", "worn_inside", "worn_piercings"), quality),
    (("worn_rms_draft", "worn_rms_fit", "worn_rms_final"), rms),
)
