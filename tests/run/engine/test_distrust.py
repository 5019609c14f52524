"""A host is set aside: the tournament ends as if it had never played, whatever was drawn from its results."""

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.command import invoke
from tests.executors import FuturesExecutor, Immediate
from tests.tournaments import begin, entrant, played, refused
from tourney.bots.catalogue.store import BotStore
from tourney.errors import UsageError, WorkerError
from tourney.match.record import FaultKind
from tourney.match.result import PlayedMatch
from tourney.match.spec import MatchSpec
from tourney.parsing import parse_json
from tourney.run.engine import distrust, session
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.redraw import Stored, check_schedule
from tourney.run.monitoring.progress import Listener
from tourney.run.monitoring.summary import End, Summary
from tourney.run.workers.executor import MatchExecutor, MatchTask, Run, WorkerReply
from tourney.store.exchange import export_lines
from tourney.store.importing import import_tournament
from tourney.store.merging import merge_databases
from tourney.store.repository import Repository
from tourney.store.values import ReplacedResult, StoredEntrant

Play = Callable[[MatchSpec], PlayedMatch]

FORMATS: dict[str, tuple[int, dict[str, Any]]] = {
    "round-robin": (4, {}),
    "swiss": (6, {"format_": "swiss", "rounds": 5}),
    "swiss of pods": (7, {"format_": "swiss", "seats": 3, "games": 6, "rounds": 3}),
    "knockout": (6, {"format_": "knockout", "extra": (("third-place", 1),)}),
    "adaptive": (5, {"format_": "adaptive", "extra": (("batch", 2), ("budget", 40))}),
    "adaptive to a sigma": (4, {"format_": "adaptive", "extra": (("batch", 2), ("target-sigma", 150))}),
    "adaptive until": (
        4,
        {"format_": "adaptive", "extra": (("batch", 2), ("budget", 60), ("until-width", 300))},
    ),
    "round-robin until": (4, {"games": 20, "extra": (("until-width", 300),)}),
}


def honest(spec: MatchSpec) -> PlayedMatch:
    return played(spec)


def forged(spec: MatchSpec) -> PlayedMatch:
    """The entrant with the first name wins."""
    names = [seat.name for seat in spec.seats]
    return played(spec, tuple(1 + sorted(names).index(name) for name in names))


class Hosts(FuturesExecutor):
    """Two machines that play in turn; ``liar`` forges, and is found after so many matches, if at all."""

    def __init__(
        self,
        forge: Play | None = forged,
        found: int | None = None,
        true: Play = honest,
        *,
        dies: bool = False,
    ) -> None:
        super().__init__(Immediate, self._reply, 3)
        self._forge, self._true, self._found, self._dies = forge, true, found, dies
        self._numbers = count(1)
        self._aside: dict[str, str] = {}
        self._distrusted: Mapping[str, str] = {}

    def begin(self, run: Run) -> None:
        self._distrusted = run.distrusted

    def set_aside(self) -> Mapping[str, str]:
        return dict(self._aside)

    def _reply(self, task: MatchTask) -> WorkerReply:
        number = next(self._numbers)
        if number == self._found:
            self._aside["liar"] = "it lies"
        if self._dies and self._found and number >= self._found:
            raise WorkerError("no worker of the cluster can play")
        lies = self._forge is not None and number % 3 and "liar" not in {*self._distrusted, *self._aside}
        match = self._forge(task.spec) if lies and self._forge is not None else self._true(task.spec)
        host = "unix/liar" if lies else "unix/good"
        return WorkerReply(
            task.number, PlayedMatch(match.record, match.log, {**match.measured, "host": host})
        )


class Said(Listener):
    def __init__(self, said: list[str]) -> None:
        self.said = said

    def say(self, text: str) -> None:
        self.said.append(text)


