"""Gates: verdicts with any executor and after a stop, broken bots, and what the verdict says."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.addons.lab.comparisons import Play, asking
from tests.support.coordination import RecordingListener
from tests.support.executors import BackwardsExecutor, in_parts
from tests.support.tournaments import played, refused
from tourney.addons.lab.asking import Answer, BotQuestion
from tourney.addons.lab.gate import GateFormat, GateRule
from tourney.addons.lab.gate_forms import junit, markdown, verdict_text
from tourney.addons.lab.results import FirstFault, GateBot, GateEvidence, GateLine, GateResult
from tourney.errors import EnvironmentFailure, TournamentError, UsageError
from tourney.match.record import FaultKind
from tourney.ratings.sequential import expected_score
from tourney.run.file_schema import EntrantLine
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.schedule.format import History, Participant, Setup, find_format
from tourney.seeds import U64, derive
from tourney.store.database import Database

RULE = GateRule(0, 80, batch=4)


def stronger(by: Mapping[str, float], fault: FaultKind | None = None, faulty: str = "greedy") -> Play:
    """Make ``greedy`` some Elo stronger than each other bot; ``faulty`` has a fault in every game."""

    def play(task: MatchTask) -> WorkerReply:
        names = [seat.name for seat in task.spec.seats]
        mine = names.index("greedy")
        u = derive(task.spec.seed, "test", mine, len(names[1 - mine])) / U64
        won = u < expected_score(by[names[1 - mine]])
        ranks = (1, 2) if won == (mine == 0) else (2, 1)
        if fault is None or faulty not in names:
            return WorkerReply(task.number, played(task.spec, ranks))
        seat = names.index(faulty)
        ranks = (2, 1) if seat == 0 else (1, 2)
        return WorkerReply(task.number, played(task.spec, ranks, ((seat + 1, fault, 2),)))

    return play


def question(
    candidate: EntrantLine,
    baselines: tuple[EntrantLine, ...],
    rule: GateRule,
    max_pairs: int | None = None,
    **more: Any,
) -> BotQuestion[GateResult]:
    return BotQuestion(replace(rule, max_pairs=max_pairs), (candidate, *baselines), **more)


ask = asking(
    question,
    candidate=EntrantLine("greedy"),
    baselines=(EntrantLine("random"), EntrantLine("pebble")),
    game="sage-stones",
    rule=RULE,
)


def nothing(task: MatchTask) -> WorkerReply:
    pytest.fail(f"match {task.number} is not to be played")


def test_better_candidate_is_accepted(tmp_path: Path) -> None:
    heard = RecordingListener()
    result = ask(tmp_path, stronger({"random": 200, "pebble": 80}), heard).result
    assert (result.verdict, result.reason, result.ended) == ("accepted", "better", True)
    assert verdict_text(result) == "ACCEPTED: greedy 1.0 is better than random and pebble"
    easy, hard = result.against
    assert easy.pairs < hard.pairs
    assert easy.claim == hard.claim == "better"
    assert easy.low > 0
    assert hard.evidence.better >= 3
    live = [line for line in heard.messages if line.startswith("against random")]
    assert len(live) == result.rounds
    assert "proven better" in live[-1]
    again = ask(tmp_path, nothing)
    assert again == Answer(result, None)


def test_candidate_that_is_worse_than_one_is_rejected(tmp_path: Path) -> None:
    result = ask(tmp_path, stronger({"random": 200, "pebble": 0})).result
    assert (result.verdict, result.reason) == ("rejected", "worse")
    assert verdict_text(result) == "REJECTED: greedy 1.0 is less than 80 Elo better than pebble"


def test_completion_order_changes_no_verdict(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    play = stronger({"random": 120, "pebble": 90})
    heard = RecordingListener()
    one = ask(tmp_path / "one", play).result
    assert ask(tmp_path / "other", play, heard, executor=BackwardsExecutor(play)).result == one
    assert sum(line.startswith("against pebble") for line in heard.messages) == one.rounds


@pytest.mark.slow
def test_gate_continues_where_it_stopped(tmp_path: Path) -> None:
    for name in ("whole", "parts"):
        (tmp_path / name).mkdir()
    play = stronger({"random": 120, "pebble": 90})
    whole = ask(tmp_path / "whole", play).result
    *stopped, last = in_parts(lambda some: ask(tmp_path / "parts", some).result, play, 11)
    for part in stopped:
        assert (part.verdict, part.reason) == ("undecided", "unfinished")
        assert "run the same command again" in verdict_text(part)
    assert len(stopped) > 3
    assert last == whole


def test_limit_of_pairs_leaves_it_undecided_and_may_grow(tmp_path: Path) -> None:
    play = stronger({"random": 40, "pebble": 40})
    first = ask(tmp_path, play, max_pairs=6).result
    assert (first.verdict, first.reason, first.ended) == ("undecided", "pairs", False)
    assert [one.pairs for one in first.against] == [4, 4]
    assert ask(tmp_path, nothing, max_pairs=6).result == first
    assert ask(tmp_path, nothing, max_pairs=1).result == first
    more = ask(tmp_path, play, max_pairs=9).result
    assert [one.pairs for one in more.against] == [8, 8]
    whole = ask(tmp_path, play).result
    assert whole.gate == first.gate
    assert whole.ended


@pytest.mark.parametrize("kind", ["crash", "timeout", "illegal"])
def test_candidate_at_fault_is_rejected_with_its_log(tmp_path: Path, kind: FaultKind) -> None:
    result = ask(tmp_path, stronger({"random": 900, "pebble": 900}, kind)).result
    assert (result.verdict, result.reason) == ("rejected", "faults")
    assert set(result.faults) == {kind}
    assert result.first_fault == FirstFault(match=1, seat=1, kind=kind)
    assert [line.split(":")[0] for line in result.log] == ["info", "note"]
    assert "\\udcff" in result.log[1]
    assert kind in verdict_text(result)


def test_faults_up_to_the_limit_are_losses(tmp_path: Path) -> None:
    def once(task: MatchTask) -> WorkerReply:
        return stronger({"random": 900, "pebble": 900}, "crash" if task.number == 3 else None)(task)

    result = ask(tmp_path, once, rule=GateRule(0, 80, batch=4, max_faults=2)).result
    assert (result.verdict, result.faults) == ("accepted", {"crash": 1})


def test_baseline_that_always_fails_gives_no_verdict(tmp_path: Path) -> None:
    play = stronger({"random": 900, "pebble": 900}, "crash", "pebble")
    result = ask(tmp_path, play).result
    assert (result.verdict, result.reason, result.rounds) == ("undecided", "baseline", 1)
    assert "pebble" in verdict_text(result)


def folder_bot(folder: Path, name: str, build: str, version: str = "1.0") -> EntrantLine:
    """Return a bot with a build step."""
    place = folder / name
    place.mkdir(parents=True)
    (place / "bot.toml").write_text(
        f'name = "{name}"\nversion = "{version}"\ngames = ["sage-stones"]\ncommand = ["./bot"]\n'
        f'build = ["sh", "-c", "{build}"]\n'
    )
    return EntrantLine(str(place))


def test_candidate_that_does_not_build_is_rejected_with_its_log(tmp_path: Path) -> None:
    line = folder_bot(tmp_path, "broken", "echo `undefined symbol` ```; exit 1".replace("`", "'"))
    result = ask(tmp_path, nothing, candidate=line).result
    assert (result.verdict, result.reason, result.gate) == ("rejected", "start", None)
    assert any("undefined symbol" in one for one in result.log)
    assert not (tmp_path / "t.db").exists()
    with refused(EnvironmentFailure, "the baseline broken cannot be started here"):
        ask(tmp_path, nothing, baselines=(line,))


def test_older_version_of_the_candidate_is_a_baseline(tmp_path: Path) -> None:
    build = "cp /bin/true bot"
    new, old = (folder_bot(tmp_path / v, "mine", build, v) for v in ("1.1", "1.0"))
    result = ask(
        tmp_path,
        lambda task: WorkerReply(
            task.number,
            played(task.spec, (1, 2) if task.spec.seats[0].name == "mine" else (2, 1)),
        ),
        candidate=new,
        baselines=(old, EntrantLine("random")),
    ).result
    assert result.candidate.name == "mine"
    assert [one.name for one in result.against] == ["mine-1.0", "random"]
    assert result.verdict == "accepted"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "go"}, "there is no game"),
        ({"baselines": (EntrantLine("random"), EntrantLine("random"))}, "names random twice"),
    ],
)
def test_invalid_requests_are_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with refused(UsageError, message):
        ask(tmp_path, nothing, **changes)
    assert not (tmp_path / "t.db").exists()


def test_rule_needs_room_between_its_bounds() -> None:
    with refused(UsageError, "--no-regression 5 must lie below --gain 5"):
        GateRule(5, 5)
    rule = GateRule(-5.5, 12.25, 0.01, 0.2, 7, 3)
    assert GateRule.of(rule.extra()) == rule
    sprt = GateRule(0, 40, bets=1, sprt=True)
    assert GateRule.of(sprt.extra()) == sprt


def test_gate_needs_a_candidate_and_baselines() -> None:
    format_ = find_format("gate")
    assert isinstance(format_, GateFormat)

    def setup(players: int, extra: tuple[tuple[str, int | str], ...]) -> Setup:
        return Setup(tuple(Participant(k) for k in range(players)), 2, 1, repeats=4, extra=extra)

    format_.check(setup(2, RULE.extra()))
    sprt = GateRule(0, 40, sprt=True).extra()
    format_.check(setup(2, sprt))
    for wrong in (setup(1, RULE.extra()), setup(18, RULE.extra()), setup(2, ()), setup(3, sprt)):
        with pytest.raises(TournamentError):
            format_.check(wrong)


def test_decided_baselines_play_no_more() -> None:
    setup = Setup(tuple(Participant(k) for k in range(3)), 2, 1, repeats=4, extra=RULE.extra())
    history = History()
    while not (paired := GateFormat().next_rounds(setup, history)).complete:
        # The candidate beats entrant 1 always, and divides the points with entrant 2 until round 6.
        results = []
        for row in paired.rows:
            first = row.seats[0] == 0
            won = 1 in row.seats or row.round > 6 or first
            results.append(row.result((1, 2) if won == first else (2, 1)))
        history = History((*history.rows, *paired.rows), (*history.results, *results))
    last = {table: max(row.round for row in history.rows if row.table == table) for table in (1, 2)}
    assert last[1] < last[2]
    state = RULE.judge(setup, history)
    assert state.verdict is not None
    assert state.tables == ()


def verdict_with(log: tuple[str, ...]) -> GateResult:
    bot: dict[str, Any] = {"name": "a_b", "bot": "a_b", "version": "1.0", "args": (), "digest": "0" * 64}
    against = GateLine(
        **bot,
        claim=None,
        broken=False,
        pairs=0,
        pentanomial=(0,) * 5,
        lost_pairs=0,
        distinct=0,
        score=None,
        score_with_luck=None,
        luck=None,
        elo=None,
        low=None,
        high=None,
        faults=0,
        evidence=GateEvidence(better=0, better_needed=3, worse=0, worse_needed=3),
        halves=None,
    )
    return GateResult(
        candidate=GateBot(**bot),
        game="toe",
        verdict="rejected",
        reason="faults",
        ended=True,
        faults={"crash": 1},
        first_fault=FirstFault(match=3, seat=1, kind="crash"),
        gate="x",
        gain=5.0,
        no_regression=0.0,
        alpha=0.05,
        beta=0.05,
        batch=16,
        max_faults=1,
        rounds=0,
        pairs=0,
        against=(against,),
        log=log,
    )


def test_hostile_log_stays_in_its_block_of_markdown() -> None:
    text = markdown(verdict_with(("stderr: ``` </details> # @everyone", "stderr: `````")))
    lines = text.splitlines()
    fence = "``````"
    assert lines.count(f"{fence}text") == lines.count(fence) == 1
    assert lines.index(f"{fence}text") < lines.index("stderr: `````") < lines.index(fence)
    assert "a\\_b" in text


def test_junit_is_sound_whatever_the_log_holds() -> None:
    text = junit(verdict_with(("stderr: \x00 ]]> <failure/> \ud800 é",)))
    root = ET.fromstring(text)  # noqa: S314 - it is our own text
    suite = root[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("2", "1", "1")
    (failure,) = suite.iter("failure")
    assert "]]> <failure/>" in (failure.text or "")
    assert "crash" in failure.get("message", "")


def test_ended_gate_has_a_root(tmp_path: Path) -> None:
    result = ask(tmp_path, stronger({"random": 300, "pebble": 300})).result
    with Database.open(str(tmp_path / "t.db")) as repository:
        tournament = repository.tournaments.get(result.gate)
        assert tournament.complete
        assert tournament.root is not None
