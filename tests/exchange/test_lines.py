"""A tournament survives its export: every format, finished or not, and hostile files are refused."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from tests.support import genuine
from tests.support.command import GOLDEN
from tests.support.sites import site
from tests.support.tournaments import begin, played, refused, stored
from tourney.errors import GameError, InputError, RecordError, UsageError
from tourney.exchange.archiving import check_tournament
from tourney.exchange.importing import import_tournament
from tourney.exchange.lines import export_lines
from tourney.games.registry import find_game
from tourney.parsing import parse_json
from tourney.ratings.trueskill import Settings, TrueSkillMethod
from tourney.report import source
from tourney.report.output.layout import Options
from tourney.results.ratings import draw_probability_of, rate_batch, rate_in_order
from tourney.results.standings import compute_standings
from tourney.run.engine.recorder import pair_next, spec_of
from tourney.store.database import Database
from tourney.store.derived import DrawProbability
from tourney.store.values import MatchResult, Tournament

Values = list[tuple[str, Any]]

FORMATS: dict[str, dict[str, Any]] = {
    "round-robin": {"games": 4},
    "swiss": {"count": 7, "rounds": 4},
    "swiss-pods": {"count": 9, "format_": "swiss", "rounds": 3, "seats": 3, "games": 6},
    "gauntlet": {"count": 4},
    "knockout": {"count": 6},
    "adaptive": {"count": 5, "extra": (("budget", 40),)},
}


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    with Database.open(str(tmp_path / "other.db"), create=True) as opened:
        yield opened


def make(repository: Database, form: str, *, until: int = 10_000) -> Tournament:
    """Play a tournament of made-up matches, some of them void, until its end or for some matches."""
    given = {"format_": form, **FORMATS[form]}
    tournament = begin(repository, **given)
    entrants = repository.tournaments.entrants(tournament.id)
    while True:
        for number, row in repository.schedules.pending(tournament.id):
            if number > until:
                return repository.tournaments.by_id(tournament.id)
            result = MatchResult(number, played(spec_of(tournament, entrants, row)))
            if number == 3:
                result = MatchResult(number, None, "the sandbox failed three times")
            if number == 5:
                result = MatchResult(number, None, "benched", void_entrant=row.seats[0])
            if number == 6:
                result = MatchResult(number, None, "full", void_entrant=row.seats[1], out_of_memory=True)
            repository.matches.add(tournament.id, [result])
        if pair_next(repository, tournament.id) is None:
            return repository.tournaments.by_id(tournament.id)


def lines_of(repository: Database, tournament: Tournament, *, measured: bool = False) -> Values:
    text = b"".join(export_lines(repository, tournament, measured=measured, private=True)).decode("ascii")
    return [(f"line {n}", parse_json(line, unique=True)) for n, line in enumerate(text.splitlines(), 1)]


def facts(repository: Database, tournament: Tournament, *, measured: bool) -> list[object]:
    """Return all that a person sees of a tournament: standings, ratings, progress, the report's bytes."""
    one, options = tournament.id, Options(measured=measured)
    settings = Settings(draw_probability=draw_probability_of(repository, tournament))
    return [
        compute_standings(repository, one),
        rate_in_order(repository, tournament, TrueSkillMethod(settings), "loss").pool.table(),
        rate_batch(repository, tournament, "loss"),
        repository.schedules.progress(one),
        repository.totals.benched(one),
        repository.totals.out_of_memory(one),
        [(m.number, m.key, m.seats, m.result and m.result.note) for m in repository.matches.all(one)],
        repository.tournaments.entrants(one),
        repository.matches.replaced(one),
        {file.path: file.content for file in site(source.load(repository, tournament), options)},
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("form", "measured"), [*((form, True) for form in FORMATS), ("swiss", False)])
def test_import_of_an_export_is_the_same_tournament(
    repository: Database, other: Database, form: str, measured: bool
) -> None:
    tournament = make(repository, form)
    assert tournament.complete
    value = DrawProbability(0.31, "cup", 56)
    repository.ratings.keep_draw_probability(tournament.game, tournament.seats, value)
    lines = lines_of(repository, tournament, measured=measured)
    again = import_tournament(other, lines, "2026-11-20")
    again = other.tournaments.by_id(again.id)
    assert again.root == lines[0][1]["root"]
    assert facts(other, again, measured=measured) == facts(repository, tournament, measured=measured)
    assert lines_of(other, again, measured=measured) == lines
    if measured:
        for match in repository.matches.all(tournament.id, finished=True):
            assert other.records.log(again.id, match.number) == repository.records.log(
                tournament.id, match.number
            )
            assert other.records.measured(again.id, match.number) == repository.records.measured(
                tournament.id, match.number
            )


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_unfinished_tournament_goes_on_after_its_import(
    repository: Database, other: Database, form: str
) -> None:
    """Both databases then hold the same tournament at its end."""
    half = make(repository, form, until=4)
    assert half.root is None
    lines = lines_of(repository, half)
    again = import_tournament(other, lines, "2026-11-20")
    assert facts(other, other.tournaments.by_id(again.id), measured=False) == facts(
        repository, half, measured=False
    )
    ends = []
    for place in (repository, other):
        entrants = place.tournaments.entrants(1)
        while True:
            for number, row in place.schedules.pending(1):
                result = MatchResult(number, played(spec_of(half, entrants, row)))
                place.matches.add(1, [result])
            if pair_next(place, 1) is None:
                break
        ends.append(lines_of(place, place.tournaments.by_id(1)))
    assert ends[0][0][1]["root"]
    assert ends[0] == ends[1]


