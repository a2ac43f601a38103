# SPDX-License-Identifier: GPL-3.0-or-later
"""Links between documents lead to files and headings; so do paths of documents in the sources, and of sources in documents."""

import os
import re

FOLDERS = ("native", "plugin", "blender_addon", "test_scenes", "tools", ".ci")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
SOURCE = re.compile(r"`((?:native|plugin|blender_addon|test_scenes|tools)/[\w./-]+)`")
STAND_IN = re.compile(r"[A-Z]{4}")  # NAME, or the name of something that is yet to be written
MENTIONED = re.compile(r"\bdocs/[\w./-]*\.(?:md|png|svg|gif)\b")
SOURCES = (".py", ".c", ".h", ".cmake", ".txt", ".toml", ".json", ".js", "")


def documents(root):
    """All pages that people read: those at the top and those in docs."""
    return [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]


def findings(root):
    """What leads nowhere, and pictures that nobody shows."""
    shown = set()
    for page in documents(root):
        text = FENCED.sub("", page.read_text("utf-8"))
        for target in LINK.findall(text):
            if "://" in target or target.startswith("mailto:"):
                continue
            path, _, anchor = target.partition("#")
            file = page.parent / path if path else page
            name = page.relative_to(root)
            shown.add(file.resolve())
            if not file.exists():
                yield f"{name}: {target} leads to no file"
            elif anchor and anchor not in anchors(file):
                yield f"{name}: {target} leads to no heading"
        yield from _mentions(root, page)
        yield from _sources(root, page)
    for source in sources(root):
        yield from _mentions(root, source)
    for picture in sorted((root / "docs" / "pictures").iterdir()):
        if picture.resolve() not in shown:
            yield f"docs/pictures/{picture.name} is in no document"


def anchors(file):
    """The names of a page's headings, as GitHub makes them."""
    return {anchor(heading) for heading in HEADING.findall(FENCED.sub("", file.read_text("utf-8")))}


def anchor(heading):
    """Small letters, hyphens for spaces, nothing else but digits and underscores."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def sources(root):
    """Files of the sources that may name a document."""
    for top in (root, *(root / folder for folder in FOLDERS)):
        for here, folders, names in os.walk(top):
            folders[:] = (
                []
                if top == root
                else [n for n in folders if n not in ("corpus", "pages", "__pycache__")]
            )
            for name in sorted(names):
                path = top.__class__(here, name)
                if path.suffix in SOURCES and path.is_file():
                    yield path


def _mentions(root, path):
    """Paths that the text says, without a link."""
    text = path.read_bytes().decode("utf-8", "replace")
    for name in sorted(set(MENTIONED.findall(text))):
        if not (root / name).exists():
            yield f"{path.relative_to(root)}: there is no {name}"


def _sources(root, page):
    """Files and folders of the sources that a page names, in full or without their ending."""
    for name in sorted(set(SOURCE.findall(page.read_text("utf-8")))):
        path = root / name
        if (
            not STAND_IN.search(name)
            and not path.exists()
            and not list(path.parent.glob(path.name + ".*"))
        ):
            yield f"{page.relative_to(root)}: there is no {name}"
