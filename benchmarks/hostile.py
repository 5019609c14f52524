"""Hostile bots: how long their ends take, what they can tell each other, and games beside them.

    python -m benchmarks.hostile attacks [--rounds 5] [--level auto|off] [--before PROGRAM] [ATTACK ...]
    python -m benchmarks.hostile channels [--bits 2048] [--level auto|off]
    python -m benchmarks.hostile overload [--games 4] [--matches 3] [--children 4] [--work 20]
    python -m benchmarks.hostile hosts [--matches 100]

``attacks``: time from an attack's deadline, or from a runner's death, until the bot is gone. Plays each
attack of the tests in a match, pinned to one processor like a worker and its bots, and prints a table.
Without named attacks, a last row kills a runner (SIGKILL) and waits for the end of its bots and of all that
they started, and a second table shows what hostile bots gain in tournaments (``benchmarks.exploits``), with
``--before`` also for an older Tourney. The exit code is 1 if an attack ends more than a second past its
deadline, or with another outcome than expected; on a busy machine that may happen.

``channels``: what bots can still tell each other, or themselves in a later match, by timing and by counters.
A sender and a receiver run in two sandboxes, pinned to one processor like a worker's bots. The sender gets
random bits. It sends a bit by looking up a name that does not exist in a folder of the system, so that the
kernel remembers this, or in a time slot by its number of processes, by its pipes, or by spinning. The
receiver times the lookup, or reads a figure in each slot. A row gives the share of bits that the receiver has
right (0.5: nothing), what that is worth by Shannon's formula for a binary channel, and the time of both.
"from match to match" means that the sender has ended before the receiver starts.

``overload``: games of honest bots on a free machine, and the same games beside hostile matches. Two honest
bots, one in C and one in Python, play Sage Stones: each uses a fixed processor time for a move, and then
plays without chance, so only a fault can change a game. Limits are tight: five times that time for a move,
and three seconds for the start. The same games are played on the machine as it is, and then beside some
matches of bots whose children work all the time; all of them share one processor.

Prints a row for each, and exits with 1 if a game ended in another way beside the hostile matches.

``hosts``: what a lying host of a cluster gains. Two hosts play a tournament of two entrants, one of them
honestly; both are threads of this process, behind the interface of a cluster's executor. The other one forges
every match: a time-out of the first entrant at once or after its limit, or another game by the rules. Where
the run refuses it, its matches are withdrawn, as `tourney db withdraw` does, and the run goes on. A row gives
the matches that it forged, those whose result is stored at the end, and what the run says of the host.

It is long because its four tables share their bots and the clock of their ends.
"""

import argparse
import os
import platform
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from benchmarks import exploits
from benchmarks.channels import channels
from tests.addons.cluster import clusters
from tests.attacks.arena import Arena, Fight
from tests.attacks.attacks import ATTACKS, Attack
from tests.attacks.runner import Runner
from tests.support.executors import FuturesExecutor, Immediate
from tests.support.processes import wait_for
from tourney.addons.cluster.messages import RequestedMatch, reply_of
from tourney.bots.catalogue.command import BotCommand, environment, interpreter_paths
from tourney.bots.channel.interface import Channel, Event
from tourney.bots.sandbox.sandbox import Sandbox, open_sandbox
from tourney.check.named_seeds import RandomChannel
from tourney.errors import EnvironmentFailure, WorkerError
from tourney.match.result import PlayedMatch
from tourney.match.runner import MatchRunner
from tourney.match.spec import Entrant, Limits, MatchSpec
from tourney.run.engine.withdrawal import find_withdrawal, withdraw
from tourney.run.workers.executor import WorkerReply
from tourney.run.workers.worker import pin
from tourney.store.database import Database

# -- attacks ------------------------------------------------------------------------------------------------

MOST_SECONDS = 1.0
ATTACK_HEAD = """\
| attack | fault | deadline, ms | gone after, ms | worst | past the deadline, ms | worst | referee grew, KiB |
|---|---|---|---|---|---|---|---|"""


def fights(attack: Attack, sandbox: Sandbox, rounds: int) -> Iterable[Fight]:
    """Play an attack several times."""
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="tourney-attacks-") as folder:
            Path(folder).chmod(0o755)
            with Arena(Path(folder), sandbox) as arena:
                yield arena.attack(attack)


