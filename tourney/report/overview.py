"""The first page: what was played, the standings with their ratings, seats, ends and faults."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pandas as pd
from markupsafe import Markup

from tourney.match.record import FAULT_KINDS
from tourney.ratings.values import Rating
from tourney.report import names, plots, text
from tourney.report.downloads import Table, table
from tourney.report.frames import points_of, tally
from tourney.report.people import Chair, Person, chairs, people
from tourney.report.source import Source


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of what was played: a label, a value, and whether the value is to be set as code."""

    label: str
    value: str
    code: bool = False


@dataclass(frozen=True, slots=True)
class StandingLine:
    """A line of the standings, all numbers as they are printed."""

    rank: int
    person: Person
    points: str
    games: int
    percent: str
    wins: int
    draws: int
    losses: int
    rating_rank: int
    mu: str
    sigma: str
    exposed: str
    elo: str
    low: str
    high: str
    batch_rank: int
    ranks: str
    best: str
    whisker: Markup
    skill: Markup
    faults: int
    faults_said: str


@dataclass(frozen=True, slots=True)
class SeatLine:
    """What a seat scored, whoever sat there."""

    chair: Chair
    games: int
    points: str
    percent: str
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class FaultLine:
    """An entrant's faults by kind, in the order of ``FAULT_KINDS``; ``share``: percent of its matches."""

    person: Person
    counts: tuple[int, ...]
    total: int
    share: str


@dataclass(frozen=True, slots=True)
class Overview:
    """All of the first page but the crosstable. ``downloads`` are by file name without its ending."""

    facts: tuple[Fact, ...]
    state: str
    standings: tuple[StandingLine, ...]
    axis: Markup
    skill_axis: Markup
    seats: tuple[SeatLine, ...]
    ends: tuple[tuple[str, int, str], ...]
    faults: tuple[FaultLine, ...]
    fault_kinds: tuple[str, ...]
    voids: int
    downloads: dict[str, Table]


def overview(source: Source, frame: pd.DataFrame, *, measured: bool) -> Overview:
    """Return the first page's context; what is measured only with ``measured``."""
    lines = fault_lines(source)
    return Overview(
        facts=facts(source, measured=measured),
        state=state(source),
        standings=standing_lines(source),
        axis=plots.whisker_axis(elo_axis(source)),
        skill_axis=plots.whisker_axis(rating_axis(source)),
        seats=seat_lines(source, frame),
        ends=ends(frame),
        faults=lines,
        fault_kinds=FAULT_KINDS,
        voids=source.progress.void,
        downloads={
            "standings": standings_table(source),
            "seats": seats_table(source, frame),
            "faults": faults_table(source),
            "history": history_table(source),
        },
    )


@dataclass(frozen=True, slots=True)
class Entry:
    """A tournament as a line of a list; ``first`` are those who lead its standings."""

    href: str
    name: str
    game: str
    seats: int
    entrants: int
    state: str
    first: tuple[str, ...]
    faults: int


def entry(source: Source, href: str) -> Entry:
    """Return a tournament's line."""
    known = people(source)
    return Entry(
        href=href,
        name=names.display(source.tournament.name),
        game=names.display(source.game.title if source.game else source.tournament.game),
        seats=source.tournament.seats,
        entrants=len(source.entrants),
        state=state(source),
        first=tuple(known[line.number].name for line in source.standings if line.rank == 1 and line.games),
        faults=sum(line.fault_count for line in source.standings),
    )


def state(source: Source) -> str:
    """Return how far the tournament is, in words."""
    done, rows = source.progress.done, source.progress.rows
    if source.tournament.complete and done == rows:
        return f"Finished: {text.count(done, 'match', 'matches')}"
    drawn = f"{text.number(done, 0)} of {text.count(rows, 'match', 'matches')}"
    return f"In progress: {drawn} played" + (
        "" if source.tournament.complete else ", more rounds to be drawn"
    )


