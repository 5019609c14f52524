"""What the benchmarks share: tables are read, and figures of two checkouts are put side by side."""

import subprocess
import sys
from pathlib import Path

from benchmarks.common import read_tables
from tests.support.command import ROOT

SCRIPT = """import sys
print("| game | workers | us | took |\\n|---|---|---|---|")
print(f"| stones | {sys.argv[1]} | FIRST | 1.5 s, 20 MB |")
print("| tafl | 2 | SECOND | 3.0 s, MEMORY MB |")
print()
print("| nothing | differs |")
print("|---|---|")
print("| here | 7 |")
"""


def test_tables_are_read_with_their_heads() -> None:
    text = "said\n| a | b |\n|---|---|\n| 1 | x |\n| 2 | y |\n\n| c |\n|:-:|\n| 3 |\n"
    assert read_tables(text) == [[["a", "b"], ["1", "x"], ["2", "y"]], [["c"], ["3"]]]
    assert read_tables("| a | b |\n") == []


def test_figures_of_two_checkouts_are_compared(tmp_path: Path) -> None:
    """Cells that agree name the row; each number of the others has medians and a ratio."""
    trees = tmp_path / "here", tmp_path / "beside"
    for tree, figures in zip(trees, (("1,100", "30.0", "40"), ("1,000", "20.0", "80")), strict=True):
        folder = tree / "benchmarks"
        folder.mkdir(parents=True)
        text = SCRIPT
        for name, figure in zip(("FIRST", "SECOND", "MEMORY"), figures, strict=True):
            text = text.replace(name, figure)
        (folder / "made.py").write_text(text)
    program = (
        "import benchmarks.common as c, pathlib, sys, click; c.ROOT = pathlib.Path(sys.argv.pop(1));"
        "sys.argv[0] = 'made.py'; c.run(click.Command('made'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, trees[0], "--beside", trees[1], "--times", "2", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[4:] == [
        "| stones 1 1.5 s, 20 MB | us | 1,000 | 1,100 | 1.10 |",
        "| tafl 2 | us | 20 | 30 | 1.50 |",
        "| tafl 2 | took, s | 3 | 3 | 1.00 |",
        "| tafl 2 | took, MB | 80 | 40 | 0.50 |",
    ]