def attack_row(attack: Attack, found: Sequence[Fight]) -> str:
    """The row of an attack: the medians and the worst figures."""
    kinds = sorted({kind or "none" for fight in found for kind in fight.kinds})
    grown = max(fight.grown for fight in found) // 1024
    if not found[0].faults:  # it played on, and no deadline ended it
        return f"| {attack.name} | {' '.join(kinds)} | | | | | | {grown:,} |"
    cells = [f"{1000 * (found[0].took - found[0].past):,.0f}"]
    for figures in ([fight.took for fight in found], [fight.past for fight in found]):
        both = (statistics.median(figures), max(figures))
        cells += ["-" if figure < 0 else f"{1000 * figure:,.0f}" for figure in both]
    return f"| {attack.name} | {' '.join(kinds)} | {' | '.join(cells)} | {grown:,} |"


def bad(attack: Attack, fight: Fight, sandbox: Sandbox) -> bool:
    """Whether an attack ended too late, or with another outcome than expected."""
    held = attack.contained(sandbox.protections)
    late = bool(fight.faults) and fight.past > MOST_SECONDS
    return (
        late or fight.kinds[0] not in (attack.faults if held else attack.freely) or held == bool(fight.worked)
    )


def time_until_gone(level: str) -> float:
    """Kill a runner; return the seconds until no process of its bots is left."""
    with tempfile.TemporaryDirectory(prefix="tourney-attacks-") as folder:
        Path(folder).chmod(0o755)
        runner = Runner(Path(folder), level)
        try:
            if not wait_for(lambda: len(runner.sleepers()) >= 4):
                raise SystemExit("the runner's bots do not start")
            began = time.monotonic()
            runner.process.kill()
            wait_for(lambda: not runner.sleepers())
            return time.monotonic() - began
        finally:
            runner.process.kill()
            runner.finish()


