"""A tournament file held against a database: a new tournament, or changes of the one that has begun.

A run and a dry run prepare in the same way. Nothing is written to the database, and no bot is built.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import msgspec

from tourney.bots.catalogue.command import add_program
from tourney.bots.catalogue.manifest import Manifest
from tourney.bots.catalogue.store import BotStore, StoredBot, resolve_bot
from tourney.errors import BotError, GameError, TournamentError, TourneyError
from tourney.games.registry import find_game
from tourney.match.referee import Referee
from tourney.match.spec import Entrant, MatchSpec
from tourney.results.standings import Ranking, setup_of
from tourney.run.earlier_entrants import FindBot, with_earlier
from tourney.run.file_schema import EntrantLine
from tourney.run.tournament_file import LADDER, TournamentFile
from tourney.schedule.adaptive import estimate
from tourney.schedule.format import Participant, find_format
from tourney.schedule.row import ResultRow, Row
from tourney.schedule.until_rule import FIRSTS, GAMES, with_first
from tourney.schema import SchemaError, show
from tourney.store.database import Database
from tourney.store.values import Plan, StoredEntrant, Tournament
from tourney.texts import counted


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn errors of bots, games and formats into TournamentError that names the tournament file."""
    try:
        yield
    except (BotError, GameError, TournamentError) as error:
        raise noted(
            TournamentError(f"{path}: {error}", file=path, bot=error.bot, key=error.key), error
        ) from error


ErrorT = TypeVar("ErrorT", bound=TourneyError)


def noted(error: ErrorT, source: BaseException) -> ErrorT:
    """The error with the notes of another one, such as the last lines of a build."""
    for note in getattr(source, "__notes__", ()):
        error.add_note(note)
    return error


def line_text(line: EntrantLine) -> str:
    """The stored form of an entrant's line, which a later file's line is compared with."""
    data: dict[str, object] = {"bot": line.bot, "name": line.name, "args": list(line.args)}
    if line.command:
        data |= {"command": list(line.command), "protocol": line.protocol}
        data |= {"options": dict(sorted(line.options.items())), "go": dict(sorted(line.go.items()))}
    return json.dumps(data, separators=(",", ":"))


def find_bot(line: EntrantLine, store: BotStore, folder: Path) -> StoredBot:
    """The bot of a line, after a path or program is put into the store. Raises BotError and StoreError."""
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
    find: FindBot = find_bot,
    say: Callable[[str], None] = lambda _: None,
) -> tuple[StoredEntrant, ...]:
    """The entrants of some lines, numbered after those ``before`` and in play from the round ``joined`` on.

    ``find`` finds a line's bot; the default puts it into the store. ``say`` gets a sentence for each thing
    that was read otherwise than it stands in a bot's files. Raises TournamentError that names the file, once
    all lines were read: for unknown bots, for those that do not play the game, and for equal names.
    """
    taken = {entrant.name: "an entrant" for entrant in before}
    entered: list[StoredEntrant] = []
    errors: list[TournamentError] = []
    for line in lines:
        reference = line.bot or " ".join(line.command)
        try:
            with naming(file.path):
                bot = find(line, store, file.path.parent)
                for note in bot.notes:
                    say(f"{reference}: {note}")
                name = _name_of(file, line, bot.manifest, taken)
        except TournamentError as error:
            errors.append(error)
            continue
        taken[name] = reference
        manifest = bot.manifest
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
    if len(errors) > 1:
        sentence = f"{file.path}: {len(errors)} of {len(lines)} entrants cannot play:"
        several = TournamentError(sentence, file=file.path)
        for refusal in errors:
            several.add_note(str(refusal).removeprefix(f"{file.path}: "))
        raise several
    if errors:
        raise errors[0]
    return tuple(entered)


def _name_of(file: TournamentFile, line: EntrantLine, manifest: Manifest, taken: Mapping[str, str]) -> str:
    """The name of an entrant. Raises TournamentError if it is taken, or if the bot does not play the game."""
    name = manifest.name if line.name is None else line.name
    if not manifest.plays(file.plan.game):
        raise TournamentError(
            f"the bot {manifest.name} does not play {file.plan.game}; it plays {', '.join(manifest.games)}",
            bot=manifest.name,
        )
    if name in taken:
        ladder = f", one of them by {LADDER}" if name in file.rungs else ""
        both = f"{taken[name]} and {line.bot} are both {manifest.name} {manifest.version}"
        which = f" ({both})" if line.bot and line.bot != taken[name] else ""
        raise TournamentError(
            f"two entrants are called {name}{ladder}; give one a name of its own, by [[entrant]] with bot and"
            f" name{which}",
            bot=manifest.name,
        )
    return name


