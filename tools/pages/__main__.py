# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the generated pages, or says which are stale. Usage: pages [--check]; exit status 1 with findings."""

import argparse
import sys
from pathlib import Path

from pages import command_page, fabric_page, links, property_page, setting_page

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "docs/reference/settings.md": setting_page.text,
    "docs/reference/command_line.md": command_page.text,
    "docs/reference/fabrics.md": fabric_page.text,
    "docs/reference/blender_properties.md": property_page.text,
}


def findings(root=ROOT):
    """What is wrong, a line each."""
    for name, text in PAGES.items():
        page = root / name
        if not page.is_file() or page.read_text("utf-8") != text(root):
            yield f"{name} is stale: run tools/docs"
    yield from links.findings(root)


def main():
    """Writes, or checks."""
    parser = argparse.ArgumentParser(prog="tools/docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, print what is wrong")
    if parser.parse_args().check:
        found = list(findings())
        print("\n".join(found), end="\n" if found else "")
        return 1 if found else 0
    for name, text in PAGES.items():
        (ROOT / name).write_text(text(ROOT), "utf-8")
        print(ROOT / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
