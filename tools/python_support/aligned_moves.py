# SPDX-License-Identifier: GPL-3.0-or-later
"""aligned_moves.py OBJDUMP FILE.dll: checks that no move of 32 or 64 bytes wants its address aligned.

Windows aligns the stack to 16 bytes, and GCC spills wide vectors there as if it were more (its bug 54412): such a move
ends the process on some calls and not on others, so running the tests proves less than reading the code does.
"""

import re
import subprocess
import sys

ALIGNED = re.compile(
    r"\bvmov(?:ap[sd]|dqa(?:32|64)?|ntp[sd]|ntdqa?)\s+.*\(.*%[yz]mm|"
    r"\bvmov(?:ap[sd]|dqa(?:32|64)?|ntp[sd]|ntdqa?)\s+.*%[yz]mm.*\("
)
ANY = re.compile(r"\bvmov(?:up[sd]|dqu(?:8|16|32|64)?)\s+.*%[yz]mm")


def look(lines):
    """The wide moves of a listing that want alignment, and how many do not."""
    aligned = [line.strip() for line in lines if ALIGNED.search(line)]
    return aligned, sum(bool(ANY.search(line)) for line in lines)


def main(objdump, path):
    command = [objdump, "-d", "--no-show-raw-insn", path]
    reported = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    aligned, others = look(reported.stdout.splitlines())
    for line in aligned[:10]:
        print(f"aligned_moves: {path}: {line}")
    if not others:
        print(f"aligned_moves: {path} has no wide moves at all: is this the library?")
    return 1 if aligned or not others else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
