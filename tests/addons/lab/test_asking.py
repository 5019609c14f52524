"""From a question to a tournament: its name, its openings, and whom it takes."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.addons.lab.comparisons import asking
from tests.support.coordination import RecordingListener
from tests.support.folders import write_shell_bot
from tests.support.tournaments import played, refused
from tourney.addons.lab.asking import Answer, BotQuestion, question_file
from tourney.addons.lab.comparison import ComparisonRule, stored_form
from tourney.addons.lab.gate import GateRule
from tourney.addons.lab.results import ComparisonResult
from tourney.bots.catalogue.store import BotStore
from tourney.bots.catalogue.submission import digest_of_bot
from tourney.errors import TournamentError, UsageError
from tourney.games.registry import find_game
from tourney.match.result import LogLine, PlayedMatch
from tourney.match.spec import Limits
from tourney.ratings.sequential import SequentialTest
from tourney.run.file_schema import OPENING_PLIES, EntrantLine, opening_plies
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.schedule.format import find_format
from tourney.store.database import Database
from tourney.store.values import Plan

RULE = ComparisonRule(SequentialTest(0, 100), batch=4)


def win(task: MatchTask) -> WorkerReply:
    """Let ``greedy`` win every game."""
    first = task.spec.seats[0].name == "greedy"
    return WorkerReply(task.number, played(task.spec, (1, 2) if first else (2, 1)))


def question(a: EntrantLine, b: EntrantLine, **more: Any) -> BotQuestion[ComparisonResult]:
    return BotQuestion(bots=(a, b), **more)


ask = asking(question, a=EntrantLine("greedy"), b=EntrantLine("random"), game="sages-tafl", rule=RULE)


def test_answered_question_is_not_played_again(tmp_path: Path) -> None:
    first = ask(tmp_path, win)
    again = ask(tmp_path, lambda task: pytest.fail("nothing is to be played"))
    assert again == Answer(first.result, None)
    with Database.open(str(tmp_path / "t.db")) as repository:
        tournament = repository.tournaments.get(first.result.comparison)
        assert repository.tournaments.verdict(tournament.id) == stored_form(first.result)
        assert tournament.complete
    # Another question is another comparison.
    for changes in ({"rule": ComparisonRule(SequentialTest(0, 90), 4)}, {"opening_plies": 2}, {"seed": 8}):
        other = ask(tmp_path, win, **changes)
        assert other.summary is not None
        assert other.result.comparison != first.result.comparison


def test_bot_that_never_starts_is_named_once_and_at_the_end(tmp_path: Path) -> None:
    def unstarted(task: MatchTask) -> WorkerReply:
        seat = 1 + [entrant.name for entrant in task.spec.seats].index("random")
        match = played(task.spec, (2, 1) if seat == 1 else (1, 2), ((seat, "startup", 0),))
        log = (
            LogLine(0, seat, "note", "startup: exited with code 1"),
            LogLine(0, seat, "stderr", "no option Skil"),
        )
        return WorkerReply(task.number, PlayedMatch(match.record, (*log, LogLine(0, seat, "stderr", "--"))))

    heard = RecordingListener()
    answer = ask(tmp_path, unstarted, heard)
    words = [text for text in heard.messages if "did not start" in text]
    assert words == ["random did not start in match 1 and loses it: no option Skil"]
    assert answer.unstarted.startswith("random started in none of its ")
    assert f"`tourney db remove {answer.result.comparison}`" in answer.unstarted
    assert ask(tmp_path, unstarted).unstarted == answer.unstarted
    with_one_start = ask(tmp_path, lambda task: (win if task.number == 3 else unstarted)(task), seed=8)
    assert with_one_start.unstarted == ""


def test_named_question_refuses_another_request(tmp_path: Path) -> None:
    first = ask(tmp_path, win, name="mine")
    assert first.result.comparison == "mine"
    assert ask(tmp_path, win, name="mine").result == first.result
    with refused(TournamentError, 'tourney compare: elo1 was "100.0"', 'and is "90.0" now'):
        ask(tmp_path, win, name="mine", rule=ComparisonRule(SequentialTest(0, 90), 4))


def test_bot_against_itself_gets_a_second_name(tmp_path: Path) -> None:
    result = ask(
        tmp_path, win, b=EntrantLine("greedy", args=("--x",)), rule=ComparisonRule(SequentialTest(0, 200), 2)
    ).result
    assert (result.a, result.b) == ("greedy", "greedy-2")


def test_edited_bot_meets_its_stored_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Although its folder bears the same name; and no bot meets itself."""
    monkeypatch.chdir(tmp_path)
    bot = write_shell_bot(tmp_path, "b", "go) echo resign;;")
    store = BotStore(tmp_path / "bots")
    by_path, by_name = EntrantLine("./b"), EntrantLine("b")
    for pair in ((by_path, by_path), (by_path, by_name), (EntrantLine("greedy"), EntrantLine("greedy"))):
        with refused(UsageError, "the same files"):
            question_file(question(*pair, rule=RULE, game="sages-tafl"), store)
    (bot / "bot.sh").write_text("exit 1\n")
    for pair, names in (((by_path, by_name), ["b", "b-old"]), ((by_name, by_path), ["b", "b-new"])):
        _, _, (one, other) = question_file(question(*pair, rule=RULE, game="sages-tafl"), store)
        assert [one.name, other.name] == names
        newest = one if names[1] == "b-old" else other
        assert newest.entrant.digest == digest_of_bot(bot)
        assert one.entrant.digest != other.entrant.digest
        store.remove(newest.entrant.digest)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "go"}, "there is no game"),
        ({"options": {"x": "1"}}, "no option x"),
        ({"opening_plies": 100_000}, "no game of sages-tafl is that long"),
        ({"name": "No Name"}, "is not a name for a comparison"),
        ({"game": "cyvasse", "seats": 3}, "played with 2 seats"),
    ],
)
def test_invalid_questions_are_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with refused(UsageError, message):
        ask(tmp_path, win, **changes)
    assert not (tmp_path / "t.db").exists()