def test_entrants_runs_and_replaced_results_are_carried(repository: Database, other: Database) -> None:
    tournament = make(repository, "swiss", until=3)
    late = stored(9)[8]
    more = type(late)(7, late.entrant, "Title <b>", "An author", 3, '{"bot": "x"}', 5, -1250, 30)
    run = type(tournament.run)(reuse=True, sandbox="off", withdrawn=(more.name,))
    repository.tournaments.amend(
        tournament.id, plan=structs.replace(tournament.plan, rounds=6), run=run, entrants=[more], left={2: 4}
    )
    repository.matches.take_back(tournament.id, [1, 2])
    tournament = repository.tournaments.by_id(tournament.id)
    again = import_tournament(other, lines_of(repository, tournament), "2026-11-20")
    assert other.tournaments.entrants(again.id) == repository.tournaments.entrants(tournament.id)
    assert other.matches.replaced(again.id) == repository.matches.replaced(tournament.id) != ()
    assert (again.run, again.plan, again.seed) == (tournament.run, tournament.plan, tournament.seed)


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, marks=[] if game == "sage-stones" else pytest.mark.slow) for game in GOLDEN],
)
def test_real_matches_of_every_game_survive(repository: Database, other: Database, game: str) -> None:
    plies = 0 if find_game(game).has_hidden_actions else 2
    tournament = genuine.begin(
        repository, ("drawn-1", "drawn-2"), game=game, games=4, opening_plies=plies, mirrored_dice=False
    )
    genuine.play_all(repository, tournament, void=(2,))
    tournament = repository.tournaments.by_id(tournament.id)
    lines = lines_of(repository, tournament, measured=True)
    again = other.tournaments.by_id(import_tournament(other, lines, "2026-11-20").id)
    assert facts(other, again, measured=True) == facts(repository, tournament, measured=True)


def test_draw_probability_of_other_tournaments_stays(repository: Database, other: Database) -> None:
    tournament = make(repository, "round-robin")
    repository.ratings.keep_draw_probability(tournament.game, 2, DrawProbability(0.31, "cup", 56))
    begin(other, name="mine")
    import_tournament(other, lines_of(repository, tournament), "2026-11-20")
    assert other.ratings.draw_probability(tournament.game, 2) is None


def test_tournament_under_another_name_has_another_root(repository: Database) -> None:
    tournament = make(repository, "round-robin")
    lines = lines_of(repository, tournament)
    with refused(UsageError, "holds a tournament 'cup' already"):
        import_tournament(repository, lines, "now", again=True)
    with refused(RecordError, "line 2: match 1 of cup has this record already", "--again"):
        import_tournament(repository, lines, "now", name="other")
    assert [one.name for one in repository.tournaments.all()] == ["cup"]
    again = import_tournament(repository, lines, "now", name="other", again=True)
    root = repository.tournaments.by_id(again.id).root
    assert root is not None
    assert root != lines[0][1]["root"]
    assert compute_standings(repository, again.id) == compute_standings(repository, tournament.id)


def change(at: int, *path: Any) -> Callable[[Values], None]:
    """Return a function that sets the value (last) at a path in a line (from 0); ``...`` deletes it."""
    *keys, last, value = path

    def apply(lines: Values) -> None:
        data = lines[at][1]
        for key in keys:
            data = data[key]
        if value is ...:
            del data[last]
        else:
            data[last] = value

    return apply


def swap(lines: Values) -> None:
    lines[1], lines[2] = ("line 2", lines[2][1]), ("line 3", lines[1][1])


def cut(lines: Values) -> None:
    del lines[-1]


def repeat_record(lines: Values) -> None:
    lines[2][1]["record"] = lines[1][1]["record"]
    lines[2][1]["seats"] = lines[1][1]["seats"]


def without(lines: Values) -> None:
    """Make a finished match one that is not played, and keep the root."""
    del lines[1][1]["record"]