class Cup:
    """A tournament, and what its runs have said."""

    def __init__(self, path: Path, entrants: int, plan: Mapping[str, Any]) -> None:
        self.repository = Repository.open(str(path), create=True)
        self.said: list[str] = []
        self.id = begin(self.repository, entrants, **plan).id

    def run(self, *executors: Hosts) -> Summary:
        """Run by these executors, one after the other, and by honest hosts after them."""
        left = iter(executors)

        def coordinate(executor: MatchExecutor) -> Summary:
            listener = Said(self.said)
            summary = Coordinator(
                self.repository, self.id, executor, Path("/nowhere"), listener=listener
            ).run()
            self.holds()
            return summary

        return session._play(
            self.repository,
            self.id,
            lambda: next(left, Hosts(None)),
            BotStore(Path("/nowhere")),
            coordinate,
            self.said.append,
        )

    def holds(self) -> None:
        """The rounds follow from the results that they were drawn from."""
        stored = Stored.of(self.repository, self.repository.tournament_by_id(self.id))
        assert check_schedule(stored).findings == ()

    @property
    def export(self) -> bytes:
        """All that lasts: plan, schedule, records, voids and root."""
        self.holds()
        return b"".join(
            export_lines(self.repository, self.repository.tournament_by_id(self.id), measured=False)
        )

    @property
    def anew(self) -> list[str]:
        return [line for line in self.said if "drawn anew" in line]


@pytest.fixture(scope="module", params=FORMATS)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int, bytes]:
    """A format, the number of matches if the liar is never found, and the export of a run without it."""
    local, forging = (
        Cup(tmp_path_factory.mktemp("case") / "t.db", *FORMATS[request.param]) for _ in range(2)
    )
    assert local.run(Hosts(None)).end is End.FINISHED
    forging.run(Hosts())
    return request.param, forging.repository.progress(forging.id).rows, local.export


@pytest.mark.parametrize("share", [0.3, 1.0], ids=["early", "at the end"])
def test_tournament_ends_as_without_the_liar(
    case: tuple[str, int, bytes], share: float, tmp_path: Path
) -> None:
    name, matches, export = case
    cup = Cup(tmp_path / "t.db", *FORMATS[name])
    summary = cup.run(Hosts(found=max(2, round(share * matches))))
    assert summary.end is End.FINISHED
    assert cup.export == export
    assert any("of liar taken back, to be played again; they are kept in" in line for line in cup.said)


def test_liar_found_after_many_rounds_has_them_drawn_anew(tmp_path: Path) -> None:
    """What does not count any more is in a file beside the database."""
    name, plan = FORMATS["swiss"]
    cup = Cup(tmp_path / "t.db", name, plan)
    cup.run(Hosts(found=24))
    assert len(cup.anew) == 1
    lines = distrust.withdrawn_path(tmp_path / "t.db", cup.repository.tournament()).read_text().split("\n")
    kept = [json.loads(line) for line in lines if line]
    assert {one["host"] for one in kept if one["why"] == "its host was set aside"} == {"unix/liar"}
    assert {one["place"][0] for one in kept if "drawn from results" in one["why"]} == {2, 3, 4}
    assert all(one["record"]["digest"] for one in kept)


def test_status_shows_hosts_set_aside_until_all_is_played_again(tmp_path: Path) -> None:
    cup = Cup(tmp_path / "t.db", *FORMATS["round-robin"])

    def status() -> dict[str, Any]:
        said = invoke("status", "--db", str(tmp_path / "t.db"), "--format", "json").stdout
        found: dict[str, Any] = json.loads(said)["tournaments"][0]
        return found

    assert (status()["set_aside"], status()["withdrawn"]) == ([], None)
    with pytest.raises(WorkerError):
        cup.run(Hosts(found=8, dies=True))
    taken = len([old for old in cup.repository.replaced(cup.id) if old.host])
    withdrawn = str(distrust.withdrawn_path(tmp_path / "t.db", cup.repository.tournament()))
    assert taken > 0
    assert status()["set_aside"] == [{"host": "liar", "matches": taken}]
    text = " ".join(invoke("status", "--db", str(tmp_path / "t.db")).stdout.split())
    assert f"cup set aside liar: {taken} results taken back" in text
    cup.run(Hosts(None))
    assert (status()["set_aside"], status()["withdrawn"]) == ([], withdrawn)


@pytest.mark.parametrize("name", ["swiss", "adaptive until"])
def test_rounds_stay_if_the_true_results_draw_them(name: str, tmp_path: Path) -> None:
    """A host may be set aside whose results were right."""
    local, cup = (Cup(tmp_path / f"{k}.db", *FORMATS[name]) for k in range(2))
    local.run(Hosts(None))
    cup.run(Hosts(honest, found=local.repository.progress(local.id).rows - 2))
    assert any("taken back" in line for line in cup.said)
    assert cup.export == local.export
    assert cup.anew == []


