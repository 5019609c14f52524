"""Plays the tournaments of a night in slices, until its end, and keeps each author within its seconds.

A tournament is one of the format ``adaptive`` whose budget grows. Each slice is planned to take half of the
time that is left, so the last ones are short: at the end of the night all drawn matches are played, and the
tournament is complete. An author's charged time decides only who is drawn in later slices, never what has
been drawn. Authors of one account share its seconds, with its builds and trials of the night and its matches
at tables of all sizes.
"""

import json
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from tourney.addons.league.admission import charged_seconds
from tourney.addons.league.folder import League
from tourney.addons.league.ledger import Night, NightTournament
from tourney.bots.catalogue.shipped import HOUSE
from tourney.files import write_file
from tourney.games.registry import find_game
from tourney.match.match_memory import MatchMemory
from tourney.run.engine.readiness import Pinning, PlaySetup
from tourney.run.engine.tournament_run import SAMPLE, check_contents, run_tournament
from tourney.run.file_schema import opening_plies
from tourney.run.listeners import Listener
from tourney.run.tournament_file import TournamentFile, read_tournament_file
from tourney.run.workers.executor import MatchExecutor
from tourney.schedule.adaptive import BATCH
from tourney.schedule.format import group_size
from tourney.store.database import Database
from tourney.store.engine import database_exists
from tourney.store.values import StoredEntrant, Tournament

FIRST: Final = 2
"""Pairings of the first slice if a version has never played: its matches may take longer than its trials."""
MEMORY: Final = 7
"""Nights whose matches give the lengths of an author's matches."""
SHARE: Final = 150
"""Percent of an even share of a night's places that an author gets at most, by any number of versions."""
SHORTEST: Final = 10.0
"""Seconds that must be left for another slice, as its start takes a part of them."""
PATIENCE: Final = 3600.0
"""Seconds for which a database that cannot be written (the disk is full) is tried again."""


@dataclass(frozen=True, slots=True)
class NightPlan:
    """The bounds of a night: ``end`` (of ``clock``), ``matches`` in each tournament, or both.

    ``allow_weaker``: the night may contain bots less than the last one did.
    """

    end: float | None
    matches: int | None
    pinning: Pinning
    make_executor: Callable[[], MatchExecutor]
    clock: Callable[[], float] = time.monotonic
    allow_weaker: bool = False


