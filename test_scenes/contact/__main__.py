# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/scene contact list | draw NAME OUT.png [--frames 0,12] | write NAME FOLDER [--frames 36]"""

import argparse
import sys

from test_scenes.contact.catalogue import ALL, make
from test_scenes.contact.draw import draw
from test_scenes.contact.files import write_scene
from test_scenes.image import write_png


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="tools/scene contact", description="Scenes of cloth against bodies and itself."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="say which scenes there are")
    picture = commands.add_parser("draw", help="draw the start of a scene, its bodies at frames")
    picture.add_argument("name", choices=ALL, metavar="NAME")
    picture.add_argument("path", metavar="OUT.png")
    picture.add_argument("--frames", type=_numbers, default=[0.0], help="such as 0,12,18.5")
    picture.add_argument("--azimuth", type=float, default=30, help="0 looks at the front (30)")
    picture.add_argument("--elevation", type=float, default=14, help="degrees above level (14)")
    picture.add_argument("--wire", action="store_true", help="draw the mesh lines faintly")
    files = commands.add_parser(
        "write", help="write NAME.obj, and each body as OBJ and point cache"
    )
    files.add_argument("name", choices=ALL, metavar="NAME")
    files.add_argument("folder", metavar="FOLDER")
    files.add_argument("--frames", type=int, default=36, help="of the caches (36)")
    options = parser.parse_args(arguments)
    if options.command == "list":
        for name in ALL:
            print(f"{name:16} {make(name).description}")
        return 0
    if options.command == "write":
        for path in write_scene(options.folder, options.name, make(options.name), options.frames):
            print(path)
        return 0
    views = {"azimuth": options.azimuth, "elevation": options.elevation, "wire": options.wire}
    write_png(options.path, draw(make(options.name), options.frames, **views))
    return 0


def _numbers(text):
    return [float(word) for word in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())
