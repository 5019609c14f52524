"""What was played, under which rules and limits, and how far it is."""

from dataclasses import dataclass

from tourney.report import text
from tourney.report.source import Source


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of what was played: a label, a value, and whether the value is to be set as code."""

    label: str
    value: str
    code: bool = False


def state(source: Source) -> str:
    """Return how far the tournament is, in words."""
    done, rows = source.progress.done, source.progress.rows
    if source.tournament.complete and done == rows:
        return f"Finished: {text.count(done, 'match', 'matches')}"
    drawn = f"{done:,} of {text.count(rows, 'match', 'matches')}"
    return f"In progress: {drawn} played" + (
        "" if source.tournament.complete else ", more rounds to be drawn"
    )


def facts(source: Source, *, measured: bool) -> tuple[Fact, ...]:
    """Return what was played, under which rules and limits, from which seed."""
    tournament, plan = source.tournament, source.tournament.plan
    title = source.game.title if source.game else plan.game
    found = [
        Fact("Game", f"{text.display(title)} ({text.display(plan.game)}, rules version {plan.rules})"),
        *([Fact("Options", _pairs(plan.options), code=True)] if plan.options else []),
        Fact("Format", f"{text.display(plan.format)}, {plan.seats} seats a table"),
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
        found.append(Fact("Begun", text.display(tournament.created)))
        found.append(Fact("Run", f"sandbox {run.sandbox}, {'reuse' if run.reuse else 'a process a match'}"))
    return tuple(found)


def _pairs(pairs: tuple[tuple[str, object], ...]) -> str:
    return text.line(" ".join(f"{key}={value}" for key, value in pairs))


def _opening(source: Source) -> str:
    plan = source.tournament.plan
    if plan.book:
        return f"out of a book of {text.count(len(plan.book), 'opening')}"
    if plan.opening_plies:
        return f"{text.count(plan.opening_plies, 'action')} drawn from the seed"
    return "the game's start"
