"""The command line: `pygpukit`, or `python -m pygpukit`."""

import argparse
import sys
from collections.abc import Sequence

from pygpukit.config import config
from pygpukit.log import replay


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; the exit status is 1 for a log that does not replay, 2 for misuse."""
    parser = argparse.ArgumentParser(prog="pygpukit", description="A GPU runtime for Python.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("config", help="show devices, the driver and every compiler found")
    replaying = commands.add_parser(
        "replay", help="play a scheduler's log again; print a hash of all decisions and a summary"
    )
    replaying.add_argument("file", help="the file that was given as Scheduler(log=)")
    options = parser.parse_args(arguments)
    if options.command == "config":
        print(config())
        return 0
    try:
        result = replay(options.file)
    except (OSError, ValueError) as error:
        print(f"pygpukit replay: {error}", file=sys.stderr)
        return 1
    for name, value in result.as_dict().items():
        print(f"{name.replace('_', ' '):<16} {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
