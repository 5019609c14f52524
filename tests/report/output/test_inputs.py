"""Pages that are kept by their inputs: nothing is read that is not hashed, and no stale page stays."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.report import world
from tests.report.output.test_placement import Cup, count_pages
from tests.report.output.test_write import tree
from tourney.match.analysis import Analyser, Analysis, ValuedTurn
from tourney.match.record import opening_end
from tourney.match.spec import Limits
from tourney.ratings.batch import rate
from tourney.report.output.inputs import (
    PageMaker,
    PageScope,
    PendingPage,
    StoredMatches,
    StoredValues,
    stored_digest,
)
from tourney.report.output.layout import File, Live, Options, Templates
from tourney.report.output.placement import (
    MANIFEST,
    EarlierReport,
    Folders,
    ManifestEntry,
    PageInputs,
    content_hash,
)
from tourney.report.output.write import _state_path
from tourney.report.pages import fault, game, highlights, history
from tourney.report.replays.replay import replay
from tourney.report.site import renderer
from tourney.report.source import load
from tourney.results.audit import alike_in
from tourney.store.column_reading import Dictionaries, MatchParts
from tourney.store.database import Database
from tourney.store.values import RunSettings

PARTS = {number: MatchParts(bytes([number])) for number in range(1, 5)}


def parts_of(numbers: object) -> dict[int, MatchParts]:
    assert isinstance(numbers, (list, tuple))
    return {number: PARTS[number] for number in numbers}


@pytest.fixture
def cup(repository: Database, tmp_path: Path) -> Cup:
    return Cup(repository, tmp_path)


def maker(cup: Cup, options: Options | None = None) -> PageMaker:
    return renderer(load(cup.repository, cup.tournament), options or Options()).maker


def page_of(scope: PageScope, inputs: tuple[object, ...]) -> Iterator[File]:
    yield File("a.html", repr((inputs, scope.matches.parts([1]))).encode())


def fingerprint_of(made: PageMaker, inputs: object = (), live: str | None = None, most: int = 2) -> str:
    scope = PageScope(made.setting, live, made.matches)
    pending: PendingPage = made.pending_page("a.html", page_of, scope, (inputs,), range(1, most))
    return pending.fingerprint


def test_page_reads_only_matches_that_are_hashed() -> None:
    mine = StoredMatches(parts_of).only([1, 3])
    assert mine.parts([3]) == {3: PARTS[3]}
    with pytest.raises(KeyError, match="matches \\[2\\] are not inputs"):
        mine.parts([1, 2])


def test_inputs_that_cannot_be_hashed_whole_are_refused(cup: Cup) -> None:
    made = maker(cup)
    scope = PageScope(made.setting, None, made.matches)
    source = load(cup.repository, cup.tournament)
    for hidden in (source, source.detail, lambda: 1, iter(()), scope):
        with pytest.raises(TypeError, match="unsupported"):
            fingerprint_of(made, hidden)

    def closure(scope: PageScope, inputs: tuple[object, ...]) -> Iterator[File]:
        yield from page_of(scope, (*inputs, source))

    for function in (closure, partial(page_of, scope), cup.write, lambda *_: ()):
        with pytest.raises(TypeError, match="must be a function of a module"):
            made.pending_page("a.html", function, scope, (), ())  # type: ignore[arg-type] # refused


def test_fingerprint_covers_everything_that_a_page_reads(cup: Cup, tmp_path: Path) -> None:
    cup.play()
    usual = fingerprint_of(maker(cup))
    assert fingerprint_of(maker(cup)) == usual
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "pair.html").write_text("x")
    mine = Options(templates=Templates.of(tmp_path / "mine"))
    before_edit = fingerprint_of(maker(cup, mine))
    (tmp_path / "mine" / "pair.html").write_text("y")
    marks = [
        usual,
        before_edit,
        fingerprint_of(maker(cup, mine)),
        *(fingerprint_of(maker(cup), value) for value in (None, 0, float("nan"), "0", b"0", "\udcff")),
        fingerprint_of(maker(cup), live=""),
        fingerprint_of(maker(cup), most=3),
        fingerprint_of(maker(cup, Options(measured=False))),
        fingerprint_of(maker(cup, Options(logs=True))),
        fingerprint_of(maker(cup, Options(address="https://example.org/"))),
    ]
    assert len({*marks}) == len(marks)


def test_digest_covers_every_stored_part() -> None:
    whole = MatchParts(b"record", b"log", b"measured", Dictionaries(b"a", b"b", b"c"), b"analysis")
    changed = [
        whole._replace(record=None),
        whole._replace(log=None),
        whole._replace(measured=None),
        whole._replace(analysis=None),
        *(
            whole._replace(dictionaries=whole.dictionaries._replace(**{name: b"x"}))
            for name in Dictionaries._fields
        ),
    ]
    assert len(changed) == len(MatchParts._fields) - 1 + len(Dictionaries._fields)
    assert len({stored_digest(parts) for parts in (whole, *changed)}) == 8


def test_value_is_computed_again_only_for_other_inputs() -> None:
    first = StoredValues()
    assert first.value("a", dict[int, float], lambda: {1: 0.1}) == {1: 0.1}
    later = StoredValues(first.used)
    assert later.value("a", dict[int, float], lambda: {1: 0.2}) == {1: 0.1}
    assert later.value("b", dict[int, float], lambda: {1: 0.2}) == {1: 0.2}
    # Another type is another program's value.
    assert later.value("a", list[int], lambda: [3]) == [3]
    assert later.used.keys() == {"a", "b"}


def test_later_report_computes_only_what_changed(cup: Cup, monkeypatch: pytest.MonkeyPatch) -> None:
    cup.play(most=4)
    cup.write()
    computed: list[str] = []

    def noting(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def noted(*words: Any, **named: Any) -> object:
            computed.append(name)
            return function(*words, **named)

        return noted

    monkeypatch.setattr(history, "rate", noting("elo", rate))
    monkeypatch.setattr(fault, "alike_in", noting("alike", alike_in))
    monkeypatch.setattr(highlights, "replay", noting("boards", replay))
    monkeypatch.setattr(game, "opening_end", noting("openings", opening_end))
    cup.write()
    assert computed == []
    cup.write(fresh=True)
    assert {*computed} == {"elo", "alike", "boards", "openings"}


def test_pages_with_a_missing_file_leave_the_old_report_alone(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        folder.mkdir()
    (old / "a.html").write_bytes(b"old")
    entries = {path: ManifestEntry(content_hash(b"old")) for path in ("a.html", "a.csv")}
    earlier = EarlierReport(Folders(new, old), entries, {"a.html": PageInputs("same", ("a.csv",))})
    assert earlier.keep("a.html", "same") is None
    # A link here would make the next writer change the old report.
    assert tree(new) == {}


def analyze(database: Database, tournament: int) -> None:
    record = database.records.get(tournament, 2)
    assert record is not None
    seat = record.actions[3][0]
    turn = ValuedTurn(3, seat, 800, "better", ("better",), 250)
    analyser = Analyser(record.seats[0], Limits(move_ms=None, nodes=5))
    database.analyses.keep(tournament, 2, Analysis("tourney-analysis/1", record.digest, analyser, (turn,)))


@pytest.mark.slow
def test_changed_database_gives_the_bytes_of_a_new_report(cup: Cup) -> None:
    """A match is added, analyzed, taken back, replayed; a bot is withdrawn; the rest is played."""
    database, number = cup.repository, cup.tournament.id
    stored = cup.tournament
    settings = RunSettings(**{key: getattr(stored.run, key) for key in RunSettings.__struct_fields__})
    cup.play(most=4)
    cup.write()
    changes: tuple[Callable[[], object], ...] = (
        lambda: cup.play(most=1),
        lambda: analyze(database, number),
        lambda: database.matches.withdraw(number, [3], None),
        lambda: world.play_all(database, stored, most=1, host="other"),
        lambda: database.tournaments.amend(number, plan=stored.plan, run=settings, left={2: 2}),
        cup.play,
    )
    for change in changes:
        before = tree(cup.out)
        change()
        cup.write()
        assert tree(cup.out) == cup.written_again()
        assert tree(cup.out) != before


@pytest.mark.slow
def test_changed_options_give_the_bytes_of_a_new_report(cup: Cup, tmp_path: Path) -> None:
    cup.play()
    cup.write()
    (tmp_path / "mine").mkdir()
    template = tmp_path / "mine" / "base.html"
    for options, footer in (
        (Options(measured=False), ""),
        (Options(logs=True, match_pages=3, listed=4), ""),
        (Options(live=Live("now", 60)), ""),
        (Options(), "<p>Ours</p>"),
        # An edited template in the same process, as with --watch.
        (Options(), "<p>Edited</p>"),
    ):
        if footer:
            template.write_text(
                f'{{% extends "original/base.html" %}}{{% block footer %}}{footer}{{% endblock %}}'
            )
        chosen = replace(options, templates=Templates.of(template.parent if footer else None))
        before = tree(cup.out)
        cup.write(chosen)
        assert tree(cup.out) == cup.written_again(chosen)
        assert tree(cup.out) != before


@pytest.mark.slow
def test_damaged_or_missing_files_give_the_bytes_of_a_new_report(
    cup: Cup, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup.play()
    cup.write()
    whole = tree(cup.out)
    state = _state_path(cup.out)
    content = state.read_bytes()
    pair = min((cup.out / "pairs").iterdir())
    rendered = count_pages(monkeypatch)
    for damage, pages in (
        (lambda: None, 0),
        (pair.unlink, 1),
        (lambda: pair.write_bytes(b"forged"), 1),
        (lambda: next((cup.out / "data" / "bots").glob("*-positions.csv")).unlink(), 1),
        (lambda: (cup.out / "matches" / "2.json").write_bytes(b"{}"), 1),
        (state.unlink, 13),
        (lambda: state.write_bytes(content[: len(content) // 2]), 13),
        # One letter of a fingerprint, a path or the verdict.
        (lambda: state.write_bytes(content[:200] + bytes([content[200] ^ 1]) + content[201:]), 13),
        (lambda: state.write_bytes(b"\xff\n{}\n"), 13),
        ((cup.out / MANIFEST).unlink, 13),
    ):
        damage()
        rendered.clear()
        cup.write()
        assert tree(cup.out) == whole
        kept = ("match.html", "pair.html", "positions.html", "matches.html")
        assert sum(name in kept for name in rendered) == pages


def test_fresh_report_makes_every_page_again(cup: Cup, monkeypatch: pytest.MonkeyPatch) -> None:
    cup.play()
    cup.write()
    before = tree(cup.out)
    rendered = count_pages(monkeypatch)
    cup.write(fresh=True)
    assert {"match.html": 6, "pair.html": 3}.items() <= Counter(rendered).items()
    assert tree(cup.out) == before


def test_damaged_record_is_named_by_every_report(cup: Cup) -> None:
    cup.play()
    with sqlite3.connect(cup.out.with_name("tourney.db")) as connection:
        connection.execute("update match set record = x'00' where id = 2")
    first = cup.write()
    assert len(first.damaged) == 1
    again = cup.write()
    assert again.damaged == first.damaged
    assert "matches/2.html" not in again.inputs
    assert tree(cup.out) == cup.written_again()