@dataclass(frozen=True, slots=True)
class Preparation:
    """A file held against a database.

    ``stored`` is the tournament if it has begun, ``before`` its entrants and ``paired`` the number of rounds
    paired so far. ``added`` are the entrants that the file adds, numbered after them, and ``withdrawn`` the
    numbers of the entrants that leave.
    """

    file: TournamentFile
    stored: Tournament | None
    before: tuple[StoredEntrant, ...]
    paired: int
    added: tuple[StoredEntrant, ...]
    withdrawn: tuple[int, ...] = ()

    @property
    def entrants(self) -> tuple[StoredEntrant, ...]:
        """All entrants by number."""
        return (*self.before, *self.added)

    @property
    def plan(self) -> Plan:
        """The plan with the keys that the file changes; it keeps the first values of raised ones."""
        new = self.file.plan
        if self.stored is None:
            return new
        old = self.stored.plan
        games = new.games_per_pairing
        extra = with_first((old.games_per_pairing, old.extra), (games, new.extra))
        return msgspec.structs.replace(old, rounds=new.rounds, games_per_pairing=games, extra=extra)

    @property
    def seed(self) -> int:
        """The seed of the tournament; 0 where the first start will sample one."""
        return (self.file.seed or 0) if self.stored is None else self.stored.seed


def prepare(
    file: TournamentFile,
    database: Database | None,
    bots: BotStore,
    find: FindBot = find_bot,
    say: Callable[[str], None] = lambda _: None,
) -> Preparation:
    """Hold a file against a database, or against None before there is one.

    ``find`` finds the bots of new entrants; the default puts them into the store. Raises TournamentError for
    a file that cannot be played or that changes a fixed key.
    """
    plan = file.plan
    for note in file.notes:
        say(note)
    stored = None if database is None else database.tournaments.find(plan.name)
    before: tuple[StoredEntrant, ...] = ()
    paired = 0
    withdrawn: tuple[int, ...] = ()
    if database is not None and stored is not None:
        before = database.tournaments.entrants(stored.id)
    file, find = with_earlier(file, database, before, find, say)
    lines = file.entrants
    if database is not None and stored is not None:
        paired = database.schedules.progress(stored.id).rounds
        lines, withdrawn = changes_of(file, stored, before, paired)
    elif file.run.withdrawn:
        raise TournamentError(
            f"{file.path}, [run]: withdrawn names {file.run.withdrawn[0]}, but {plan.name} has not started:"
            " remove it from withdrawn and from the entrants",
            file=file.path,
            key="withdrawn",
        )
    added = enter(file, lines, bots, before=before, joined=paired + 1, find=find, say=say)
    preparation = Preparation(file, stored, before, paired, added, withdrawn)
    with naming(file.path):
        _check_playable(preparation)
        if dict(plan.extra).get("seeding") == "rating" and preparation.added:
            return replace(preparation, added=_rated(preparation, database))
    return preparation


def _check_playable(preparation: Preparation) -> None:
    """Check that the game can be played here and the format takes the entrants. Raises TournamentError.

    At the first start also play the opening of a first match: the run could not play one in which every game
    ends.
    """
    plan = preparation.file.plan
    find_game(plan.game).new(plan.seats, dict(plan.options))
    find_format(plan.format).check(setup_of(plan, preparation.seed, preparation.entrants))
    Ranking.of(preparation.plan)
    if plan.opening_plies and not preparation.before:  # a book's lines are checked when it is read
        seats = tuple(stored.entrant for stored in preparation.added[: plan.seats])
        row = Row(1, 1, 1, 1, ())
        first = plan.seed_of(preparation.seed, row)
        opening = plan.opening_of(preparation.seed, row)
        spec = MatchSpec(plan.game, plan.options, seats, first, plan.limits, opening)
        Referee(spec, find_game(plan.game)).begin(())