def facts(source: Source, *, measured: bool) -> tuple[Fact, ...]:
    """Return what was played, under which rules and limits, from which seed."""
    tournament, plan = source.tournament, source.tournament.plan
    title = source.game.title if source.game else plan.game
    found = [
        Fact("Game", f"{names.display(title)} ({names.display(plan.game)}, rules version {plan.rules})"),
        *([Fact("Options", _pairs(plan.options), code=True)] if plan.options else []),
        Fact("Format", f"{names.display(plan.format)}, {plan.seats} seats a table"),
        Fact("Games per pairing", str(plan.games_per_pairing)),
        *([Fact("Rounds", str(plan.rounds))] if plan.rounds else []),
        Fact("Opening", _opening(source)),
        *([Fact("Settings", _pairs(plan.extra), code=True)] if plan.extra else []),
        Fact("Limits", _pairs(tuple(plan.limits.as_json().items())), code=True),
        Fact("Seed", str(tournament.seed), code=True),
        Fact(
            "Seed drawn",
            "chosen by a person, so bots could compute the dice" if tournament.seed_chosen else "at random",
        ),
        Fact(
            "Ratings",
            "all matches in one fit, faults as losses; prior: a standard deviation of"
            f" {text.number(source.batch.pool.prior_elo, 0)} Elo",
        ),
        Fact(
            "TrueSkill",
            f"draw probability {source.settings.draw_probability:g}, tau {source.settings.tau:g},"
            " matches in schedule order",
        ),
    ]
    if measured:
        run = tournament.run
        found.append(Fact("Begun", names.display(tournament.created)))
        found.append(Fact("Run", f"sandbox {run.sandbox}, {'reuse' if run.reuse else 'a process a match'}"))
    return tuple(found)


def _pairs(pairs: tuple[tuple[str, object], ...]) -> str:
    return names.line(" ".join(f"{key}={value}" for key, value in pairs))


def _opening(source: Source) -> str:
    plan = source.tournament.plan
    if plan.book:
        return f"out of a book of {text.count(len(plan.book), 'opening')}"
    if plan.opening_plies:
        return f"{text.count(plan.opening_plies, 'action')} drawn from the seed"
    return "the game's start"


def rating_axis(source: Source) -> plots.Scale:
    """Return the one scale of all TrueSkill whiskers, in percent."""
    ends_ = [value for r in source.ratings for value in (r.mu - 3 * r.sigma, r.mu + 3 * r.sigma)]
    return plots.axis_of(ends_)


def elo_axis(source: Source) -> plots.Scale:
    """Return the one scale of all intervals of Elo, in percent."""
    return plots.axis_of([value for line in source.batch.ratings for value in (line.low, line.high)])


def standing_lines(source: Source) -> tuple[StandingLine, ...]:
    """Return the standings with ratings beside them."""
    known = people(source)
    ratings: dict[int, Rating] = {rating.entrant: rating for rating in source.ratings}
    batch = {line.entrant: line for line in source.batch.ratings}
    scale, skill_scale = elo_axis(source), rating_axis(source)
    seats = source.tournament.seats
    lines = []
    for standing in source.standings:
        rating, line = ratings[standing.number], batch[standing.number]
        lines.append(
            StandingLine(
                rank=standing.rank,
                person=known[standing.number],
                points=text.points(standing.points, seats),
                games=standing.games,
                percent=text.percent(standing.mean),
                wins=standing.wins,
                draws=standing.draws,
                losses=standing.losses,
                rating_rank=rating.rank,
                mu=text.number(rating.mu, 3),
                sigma=text.number(rating.sigma, 3),
                exposed=text.number(rating.exposed, 3),
                elo=text.number(line.elo, 1),
                low=text.number(line.low, 1),
                high=text.number(line.high, 1),
                batch_rank=line.rank,
                ranks=text.span(line.best_rank, line.worst_rank),
                best=text.number(100 * line.p_best, 0),
                whisker=plots.interval(scale, line.elo, line.low, line.high),
                skill=plots.whisker(skill_scale, rating.mu, rating.sigma),
                faults=standing.fault_count,
                faults_said=", ".join(f"{kind} {count}" for kind, count in standing.faults),
            )
        )
    return tuple(lines)


