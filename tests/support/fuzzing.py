"""A search for inputs that a parser cannot cope with, guided by coverage.

    python -m tests.support.fuzzing TARGET --corpus DIR [--seconds 60]

It needs atheris (``pip install atheris``), which instruments what is imported below, and ends at the first
input that raises anything but an error of Tourney; DIR then holds that input as ``crash-...``. ``python -m
scripts.nightly fuzz`` runs all targets.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["tourney", "tests.support.parsers"]):
    from tests.support.parsers import all_targets, attempt, corpora


def main() -> None:
    """Search; it ends the process."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", choices=all_targets())
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--corpus", type=Path, required=True, help="folder of the inputs found so far")
    given = parser.parse_args()
    given.corpus.mkdir(parents=True, exist_ok=True)
    stored = [corpus / given.target for corpus in corpora()]
    folders = [str(folder) for folder in (given.corpus, *stored) if folder.is_dir()]
    options = [f"-max_total_time={given.seconds}", f"-artifact_prefix={given.corpus}/"]
    options += ["-max_len=16384", "-rss_limit_mb=4096", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], *options, *folders], partial(attempt, given.target))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