def _rated(preparation: Preparation, database: Database | None) -> tuple[StoredEntrant, ...]:
    """The new entrants with their ratings in whole hundredths of Elo; an entrant that never played has none.

    All matches of the same game, options and seats count, of the tournaments of the database that began
    before this one. Raises TournamentError where none of the first entrants has played.
    """
    plan = preparation.file.plan
    stored = preparation.stored
    numbers: dict[tuple[str, tuple[str, ...]], int] = {}  # by digest and arguments, as in all tournaments
    results: list[ResultRow] = []
    for tournament in () if database is None else database.tournaments.all():
        earlier = tournament.plan
        same = (earlier.game, earlier.options, earlier.seats) == (plan.game, plan.options, plan.seats)
        if database is None or not same or (stored is not None and tournament.id >= stored.id):
            continue
        identities = [_identity(entrant) for entrant in database.tournaments.entrants(tournament.id)]
        for result in database.matches.results(tournament.id):
            seats = tuple(numbers.setdefault(identities[number], len(numbers)) for number in result.entrants)
            if len(set(seats)) == len(seats):
                results.append(result._replace(entrants=seats))
    played = {number for result in results if not result.void for number in result.entrants}
    if stored is None and not any(numbers.get(_identity(entrant)) in played for entrant in preparation.added):
        raise TournamentError(
            f'seeding is "rating", but no entrant has played {plan.game} with these options and seats in this'
            ' database: play another tournament first, or take seeding = "file"',
            key="seeding",
        )
    if not played:
        return preparation.added
    strengths = estimate([Participant(number) for number in range(len(numbers))], results, plan.seats)
    return tuple(
        replace(entrant, rating=strengths.rating[number], deviation=strengths.deviation[number])
        if (number := numbers.get(_identity(entrant))) in played
        else entrant
        for entrant in preparation.added
    )


def _identity(entrant: StoredEntrant) -> tuple[str, tuple[str, ...]]:
    return entrant.entrant.digest, entrant.entrant.args


def changes_of(
    file: TournamentFile, tournament: Tournament, entrants: Sequence[StoredEntrant], paired: int
) -> tuple[tuple[EntrantLine, ...], tuple[int, ...]]:
    """The lines that a file adds to a stored tournament, and the numbers of the entrants that it withdraws.

    ``paired`` is the number of rounds paired so far. Raises TournamentError that names the key which may not
    change.
    """
    try:
        _refuse_changes(tournament, file, paired, _raisable(tournament, entrants))
        return _added(tournament, entrants, file.entrants), _withdrawn(
            tournament, entrants, file.run.withdrawn
        )
    except SchemaError as error:
        raise TournamentError(error.in_toml(str(file.path)), file=file.path, key=error.key) from error


_SHOWN = ("until-", "[until] ")  # how settings are stored, and how files name them


def _raisable(tournament: Tournament, entrants: Sequence[StoredEntrant]) -> list[str]:
    setup = setup_of(tournament.plan, tournament.seed, entrants)
    # With another number of repeats the matches would begin with other lines of the book.
    numbered = tournament.plan.opening_order == "sequential" and setup.until is None
    keys = find_format(tournament.plan.format).raisable(setup)
    return [key.replace(*_SHOWN) for key in keys if not (numbered and key == GAMES)]


def _refuse_changes(tournament: Tournament, file: TournamentFile, paired: int, keys: Sequence[str]) -> None:
    seed = tournament.seed if tournament.origin.chosen else None
    old = _fixed(tournament.plan)
    new = _fixed(file.plan)
    if file.ponder is None:  # the first start chose it
        new["[limits] ponder"] = old["[limits] ponder"]
    if file.memory_mb is None:  # the default may have been another one
        new["[limits] memory-mb"] = old["[limits] memory-mb"]
    if new["opening-order"] == "shuffled" and old["opening-order"] == "random":  # the rule of older plans
        new["opening-order"] = old["opening-order"]
    if "[limits] laws" not in old:  # the game had none then
        new.pop("[limits] laws", None)
    if not file.mirrored:
        new["mirrored-dice"] = old["mirrored-dice"]
    if file.seed != tournament.seed:  # a file may have got the seed that the first start sampled
        old["seed"] = seed
        new["seed"] = file.seed
    for values, beacon in ((old, tournament.origin.beacon), (new, file.beacon)):
        values["[beacon] round"] = None if beacon is None else beacon.round
    format_ = find_format(tournament.plan.format)
    may = ["add entrants"] if format_.takes_entrants else []
    may += [f"raise {' and '.join(keys)}"] if keys else []
    rounds = "" if format_.rounds_key(tournament.plan.seats) == "refused" else "rounds, "
    may += [f"change {rounds}[run] and the texts for the report"]
    for key in dict.fromkeys((*old, *new)):
        was = old.get(key)
        now = new.get(key)
        if key in keys and isinstance(was, int) and isinstance(now, int) and now > was:
            continue
        if was != now:
            before = _shown(was) if _shown(was) != _shown(now) else "another book"
            raise SchemaError(
                (),
                f"{key} was {before} when {tournament.name} began and is {_shown(now)} now; a later file may"
                f" only {', or '.join(may)}; set it back, or take a new name",
                inside=True,
            )
    planned = file.plan.rounds
    if planned is not None and planned < paired:
        raise SchemaError(
            ("rounds",), f"is {planned}, but {paired} rounds of {tournament.name} are paired already"
        )


