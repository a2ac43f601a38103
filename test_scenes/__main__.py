# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/scene list | write NAME OUT.obj | pins NAME"""

import argparse
import sys

from test_scenes.catalogue import SCENES, make
from test_scenes.objfile import write_obj


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="tools/scene", description="Meshes for tests and demos.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="say which scenes there are")
    write = commands.add_parser("write", help="write a scene as an OBJ file")
    write.add_argument("name", choices=SCENES, metavar="NAME")
    write.add_argument("path", metavar="OUT.obj")
    pins = commands.add_parser(
        "pins", help="print the vertices a scene is held by, from 0, with commas"
    )
    pins.add_argument("name", choices=SCENES, metavar="NAME")
    options = parser.parse_args(arguments)
    if options.command == "list":
        for name, (_, text) in SCENES.items():
            print(f"{name:24} {text}")
    elif options.command == "pins":
        print(",".join(map(str, make(options.name)[1])))
    else:
        mesh, _ = make(options.name)
        write_obj(options.path, mesh)
        print(f"{options.path}: {len(mesh.positions)} vertices, {len(mesh.faces)} faces")
    return 0


if __name__ == "__main__":
    sys.exit(main())
