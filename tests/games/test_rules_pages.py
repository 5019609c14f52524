"""The worked turns of the rules pages match the rules console."""

import csv
import re
from pathlib import Path
from statistics import median

import pytest

from tests.docs.pages import blocks, page
from tests.games.cyvasse.hands import A, B
from tests.support.command import invoke
from tourney.games.console import Console
from tourney.games.registry import GAMES, find_game

PAGES = Path(__file__).parents[2] / "docs" / "rules"


def test_every_game_has_rules_page_with_diagram() -> None:
    """The next test also covers added and renamed pages."""
    assert {path.stem for path in PAGES.glob("*.md")} == {*GAMES.own, "README"}
    for game in GAMES.own:
        assert f"![board]({game}.svg)" in (PAGES / f"{game}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("game", ["cyvasse", "element", "sage-stones", "sages-tafl", "seven-sages"])
def test_rulings_are_marked_and_reasons_refer_to_the_text(game: str) -> None:
    """A reason may stand for several marks."""
    rules, _, rest = page(f"rules/{game}.md").partition("\n## Rulings\n")
    rulings, _, sources = rest.partition("\n## Sources\n")
    reasons = re.split(r"^- (?=\*[A-Za-z0-9`])", rulings, flags=re.MULTILINE)[1:]
    assert 5 <= len(reasons) <= rules.count("**[R]**")
    assert all('"' in reason or "text" in reason or "figure" in reason for reason in reasons)
    assert "Lost are" in sources.partition("\n## ")[0]


@pytest.mark.parametrize("game", sorted(GAMES.own))
def test_worked_turns_match_console(game: str) -> None:
    """Every block is compared line by line and has an action."""
    turns = blocks(page(f"rules/{game}.md"), "console")
    assert any("> play " in block for block in turns)
    for block in turns:
        console = Console(find_game(game))
        lines = iter(block.splitlines())
        for line in lines:
            assert line.startswith("> ")
            console, answer = console.answer(line.removeprefix("> "))
            assert answer == next(lines)


def test_random_games_of_tafl_have_the_winners_of_the_benchmark() -> None:
    (won,) = re.findall(r"a winner in (\d+) of 1,000 games", page("rules/sages-tafl.md"))
    (ends,) = re.findall(
        r"^\| sages-tafl \| 1,000 \|.*\| (length .*?) \|", page("explanation/performance.md"), re.MULTILINE
    )
    counts = {word: int(count) for word, count in re.findall(r"(\w+) (\d+)", ends)}
    assert (counts["points"], sum(counts.values())) == (int(won), 1000)


@pytest.mark.slow
def test_matches_of_tafl_take_the_actions_that_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = page("rules/sages-tafl.md")
    (commands,) = blocks(text, "sh")
    for line in commands.splitlines():
        # Time decides nothing here: both bots answer by the position alone.
        more = ("--set", "limits.move-ms=600000", "--set", "limits.startup-ms=600000", "--quiet") * (
            "run" in line
        )
        done = invoke(*line.split()[1:], *more)
        assert done.exit_code == 0, done.output
    with Path("takers.csv").open(encoding="utf-8") as file:
        actions = sorted(int(row["actions"]) for row in csv.DictReader(file))
    said = re.findall(
        r"(\d+) matches of `greedy` against `pebble` end after (\d+) to (\d+) actions, the median is (\d+)",
        text,
    )
    assert said == [tuple(map(str, (len(actions), actions[0], actions[-1], round(median(actions)))))]


def test_perft_table_of_cyvasse_has_the_counted_positions() -> None:
    text = (PAGES / "cyvasse.md").read_text(encoding="utf-8")
    assert f"A: `{A}`" in text
    assert f"B: `{B}`" in text
    assert "| A | 95 | 7,972 |" in text
    assert "| B | 95 | 3,627 |" in text
