"""A host is caught: once its matches are withdrawn, the tournament ends as if it had never played."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.caught_host import COMMAND, FORMATS, Cup, Hosts
from tests.support.command import invoke
from tests.support.tournaments import refused
from tourney.errors import EnvironmentFailure, UsageError, WorkerError
from tourney.exchange.importing import import_tournament
from tourney.exchange.lines import export_lines
from tourney.exchange.merging import merge_databases
from tourney.parsing import parse_json
from tourney.run.engine import recorder
from tourney.run.engine.withdrawal import (
    find_named,
    spans_text,
)
from tourney.run.listeners import withdrawn_path
from tourney.run.summary import End
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.store.database import Database
from tourney.store.matches import Matches


@pytest.fixture(scope="module", params=FORMATS)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int, bytes]:
    """A format, the number of matches if the liar is never caught, and the export of a run without it."""
    local, forging = (
        Cup(tmp_path_factory.mktemp("case") / "t.db", *FORMATS[request.param]) for _ in range(2)
    )
    assert local.run(Hosts(None)).end is End.FINISHED
    forging.run(Hosts())
    return request.param, forging.repository.schedules.progress(forging.id).rows, local.export


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.3, 1.0], ids=["early", "at the end"])
def test_tournament_ends_as_without_the_liar(
    case: tuple[str, int, bytes], share: float, tmp_path: Path
) -> None:
    name, matches, export = case
    cup = Cup(tmp_path / "t.db", *FORMATS[name])
    cup.run_until_caught(Hosts(found=max(8, round(share * matches))))
    before = cup.export
    cup.run_until_caught(Hosts(None))
    assert cup.export == before, "no run goes on from forged results"
    cup.run_without_the_liar()
    assert cup.export == export


def test_withdrawn_matches_are_kept_with_the_reason(tmp_path: Path) -> None:
    cup = Cup(tmp_path / "t.db", *FORMATS["swiss"])
    cup.run_until_caught(Hosts(found=24))
    found = cup.withdraw()
    assert (found.rounds, found.later[0]) == (1, 7), "all rounds after the first were drawn from its results"
    assert {one["host"] for one in cup.kept if one["why"] == "played on the host liar"} == {"unix/liar"}
    later = "drawn after round 1, from results that no longer count"
    assert {one["place"][0] for one in cup.kept if one["why"] == later} >= {2, 3, 4}
    assert all(one["record"]["digest"] for one in cup.kept if "host" in one)
    assert [one["match"] for one in cup.kept] == sorted({*found.matches, *found.later})
    assert [number for number, _ in cup.repository.schedules.pending(cup.id)] == [
        n for n in found.matches if n < 7
    ]


def test_dry_run_prints_and_changes_nothing(tmp_path: Path) -> None:
    cup = Cup(tmp_path / "t.db", *FORMATS["round-robin"])
    cup.run_until_caught(Hosts(found=8))
    before = cup.export, sorted(tmp_path.iterdir())
    words = ("db", "withdraw", "cup", "--host", "liar", "--db", str(tmp_path / "t.db"))
    said = invoke(*words, "--dry-run")
    assert (said.exit_code, said.stderr) == (0, "")
    assert said.stdout == "4 matches played on the host liar: 1 to 2, 4 to 5\n"
    assert (cup.export, sorted(tmp_path.iterdir())) == before
    done = invoke(*words)
    assert (done.exit_code, done.stdout) == (0, said.stdout)
    assert f"the matches are kept in {tmp_path / 't.db-cup.withdrawn.jsonl'}" in done.stderr
    assert "liar gets no more matches in cup" in done.stderr
    assert len(cup.repository.schedules.pending(cup.id)) == 5


def test_named_matches_are_played_again(tmp_path: Path) -> None:
    """With all that was drawn from them; the tournament ends as it was, and no host is refused."""
    cup = Cup(tmp_path / "t.db", *FORMATS["swiss"])
    cup.run(Hosts(None))
    before = cup.export
    words = ("db", "withdraw", "cup", "--match", "7", "--match", "4", "--db", str(tmp_path / "t.db"))
    said = invoke(*words, "--dry-run")
    assert said.stdout.splitlines()[0] == "2 matches named: 4, 7"
    assert cup.export == before
    assert invoke(*words).stdout == said.stdout
    assert {one["match"] for one in cup.kept if one["why"] == "named"} == {4, 7}
    assert cup.repository.hosts.refused(cup.id) == ()
    assert cup.run(Hosts(None)).end is End.FINISHED
    assert cup.export == before


def test_match_without_result_cannot_be_withdrawn(tmp_path: Path) -> None:
    cup = Cup(tmp_path / "t.db", *FORMATS["round-robin"])
    cup.run(Hosts(None))
    for number in (0, 99):
        with refused(UsageError, f"match {number} of cup has no result that could be withdrawn"):
            find_named(cup.repository, cup.tournament, [1, number])


@pytest.mark.parametrize("words", [(), ("--host", "a", "--match", "1"), ("--match", "1", "--readmit")])
def test_withdrawal_is_by_host_or_by_number(tmp_path: Path, words: tuple[str, ...]) -> None:
    said = invoke("db", "withdraw", "cup", *words, "--db", str(tmp_path / "t.db"))
    assert (said.exit_code, "either --host NAME" in said.stderr) == (2, True)


def test_host_may_play_again_if_a_person_says_so(tmp_path: Path) -> None:
    """The refusal ends with the withdrawal, or later."""
    cup = Cup(tmp_path / "t.db", *FORMATS["round-robin"])
    cup.run_until_caught(Hosts(found=8))
    words = ("db", "withdraw", "cup", "--host", "liar", "--db", str(tmp_path / "t.db"))
    assert invoke(*words).exit_code == 0
    assert [one.host for one in cup.repository.hosts.refused(cup.id)] == ["liar"]
    said = invoke(*words, "--readmit")
    assert (said.exit_code, said.stdout) == (0, "")
    assert "liar may play again in cup" in said.stderr
    assert cup.repository.hosts.refused(cup.id) == ()


def test_host_that_never_played_is_refused_by_name(tmp_path: Path) -> None:
    cup = Cup(tmp_path / "t.db", *FORMATS["round-robin"])
    cup.run(Hosts(None))
    with refused(UsageError, "cup has no match of the host 'liar'; hosts of its stored matches: good"):
        cup.withdraw()


def test_nothing_is_withdrawn_if_the_file_cannot_be_written(tmp_path: Path) -> None:
    cup = Cup(tmp_path / "t.db", *FORMATS["round-robin"])
    cup.run_until_caught(Hosts(found=8))
    before = cup.export
    withdrawn_path(cup.repository.place, cup.tournament).mkdir()
    with refused(EnvironmentFailure, "the matches cannot be kept in", "nothing is withdrawn"):
        cup.withdraw()
    assert cup.export == before


def test_host_caught_before_any_result_counts_ends_no_run(tmp_path: Path) -> None:
    """Its results on the way are dropped, and their matches are played by others."""
    local, cup = (Cup(tmp_path / f"{k}.db", *FORMATS["swiss"]) for k in range(2))
    local.run(Hosts(None))

    class Caught(Hosts):
        def _reply(self, task: MatchTask) -> WorkerReply:
            reply = super()._reply(task)
            self._caught["liar"] = "it lies"
            return reply

    assert cup.run(Caught()).end is End.FINISHED
    assert cup.export == local.export
    assert [(one.host, one.matches) for one in cup.repository.hosts.refused(cup.id)] == [("liar", ())]


def test_status_shows_refused_hosts_and_their_matches(tmp_path: Path) -> None:
    cup = Cup(tmp_path / "t.db", *FORMATS["round-robin"])

    def status() -> dict[str, Any]:
        said = invoke("status", "--db", str(tmp_path / "t.db"), "--format", "json").stdout
        found: dict[str, Any] = json.loads(said)["tournaments"][0]
        return found

    assert (status()["set_aside"], status()["withdrawn"]) == ([], None)
    cup.run_until_caught(Hosts(found=8))
    assert (status()["set_aside"], status()["withdrawn"]) == ([{"host": "liar", "matches": 4}], None)
    text = " ".join(invoke("status", "--db", str(tmp_path / "t.db")).stdout.split())
    assert "cup set aside liar: 4 matches to withdraw" in text
    cup.run_without_the_liar()
    path = str(withdrawn_path(tmp_path / "t.db", cup.tournament))
    assert (status()["set_aside"], status()["withdrawn"]) == ([{"host": "liar", "matches": 0}], path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "format_"),
    [("last worker", "swiss"), ("withdraw", "adaptive"), ("pair", "swiss"), ("playing again", "adaptive")],
)
def test_interrupted_repair_goes_on_the_same_way(
    step: str, format_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cluster ends with the liar, or the withdrawal or the run after it is killed."""

    def killed(*_given: object, **_named: object) -> None:
        raise KeyboardInterrupt

    local, cup = (Cup(tmp_path / f"{k}.db", *FORMATS[format_]) for k in range(2))
    local.run(Hosts(None))
    cup.run_until_caught(Hosts(found=25, dies=step == "last worker"))
    with monkeypatch.context() as patch:
        if step == "withdraw":
            before = cup.export
            patch.setattr(Matches, "withdraw", killed)
            with pytest.raises(KeyboardInterrupt):
                cup.withdraw()
            assert cup.export == before
        elif step == "pair":
            cup.withdraw()
            patch.setattr(recorder, "pair_next", killed)
            with pytest.raises(KeyboardInterrupt):
                cup.run(Hosts(None))
    if step == "playing again":
        cup.withdraw()
        with pytest.raises(WorkerError):
            cup.run(Hosts(None, found=4, dies=True))
    if step in ("pair", "playing again"):
        assert cup.run(Hosts()).end is End.FINISHED
    else:
        cup.run_without_the_liar()
    assert cup.export == local.export