class NightPlay:
    """The play of a night; ``signal`` is the signal that ended it early, or 0."""

    def __init__(self, league: League, night: Night, plan: NightPlan, listener: Listener) -> None:
        self._league = league
        self._night = night
        self._plan = plan
        self._listener = listener
        self._lengths: dict[int, dict[str, float]] = {}  # seconds of an author's match, by seats and author
        self._spent = charged_seconds(
            league, night.number
        )  # by who pays, without the tournament that is played
        authors = {version.author for version in league.ledger.versions}
        self._payers = {author: league.payer(author) for author in authors}
        self.signal = 0

    def play(self) -> tuple[NightTournament, ...]:
        """Play a tournament for each number of seats, each for an equal share of the time."""
        check_contents(self._league.database, self._listener.say)
        tournaments = []
        for place, seats in enumerate(self._league.seats):
            if self.signal:
                break
            if place:
                self._charge(self._state(self._name(self._league.seats[place - 1])))
            end = self._plan.end
            now = self._plan.clock()
            share = None if end is None else now + (end - now) / (len(self._league.seats) - place)
            if (tournament := self._play_seats(seats, share)) is not None:
                tournaments.append(tournament)
        return tuple(tournaments)

    def _name(self, seats: int, before: int = 0) -> str:
        """The name of a tournament, of this night or of one ``before`` it."""
        return f"night-{self._night.number - before:04}-{seats}"

    def _charge(self, state: "_State | None") -> None:
        """Charge the time of a finished tournament."""
        for author, seconds in () if state is None else state.seconds.items():
            self._spent[self._payers[author]] += seconds

    def _play_seats(self, seats: int, end: float | None) -> NightTournament | None:
        name = self._name(seats)
        earlier = (self._state(self._name(seats, before)) for before in range(MEMORY, 0, -1))
        played = {author: length for state in earlier if state for author, length in state.lengths.items()}
        trials = self._trials()
        # A version that entered in this night may be faster than those of earlier nights.
        quicker = {author: min(length, played.get(author, length)) for author, length in trials.items()}
        tonight = {author: length for lengths in self._lengths.values() for author, length in lengths.items()}
        # The later operand wins: trials of this night before earlier nights, these before other table sizes.
        self._lengths[seats] = tonight | played | quicker
        drawn = -1
        state = self._state(name)
        over = self._over(seats, None) if state is None else set()
        for author in sorted(over):
            self._listener.say(
                f"{author} does not play in {name}: a pairing is longer than the time it has left"
            )
        alive = [
            version for version in self._league.ledger.alive(self._night.number) if version.author not in over
        ]
        new = any(version.night == self._night.number and version.author != HOUSE for version in alive)
        self._slow_start = new or not played
        if len(alive) < seats or all(version.author == HOUSE for version in alive):
            self._listener.say(
                f"{name} is not played: the league has too few bots for tables of {seats} seats"
            )
            return None
        # Slice by slice: the results of one decide which authors may be drawn in the next.
        while not self.signal and (budget := self._budget(state, seats, end)) is not None:
            file = self._file(name, seats, budget, state)
            setup = PlaySetup(
                retry_seconds=PATIENCE,
                skip_broken=True,
                pinning=self._plan.pinning,
                sliced=True,
                allow_weaker=self._plan.allow_weaker,
                private=self._league.private,
            )
            league = self._league
            make = self._plan.make_executor
            summary = run_tournament(file, league.database, league.store.root, make, self._listener, setup)
            self.signal = summary.signal
            state = self._state(name)
            if state is None or state.rows == drawn:
                break  # no further pairing is possible
            drawn = state.rows
        if state is None:
            return None
        return NightTournament(name, seats, state.done, state.tournament.root)

    def _budget(self, state: "_State | None", seats: int, end: float | None) -> int | None:
        """The number of matches up to the end of the next slice, or None if the night is over."""
        per = group_size(seats)
        most = None if self._plan.matches is None else self._plan.matches // per * per
        if state is None:
            # x
            first = int(min(FIRST if self._slow_start else BATCH, self._fitting(seats, None) / per))
            return max(per, min(first * per, most or BATCH * per))
        if state.open:
            return state.budget
        if most is not None and most <= state.budget:
            return None
        self._lengths[seats] |= state.lengths
        fits = self._fitting(seats, state) / per
        if most is not None:
            fits = min(fits, (most - state.budget) / per)
        if end is not None:
            left = end - self._plan.clock()
            if left < max(SHORTEST, 2 * state.longest):
                return None
            # What is not known, such as how long the bots of a new author take, shows before the next slice.
            pinning = self._plan.pinning.fitting(MatchMemory.of(state.tournament.plan.limits, seats))
            in_time = left / 2 * pinning.workers / max(state.mean, 1e-3) / per
            fits = min(fits, in_time, state.rows / per)
        return state.budget + max(1, int(fits)) * per

    def _fitting(self, seats: int, state: "_State | None") -> float:
        """The matches after which no author that still plays should have used more than half of its rest.

        Assumes that each plays up to three times as often as so far this night, or in every match.
        """
        rows, played = (0, {}) if state is None else (state.rows, state.played)
        shortest = math.inf
        for author, length in self._lengths[seats].items():
            left = self._left(author, state)
            if length > 0 and left >= length * group_size(seats):
                share = min(1.0, 3 * played[author] / rows) if played.get(author) else 1.0
                shortest = min(shortest, left / 2 / length / share)
        return shortest

    def _trials(self) -> dict[str, float]:
        """The longest trial of each author's bots that entered in this night, in seconds of the author."""
        lengths: dict[str, float] = {}
        for submission in self._league.ledger.submissions.values():
            if (
                submission.night == self._night.number
                and submission.fate == "accepted"
                and submission.match_ms
            ):
                lengths[submission.author] = max(
                    lengths.get(submission.author, 0.0), submission.match_ms / 1000
                )
        return lengths

    def _left(self, author: str, state: "_State | None") -> float:
        """The seconds that an author may still use in this night."""
        payer = self._payers[author]
        used = self._spent[payer]
        for spender, seconds in () if state is None else state.seconds.items():
            used += seconds if self._payers[spender] == payer else 0.0
        return self._league.table.quota.seconds_per_night - used

    def _over(self, seats: int, state: "_State | None") -> set[str]:
        """The authors without enough seconds for another pairing."""
        lengths = self._lengths[seats] | ({} if state is None else state.lengths)
        over = set()
        for author in self._payers.keys() - {HOUSE}:
            left = self._left(author, state)
            if left <= 0 or left < group_size(seats) * lengths.get(author, 0.0):
                over.add(author)
        return over

    def _file(self, name: str, seats: int, budget: int, state: "_State | None") -> TournamentFile:
        """Write the tournament file of the next slice, and read it."""
        path = self._league.records / "nights" / f"{name}.toml"
        if state is not None:
            seeding = str(dict(state.tournament.plan.extra)["seeding"])
        else:
            # Earlier tournaments are found by the options of a plan, so the file is read first to get one.
            plan = read_tournament_file(path, self._text(name, seats, budget, "file", None)).plan
            with _opened(self._league.database) as database:
                every = () if database is None else database.tournaments.all()
                like = [
                    tournament
                    for tournament in every
                    if (tournament.plan.options, tournament.plan.seats) == (plan.options, seats)
                ]
                played = any(
                    database and database.schedules.progress(tournament.id).done for tournament in like
                )
            seeding = "rating" if played else "file"
        text = self._text(name, seats, budget, seeding, state)
        write_file(path, text.encode("utf-8"))
        return read_tournament_file(path, text)

    def _text(self, name: str, seats: int, budget: int, seeding: str, state: "_State | None") -> str:
        """The text of a night's tournament file: a later one may only add and withdraw entrants."""
        league = self._league
        written = self._league.tables
        keys: dict[str, object] = {"name": name, "game": league.table.game, "format": "adaptive"}
        keys |= {"league": True, "seeding": seeding, "seats": seats, "budget": budget}
        keys["opening-plies"] = opening_plies(find_game(league.table.game), league.table.opening_plies)
        run: dict[str, object] = {"sandbox": league.table.sandbox}
        alive = {version.entrant: version.digest for version in league.ledger.alive(self._night.number)}
        over = self._over(seats, state)
        bots = {} if state is None else {entrant.name: entrant.entrant.digest for entrant in state.entrants}
        bots |= {entrant: digest for entrant, digest in alive.items() if _author(entrant) not in over}
        if state is None or "author-share" in dict(state.tournament.plan.extra):
            keys["author-share"] = SHARE
        if state is not None:
            gone = {
                entrant.name
                for entrant in state.entrants
                if _author(entrant.name) in over or entrant.name not in alive
            }
            run["withdrawn"] = sorted(gone | set(state.tournament.run.withdrawn))
        limits = {**dict(written.get("limits", {}))}  # type: ignore[call-overload]  # as below
        if (memory_mb := league.memory_mb) is not None:
            limits["memory-mb"] = memory_mb
        tables = {"options": written.get("options", {}), "limits": limits, "run": run}
        lines = [f"{key} = {_toml(value)}" for key, value in keys.items()]
        for title, table in tables.items():
            lines += ["", f"[{title}]", *(f"{key} = {_toml(value)}" for key, value in dict(table).items())]  # type: ignore[call-overload]  # tables of the league file
        for entrant, digest in bots.items():
            lines += ["", "[[entrant]]", f'bot = "{digest}"', f'name = "{entrant}"']
        return "\n".join(lines) + "\n"

    def _state(self, name: str) -> "_State | None":
        with _opened(self._league.database) as database:
            tournament = database and database.tournaments.find(name)
            return _state_of(database, tournament) if database and tournament else None


