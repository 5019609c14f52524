"""The page of methods: every rule, formula and setting in use, digests, and how to verify and replay."""

import re
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import msgspec

from tourney import __version__
from tourney.match.result import NOT_MEASURED, Measurements
from tourney.match.spec import Limits
from tourney.prepared_types import prepared
from tourney.ratings.population import SEAT, USUAL
from tourney.ratings.superiority import SAMPLES
from tourney.report import display
from tourney.report.display import Fact
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.history import sampled
from tourney.report.source import ReportSource
from tourney.results.interval_widths import interval_text
from tourney.results.standings import ranking_sentences
from tourney.results.texts import origin_text, overload_text, sharing_text
from tourney.results.until import progress_text
from tourney.schedule.format import IMPORTED, group_size
from tourney.texts import counted

LOOKED_AT = 20
"""Matches whose measurements are read for the protections in force."""
LIBRARIES = ("numpy", "trueskill")
"""Packages that decide numbers of a report."""

_PLAIN = re.compile(r"[A-Za-z0-9._-]+")


def files(make: Renderer) -> Iterator[File]:
    """Yield the page."""
    source = make.source
    tournament = source.tournament
    plan = source.tournament.plan
    settings = source.settings
    skill = {
        "mu of the prior": settings.mu,
        "sigma of the prior": settings.sigma,
        "beta": settings.beta,
        "tau": settings.tau,
        "draw probability": settings.draw_probability,
    }
    yield make.page(
        "methods.html",
        "methods.html",
        facts=tuple(tournament_facts(source, measured=make.measured)),
        rules=ranking_sentences(source.ranking),
        plan=plan,
        recorded=tournament.recorded,
        group=group_size(plan.seats) if tournament.recorded else 0,
        sharing=sharing_text(plan, source.game),
        imported=plan.format == IMPORTED,
        seed=str(tournament.seed) if source.disclosed.ended else "",
        commitment=source.disclosed.commitment if make.measured else "",
        spread=source.batch.pool.prior_elo,
        usual=USUAL,
        seat=SEAT,
        pool=tuple(dict.fromkeys((source.zero, *source.pool_notes))),
        deviations=interval_text(source.look),
        samples=SAMPLES,
        skill=[Fact(label, f"{value:.6g}") for label, value in skill.items()],
        # Keys, values and meanings; the protections are empty without measurements.
        limits=tuple(_limits(source)) if tournament.recorded else (),
        containment=_containment(source) if make.measured else {"looked_at": 0},
        entrants=source.labels.values(),
        digest=source.root,
        name=tournament.name if _PLAIN.fullmatch(tournament.name) else "TOURNAMENT",
        software=(f"Tourney {__version__}", *(f"{p} {version(p)}" for p in LIBRARIES if make.measured)),
    )


def _limits(source: ReportSource) -> Iterator[tuple[str, str, str]]:
    keys: dict[str, Any] = msgspec.json.schema(prepared(Limits))["$defs"]["Limits"]["properties"]
    for key, value in source.tournament.plan.limits.texts().items():
        field = keys.get(key, {})
        choices = (field, *field.get("anyOf", ()))
        words = next((choice["description"] for choice in choices if "description" in choice), "")
        yield key, value, words.replace("`", "")


def _containment(source: ReportSource) -> dict[str, object]:
    """The sandboxes and protections (name, states in words) of some matches spread over the tournament."""
    sandboxes: Counter[str] = Counter()
    states: dict[str, Counter[str]] = {}
    for match in sampled(source.recorded, LOOKED_AT):
        sandbox = source.detail(match.number).measured.sandbox
        if sandbox is not None:
            sandboxes[sandbox.name] += 1
            for name, state in sandbox.protections.items():
                states.setdefault(name, Counter())[state] += 1
    looked_at = sandboxes.total()
    return {
        "looked_at": looked_at,
        "sandboxes": [f"{display.label(name)} ({n})" for name, n in sorted(sandboxes.items())],
        "protections": [
            (
                display.label(name),
                ", ".join(
                    display.label(state) if n == looked_at else f"{display.label(state)} ({n})"
                    for state, n in sorted(counts.items())
                ),
            )
            for name, counts in sorted(states.items())
        ],
    }


def state(source: ReportSource) -> str:
    """The progress of the tournament in words."""
    done = source.progress.done
    rows = source.progress.rows
    complete = source.tournament.complete
    if complete and done == rows:
        return f"Finished: {counted(done, 'match')}"
    more = "" if complete else ", more rounds to be paired"
    return f"In progress: {done:,} of {counted(rows, 'match')} played{more}"


def tournament_facts(source: ReportSource, *, measured: bool) -> Iterator[Fact]:
    """Yield the game, rules, limits, seed and rating settings of a tournament."""
    tournament = source.tournament
    plan = source.tournament.plan
    imported = plan.format == IMPORTED or not tournament.recorded
    title = source.game.title if source.game else plan.game
    rules = f", rules version {plan.rules}" if tournament.recorded else "; no rules were run"
    yield Fact("Game", f"{display.label(title)} ({display.label(plan.game)}{rules})")
    if plan.options:
        yield Fact("Options", display.pairs(plan.options), code=True)
    yield from _schedule_facts(source, imported=imported)
    if plan.extra:
        yield Fact("Settings", display.pairs(plan.extra), code=True)
    if source.setup.until is not None:
        words = progress_text(source.setup, source.schedule, plan.format, complete=tournament.complete)
        yield Fact("Until", display.line(words))
    if tournament.recorded:
        yield Fact("Limits", display.pairs(plan.limits.texts().items()), code=True)
    if not imported and source.disclosed.ended:
        yield Fact("Seed", str(tournament.seed), code=True)
    if not imported and measured and source.disclosed.commitment:
        yield Fact("Commitment", source.disclosed.commitment, code=True)
    if tournament.recorded:
        yield Fact("Seed origin", origin_text(tournament, source.game))
    if source.root:
        yield Fact("Root", source.root, code=True)
    for label in source.labels.values():
        if label.broken:
            why = label.broken if measured else "its bot cannot be started"
            yield Fact("Benched", f"{display.isolated(label.name)}: {display.line(why)}")
    prior = display.number(source.batch.pool.prior_elo, 0)
    yield Fact(
        "Ratings",
        f"all matches in one fit, faults as losses; strengths are a population with a spread of {prior} Elo",
    )
    yield Fact(
        "TrueSkill",
        f"draw probability {source.settings.draw_probability:g}, tau {source.settings.tau:g},"
        " matches in schedule order",
    )
    if measured:
        yield from _run_facts(source, imported=imported)


