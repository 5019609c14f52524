"""``tourney gate`` with real bots, and the baselines that it compares with."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.support.command import invoke

FAST = ("--workers", "2", "--sandbox", "off", "--move-ms", "600000", "--reuse")


def gate(*words: str) -> tuple[str, ...]:
    return ("gate", *words, "--game", "sage-stones", "--gain", "400", "--batch", "4", "--seed", "1", *FAST)


@pytest.mark.slow
def test_accepted_candidate_becomes_the_baseline(losers: Path) -> None:
    """The first baseline needs no gate; the next one has to beat it; a promotion can be taken back."""
    promote = ("bots", "promote", "--game", "sage-stones")
    missing = invoke(*gate("pebble"))
    assert missing.exit_code == 2
    assert "tourney bots promote" in missing.stderr
    assert invoke(*promote, "./quitter").exit_code == 0
    lost = invoke(*gate("pebble", "--bots", "elsewhere"))
    assert (lost.exit_code, "keep that folder with" in lost.stderr) == (2, True)
    refused = invoke(*promote, "pebble")
    assert refused.exit_code == 1
    assert "has not been accepted against quitter" in refused.stderr
    done = invoke(*gate("pebble", "--against", "--out", "v.md", "--out", "v.xml"))
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("ACCEPTED: pebble 1.0 is better than quitter")
    assert "**ACCEPTED**" in (losers / "v.md").read_text()
    assert ET.parse(losers / "v.xml").getroot()[0].get("failures") == "0"  # noqa: S314 - it is our own text
    promoted = invoke(*promote, "pebble")
    assert "it beat quitter 1.0 by" in promoted.stdout
    assert invoke(*promote, "pebble").exit_code == 1
    assert invoke(*promote, "./other", "--force", "--name", "pebble").exit_code == 0
    names = [line.split()[1:3] for line in invoke("bots", "baselines").stdout.splitlines()[2:]]
    assert names == [["pebble", "other"], ["quitter", "quitter"]]
    assert "it again" in invoke("bots", "promote", "--undo", "pebble").stdout
    assert "number" not in invoke("bots", "baselines", "--history", "--format", "csv").stdout
    table = invoke("bots", "baselines", "--game", "sage-stones").stdout
    assert "quitter 1.0 by +" in table


def test_loser_is_rejected_against_several_baselines(losers: Path) -> None:
    done = invoke(*gate("./quitter", "--against", "pebble", "./other", "-q"))
    assert done.exit_code == 1, done.output
    assert done.stdout.startswith("REJECTED: quitter 1.0 is less than 400 Elo better than pebble")
    assert done.stderr == ""


def test_crashing_candidate_is_rejected_with_its_log(losers: Path) -> None:
    done = invoke(*gate("./crasher", "--against", "pebble"))
    assert done.exit_code == 1, done.output
    assert "REJECTED: crasher 1.0 was at fault" in done.stdout
    assert "stderr: gone" in done.stdout


def test_undecided_gate_has_a_code_of_its_own(losers: Path) -> None:
    few = invoke(*gate("./quitter", "--against", "./other", "--max-pairs", "1"))
    assert few.exit_code == 4, few.output
    assert "allow more by --max-pairs" in few.stdout
    late = invoke(*gate("./other", "--against", "./quitter", "--stop-after", "0h0m1s", "--seed", "2"))
    assert late.exit_code in {1, 4}


def test_failing_baseline_is_a_failure_of_the_environment(losers: Path) -> None:
    done = invoke(*gate("pebble", "--against", "./crasher"))
    assert done.exit_code == 3, done.output
    assert done.stdout.startswith("UNDECIDED: pebble 1.0: the games against crasher say nothing")
    assert "run `tourney bots check`" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--against", "pebble"), "Missing argument 'CANDIDATE'"),
        (("pebble", "--against", "random", "--out", "v.html"), "must end in .md, .json, .xml"),
        (("pebble", "--against", "random", "--gain", "-1"), "--no-regression 0 must lie below --gain -1"),
        (("pebble", "--against", "unknown"), "there is no bot 'unknown'"),
        (("pebble", "--against", "pebble", "pebble"), "names pebble twice"),
    ],
)
def test_bad_gates_are_refused(losers: Path, words: tuple[str, ...], said: str) -> None:
    done = invoke("gate", *words, "--game", "sage-stones")
    assert done.exit_code == 2
    assert said in done.stderr
    assert not (losers / "tourney.db").exists()
