"""Facts of a tournament: its progress and its conditions."""

from collections.abc import Iterator

from tourney.match.result import NOT_MEASURED
from tourney.report import display
from tourney.report.display import Fact
from tourney.report.source import ReportSource
from tourney.results.texts import origin_text, overload_text, sharing_text
from tourney.results.until import progress_text
from tourney.store.exchange import IMPORTED


def state(source: ReportSource) -> str:
    """The progress of the tournament in words."""
    done, rows = source.progress.done, source.progress.rows
    complete = source.tournament.complete
    if complete and done == rows:
        return f"Finished: {display.count(done, 'match', 'matches')}"
    more = "" if complete else ", more rounds to be paired"
    return f"In progress: {done:,} of {display.count(rows, 'match', 'matches')} played{more}"


def until_text(source: ReportSource) -> str:
    """How near the tournament is to what ``[until]`` asks, or why that ended it."""
    tournament = source.tournament
    return progress_text(source.setup, source.schedule, tournament.plan.format, complete=tournament.complete)


def tournament_facts(source: ReportSource, *, measured: bool) -> Iterator[Fact]:
    """Yield the game, rules, limits, seed and rating settings of a tournament."""
    tournament, plan = source.tournament, source.tournament.plan
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
        yield Fact("Until", display.line(until_text(source)))
    if tournament.recorded:
        yield Fact("Limits", display.pairs(plan.limits.texts().items()), code=True)
    if not imported:
        yield Fact("Seed", str(tournament.seed), code=True)
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
        "Ratings", f"all matches in one fit, faults as losses; prior: a standard deviation of {prior} Elo"
    )
    yield Fact(
        "TrueSkill",
        f"draw probability {source.settings.draw_probability:g}, tau {source.settings.tau:g},"
        " matches in schedule order",
    )
    if measured:
        run = tournament.run
        yield Fact("Imported" if imported else "Started", display.label(tournament.created))
        if overloaded := overload_text(source.overload[0]):
            yield Fact("Overloaded turns", f"{overloaded}; what a bot waits for a processor is not charged")
        if source.matches and not has_measurements(source):
            yield Fact(
                "Not known", "times, hosts, protections and logs: the matches were imported without them"
            )
        elif not imported:
            reuse = "reused processes" if run.reuse else "a new process per match"
            yield Fact("Run", f"sandbox {run.sandbox}, {reuse}")


def _schedule_facts(source: ReportSource, *, imported: bool) -> Iterator[Fact]:
    tournament, plan = source.tournament, source.tournament.plan
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
        return f"from a book of {display.count(len(plan.book), 'opening')}"
    if plan.opening_plies:
        return f"{display.count(plan.opening_plies, 'action')} drawn from the seed"
    return "the game's start"