def attacks(words: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help="default: all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--level", choices=("auto", "off"), default="auto")
    parser.add_argument("--before", metavar="PROGRAM", help="interpreter of another checkout, for exploits")
    given = parser.parse_args(words)
    unknown = set(given.attacks) - {attack.name for attack in ATTACKS}
    if unknown:
        parser.error(f"there is no attack {min(unknown)}")
    sandbox = open_sandbox(given.level)
    pin(0, 1)
    failed = []
    print(ATTACK_HEAD)
    for attack in ATTACKS:
        if not given.attacks or attack.name in given.attacks:
            found = list(fights(attack, sandbox, given.rounds))
            print(attack_row(attack, found), flush=True)
            failed += [attack.name] * any(bad(attack, fight, sandbox) for fight in found)
    if not given.attacks:
        left = [time_until_gone(given.level) for _ in range(given.rounds)]
        cells = f"{1000 * statistics.median(left):,.0f} | {1000 * max(left):,.0f}"
        print(f"| the runner is killed | | 0 | {cells} | {cells} | |")
        failed += ["runner"] * (max(left) > MOST_SECONDS)
    if not given.attacks and given.level == "auto":
        print()
        exploits.print_table(before=given.before)
    if failed:
        print(f"too late, or with another outcome than expected: {' '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


# -- overload -----------------------------------------------------------------------------------------------

HERE = Path(__file__).resolve().parent / "overload_bots"
MARGIN_MS = 50
PLAYS = 3
"""Plays of a match without a result, as in a run."""
STONES = "10"
COLUMNS = (
    *("machine", "games", "as on the free machine", "lost on time", "without a result"),
    *("turns", "overloaded", "ms not charged"),
)


class Launcher:
    """Starts the bots of a folder."""

    def __init__(self, folder: Path, sandbox: Sandbox) -> None:
        self._folder = folder
        self._sandbox = sandbox

    def __call__(self, entrant: Entrant, limits: Limits) -> Channel:
        """Start the bot of an entrant."""
        python = (sys.executable, "-I", "-S", "-B", f"{entrant.bot}.py")
        words = ("./honest",) if entrant.bot == "c" else python
        command = BotCommand((*words, *entrant.args), self._folder, environment(), interpreter_paths())
        return self._sandbox.spawn(command, memory_mb=limits.memory_mb)


def lay_out(folder: Path) -> None:
    """Write and compile the bots."""
    folder.chmod(0o755)
    for name in ("honest.py", "hostile.py"):
        (folder / name).write_text((HERE / name).read_text("utf-8"), "utf-8")
    subprocess.run(["cc", "-O2", "-o", str(folder / "honest"), str(HERE / "honest.c")], check=True)


def spec(seed: int, bots: Sequence[str], argument: int, limits: Limits) -> MatchSpec:
    """A match of Sage Stones."""
    names = [f"{bot}-{seat}" for seat, bot in enumerate(bots, 1)]
    pairs = zip(names, bots, strict=True)
    seats = tuple(Entrant(name, bot, "1", (str(argument),), "0" * 64) for name, bot in pairs)
    return MatchSpec("sage-stones", (("stones", STONES), ("play-on", "no")), seats, seed, limits)


def games(folder: Path, sandbox: Sandbox, most: int, work: int) -> list[PlayedMatch | None]:
    """Play the honest bots' games, each seat order in turn; None for a game without a result."""
    limits = Limits(move_ms=5 * work, margin_ms=MARGIN_MS, startup_ms=3000, memory_mb=512, ponder="freeze")
    found: list[PlayedMatch | None] = []
    with MatchRunner(Launcher(folder, sandbox), sandbox=sandbox) as runner:
        for number in range(most):
            bots = ("c", "honest") if number % 2 == 0 else ("honest", "c")
            found.append(_play(runner, spec(1 + number // 2, bots, work, limits)))
    return found


def _play(runner: MatchRunner, match: MatchSpec) -> PlayedMatch | None:
    for _ in range(PLAYS):
        try:
            return runner.play(match)
        except EnvironmentFailure as failure:
            sys.stderr.write(f"replayed: {failure}\n")
    return None


@contextmanager
def hostile(folder: Path, matches: int, children: int) -> Iterator[None]:
    """Keep hostile matches going in processes of their own."""
    words = [
        sys.executable,
        "-m",
        "benchmarks.hostile",
        "overload",
        "--hostile",
        str(folder),
        "--children",
        str(children),
    ]
    processes = [
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(matches)
    ]
    try:
        for process in processes:
            process.stdout.readline()  # type: ignore[union-attr]  # it is a pipe
        yield
    finally:
        for process in processes:
            process.communicate()


def play_hostile(folder: Path, children: int) -> None:
    """Play hostile matches until standard input ends; say when the first one is over."""
    limits = Limits(move_ms=60_000, startup_ms=600_000, memory_mb=512, ponder="allow")
    sandbox = open_sandbox("auto")
    with MatchRunner(Launcher(folder, sandbox), sandbox=sandbox) as runner:
        for seed in count(1):
            runner.play(spec(seed, ("hostile", "hostile"), children, limits))
            if seed == 1:
                sys.stdout.write("up\n")
                sys.stdout.flush()
            if select.select([sys.stdin], [], [], 0)[0]:
                return


def machine_row(name: str, found: Sequence[PlayedMatch | None], free: Sequence[PlayedMatch | None]) -> str:
    """The row of a machine."""
    played = [match for match in found if match is not None]
    seats = [seat for match in played for seat in match.measured.seats]
    late = sum(kind in ("timeout", "startup") for match in played for _, kind, _ in match.outcome.faults)
    figures = (
        len(found),
        same(found, free),
        late,
        len(found) - len(played),
        sum(seat.turns for seat in seats),
        sum(seat.overloaded_turns for seat in seats),
        sum(seat.waited_ms for seat in seats),
    )
    return f"| {name} | {' | '.join(f'{figure:,}' for figure in figures)} |"


def same(found: Sequence[PlayedMatch | None], free: Sequence[PlayedMatch | None]) -> int:
    """The number of games that were played as on the free machine, to the digest."""
    pairs = zip(found, free, strict=True)
    return sum(one is not None and other is not None and one.digest == other.digest for one, other in pairs)


def overload(words: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=4, help="games of the honest bots")
    parser.add_argument("--matches", type=int, default=3, help="hostile matches beside them")
    parser.add_argument("--children", type=int, default=4, help="children of each hostile bot")
    parser.add_argument("--work", type=int, default=20, help="ms of processor time for a move")
    parser.add_argument("--hostile", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if arguments.hostile is not None:
        play_hostile(arguments.hostile, arguments.children)
        return 0
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    sandbox = open_sandbox("auto")
    with tempfile.TemporaryDirectory(prefix="tourney-overload-") as name:
        folder = Path(name)
        lay_out(folder)
        load = os.getloadavg()[0]
        free = games(folder, sandbox, arguments.games, arguments.work)
        began = time.monotonic()
        with hostile(folder, arguments.matches, arguments.children):
            beside = games(folder, sandbox, arguments.games, arguments.work)
        took = time.monotonic() - began
    print(
        f"Python {platform.python_version()}, load {load:.1f} before, {took:.0f} s beside hostile matches\n"
    )
    print(f"| {' | '.join(COLUMNS)} |")
    print("|---" * len(COLUMNS) + "|")
    print(machine_row("free", free, free))
    print(machine_row(f"{arguments.matches} hostile matches", beside, free))
    return int(same(beside, free) < len(free))


# -- hosts --------------------------------------------------------------------------------------------------


class LateBot(RandomChannel):
    """Claims that it has taken no action in time, after ``waits`` seconds."""

    waits = 0.0

    def wait(self, deadline: int) -> Event:
        """The answer at start-up, then a time-out."""
        if self._turn == 0:
            return super().wait(deadline)
        time.sleep(self.waits)
        return Event("timeout")


class WaitingLateBot(LateBot):
    """Waits as long as the limit first."""

    waits = 0.002


def late(bot: type[LateBot]) -> clusters.Behaviour:
    """A host at which the first entrant of each match, by name, is such a bot."""

    def behave(request: RequestedMatch, _reply: bytes) -> object:
        victim = min(entrant.name for entrant in request.spec.seats)

        def launch_bot(entrant: Entrant, _limits: Limits) -> Channel:
            return bot() if entrant.name == victim else RandomChannel()

        with MatchRunner(launch_bot) as runner:
            return reply_of(WorkerReply(request.number, runner.play(request.spec)), request.number)

    return behave


LIES: dict[str, tuple[Limits, clusters.Behaviour]] = {
    "a time-out at once": (Limits(move_ms=20_000), late(LateBot)),
    "a time-out after the limit": (Limits(move_ms=1), late(WaitingLateBot)),
    "another game": (Limits(move_ms=20_000), clusters.other_game),
}


def host_row(name: str, recheck: int, matches: int, folder: Path) -> str:
    """Play the tournament honestly on this machine, and beside the lying host; the table's row."""
    limits, behave = LIES[name]
    honest, cup = (
        clusters.Cup(
            Database.open(str(folder / f"{one}.db"), create=True), entrants=2, games=matches, limits=limits
        )
        for one in ("honest", "cup")
    )
    honest.run(FuturesExecutor(Immediate, clusters.play))
    links = [clusters.two(behave)]
    try:
        cup.run(clusters.cluster(links[0], recheck=recheck))
    except WorkerError:
        tournament = cup.repository.tournaments.get()
        withdraw(cup.repository, tournament, find_withdrawal(cup.repository, tournament, "a"))
        links.append(clusters.two(behave))
        cup.run(clusters.cluster(links[1], recheck=recheck))
    said = "nothing"
    if any("a is refused" in line or "a gets no match" in line for line in cup.said):
        said = "refused"
    elif any("/a came out differently" in line or "/a, and in" in line for line in cup.said):
        said = "named, not proved"
    forged = sum(cup.digests[number] != digest for number, digest in honest.digests.items())
    for one in (honest, cup):
        one.repository.close()
    sent = sum(node == "a" for link in links for node, _ in link.requests)
    return f"| {name} | {recheck / 100:g} % | {sent} | {forged} | {said} |"


def hosts(words: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--matches", type=int, default=100)
    matches = parser.parse_args(words).matches
    print(
        "| the lying host sends | rechecked | forged | forged results that count | the run says of the host |"
    )
    print("|---" * 5 + "|")
    for name in LIES:
        for recheck in (0, 200, 2_000, 10_000):
            with tempfile.TemporaryDirectory(prefix="tourney-hosts-") as folder:
                print(host_row(name, recheck, matches, Path(folder)), flush=True)
    return 0


PARTS: dict[str, Callable[[Sequence[str]], int]] = {
    "attacks": attacks,
    "channels": channels,
    "hosts": hosts,
    "overload": overload,
}


def main(words: Sequence[str]) -> int:
    """Run a part."""
    if words[:1] and words[0] in PARTS:
        return PARTS[words[0]](words[1:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