def test_tournament_goes_on_elsewhere_without_the_host(tmp_path: Path) -> None:
    """An export carries the refusal, and forged results are not merged."""
    local, cup = (Cup(tmp_path / f"{k}.db", *FORMATS["swiss"]) for k in range(2))
    local.run(Hosts(None))
    cup.run_until_caught(Hosts(found=20))
    with refused(UsageError, "cup in its.db has results of the host liar", f"`{COMMAND}`"):
        merge_databases(local.repository, cup.repository, "its.db", "2026-11-20")
    exported = list(export_lines(cup.repository, cup.tournament, measured=True, private=True))
    lines = [(f"line {k}", parse_json(line)) for k, line in enumerate(exported)]
    cup.repository = Database.open(str(tmp_path / "other.db"), create=True)
    import_tournament(cup.repository, lines, "2026-11-20")
    cup.run_until_caught(Hosts(None))
    cup.run_without_the_liar()
    assert cup.export == local.export


def test_report_and_ratings_are_those_of_a_run_without_the_liar(tmp_path: Path) -> None:
    local, cup = (Cup(tmp_path / f"{k}.db", *FORMATS["swiss"]) for k in range(2))
    local.run(Hosts(None))
    cup.run_until_caught(Hosts(found=24))
    cup.run_without_the_liar()
    found = []
    for k, one in enumerate((local, cup)):
        one.repository.close()
        db, out = ("--db", str(tmp_path / f"{k}.db")), tmp_path / f"report-{k}"
        assert invoke("report", *db, "--no-measured", "--out", str(out)).exit_code == 0
        pages = {str(page.relative_to(out)): page.read_bytes() for page in out.rglob("*") if page.is_file()}
        found.append((invoke("ratings", *db, "--format", "csv").stdout, pages))
    assert len(found[0][1]) > 30
    assert found[0] == found[1]


def test_numbers_are_named_in_spans() -> None:
    assert spans_text([1, 2, 3, 4, 7, 9]) == "1 to 4, 7, 9"
    assert spans_text([*range(1, 20, 2), 30, 31]) == "1, 3, 5, 7, 9, 11, 13, 15 and 4 more"
