"""A night of a league, from submissions to the site; a call continues where an earlier one was killed."""

import math
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Final

from msgspec import structs

from tourney.addons.league.admission import enter_house, take_in
from tourney.addons.league.file import LEAGUE_FILE
from tourney.addons.league.folder import League, cron_files, moment
from tourney.addons.league.git_inbox import is_repository
from tourney.addons.league.intake import look
from tourney.addons.league.ledger import Ledger, Night
from tourney.addons.league.night_play import NightPlan, NightPlay
from tourney.addons.league.privacy import close_inbox, close_records, masked
from tourney.addons.league.receipts import write_news
from tourney.addons.league.seasons import close_season, season_end, season_now
from tourney.addons.league.site import keep_games, write_league_site
from tourney.addons.league.tables import keep_table, rate_league
from tourney.bots.catalogue.tree import locked
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.errors import BusyError, InputError
from tourney.exchange.archiving import archive_tournament
from tourney.run.engine.containment_floor import floor_of, refuse_weaker
from tourney.run.listeners import Listener
from tourney.run.unattended import notify
from tourney.schema import show
from tourney.store.database import Database, backup_database
from tourney.store.engine import database_exists
from tourney.texts import legible

BACKUPS: Final = 2
"""Number of nights whose backups are kept."""
ADMISSION: Final = 0.25
"""The part of a night that builds and trials may take."""


@dataclass(frozen=True, slots=True)
class NightEnd:
    """The end of a night: its number, its matches, and the signal that interrupted it, or 0."""

    number: int
    matches: int
    signal: int = 0


class LeagueLog(Listener):
    """Forwards messages, and appends them to ``league.log`` with the time."""

    def __init__(self, league: League, say: Callable[[str], None]) -> None:
        self._path = league.log
        self._say = say

    def say(self, text: str) -> None:
        """Take a message, which may hold names of any kind."""
        text = legible(text)
        self._say(text)
        line = f"{datetime.now().astimezone().isoformat(timespec='seconds')} {text}\n"
        with self._path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(line)


@contextmanager
def league_lock(league: League) -> Iterator[League]:
    """Hold the lock of a league, and give it with its present ledger. Raises BusyError if it is taken.

    Files made meanwhile are private to the account of this process.
    """
    with masked(0o077), ExitStack() as stack:
        try:
            stack.enter_context(locked(league.records / "lock", wait=False))
        except BlockingIOError:
            raise BusyError(
                f"the league {league.table.name} is busy: another night or change goes on, and this call did"
                " nothing"
            ) from None
        # Another call may have written to the ledger before this one got the lock.
        yield replace(league, ledger=Ledger(league.ledger.path))


def run_night(league: League, plan: NightPlan, now: datetime, say: Callable[[str], None]) -> NightEnd:
    """Run a night, or finish the one that is open.

    Raises InputError as ``check_league`` does, BusyError if another night is running, and the errors of a
    run; the next call continues from there.
    """
    check_league(league)
    closed = list(close_league(league))  # before the lock, which any account that can read it can hold
    with league_lock(league) as held:
        log = LeagueLog(held, say)
        begun = plan.clock()
        for sentence in closed:
            log.say(sentence)
        night = _open(held, now, log)
        if night.closed is None:
            _refuse_weaker(held, log, allow=plan.allow_weaker)
            enter_house(held, night.number)
            seconds = math.inf if plan.end is None else max(0.0, ADMISSION * (plan.end - begun))
            take_in(held, night.number, now, log.say, seconds)
            play = NightPlay(held, night, plan, log)
            night = structs.replace(night, tournaments=play.play())
            if play.signal:
                log.say(f"night {night.number} is interrupted; the next call goes on with it")
                return NightEnd(night.number, night.matches, play.signal)
        _close(held, night, now + timedelta(seconds=plan.clock() - begun), log)
        return NightEnd(night.number, night.matches)


def close_league(league: League) -> Iterator[str]:
    """Close private files to other accounts; yield sentences about files left open by an earlier version."""
    yield from close_records(league.records, league.log)
    if not is_repository(league):
        yield from close_inbox(league.inbox)


def _refuse_weaker(league: League, log: Listener, *, allow: bool) -> None:
    """Raise SandboxError if bots would be contained less than in the last tournament with matches."""
    sandbox = open_sandbox(league.table.sandbox, league.private)
    if not database_exists(league.database):
        return
    with Database.open(league.database) as database:
        played = (
            tournament
            for tournament in reversed(database.tournaments.all())
            if floor_of(database, tournament)
        )
        for last in islice(played, 1):
            refuse_weaker(database, last, sandbox, allow=allow, say=log.say)


def check_league(league: League) -> None:
    """Raise InputError for a value of the league file with which a night would fail or do nothing."""
    if misfit := _misfit(league):
        key, problem = misfit
        path = league.folder / LEAGUE_FILE
        raise InputError(f"{path}: {key} {problem}", file=path, key=key)


def _misfit(league: League) -> tuple[str, str] | None:
    """The first key of the league file that does not fit the folder, with the problem, or None."""
    table = league.table
    if "://" not in table.inbox and not league.inbox.is_dir():
        return "inbox", f"is {show(table.inbox)}, but there is no such folder"
    if table.notify and shutil.which(_program(league)) is None:
        return "notify", f"names the program {show(table.notify[0])}, which cannot be run"
    if database_exists(league.database):
        with Database.open(league.database) as database:
            played = {tournament.game for tournament in database.tournaments.all()}
        for game in sorted(played - {table.game}):
            return "game", f"is {show(table.game)}, but this league has played {show(game)}: set it back"
    return None