def standings_table(source: Source) -> Table:
    """Return the standings for download: points as exact fractions too."""
    ratings = {rating.entrant: rating for rating in source.ratings}
    batch = {found.entrant: found for found in source.batch.ratings}
    rows = []
    for line in source.standings:
        entrant, rating = source.entrants[line.number].entrant, ratings[line.number]
        found = batch[line.number]
        rows.append(
            {
                "rank": line.rank,
                "entrant": entrant.name,
                "bot": entrant.bot,
                "version": entrant.version,
                "digest": entrant.digest,
                "games": line.games,
                "points": round(float(line.points), 4),
                "points_exact": str(line.points),
                "wins": line.wins,
                "draws": line.draws,
                "losses": line.losses,
                "sonneborn": round(float(line.sonneborn), 4),
                "faults": line.fault_count,
                "elo_rank": found.rank,
                "elo": found.elo,
                "low": found.low,
                "high": found.high,
                "best_rank": found.best_rank,
                "worst_rank": found.worst_rank,
                "p_best": found.p_best,
                "rating_rank": rating.rank,
                "mu": rating.mu,
                "sigma": rating.sigma,
                "exposed": rating.exposed,
            }
        )
    columns = (
        "rank entrant bot version digest games points points_exact wins draws losses sonneborn faults"
        " elo_rank elo low high best_rank worst_rank p_best rating_rank mu sigma exposed"
    )
    return table(rows, columns.split())


def seat_lines(source: Source, frame: pd.DataFrame) -> tuple[SeatLine, ...]:
    """Return what each seat scored over all matches."""
    by_seat = tally(frame, "seat").to_dict("index")
    return tuple(
        seat_line(chair, by_seat.get(chair.seat, {}), source.tournament.seats) for chair in chairs(source)
    )


def seat_line(chair: Chair, counts: Mapping[Any, Any], seats: int) -> SeatLine:
    """Return a seat's line of a tally, which may be empty."""
    games = counts.get("games", 0)
    score = points_of(counts.get("units", 0), seats)
    return SeatLine(
        chair=chair,
        games=games,
        points=text.points(score, seats),
        percent=text.percent(score / games if games else None),
        wins=counts.get("wins", 0),
        draws=counts.get("draws", 0),
        losses=counts.get("losses", 0),
    )


def seats_table(source: Source, frame: pd.DataFrame) -> Table:
    """Return what each seat scored, for download."""
    by_seat = tally(frame, "seat").to_dict("index")
    rows = []
    for chair in chairs(source):
        counts = by_seat.get(chair.seat, {})
        rows.append(
            {
                "seat": chair.seat,
                "name": chair.name,
                "games": counts.get("games", 0),
                "points": round(float(points_of(counts.get("units", 0), source.tournament.seats)), 4),
                **{key: counts.get(key, 0) for key in ("wins", "draws", "losses", "faults")},
            }
        )
    return table(rows, ("seat", "name", "games", "points", "wins", "draws", "losses", "faults"))


def ends(frame: pd.DataFrame) -> tuple[tuple[str, int, str], ...]:
    """Return how matches ended: the word, how many, and their share in percent; the most frequent first."""
    counted = frame[(frame["seat"] == 1) & ~frame["void"]]
    total = len(counted)
    counts = Counter(str(reason) for reason in counted["reason"])
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple((names.words(r), n, text.percent(Fraction(n, total))) for r, n in ordered)


def fault_lines(source: Source) -> tuple[FaultLine, ...]:
    """Return the entrants that have a fault, most faults first."""
    known = people(source)
    lines = []
    for standing in source.standings:
        counts = dict(standing.faults)
        if not counts:
            continue
        # A void match has faults too, but is none of the games.
        share = Fraction(standing.fault_count, max(standing.games, standing.fault_count))
        lines.append(
            FaultLine(
                known[standing.number],
                tuple(counts.get(kind, 0) for kind in FAULT_KINDS),
                standing.fault_count,
                text.percent(share),
            )
        )
    return tuple(sorted(lines, key=lambda line: (-line.total, line.person.number)))


def faults_table(source: Source) -> Table:
    """Return every entrant's faults by kind, for download."""
    rows = [
        {
            "entrant": line.name,
            **dict.fromkeys(FAULT_KINDS, 0),
            **dict(line.faults),
            "total": line.fault_count,
        }
        for line in source.standings
    ]
    return table(rows, ("entrant", *FAULT_KINDS, "total"))


def history_table(source: Source) -> Table:
    """Return every entrant's rating after each round, for download."""
    rows = [
        {
            "round": round_,
            "entrant": source.entrants[rating.entrant].name,
            "rank": rating.rank,
            "mu": rating.mu,
            "sigma": rating.sigma,
            "exposed": rating.exposed,
            "games": rating.games,
        }
        for round_, pool in source.history
        for rating in pool.table()
    ]
    return table(rows, ("round", "entrant", "rank", "mu", "sigma", "exposed", "games"))