HOSTILE: dict[str, tuple[Callable[[Values], None], type[InputError], str]] = {
    "type": (change(0, "complete", 1), RecordError, "line 1: complete is 1, but must be true or false"),
    "unknown key": (change(0, "x", 1), RecordError, 'line 1: unknown key "x"'),
    "missing key": (change(0, "run", ...), RecordError, "line 1: run is missing"),
    "later form": (change(0, "format", "tourney-tournament/2"), RecordError, "line 1: format is"),
    "seed": (change(0, "tournament", "seed", "9" * 78), RecordError, "beyond 256 bits"),
    "plan": (change(0, "tournament", "plan", "seats", "2"), RecordError, "line 1: tournament.plan.seats is"),
    "no plan": (
        change(0, "tournament", "plan", []),
        RecordError,
        "line 1: tournament.plan is [], but must be",
    ),
    "game": (
        change(0, "tournament", "plan", "game", "draughts"),
        GameError,
        "line 1: there is no game 'draughts'",
    ),
    "seats": (change(0, "tournament", "plan", "seats", 9), GameError, "line 1: "),
    "name": (change(0, "tournament", "plan", "name", "../x"), RecordError, "line 1: plan.name is"),
    "entrant": (
        change(0, "tournament", "entrants", 0, "name", "A b"),
        RecordError,
        'line 1: tournament.entrants[0].name is "A b", but must match',
    ),
    "twice": (
        change(0, "tournament", "entrants", 1, "name", "a"),
        RecordError,
        "a is twice among the entrants",
    ),
    "withdrawn": (change(0, "run", "withdrawn", ["z"]), RecordError, "z is withdrawn, but no entrant"),
    "default": (change(0, "tournament", "entrants", 0, "joined", 1), RecordError, "stand only where"),
    "huge": (change(0, "tournament", "entrants", 0, "joined", 2**40), RecordError, "joined is 1099511627776"),
    "shown": (change(0, "shown", []), RecordError, "shown has 0 items, but there are 3 entrants"),
    "nul": (change(0, "shown", 0, "title", "a\0b"), RecordError, "line 1: shown[0].title is"),
    "probability": (
        change(0, "draw-probability", {"probability": 2, "tournament": "x", "matches": 1}),
        RecordError,
        "draw-probability.probability is 2",
    ),
    "replaced": (
        change(
            0, "replaced", [{"match": 99, "rounds": 1, "ranks": [1, 2], "faults": ["", ""], "void": False}]
        ),
        RecordError,
        "replaced has match 99, which does not fit",
    ),
    "count": (change(0, "matches", 7), RecordError, "the file has 12 matches, but its first line says 7"),
    "cut": (cut, RecordError, "the file has 11 matches, but its first line says 12"),
    "root": (change(0, "root", "0" * 64), RecordError, "the first line has the root 0000000000000000..."),
    "lost result": (without, RecordError, "the file was changed after it was made"),
    "line": (change(1, "place", [1, 1, 1]), RecordError, "line 2: place has 3 items, but must have 4"),
    "order": (swap, RecordError, "line 3: its place [1, 1, 1, 1] does not come after [1, 1, 1, 2]"),
    "no entrant": (change(1, "seats", [0, 3]), RecordError, "line 2: seats[1] is 3, but must be from 0 to 2"),
    "same entrant": (change(1, "seats", [0, 0]), RecordError, "line 2: seats has an entrant twice"),
    "too many": (change(1, "seats", [0, 1, 2]), RecordError, "line 2: seats has 3 items, but must have 2"),
    "other seats": (change(1, "seats", [1, 0]), RecordError, "line 2: its record has another seats"),
    "digest": (change(1, "record", "seed", "1"), RecordError, "line 2: the record's digest is"),
    "repeated": (repeat_record, RecordError, "line 3 has the record of line 2 again"),
    "other seed": (
        change(0, "tournament", "seed", "5"),
        RecordError,
        "line 2: its record has another seed than the tournament has for this match",
    ),
    "both": (
        change(1, "void", {"reason": "machine-failure"}),
        RecordError,
        "line 2: there are both a record",
    ),
    "void": (change(3, "void", {"reason": "benched"}), RecordError, "line 4: void must name an entrant"),
    "memory": (change(3, "void", {"reason": "memory"}), RecordError, "line 4: void must name an entrant"),
    "void entrant": (
        change(3, "void", {"reason": "benched", "entrant": 3}),
        RecordError,
        "line 4: void.entrant is 3, but must be from 0 to 2",
    ),
    "reason": (change(3, "void", "reason", "x"), RecordError, 'line 4: void.reason is "x", but must be'),
    "log": (change(3, "log", [[0, 1, "info", "x"]]), RecordError, "line 4: there are a log or measurements"),
    "kind": (change(1, "log", [[0, 1, "shout", "x"]]), RecordError, "line 2: log[0][2] is"),
    "measured": (change(1, "measured", {"wall-ms": "x"}), RecordError, "line 2: measured.wall-ms"),
    "infinite": (
        change(1, "measured", {"wall-ms": float("inf")}),
        RecordError,
        "line 2: measured.wall-ms is",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_changed_export_is_refused_in_one_sentence(repository: Database, other: Database, name: str) -> None:
    lines = copy.deepcopy(lines_of(repository, make(repository, "round-robin")))
    damage, kind, words = HOSTILE[name]
    damage(lines)
    with refused(kind, words):
        check_tournament(lines)
    with refused(kind, words):
        import_tournament(other, lines, "now")
    assert other.tournaments.all() == ()


def test_lines_are_ascii_json_with_sorted_keys(repository: Database) -> None:
    for line in export_lines(repository, make(repository, "round-robin"), measured=True, private=True):
        data = json.loads(line)
        assert line == json.dumps(data, sort_keys=True, separators=(",", ":")).encode("ascii") + b"\n"
