"""Time from an attack's deadline, or from a runner's death, until the bot is gone.

    python -m benchmarks.attacks [--rounds 5] [--level auto|off] [--before PROGRAM] [ATTACK ...]

Plays each attack of the tests in a match, pinned to one processor like a worker and its bots, and prints a
table. Without named attacks, a last row kills a runner (SIGKILL) and waits for the end of its bots and of all
that they started, and a second table shows what hostile bots gain in tournaments (``benchmarks.exploits``),
with ``--before`` also for an older Tourney. The exit code is 1 if an attack ends more than a second past its
deadline, or with another outcome than expected; on a busy machine that may happen.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks import exploits
from tests.attacks.arena import Arena, Fight
from tests.attacks.attacks import ATTACKS, Attack
from tests.attacks.runner import Runner
from tests.support.processes import wait_for
from tourney.bots.sandbox.sandbox import Sandbox, open_sandbox
from tourney.run.workers.worker import pin

MOST_SECONDS = 1.0
HEAD = """\
| attack | fault | deadline, ms | gone after, ms | worst | past the deadline, ms | worst | referee grew, KiB |
|---|---|---|---|---|---|---|---|"""


def fights(attack: Attack, sandbox: Sandbox, rounds: int) -> Iterable[Fight]:
    """Play an attack several times."""
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="tourney-attacks-") as folder:
            Path(folder).chmod(0o755)
            with Arena(Path(folder), sandbox) as arena:
                yield arena.attack(attack)


def row(attack: Attack, found: Sequence[Fight]) -> str:
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


def main(words: Sequence[str] | None = None) -> int:
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
    print(HEAD)
    for attack in ATTACKS:
        if not given.attacks or attack.name in given.attacks:
            found = list(fights(attack, sandbox, given.rounds))
            print(row(attack, found), flush=True)
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


if __name__ == "__main__":
    sys.exit(main())