def _fixed(plan: Plan) -> dict[str, object]:
    """The values of a plan that no later file may change, by key."""
    names = {"rules": "the rules version of the game", "book": "opening-book"}
    # The stored ranking stays, whatever this version gives new tournaments.
    others = ("name", "rounds", "options", "limits", "extra", "ranking")
    fields = [field for field in msgspec.structs.fields(plan) if field.name not in others]
    return {
        **{names.get(field.name, field.encode_name): getattr(plan, field.name) for field in fields},
        "score": "places" if plan.ranking is None or plan.ranking.score is None else plan.ranking.score,
        **{f"[options] {key}": value for key, value in plan.options},
        **{f"[limits] {key}": value for key, value in msgspec.to_builtins(plan.limits).items()},
        **{key.replace(*_SHOWN): value for key, value in plan.extra if key not in FIRSTS},
    }


def _line_shown(line: str) -> str:
    """The stored line of an entrant, as a person wrote it: its bot alone, or all that it sets."""
    settings = {key: value for key, value in json.loads(line).items() if value not in (None, [], {}, "")}
    return show(settings["bot"]) if set(settings) == {"bot"} else show(settings)


def _added(
    tournament: Tournament, entrants: Sequence[StoredEntrant], lines: Sequence[EntrantLine]
) -> tuple[EntrantLine, ...]:
    """The lines that are new; every stored entrant must still have its line."""
    # By their text, with multiplicity: the order of lines may change, and equal lines are different entrants.
    left = Counter(map(line_text, lines))
    for entrant in entrants:
        if not left[entrant.line]:
            raise SchemaError(
                (),
                f"the entrant {entrant.name} is not in bots or [[entrant]] as it was when {tournament.name}"
                f" began ({_line_shown(entrant.line)}): put it back as it was, or choose a new name for the"
                " tournament",
                inside=True,
            )
        left[entrant.line] -= 1
    added = []
    for line in lines:
        if left[line_text(line)]:
            left[line_text(line)] -= 1
            added.append(line)
    if added and not find_format(tournament.plan.format).takes_entrants:
        raise SchemaError(
            ("bots",),
            f"names {show(added[0].bot)} too, but {tournament.name} has begun, and a {tournament.plan.format}"
            " takes no entrants later",
        )
    return tuple(added)


def _withdrawn(
    tournament: Tournament, entrants: Sequence[StoredEntrant], names: Sequence[str]
) -> tuple[int, ...]:
    """The numbers of newly withdrawn entrants; no withdrawal can be undone."""
    numbers = {entrant.name: entrant.number for entrant in entrants}
    key = ("run", "withdrawn")
    for name in tournament.run.withdrawn:
        if name not in names:
            raise SchemaError(
                key,
                f"does not name {name} any more, which has left {tournament.name}: put it back, as no entrant"
                " can return",
            )
    new = [name for name in names if name not in tournament.run.withdrawn]
    for name in new:
        if name not in numbers:
            raise SchemaError(
                key,
                f"names {name}, which is not an entrant of {tournament.name}; the entrants are:"
                f" {', '.join(numbers)}",
            )
    if new and not find_format(tournament.plan.format).takes_withdrawals:
        raise SchemaError(
            key,
            f"names {new[0]}, but all rounds of a {tournament.plan.format} are paired at the start: it would"
            " change nothing",
        )
    # An entrant whose bot is broken may have left already.
    return tuple(numbers[name] for name in new if entrants[numbers[name]].left is None)


def _shown(value: object) -> str:
    if value is None:
        return "not set"
    if isinstance(value, tuple):
        return f"a book of {counted(len(value), 'opening')}" if value else "none"
    return show(value)
