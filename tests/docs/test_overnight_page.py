"""The programs and the table of the page on overnight runs."""

import json
import re
import subprocess
import sys

from tests.docs.pages import blocks, page
from tourney.run.summary import End
from tourney.run.unattended import FAILED, PAUSED, RESUMED, STALLED

PAGE = page("how-to/overnight-runs.md")


def test_metrics_program_prints_what_prometheus_reads() -> None:
    status = {
        "tournament": "cup",
        "state": "running",
        "done": 3,
        "matches": 9,
        "void": 0,
        "workers": 2,
        "rate": 0.5,
        "left": None,
        "last_match": "2023-11-14T22:13:20+00:00",
        "paused_since": None,
        "faults": [
            {"entrant": "a", "kind": "crash", "count": 2},
            {"entrant": "b", "kind": "timeout", "count": 1},
        ],
    }
    (program,) = blocks(PAGE, "python")
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps({"tournaments": [status]}),
        text=True,
        capture_output=True,
        check=True,
    )
    assert done.stdout.splitlines() == [
        'tourney_done{tournament="cup"} 3',
        'tourney_matches{tournament="cup"} 9',
        'tourney_void{tournament="cup"} 0',
        'tourney_workers{tournament="cup"} 2',
        'tourney_rate{tournament="cup"} 0.5',
        'tourney_last_match{tournament="cup"} 1700000000.0',
        'tourney_running{tournament="cup"} 1',
        'tourney_faults{tournament="cup"} 3',
    ]


def test_page_lists_every_end_and_every_notification() -> None:
    table = PAGE.partition("## What a program reads")[2].partition("\n## ")[0]
    heading, *words = re.findall(r"^\| `([a-z]+)` \|", table, re.MULTILINE)
    assert (heading, words) == ("end", [*(end.value for end in End), FAILED])
    for word in (PAUSED, STALLED, RESUMED):
        assert f"| `{word}` |" in PAGE