def _run_facts(source: ReportSource, *, imported: bool) -> Iterator[Fact]:
    """Yield what may differ between two runs: start, overload, protections, settings of the machine."""
    run = source.tournament.run
    yield Fact("Imported" if imported else "Started", display.label(source.tournament.created))
    if overloaded := overload_text(source.overload[0]):
        yield Fact("Overloaded turns", f"{overloaded}; what a bot waits for a processor is not charged")
    if source.matches and not has_measurements(source):
        yield Fact("Not known", "times, hosts, protections and logs: the matches were imported without them")
    elif not imported:
        reuse = "reused processes" if run.reuse else "a new process per match"
        weaker = ", which went on with less than it began with (--allow-weaker)" if run.weaker else ""
        yield Fact("Run", f"sandbox {run.sandbox}{weaker}, {reuse}")
    if settings := _last_measured(source).settings:
        yield Fact("Settings of the machine", display.label(settings))


def _last_measured(source: ReportSource) -> Measurements:
    """The measurements of the last match: they give dates and machine without a read of all."""
    return source.detail(source.matches[-1].number).measured if source.matches else NOT_MEASURED


def head_facts(source: ReportSource, *, measured: bool) -> Iterator[Fact]:
    """Yield the conditions at the top of a tournament's page: format, time control, dates, hardware."""
    plan = source.tournament.plan
    if not source.tournament.recorded or plan.format == IMPORTED:
        return
    rounds = f", {counted(plan.rounds, 'round')}" if plan.rounds else ""
    games = counted(plan.games_per_pairing, "game")
    yield Fact(
        "Format", f"{display.label(plan.format.replace('-', ' ').capitalize())}{rounds}, {games} per pairing"
    )
    yield Fact("Time control", time_control(plan.limits))
    if not measured:
        return
    ends = _last_measured(source)
    first = source.tournament.created[:10]
    until = ends.started[:10]
    yield Fact("Played", display.label(first if first >= until else f"{first} to {until}"))
    if ends.machine:
        yield Fact("Hardware", display.label(ends.machine))


def time_control(limits: Limits) -> str:
    """The limits of time, nodes and depth in words; those of single entrants behind their names."""
    entrants_times = (
        f"{display.label(each.entrant)}: {_time_words(limits.of(each.entrant))}" for each in limits.entrants
    )
    return "; ".join([_time_words(limits), *entrants_times])


def _time_words(limits: Limits) -> str:
    words = []
    if limits.clock_ms is not None:
        more = f" + {display.time_limit(limits.increment_ms)}" if limits.increment_ms else ""
        period = "game" if limits.clock_moves is None else counted(limits.clock_moves, "action")
        words.append(f"{display.time_limit(limits.clock_ms)}{more} per {period}")
    if limits.move_ms is not None:
        words.append(f"{display.time_limit(limits.move_ms)} per action")
    if limits.nodes is not None:
        words.append(counted(limits.nodes, "node") + " per action")
    if limits.depth is not None:
        words.append(f"depth {limits.depth}")
    if words and limits.charge != "wall":
        words.append(f"charged by {limits.charge}")
    return ", ".join(words) or "no limit"


def _schedule_facts(source: ReportSource, *, imported: bool) -> Iterator[Fact]:
    tournament = source.tournament
    plan = source.tournament.plan
    if not tournament.recorded:
        yield Fact("Format", f"imported results, {plan.seats} seats per table; they have no records")
    elif imported:
        yield Fact("Format", f"imported records, {plan.seats} seats per table; the pairings are not known")
    else:
        yield Fact("Format", f"{display.label(plan.format)}, {plan.seats} seats per table")
        yield Fact("Games per pairing", str(plan.games_per_pairing))
    if plan.rounds:
        yield Fact("Rounds", str(plan.rounds))
    if tournament.recorded:
        yield Fact("Opening", "each record has its own" if imported else _opening(source))
    if not imported and (sharing := sharing_text(plan, source.game)):
        yield Fact("Seeds", sharing)


def has_measurements(source: ReportSource) -> bool:
    """Whether times and logs are stored with the matches, judged by a few of them."""
    if source.overload[0].turns:
        return True
    played = source.recorded
    details = (source.detail(match.number) for match in (*played[:2], *played[-1:]))
    return any(detail.measured != NOT_MEASURED or detail.log for detail in details)


def _opening(source: ReportSource) -> str:
    plan = source.tournament.plan
    if plan.book:
        return f"from a book of {counted(len(plan.book), 'opening')}"
    if plan.opening_plies:
        return f"{counted(plan.opening_plies, 'action')} drawn from the seed"
    return "the game's start"
