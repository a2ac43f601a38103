# SPDX-License-Identifier: GPL-3.0-or-later
"""Dress This Body: how many clicks from imported meshes, and how long until it moves and until it rests."""

from artist_cases.blender import files, session
from common.report import digits, heading, note, table

GARMENTS = {
    "coverall_8k": "8k",
    "tshirt": None,
    "bodysuit_sym": None,
}  # and which keys have its figures


def measure(results, quick):
    heading("Dress This Body: from imported meshes to the garment at rest")
    note(
        "Garment and body imported from OBJ, each clicked at, and the button pressed; each in a Blender that was "
        "just started, so that loading the library counts. Without a window: where there is one, its drawing comes on top."
    )
    rows = []
    for name, key in GARMENTS.items():
        given = files(f"{name}.obj", "body.obj")
        if given is None or (quick and key is None):
            continue
        runs = [
            session().run("dressing", garment=given[0], body=given[1])
            for _ in range(1 if quick else 3)
        ]
        best = min(runs, key=lambda run: run["settled"])
        motion = min(run["first_motion"] for run in runs)
        results.row("dressing", garment=name, **{**best, "first_motion": motion})
        shown = digits(motion, 2), digits(best["settled"], 2), best["steps"]
        rows.append((name, best["clicks"], *shown, "yes" if best["rests"] else "no"))
        if key is not None:
            results.number("clicks_to_drape", best["clicks"] if best["rests"] else None)
            results.number(f"dress_s_{key}", best["settled"])
            results.number("first_motion_s", motion)
    table(("garment", "clicks", "first motion, s", "at rest, s", "steps", "rests"), rows)
