"""Another bot in an entrant's place: a copy of the tournament under the next name, without its matches.

Commitment and root of a tournament hold its entrants' digests, and may be published. So a tournament stays as
it is, with all of its matches and its standings, and the copy has a commitment and a root of its own. It has
the same seed, because the records of its other matches came from that. Matches of the replaced entrants, and
rounds that were drawn from them, are to be played in the copy; so a run of the copy plays those alone.
"""

import json
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from typing import Any, Final

import msgspec
from msgspec import structs

from tourney.bots.catalogue.store import BotStore, StoredBot, path_of, resolve_bot
from tourney.check.root import plan_entry
from tourney.errors import TournamentError, UsageError
from tourney.exchange.importing import import_tournament
from tourney.exchange.lines import ShownForm, export_lines
from tourney.files import write_file
from tourney.results.columns import decimal
from tourney.results.standings import compute_standings
from tourney.run.engine.spool import spool_path
from tourney.run.engine.withdrawal import Withdrawal, find_named, spans_text
from tourney.run.file_schema import MAX_BYTES, read_text
from tourney.run.tournament_file import TournamentFile, read_tournament_file
from tourney.schema import NAME
from tourney.store.database import Database
from tourney.store.values import StoredEntrant, Tournament
from tourney.texts import counted

_NAME_LINE: Final = re.compile(r"""^(\s*name\s*=\s*)("[^"\n]*"|'[^'\n]*')""")

Say = Callable[[str], None]


def replace_entrants(
    file: TournamentFile, database: Database, store: BotStore, bots: Mapping[str, str], say: Say
) -> TournamentFile:
    """The file of a copy of a stored tournament in which other ``bots`` have the places of entrants, by name.

    The copy is stored in one step, and then its file is written beside ``file``. Called again with the same
    bots, after a crash too, it returns the same copy. Raises UsageError for a tournament that cannot be
    copied, TournamentError for its file, and BotError.
    """
    stored = database.tournaments.find(file.plan.name)
    if stored is None:
        raise UsageError(f"{file.plan.name} has not started: put the other bot into {file.path}")
    with database.run_lock(stored, time.time()):
        _refuse(database, stored)
        before = database.tournaments.entrants(stored.id)
        new = {name: resolve_bot(reference, store) for name, reference in bots.items()}
        entrants = _with_bots(stored, before, new)
        for number in count(2):
            name = f"{re.sub(r'-[0-9]+$', '', stored.name)}-{number}"
            if NAME.fullmatch(name) is None:
                raise UsageError(f"{name} cannot name a tournament: give {stored.name} a shorter name first")
            text = _renamed(file, name)
            renamed = entrants
            for entrant_name, reference in bots.items():
                text, renamed = _with_reference(file, text, renamed, entrant_name, reference)
            path = file.path.with_name(f"{name}.toml")
            there = database.tournaments.find(name)
            if there is None and path.exists() and path.read_text("utf-8") != text:
                continue  # another tournament's file
            if there is None:
                _copy(database, stored, renamed, name, tuple(bots), say)
            elif there.seed != stored.seed or database.tournaments.entrants(there.id) != renamed:
                continue
            if not path.exists():
                write_file(path, text.encode("utf-8"))
                say(f"wrote {path}; `tourney run {path}` continues {name}")
            return read_tournament_file(path)
    raise AssertionError  # the numbers have no end


def _refuse(database: Database, stored: Tournament) -> None:
    """Raise UsageError for a tournament that cannot be copied."""
    database.tournaments.refuse_archived(stored.id)
    if not stored.recorded:
        raise UsageError(f"{stored.name} has results without records, so no entrant can be replaced")
    if stored.origin.beacon is not None:
        raise UsageError(
            f"the seed of {stored.name} is proved by its beacon and its entrants: begin a new tournament"
        )
    if (spool := spool_path(database.place, stored)).exists():
        raise UsageError(f"{spool} holds results that are not stored yet: run {stored.name} to its end first")


def _with_bots(
    stored: Tournament, before: tuple[StoredEntrant, ...], bots: Mapping[str, StoredBot]
) -> tuple[StoredEntrant, ...]:
    """The entrants with the new bots. Raises UsageError."""
    names = [entrant.name for entrant in before]
    for name, bot in bots.items():
        if name not in names:
            raise UsageError(f"{stored.name} has no entrant {name}; there are: {', '.join(names)}")
        entrant = before[names.index(name)]
        if entrant.left is not None:
            raise UsageError(f"{name} was withdrawn from {stored.name}, so it plays no further match")
        if entrant.entrant.digest == bot.digest:
            raise UsageError(f"{name} of {stored.name} plays with these files already ({bot.digest[:12]})")
        if not bot.manifest.plays(stored.game):
            raise UsageError(f"{bot.label} does not play {stored.game}")
    return tuple(
        _with_bot(entrant, bots[entrant.name]) if entrant.name in bots else entrant for entrant in before
    )


def _with_bot(entrant: StoredEntrant, bot: StoredBot) -> StoredEntrant:
    manifest = bot.manifest
    played = structs.replace(entrant.entrant, bot=manifest.name, version=manifest.version, digest=bot.digest)
    return replace(entrant, entrant=played, title=manifest.title, author=manifest.author, broken="")


