"""The examples on the pages "Add a ..." work as they stand."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.addons import NAMES
from tests.support.command import ROOT
from tests.support.tournaments import entrant
from tourney.bots.catalogue.command import BotCommand
from tourney.bots.channel.interface import Event
from tourney.bots.channel.scripted import ScriptedChannel
from tourney.bots.sandbox.sandbox import PROTECTIONS, ResourceLimits
from tourney.games.check.suite import check_game
from tourney.games.tree import perft
from tourney.match.result import PlayedMatch
from tourney.match.spec import DEFAULT_LIMITS, MatchSpec
from tourney.plugins import Addon
from tourney.run.workers.executor import MatchTask
from tourney.schedule.format import History, Participant, Setup
from tourney.schedule.row import Row

GUIDES = ROOT / "docs" / "how-to"


def example(page: str) -> dict[str, Any]:
    """Return what the first Python example of a page defines; the second one is its line of an add-on."""
    text = (GUIDES / f"{page}.md").read_text(encoding="utf-8")
    block, *_ = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(block, page, "exec"), names)  # noqa: S102 - the documentation's own code
    return names


def test_game_passes_the_property_suite() -> None:
    game = example("add-a-game")["Nim"]()
    assert list(check_game(game, games=20)) == []
    assert perft(game.new(), 3) == 27


def test_format_pairs_every_entrant_in_every_round() -> None:
    format_ = example("add-a-format")["Neighbours"]()
    setup = Setup(tuple(map(Participant, range(4))), seats=2, seed=1, rounds=2)
    format_.check(setup)
    first = format_.next_rounds(setup, History())
    assert not first.complete
    second = format_.next_rounds(setup, History(first.rows))
    assert second.complete
    assert {tuple(sorted(row.seats)) for row in first.rows} == {(1, 2), (0, 3)}
    assert {tuple(sorted(row.seats)) for row in second.rows} == {(0, 1), (2, 3)}


def test_rating_method_ranks_by_share_of_wins() -> None:
    method = example("add-a-rating-method")["Share"]()
    results = [Row(1, 1, 1, 1, (0, 1)).result((1, 2)), Row(1, 1, 1, 2, (1, 0)).result((1, 1))]
    table = method.rate(results, [0, 1, 2], 2)
    assert [(line.rank, line.entrant, line.games, line.share) for line in table] == [
        (1, 0, 2, 1.0),
        (2, 1, 2, 0.5),
        (3, 2, 0, 0.0),
    ]


def test_executor_answers_a_task(tmp_path: Path) -> None:
    threads = example("add-an-executor")["Threads"](1)
    bots = (entrant("a"), entrant("b"))
    spec = MatchSpec("sages-tafl", (), bots, 1, DEFAULT_LIMITS)
    reply = threads.submit(MatchTask(7, spec, str(tmp_path), "off", reuse=False))
    threads.close()
    assert not isinstance(reply.result() if reply.exception() is None else None, PlayedMatch)
    assert "bot" in str(reply.exception() or reply.result().failure)


def test_sandbox_states_a_degree_for_every_protection(tmp_path: Path) -> None:
    sandbox = example("add-a-sandbox")["Niced"].open("off")
    assert list(sandbox.protections) == list(PROTECTIONS)
    command = BotCommand(("/bin/true",), tmp_path, {})
    launch = sandbox.prepare(command, ResourceLimits(memory_mb=64))
    assert launch.argv[:3] == ["nice", "-n", "19"]
    launch.abandon()


def test_protocol_adapts_a_bare_answer() -> None:
    channel = ScriptedChannel("> go\n< d2-d4\n")
    adapted = example("add-a-protocol")["Bare"]().adapt(channel)
    assert adapted.ask(b"go\n", 2 * 10**9) == Event("line", "move d2-d4")


def test_every_field_of_an_addon_has_a_page() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in GUIDES.glob("*add*n*.md"))
    for field in Addon._fields:
        assert f"{field}={{" in pages, f"no guide shows Addon({field}=...)"


@pytest.mark.addon(*NAMES)
def test_change_page_names_files_and_names_that_exist() -> None:
    page = (GUIDES / "change-tourney.md").read_text(encoding="utf-8")
    paths = re.findall(r"`((?:tourney|tests|docs|seeds|templates|engines|scripts)/[^` ]*)`", page)
    assert len(paths) > 40
    assert [path for path in paths if not (ROOT / path).exists()] == []
    for name, path in re.findall(r"`(\w+(?:\.\w+)?)` (?:in|of) `(tourney/[\w/]+\.py)`", page):
        text = (ROOT / path).read_text(encoding="utf-8")
        assert all(re.search(rf"\b{part}\b", text) for part in name.split(".")), f"{path} has no {name}"