def test_openings_follow_from_the_game() -> None:
    plain, dice, hidden = (find_game(name) for name in ("sages-tafl", "sage-stones", "cyvasse"))
    assert opening_plies(plain) == OPENING_PLIES
    assert opening_plies(dice) == 0
    assert [opening_plies(game, 2) for game in (plain, dice)] == [2, 2]
    for game in (game for game in (plain, dice, hidden) if game.has_hidden_actions):
        assert opening_plies(game) == 0
        with refused(UsageError, "--opening-plies does not go with"):
            opening_plies(game, 2)


def test_plan_of_a_question_stores_its_ranking(tmp_path: Path) -> None:
    store = BotStore(tmp_path / "bots")
    plan = question_file(
        question(EntrantLine("greedy"), EntrantLine("random"), rule=RULE, game="sages-tafl"), store
    )[1].plan
    assert plan.ranking == find_format(plan.format).new_rule(2)


def test_name_holds_everything_that_decides(tmp_path: Path) -> None:
    """The limit of pairs of a gate decides nothing for good, so the same gate continues."""
    store = BotStore(tmp_path / "bots")
    bots = (EntrantLine("greedy"), EntrantLine("random"))

    def name(rule: GateRule, **more: Any) -> str:
        return question_file(BotQuestion(rule, bots, "sages-tafl", **more), store)[1].plan.name

    first = name(GateRule())
    assert first.startswith("greedy-gate-")
    assert first == name(GateRule(max_pairs=7))
    assert (
        len({first, name(GateRule(0, 9)), name(GateRule(), seed=1), name(GateRule(), opening_plies=0)}) == 4
    )


def test_name_of_a_question_stays_when_its_game_gets_laws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = (EntrantLine("greedy"), EntrantLine("random"))

    def plan() -> Plan:
        return question_file(BotQuestion(GateRule(), bots, "sages-tafl"), BotStore(tmp_path / "bots"))[1].plan

    before = plan()
    monkeypatch.setattr(type(find_game("sages-tafl")), "laws", "any")
    assert (before.limits.laws, plan().limits.laws) == (None, "any")
    assert plan().name == before.name


def test_question_of_before_keeps_its_limit_of_memory(tmp_path: Path) -> None:
    """The limit is part of the derived name; a lower default must not begin the question again."""
    before = Limits(move_ms=1000, memory_mb=4096)
    first = ask(tmp_path, win, limits=before)
    lose = partial(pytest.fail, "nothing is to be played")
    assert ask(tmp_path, lose, any_memory=True) == Answer(first.result, None)
    assert ask(tmp_path, win, limits=Limits(move_ms=1000)).result.comparison != first.result.comparison
    named = ask(tmp_path, win, limits=before, name="mine", any_memory=False)
    assert ask(tmp_path, lose, name="mine", any_memory=True).result == named.result
    with refused(TournamentError, "memory-mb was 4096", "is 1024 now"):
        ask(tmp_path, win, name="mine")