@dataclass(frozen=True, slots=True)
class _State:
    """The progress of a night's tournament: its rows, the played ones, and each author's charged seconds.

    ``mean`` and ``longest`` are seconds of its latest matches; ``played`` counts matches by author.
    """

    tournament: Tournament
    entrants: tuple[StoredEntrant, ...]
    rows: int
    done: int
    mean: float
    longest: float
    seconds: Mapping[str, float]
    played: Mapping[str, int]

    @property
    def lengths(self) -> dict[str, float]:
        """The mean seconds that each author was charged for a match."""
        return {author: spent / self.played[author] for author, spent in self.seconds.items()}

    @property
    def budget(self) -> int:
        """The number of matches that it has been allowed so far."""
        return int(dict(self.tournament.plan.extra)["budget"])

    @property
    def open(self) -> bool:
        """Whether drawn or allowed matches are not played yet, or the root is not stored."""
        return self.done < self.rows or not self.tournament.complete or self.tournament.root is None


def _state_of(database: Database, tournament: Tournament) -> _State:
    progress = database.schedules.progress(tournament.id)
    entrants = database.tournaments.entrants(tournament.id)
    lengths = database.records.recent_seconds(tournament.id, SAMPLE)
    played: Counter[str] = Counter()
    ms: dict[str, float] = {}
    seated = {result.number: result.entrants for result in database.matches.results(tournament.id)}
    for match, measured in database.records.all_measured(tournament.id):
        for number, used_ms in zip(seated[match], measured.used_ms, strict=False):
            author = _author(entrants[number].name)
            ms[author] = ms.get(author, 0.0) + used_ms
            played[author] += 1
    mean = sum(lengths) / len(lengths) if lengths else 0.0
    return _State(
        *(tournament, entrants, progress.rows, progress.done),
        *(mean, max(lengths, default=0.0), {a: v / 1000 for a, v in ms.items() if a != HOUSE}, played),
    )


def _author(entrant: str) -> str:
    return entrant.partition(".")[0]


@contextmanager
def _opened(url: str) -> Iterator[Database | None]:
    """Give the database, or None before there is one."""
    if not database_exists(url):
        yield None
        return
    with Database.open(url) as database:
        yield database


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)
