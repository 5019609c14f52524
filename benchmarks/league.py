"""Simulation of a league: many nights on a virtual clock, with bots whose strength is known.

    python -m benchmarks.league [--nights 200] [--seed 1] [--publish]

Everything but the matches and the clock is the league's own: intake, judging, versions, pairing, quotas,
ratings, books, seasons and their chain. A match of two bots is decided by their strengths and its seed, and
takes virtual seconds. The world: authors whose bots stay as they are, improve or are hopeless; one whose bot
is 20 times as slow as the others'; one who floods the inbox; one who submits broken bots; calls that
are killed while they play or while they close the books, and a disk that is full while they do.

Prints how many nights pass until a new version's rating is within 50 Elo of the truth, how far anchored
ratings drift from it over the nights, how even the authors' shares of games and time are, the errors of the
final order, whether a submission or a result was lost, whether the chain of seasons holds, and the cost of a
night as nights grow. ``--publish`` writes the site each night too. The same seed gives the same league.
"""

import errno
import os
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack
from datetime import date, datetime, time, timedelta
from itertools import combinations, pairwise
from pathlib import Path
from statistics import mean, median
from time import tzset
from unittest.mock import patch
from zoneinfo import ZoneInfo

import click

from benchmarks.common import cpu_seconds, head, row, share
from tests.addons.league.leagues import new_league, put
from tourney.addons.league import admission, nights
from tourney.addons.league.folder import League
from tourney.addons.league.ledger import BotVersion
from tourney.addons.league.night_play import NightPlan
from tourney.addons.league.receipts import Diagnosis
from tourney.addons.league.seasons import chain_problems
from tourney.addons.league.tables import latest_table
from tourney.bots.catalogue.shipped import HOUSE
from tourney.match.record import Outcome, make_record
from tourney.match.result import Measurements, PlayedMatch, SeatMeasurements
from tourney.match.spec import MatchSpec
from tourney.run.engine.readiness import Pinning
from tourney.run.engine.run_control import seconds_left
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply
from tourney.store.database import Database

HOUSE_ELO = {"random": 0.0, "greedy": 250.0, "mcts": 400.0}
STARTS = {"ann": 100, "bob": 250, "cleo": 300, "dan": 50, "eve": 200, "finn": -500, "slow": 300, "flood": 150}
GAIN = {"ann": 40, "bob": 30, "dan": 60}
"""What each new version of an author gains; the others' bots stay as strong as they are."""
SECONDS, SLOW = 20.0, 400.0
NIGHT = 3600.0
DRAWS = 0.1
NEAR = 50.0
SETTLED = 5
"""Nights after which a version counts for the drift of ratings."""
ZONE = ZoneInfo("Europe/Berlin")


class KilledError(BaseException):
    """The call was killed."""


