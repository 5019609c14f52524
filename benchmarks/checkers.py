"""Time of both checkers in seeds/ for records of every format and game.

    python -m benchmarks.checkers [--groups 4]

Plays a pool of tournaments in this process (``tests.seeds.pool``) and exports it. Then both checkers read the
records, and the tournaments; a table shows their times. The exit code is 1 for a problem, for dice that stay
unchecked, and for outputs that differ.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.command import invoke
from tests.seeds.checkers import NODE, PYTHON, check
from tests.seeds.pool import fill

HEAD = "| checker | files | records | problems | dice not checked | seconds |\n|---|---|---|---|---|---|"


def exported(database: Path, names: list[str], folder: Path, what: str) -> list[str]:
    """Export tournaments, one file each."""
    paths = []
    for name in names:
        path = folder / f"{name}-{what}.jsonl"
        done = invoke("export", name, "--what", what, "--out", str(path), "--db", str(database))
        if done.exit_code:
            raise SystemExit(done.stderr)
        paths.append(str(path))
    return paths


def main() -> int:
    """Print the table; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--groups", type=int, default=4, help="mirrored groups of a pairing")
    groups = parser.parse_args().groups
    good = True
    with tempfile.TemporaryDirectory(prefix="tourney-checkers-") as place:
        folder = Path(place)
        names = fill(folder / "pool.db", groups=groups)
        print(HEAD)
        for what in ("records", "tournament"):
            paths = exported(folder / "pool.db", names, folder, what)
            outputs = []
            for program in (PYTHON, NODE):
                began = time.monotonic()
                done = check(program, *paths)
                seconds = time.monotonic() - began
                outputs.append(done.stdout)
                records, _, problems, _, _, _, unknown, *_ = done.stdout.decode().splitlines()[-1].split()
                row = (program.name, f"{len(paths)} {what}", records, problems, unknown, f"{seconds:.1f}")
                print(f"| {' | '.join(row)} |")
                good &= done.returncode == 0 and unknown == "0"
            good &= outputs[0] == outputs[1]
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
