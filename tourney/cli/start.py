"""The program's first module: Ctrl-C ends it with one line, also while the command line is imported."""

import sys


def main() -> None:
    """Run the command line, and exit."""
    try:
        from tourney.cli.main import main as command_line  # noqa: PLC0415 - imports much

        command_line()
    except KeyboardInterrupt:  # outside of ``edge.guard``, which does the same
        sys.stderr.write("error: interrupted\n")
        sys.exit(130)