def _program(league: League) -> str:
    """The program of ``notify``; with a slash it is relative to the league's folder."""
    word = league.table.notify[0]
    return str(league.folder / word) if "/" in word else word


def _open(league: League, now: datetime, log: Listener) -> Night:
    """The open night, or a new one after a backup."""
    season = season_now(league, now)
    last = league.ledger.night
    if last is not None and (last.closed is None or not last.announced):
        log.say(f"night {last.number} goes on")
        return last
    night = Night(1 if last is None else last.number + 1, season.number, moment(now))
    # Before anything is written: a damaged night is undone by copying the backup back.
    _back_up(league, night.number)
    league.ledger.add(night)
    log.say(f"night {night.number} of season {season.number} begins")
    return night


def _back_up(league: League, night: int) -> None:
    """Copy the ledger and the database before a night, and remove the oldest copies."""
    folder = league.records / "backups"  # by name: the records are private, and closed before each night
    copy = folder / f"{night:04}"
    if copy.exists():
        shutil.rmtree(copy)
    copy.mkdir()
    shutil.copy2(league.ledger.path, copy / league.ledger.path.name)
    if database_exists(league.database):
        backup_database(league.database, copy / Path(league.database).name)
    for old in sorted(path for path in folder.iterdir() if path.name.isdigit())[:-BACKUPS]:
        shutil.rmtree(old)


def _close(league: League, night: Night, now: datetime, log: Listener) -> None:
    """Close a night: its table, the season if it is due, the site, and the news to the authors."""
    # After a crash between two of these steps the next call repeats them: each replaces what it wrote
    # before, and `announced` is last.
    if night.closed is None:
        if database_exists(league.database):
            season = league.ledger.seasons[night.season]
            keep_table(league, rate_league(league, night, season))
            keep_games(league, night)
        night = structs.replace(night, closed=moment(now))
        league.ledger.add(night)
        log.say(f"night {night.number} is closed: {night.matches} matches")
    if (end := season_end(league)) is not None and now >= end:
        file = close_season(league, now)
        log.say(f"season {night.season} is closed with the root {file.root}")
    _archive(league, now, log)
    publish(league, log.say)
    texts = write_news(league, night, log.say) if night.tournaments else {}
    for author, text in texts.items():
        _notify(league, night, author, text, log)
    league.ledger.add(structs.replace(night, announced=True))


def publish(league: League, say: Callable[[str], None]) -> Path:
    """Write the site, and the units of systemd for the league's present folder."""
    with masked(0o022):  # a web server reads them
        for name, text in cron_files(league.folder, league.table.opens).items():
            (league.folder / "cron").mkdir(exist_ok=True)
            (league.folder / "cron" / name).write_text(text, "utf-8")
        return write_league_site(league, say)


def _notify(league: League, night: Night, author: str, text: str, log: Listener) -> None:
    """Run the command of ``notify`` for an author; a failure is only reported."""
    words = league.table.notify
    if not words:
        return
    table = league.authors.get(author)
    variables = {
        "TOURNEY_LEAGUE": league.table.name,
        "TOURNEY_NIGHT": str(night.number),
        "TOURNEY_AUTHOR": author,
        "TOURNEY_ADDRESS": "" if table is None else table.address,
    }
    if problem := notify((_program(league), *words[1:]), variables, text):
        log.say(problem.replace("--notify:", "notify:"))


def size_of(path: Path) -> int:
    """The bytes of a file."""
    return path.stat().st_size


def _archive(league: League, now: datetime, log: Listener) -> None:
    """Archive closed seasons, the oldest first, until the database is within ``keep-records``."""
    most = league.table.keep_records
    path = Path(league.database)
    closed = [number for number, season in sorted(league.ledger.seasons.items()) if season.closed is not None]
    packing = "gz" if find_spec("zstandard") is None else "zst"
    for number in closed if most is not None and path.exists() else ():
        if size_of(path) <= (most or 0) << 20:
            return
        folder = league.records / "archives" / f"season-{number}"
        folder.mkdir(exist_ok=True)
        nights = [night for night in league.ledger.nights.values() if night.season == number]
        with Database.open(league.database, write=True) as database:
            gone = database.tournaments.archives()
            for tournament in (
                tournament for night in nights for tournament in night.tournaments if tournament.matches
            ):
                if database.tournaments.get(tournament.name).id not in gone:
                    file = folder / f"{tournament.name}.jsonl.{packing}"
                    file.unlink(missing_ok=True)  # of a call that was killed before it removed anything
                    archive_tournament(database, tournament.name, file, moment(now))
            database.give_space_back()
        log.say(f"the records of season {number} are in {folder.relative_to(league.folder)}")


def preview(league: League, now: datetime) -> Iterator[str]:
    """Yield sentences on what a night would do now; nothing is written."""
    check_league(league)
    last = league.ledger.night
    goes_on = last is not None and not last.announced
    number = 1 if last is None else last.number + (not goes_on)
    yield f"night {number} " + ("goes on" if goes_on else "begins")
    inbox = look(league, now)
    yield from map(legible, inbox.notes)
    for arrival in inbox.arrivals:
        name = legible(f"{arrival.author}/{arrival.bot}")
        yield (
            f"{name} is taken in" if not arrival.problem else f"{name} is refused: {legible(arrival.problem)}"
        )
    alive = league.ledger.alive(number)
    yield f"{len(alive)} versions play: {', '.join(version.label for version in alive) or 'none'}"
