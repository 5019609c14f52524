"""The program's first module: Ctrl-C ends it with one line, also while the command line is imported."""

import gc
import os
import sys


def main() -> None:
    """Run the command line, and exit."""
    # NumPy starts a thread a processor when it is imported, and ends the program where a shell's limit allows
    # none. Ratings are fitted with small matrices, and by one thread to the same digits on every machine.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Modules live until the end, and the collector would visit them again and again while more are loaded: a
    # tenth of the time of a short command. ``CommandTable.load`` switches it on again.
    gc.disable()
    try:
        from tourney.cli.postponed import postpone  # noqa: PLC0415 - inside of the handler of Ctrl-C

        postpone()
        from tourney.cli.main import main as command_line  # noqa: PLC0415 - imports much

        command_line()
    except KeyboardInterrupt:  # outside of ``edge.guard``, which does the same
        sys.stderr.write("error: interrupted\n")
        sys.exit(130)