def _renamed(file: TournamentFile, name: str) -> str:
    """The text of a tournament file with another name.

    Raises TournamentError for a file without a line ``name = "..."`` before its tables.
    """
    lines = (
        read_text(file.path, "a tournament file", MAX_BYTES).replace("\r\n", "\n").splitlines(keepends=True)
    )
    for number, line in enumerate(lines):
        if line.lstrip().startswith("["):
            break
        if _NAME_LINE.match(line):
            lines[number] = _NAME_LINE.sub(lambda match: f'{match[1]}"{name}"', line, count=1)
            text = "".join(lines)
            if read_tournament_file(file.path, text).plan == structs.replace(file.plan, name=name):
                return text
    raise TournamentError(
        f'{file.path}: no line has the form name = "{file.plan.name}", so the file of the copy cannot be'
        " written",
        file=file.path,
        key="name",
    )


def _with_reference(
    file: TournamentFile, text: str, entrants: Sequence[StoredEntrant], name: str, reference: str
) -> tuple[str, tuple[StoredEntrant, ...]]:
    """The text and the entrants with the new bot of an entrant where the file names the old one.

    Both stay as they are if the file names it otherwise than once in quotes: the stored copy plays then.
    """
    entrant = next(entrant for entrant in entrants if entrant.name == name)
    data = json.loads(entrant.line)
    path = path_of(reference)
    if path is not None:
        reference = os.path.relpath(path, file.path.parent)
        reference = reference if "/" in reference else f"./{reference}"
    spellings = [word for word in (f'"{data["bot"]}"', f"'{data['bot']}'") if word in text]
    if len(spellings) != 1 or text.count(spellings[0]) != 1:
        return text, tuple(entrants)
    changed = text.replace(spellings[0], json.dumps(reference, ensure_ascii=False))
    lines = [
        structs.replace(line, bot=reference) if line.bot == data["bot"] else line for line in file.entrants
    ]
    # A word in a comment or in another key may be the same.
    if [line.bot for line in read_tournament_file(file.path, changed).entrants] != [
        line.bot for line in lines
    ]:
        return text, tuple(entrants)
    line = json.dumps(data | {"bot": reference}, separators=(",", ":"))
    return changed, tuple(replace(each, line=line) if each == entrant else each for each in entrants)


def _copy(
    database: Database,
    stored: Tournament,
    entrants: Sequence[StoredEntrant],
    name: str,
    names: Sequence[str],
    say: Say,
) -> None:
    """Store the copy without the matches of the entrants of these names, and say what it replays."""
    numbers = {entrant.number for entrant in entrants if entrant.name in names}
    finished = [
        match.number
        for match in database.matches.all(stored.id, finished=True)
        if numbers.intersection(match.seats)
    ]
    aside = find_named(database, stored, finished)
    lines = _copied_lines(database, stored, entrants, name, aside)
    places = ((f"line {number} of the copy", value) for number, value in enumerate(lines, 1))
    created = datetime.now(UTC).isoformat(timespec="seconds")
    import_tournament(database, places, created, again=True)
    # Later rounds hold matches of the replaced entrants too, which the sentence counts already.
    drawn = set(aside.later).difference(finished)
    again = f", and {counted(len(drawn), 'other match')} drawn from them" if drawn else ""
    say(
        f"{stored.name} stays as it is, with {counted(len(finished), 'match')} of {', '.join(names)}"
        f"{f' ({spans_text(finished)})' if finished else ''}; {name} replays these{again}"
    )
    standings = {line.name: line for line in compute_standings(database, stored.id)}
    for entrant in names:
        line = standings[entrant]
        say(
            f"{entrant} has rank {line.rank} in {stored.name}, with {decimal(line.points, 2)} points from"
            f" {counted(line.games, 'match')}: `tourney standings {stored.name}`"
        )
    if stored.root is not None:
        say(f"the seed of {name} is that of {stored.name}, which ended: anyone can compute its dice")


def _copied_lines(
    database: Database,
    stored: Tournament,
    entrants: Sequence[StoredEntrant],
    name: str,
    aside: Withdrawal,
) -> Iterator[Any]:
    """Yield the lines of an export of the copy (``tourney.exchange.lines``)."""
    lines = map(json.loads, export_lines(database, stored, measured=True, private=True))
    head = next(lines)
    gone = {*aside.matches, *aside.benched, *aside.failed}
    last = None if aside.rounds is None or not aside.later else aside.rounds
    matches = database.schedules.progress(stored.id).rows - len(aside.later)
    salt = secrets.token_hex(16)  # the old one opens the commitment of the old entrants
    copied = replace(
        stored,
        plan=structs.replace(stored.plan, name=name),
        origin=stored.origin._replace(salt=salt if stored.origin.salt else ""),
    )
    shown = [ShownForm(each.title, each.author, each.line, each.broken) for each in entrants]
    head |= {
        "tournament": plan_entry(copied, entrants),
        "salt": copied.origin.salt,
        "complete": stored.complete and last is None,
        "matches": matches,
        "shown": msgspec.to_builtins(shown),
        "replaced": [
            old for old in head.get("replaced", ()) if old["match"] not in gone and old["match"] <= matches
        ],
    }
    for key in ("root", "commitment", "created"):
        head.pop(key, None)
    yield {key: value for key, value in head.items() if value != ""}
    for number, line in enumerate(lines, 1):
        if last is not None and line["place"][0] > last:
            return
        yield {key: line[key] for key in ("place", "seats")} if number in gone else line
