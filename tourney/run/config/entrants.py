"""Entrants: from lines of a tournament file to bots in the store, with ratings from earlier tournaments."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tourney.bots.catalogue.program import add_program
from tourney.bots.catalogue.store import BotStore, StoredBot, resolve_bot
from tourney.errors import BotError, GameError, TournamentError
from tourney.games.registry import find_game
from tourney.match.referee import Referee
from tourney.match.spec import Entrant, MatchSpec
from tourney.results.standings import setup_of
from tourney.run.config.tournament_file import LADDER, EntrantLine, TournamentFile
from tourney.schedule.adaptive import estimate
from tourney.schedule.format import Participant, find_format
from tourney.schedule.row import ResultRow, Row
from tourney.store.repository import Repository
from tourney.store.values import StoredEntrant


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn errors of bots, games and formats into TournamentError that names the tournament file."""
    try:
        yield
    except (BotError, GameError, TournamentError) as error:
        named = TournamentError(f"{path}: {error}", file=path, bot=error.bot, key=error.key)
        for note in getattr(error, "__notes__", ()):
            named.add_note(note)
        raise named from error


def line_text(line: EntrantLine) -> str:
    """Return an entrant's line as it is stored, for the comparison with a later file's."""
    found: dict[str, object] = {"bot": line.bot, "name": line.name, "args": list(line.args)}
    if line.command:
        found |= {"command": list(line.command), "protocol": line.protocol}
        found |= {"options": dict(sorted(line.options.items())), "go": dict(sorted(line.go.items()))}
    return json.dumps(found, separators=(",", ":"))


def find_bot(line: EntrantLine, store: BotStore, folder: Path) -> StoredBot:
    """Return the bot of a line from the store, where a program is put. Raises BotError and StoreError."""
    if line.bot is not None:
        return resolve_bot(line.bot, store, folder)
    return add_program(
        line.command, store, folder, protocol=line.protocol or "uci", options=line.options, go=line.go
    )


def enter(
    file: TournamentFile,
    lines: Sequence[EntrantLine],
    store: BotStore,
    *,
    before: Sequence[StoredEntrant] = (),
    joined: int = 1,
    find: Callable[[EntrantLine, BotStore, Path], StoredBot] = find_bot,
) -> tuple[StoredEntrant, ...]:
    """Return the entrants of some lines, numbered after those entered before.

    ``find`` finds a line's bot; the default puts it into the store. Raises TournamentError that names the
    file: for an unknown bot, for one that does not play the game, and for two entrants of one name.
    """
    taken = {entrant.name for entrant in before}
    entered: list[StoredEntrant] = []
    for line in lines:
        with naming(file.path):
            bot = find(line, store, file.folder)
            manifest = bot.manifest
            name = manifest.name if line.name is None else line.name
            if not manifest.plays(file.plan.game):
                raise TournamentError(
                    f"the bot {manifest.name} does not play {file.plan.game}; it plays"
                    f" {', '.join(manifest.games)}",
                    bot=manifest.name,
                )
            if name in taken:
                ladder = f", one of them by {LADDER}" if name in file.rungs else ""
                raise TournamentError(
                    f"two entrants are called {name}{ladder}; give one a name of its own,"
                    " by [[entrant]] with bot and name",
                    bot=manifest.name,
                )
        taken.add(name)
        entered.append(
            StoredEntrant(
                number=len(before) + len(entered),
                entrant=Entrant(name, manifest.name, manifest.version, line.args, bot.digest),
                title=manifest.title,
                author=manifest.author,
                joined=joined,
                line=line_text(line),
            )
        )
    return tuple(entered)


def check_playable(
    file: TournamentFile, seed: int, entrants: Sequence[StoredEntrant], before: Sequence[StoredEntrant] = ()
) -> None:
    """Check that the format takes entrants after those ``before``. Raises TournamentError.

    At the first start also play the opening of a first match: the run could not play one in which every game
    ends.
    """
    plan = file.plan
    with naming(file.path):
        find_format(plan.format).check(setup_of(plan, seed, (*before, *entrants)))
        if plan.opening_plies and not before:  # a book's lines are checked when it is read
            seats = tuple(stored.entrant for stored in entrants[: plan.seats])
            row = Row(1, 1, 1, 1, ())
            first = plan.seed_of(seed, row)
            spec = MatchSpec(plan.game, plan.options, seats, first, plan.limits, plan.opening_of(first, row))
            Referee(spec, find_game(plan.game)).begin(())


Identity = tuple[str, tuple[str, ...]]
"""A bot's digest, and its arguments: what makes entrants of two tournaments the same."""


def seeds_by_rating(file: TournamentFile) -> bool:
    """Say whether a file asks for seeding by rating."""
    return dict(file.plan.extra).get("seeding") == "rating"


def refuse_unrated(file: TournamentFile) -> None:
    """Raise TournamentError: there are no ratings to seed by."""
    raise TournamentError(
        f'{file.path}: seeding is "rating", but no entrant has played {file.plan.game} with these options and'
        ' seats in this database: play another tournament first, or take seeding = "file"',
        file=file.path,
        key="seeding",
    )


def with_ratings(
    repository: Repository, file: TournamentFile, entrants: Sequence[StoredEntrant], before: int | None = None
) -> tuple[StoredEntrant, ...]:
    """Return the entrants with their ratings in whole hundredths of Elo; those that never played have none.

    All matches of the same game, options and seats count, of the database's tournaments with an id below
    ``before`` (None: of all).
    """
    numbers: dict[Identity, int] = {}
    results: list[ResultRow] = []
    for tournament in repository.tournaments():
        plan = tournament.plan
        same = (plan.game, plan.options, plan.seats) == (file.plan.game, file.plan.options, file.plan.seats)
        if not same or (before is not None and tournament.id >= before):
            continue
        known = [_identity(entrant) for entrant in repository.entrants(tournament.id)]
        for result in repository.results(tournament.id):
            seats = tuple(numbers.setdefault(known[number], len(numbers)) for number in result.entrants)
            if len(set(seats)) == len(seats):
                results.append(result._replace(entrants=seats))
    played = {number for result in results if not result.void for number in result.entrants}
    if not played:
        return tuple(entrants)
    strengths = estimate([Participant(number) for number in range(len(numbers))], results, file.plan.seats)
    return tuple(
        replace(entrant, rating=strengths.rating[number], deviation=strengths.deviation[number])
        if (number := numbers.get(_identity(entrant))) in played
        else entrant
        for entrant in entrants
    )


def _identity(entrant: StoredEntrant) -> Identity:
    return entrant.entrant.digest, entrant.entrant.args