class World:
    """The league's bots and its clock; ``kill`` counts matches down to the next kill, -1 means none."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.seed = seed
        self.now = 0.0
        self.kill = -1
        self.happened: Counter[str] = Counter()
        self.submitted: Counter[str] = Counter()
        self.league = new_league(folder)
        self.elo: dict[str, float] = {}

    def chance(self, *words: object) -> float:
        """A number from 0 to 1 that follows from the seed and some words."""
        return share(self.seed, *map(str, words))

    def learn(self) -> None:
        """Find the strength of each version, which its file names."""
        self.league = League.open(self.league.folder)
        for one in self.league.ledger.versions:
            if one.digest not in self.elo:
                file = self.league.store.fetch(one.digest).folder / "bot.py"
                house = one.author == HOUSE
                self.elo[one.digest] = HOUSE_ELO[one.bot] if house else float(file.read_text().split()[-1])

    def submit(self, night: int) -> None:
        """Put into the inbox what authors submit before a night."""
        for author, start in STARTS.items():
            if author == "flood":
                for number in range(8):
                    self._put(author, f"wave{number}", night, start - number)
            elif night == 1 or (author in GAIN and night % 20 == 1):
                self._put(author, f"{author}-bot", night, start + GAIN.get(author, 0) * (night // 20))
        if night % 7 == 2:
            put(self.league, "hank", "broken")
            copied = self.league.inbox / "hank" / "broken.ready"
            (copied / "bot.toml").write_text("name = 7\n")
            self.submitted["hank"] += 1

    def _put(self, author: str, bot: str, night: int, elo: float) -> None:
        if (self.league.inbox / author / f"{bot}.ready").exists():
            return
        put(self.league, author, bot, f"{night} {elo}")
        self.submitted[author] += 1

    def play(self, task: MatchTask) -> WorkerReply:
        """Decide a match by the strengths of its bots; it takes virtual time."""
        if self.kill == 0:
            self.kill = -1
            self.happened["kill while it plays"] += 1
            raise KilledError
        self.kill -= self.kill > 0
        spec = task.spec
        slow = any(one.name.startswith("slow.") for one in spec.seats)
        self.now += SLOW if slow else SECONDS
        return WorkerReply(task.number, self._result(spec))

    def _result(self, spec: MatchSpec) -> PlayedMatch:
        if any(seat.digest not in self.elo for seat in spec.seats):
            self.learn()
        one, two = (self.elo[seat.digest] for seat in spec.seats)
        wins = 1 / (1 + 10 ** ((two - one) / 400))
        lot = self.chance("match", spec.seed, spec.seats[0].digest)
        edge = min(wins, 1 - wins, DRAWS / 2)
        ranks = (1, 2) if lot < wins - edge else (1, 1) if lot < wins + edge else (2, 1)
        # Matches with the same actions would count as one observation.
        actions = [(0, "roll-112"), (1, f"x{spec.seed}")]
        record = make_record(spec, "1", actions, Outcome(ranks, "last-stone", ()))
        times = [SLOW if seat.name.startswith("slow.") else SECONDS / 2 for seat in spec.seats]
        seats = tuple(SeatMeasurements(1000 * one, 20, 1000 * one) for one in times)
        return PlayedMatch(
            record, (), Measurements(reproducible=True, wall_ms=1000 * sum(times), seats=seats)
        )


class VirtualExecutor(MatchExecutor):
    """Plays each match at once in this process."""

    def __init__(self, world: World) -> None:
        super().__init__(1)
        self._world = world

    def submit(self, task: MatchTask) -> "Future[WorkerReply]":
        """Play a match."""
        future: Future[WorkerReply] = Future()
        future.set_running_or_notify_cancel()
        future.set_result(self._world.play(task))
        return future

    def restart(self) -> None:
        """Nothing was lost."""

    def drain(self) -> None:
        """Nothing is played."""

    def close(self) -> None:
        """Nothing is played."""

    stop = close


def run_night(world: World, number: int, now: datetime) -> None:
    """Run a night to its end, by as many calls as its misfortunes need."""
    world.kill = int(99 * world.chance("at", number)) if world.chance("kill", number) < 0.1 else -1
    faults = [name for name in ("keep_table", "close_season") if world.chance(name, number) < 0.05]
    end = world.now + NIGHT
    for _ in range(9):
        plan = NightPlan(end, None, Pinning(), lambda: VirtualExecutor(world), lambda: world.now)
        try:
            with ExitStack() as stack:
                if faults:
                    stack.enter_context(patch.object(nights, faults.pop(), _full_disk(world)))
                nights.run_night(League.open(world.league.folder), plan, now, lambda _: None)
        except (KilledError, OSError):
            continue
        world.learn()
        return
    raise SystemExit(f"night {number} does not end")


def _full_disk(world: World) -> Callable[..., None]:
    def fail(*_: object) -> None:
        world.happened["disk full while the books are closed"] += 1
        raise OSError(errno.ENOSPC, "No space left on device")

    return fail


class Course:
    """What the nights show: by version, the nights until its rating was near; games and seconds by author."""

    def __init__(self) -> None:
        self.near: dict[BotVersion, int] = {}
        self.games: Counter[str] = Counter()
        self.seconds: list[Mapping[str, float]] = []
        self.costs: list[float] = []
        self.matches = 0
        # Of versions older than ``SETTLED`` nights: by night the mean error, and by version each night's Elo.
        self.errors: list[float] = []
        self.ratings: defaultdict[BotVersion, list[float]] = defaultdict(list)

    def take(self, world: World, number: int) -> None:
        """Take in a night."""
        table = latest_table(world.league)
        night = world.league.ledger.night
        if table is None or night is None:
            return
        self.matches += night.matches
        by_digest = world.league.ledger.by_digest
        errors = []
        for line in table.rows:
            version = by_digest[line.digest]
            if number - version.night > SETTLED and version.author != HOUSE:
                errors.append(line.elo - world.elo[line.digest])
                self.ratings[version].append(line.elo)
            if abs(line.elo - world.elo[line.digest]) <= NEAR:
                self.near.setdefault(version, number - version.night + 1)
            self.games[line.author] += line.night_games
        self.errors += [mean(errors)] if errors else []
        charged: defaultdict[str, float] = defaultdict(float)
        with Database.open(world.league.database) as database:
            for one in night.tournaments:
                cup = database.tournaments.get(one.name)
                names = {each.number: each.name for each in database.tournaments.entrants(cup.id)}
                for result in database.matches.results(cup.id):
                    for entrant in result.entrants:
                        author = names[entrant].partition(".")[0]
                        charged[author] += SLOW if author == "slow" else SECONDS / 2
        self.seconds.append(charged)


def figures(world: World, course: Course) -> Iterator[tuple[str, str]]:
    """Yield the results of the nights, a line each."""
    ledger = world.league.ledger
    versions = [one for one in ledger.versions if one.author != HOUSE]
    waits = sorted(course.near[one] for one in versions if one in course.near)
    yield "versions", f"{len(versions)} of {len({one.author for one in versions})} authors"
    yield (
        f"nights until within {NEAR:.0f} Elo",
        f"median {median(waits):.0f}, 90 % {waits[len(waits) * 9 // 10]}",
    )
    last = ledger.night.number if ledger.night else 0
    old = [one for one in versions if one.night < last - SETTLED]
    far = [one for one in old if one not in course.near]
    flood = sum(one.author == "flood" for one in far)
    yield (
        "versions never that near",
        f"{len(far)} of {len(old)} that are older than {SETTLED} nights, {flood} of the flooder",
    )
    games = {author: count for author, count in course.games.items() if author in STARTS}
    shown = ", ".join(
        f"{author} {100 * count / sum(games.values()):.1f} %" for author, count in sorted(games.items())
    )
    yield "shares of games", shown
    slow, *later = (night.get("slow", 0.0) for night in course.seconds)
    most = max(later, default=0)
    yield (
        "seconds of the slow author",
        f"{slow:.0f} in the first night, later {most:.0f} at most (quota 1,800)",
    )
    if course.errors:
        nights_of_part = max(1, len(course.errors) // 4)
        means = [
            mean(course.errors[k : k + nights_of_part]) for k in range(0, len(course.errors), nights_of_part)
        ]
        moves = [abs(new - old) for elos in course.ratings.values() for old, new in pairwise(elos)]
        yield (
            f"mean Elo above the truth, versions older than {SETTLED} nights, by quarters",
            ", ".join(f"{error:+.1f}" for error in means),
        )
        yield (
            "change of such a rating from night to night",
            f"median {median(moves or [0.0]):.1f} Elo, at most {max(moves, default=0.0):.1f}",
        )
    table = latest_table(world.league)
    rows = [row for row in table.rows if row.place] if table else []
    wrong = [
        abs(world.elo[a.digest] - world.elo[b.digest])
        for a, b in combinations(rows, 2)
        if (a.elo - b.elo) * (world.elo[a.digest] - world.elo[b.digest]) < 0
    ]
    pairs = len(rows) * (len(rows) - 1) // 2
    yield (
        "wrong pairs of the final order",
        f"{len(wrong)} of {pairs}, the furthest apart {max(wrong, default=0):.0f} Elo",
    )
    covered = sum(row.low <= world.elo[row.digest] <= row.high for row in rows)
    yield "final intervals that hold the truth", f"{covered} of {len(rows)}"
    fates = Counter(one.fate for one in ledger.submissions.values())
    put_in, waiting = sum(world.submitted.values()), len(list(world.league.inbox.glob("*/*.ready")))
    taken = ", ".join(f"{count} {fate}" for fate, count in sorted(fates.items()))
    lost = put_in - sum(fates.values()) - waiting
    yield "submissions", f"{put_in}: {taken}, {waiting} in the inbox beyond the quota, {lost} lost"
    with Database.open(world.league.database) as database:
        stored = sum(database.schedules.progress(one.id).done for one in database.tournaments.all())
    yield "matches", f"{course.matches:,} in the books, {stored:,} in the database"
    yield (
        "misfortunes",
        ", ".join(f"{count} x {what}" for what, count in sorted(world.happened.items())) or "none",
    )
    problems = list(chain_problems(world.league))
    yield (
        "seasons",
        f"{len(ledger.seasons)}; their chain {'does not hold: ' + problems[0] if problems else 'holds'}",
    )
    for night in (date(2026, 3, 28), date(2026, 10, 24), date(2026, 11, 20)):
        opens = datetime.combine(night, time(22), ZONE)
        yield (
            f"hours from 22:00 of {night} to 07:00 in {ZONE.key}",
            f"{(seconds_left('07:00', None, opens) or 0) / 3600:g}",
        )
    part = max(1, len(course.costs) // 4)
    quarters = [course.costs[k : k + part] for k in range(0, len(course.costs), part)]
    yield "processor seconds a night, by quarters", ", ".join(f"{mean(one):.2f}" for one in quarters)


@click.command()
@click.option("--nights", "count", type=click.IntRange(1), default=200, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--publish", is_flag=True, help="Write the site each night, too.")
def command(count: int, seed: int, publish: bool) -> None:
    """Play a league."""
    os.environ["TZ"] = ZONE.key  # where clocks change
    tzset()
    with tempfile.TemporaryDirectory(prefix="tourney-league-") as folder, ExitStack() as stack:
        stack.enter_context(patch.object(admission, "diagnosis_of", lambda *_: Diagnosis(trials=("ok",))))
        if not publish:
            stack.enter_context(patch.object(nights, "publish", lambda *_: None))
        world, course = World(Path(folder), seed), Course()
        first = datetime(2026, 10, 1, 22, tzinfo=ZONE)
        for number in range(1, count + 1):
            world.submit(number)
            before = cpu_seconds()
            run_night(world, number, first + timedelta(days=number))
            course.costs.append(cpu_seconds() - before)
            course.take(world, number)
        head("figure", "value")
        for line in figures(world, course):
            row(*line)


if __name__ == "__main__":
    command()