@pytest.mark.parametrize("format_", ["swiss", "adaptive"])
@pytest.mark.parametrize("step", ["take_back", "settle", "pair"])
def test_killed_run_goes_on_the_same_way(
    format_: str, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the liar is found, and before or after the rounds are drawn again."""
    local, cup = (Cup(tmp_path / f"{k}.db", *FORMATS[format_]) for k in range(2))
    local.run(Hosts(None))
    if step == "take_back":
        with pytest.raises(WorkerError):
            cup.run(Hosts(found=25, dies=True))
        cup.holds()
        again = Hosts()  # it would lie again
        assert cup.run(again).end is End.FINISHED
        assert "liar" in again._distrusted
    else:
        with monkeypatch.context() as patch:

            def killed(*_given: object) -> None:
                raise KeyboardInterrupt

            where = Repository if step == "settle" else distrust
            patch.setattr(where, "settle" if step == "settle" else "pair_next", killed)
            with pytest.raises(KeyboardInterrupt):
                cup.run(Hosts(found=25))
        cup.holds()
        assert cup.run(Hosts(None)).end is End.FINISHED
    assert cup.anew
    assert cup.export == local.export


def test_tournament_goes_on_elsewhere_while_matches_are_played_again(tmp_path: Path) -> None:
    """An export carries what is still to be settled, and no merge takes it for final."""
    local, cup = (Cup(tmp_path / f"{k}.db", *FORMATS["swiss"]) for k in range(2))
    local.run(Hosts(None))
    with pytest.raises(WorkerError):
        cup.run(Hosts(found=20, dies=True))
    with refused(UsageError, "cup in its.db plays matches of a host again", "finish it there"):
        merge_databases(local.repository, cup.repository, "its.db", "2026-11-20")
    lines = [(f"line {k}", parse_json(line)) for k, line in enumerate(cup.export.splitlines())]
    cup.repository = Repository.open(str(tmp_path / "other.db"), create=True)
    import_tournament(cup.repository, lambda: lines, "2026-11-20")
    assert cup.run(Hosts(None)).end is End.FINISHED
    assert cup.export == local.export
    assert cup.anew


def test_report_and_ratings_are_those_of_a_run_without_the_liar(tmp_path: Path) -> None:
    found = []
    for k, hosts in enumerate((Hosts(None), Hosts(found=24))):
        cup = Cup(tmp_path / f"{k}.db", *FORMATS["swiss"])
        cup.run(hosts)
        cup.repository.close()
        db, out = ("--db", str(tmp_path / f"{k}.db")), tmp_path / f"report-{k}"
        assert invoke("report", *db, "--no-measured", "--out", str(out)).exit_code == 0
        pages = {str(page.relative_to(out)): page.read_bytes() for page in out.rglob("*") if page.is_file()}
        found.append((invoke("ratings", *db, "--format", "csv").stdout, pages))
    assert len(cup.anew) == 1
    assert len(found[0][1]) > 30
    assert found[0] == found[1]


def test_mark_in_a_complete_tournament_is_found(tmp_path: Path) -> None:
    """It would let verify take another result for the one that a round was drawn from."""
    cup = Cup(tmp_path / "t.db", *FORMATS["round-robin"])
    cup.run(Hosts(None))
    cup.repository.keep_replaced(cup.id, [ReplacedResult(2, 3, (1, 2), (None, None), void=False, host="h")])
    found = check_schedule(Stored.of(cup.repository, cup.repository.tournament())).findings
    assert [text for text in found if "is said to be played again" in text]


def failing(*names: str) -> Play:
    """Return a host on which some entrants never start."""

    def play(spec: MatchSpec) -> PlayedMatch:
        bad = [seat for seat, one in enumerate(spec.seats, 1) if one.name in names]
        faults: Sequence[tuple[int, FaultKind, int]] = [(seat, "startup", 0) for seat in bad]
        return played(
            spec, None if not bad or len(bad) > 1 else tuple(1 + (s in bad) for s in (1, 2)), tuple(faults)
        )

    return play


@pytest.mark.parametrize(
    ("format_", "forge"),
    [
        ("round-robin", failing("b")),
        ("round-robin", failing()),
        ("swiss", failing("c")),
        ("adaptive", failing("b", "c")),
    ],
    ids=["forged", "hidden", "swapped", "forged more"],
)
def test_benching_follows_the_true_results(format_: str, forge: Play, tmp_path: Path) -> None:
    plan = {**FORMATS[format_][1], "games": 8}
    if format_ == "adaptive":
        plan["extra"] = (("batch", 3), ("budget", 72))
    local, cup = (Cup(tmp_path / f"{k}.db", 5, plan) for k in range(2))
    true = failing("a")
    local.run(Hosts(None, true=true))
    cup.run(Hosts(forge, 50, true), *(Hosts(None, true=true) for _ in range(9)))
    assert len(local.repository.faulty_matches(local.id)) >= 3
    assert cup.export == local.export
    assert format_ != "round-robin" or any("to be decided again" in line for line in cup.said)


def test_entrants_that_came_and_went_meanwhile_do_so_again(tmp_path: Path) -> None:
    """Rounds before are drawn anew without the one and with the other."""
    cups = [Cup(tmp_path / f"{k}.db", *FORMATS["swiss"]) for k in range(2)]
    for cup, first in zip(cups, (Hosts(None, found=18, dies=True), Hosts()), strict=True):
        first._found, first._dies = 19, True
        first.set_aside = dict  # type: ignore[method-assign]  # not found yet
        with pytest.raises(WorkerError):
            cup.run(first)
        tournament = cup.repository.tournament()
        assert cup.repository.progress(cup.id).rounds == 4
        late = StoredEntrant(6, entrant("g"), joined=5)
        cup.repository.amend(cup.id, rounds=7, run=tournament.run, entrants=[late], left={2: 5})
    local, cup = cups
    local.run(Hosts(None))
    cup.run(Hosts(found=3))
    assert cup.anew
    assert cup.export == local.export


def test_entrant_joins_where_the_true_schedule_ends_before(tmp_path: Path) -> None:
    """It was to join in a round that no longer comes."""
    plan = FORMATS["adaptive to a sigma"]
    local, cup = (Cup(tmp_path / f"{k}.db", *plan) for k in range(2))
    local.run(Hosts(None))
    last = local.repository.progress(local.id).rounds
    for one, joined in ((local, last + 1), (cup, last + 9)):
        late = [StoredEntrant(4, entrant("e"), joined=joined)]
        one.repository.amend(one.id, rounds=None, run=one.repository.tournament().run, entrants=late)
        one.run(Hosts(None))
    assert cup.repository.entrants(cup.id)[4].joined == last + 1
    assert cup.repository.progress(cup.id).rounds > last
    assert cup.export == local.export


def test_results_replaced_by_unbench_still_explain_earlier_rounds(tmp_path: Path) -> None:
    cup = Cup(tmp_path / "t.db", *FORMATS["swiss"])
    first = Hosts(None, 15, failing("a"), dies=True)
    first.set_aside = dict  # type: ignore[method-assign]  # not found yet
    with pytest.raises(WorkerError):
        cup.run(first)
    session.unbench(cup.repository, cup.repository.tournament(), ["a"], cup.said.append, lambda _one: None)
    before = cup.repository.replaced(cup.id)
    cup.run(Hosts(forged, 6))
    after = cup.repository.replaced(cup.id)
    assert cup.repository.progress(cup.id).rounds == 5
    assert before
    assert {old.number for old in after} <= {old.number for old in before}
    assert all(old.host is None for old in after)
    cup.holds()


def test_void_matches_are_tried_again_without_the_host(tmp_path: Path) -> None:
    """It may have failed on purpose."""
    cup = Cup(tmp_path / "t.db", *FORMATS["round-robin"])

    class Failing(Hosts):
        def _reply(self, task: MatchTask) -> WorkerReply:
            if task.number == 2 and not self._aside:
                return WorkerReply(task.number, failure="it fell", plays=3)
            return super()._reply(task)

    cup.run(Failing(found=9))
    assert cup.repository.void_matches(cup.id) == ()
    assert any("of liar taken back (and 1 void result), to be played again" in line for line in cup.said)
