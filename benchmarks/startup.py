"""Start-up time of Python bots: CPU time from the start of the process to `ready` and `quit`.

    python benchmarks/startup.py [--rounds 21]

A row each for an empty script, for `random` (which loads no rules) and for `greedy` in every game.
User and system time of the process, with a bot's environment but without a sandbox.
"""

import argparse
import os
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median

from tourney.bots.catalogue.command import environment
from tourney.games.registry import GAMES, find_game
from tourney.resources import engines_dir

Job = tuple[list[str], bytes]
"""The arguments of the interpreter, and its standard input."""


def jobs() -> dict[str, Job]:
    """Return the commands to start, by the name of their row."""
    found: dict[str, Job] = {"an empty script": (["-c", "pass"], b"")}
    for bot, games in (("random", sorted(GAMES.own)[:1]), ("greedy", sorted(GAMES.own))):
        for game in games:
            seats = find_game(game).seat_counts[0]
            lines = f"tourney 1\ngame {game} seats={seats} seat=1 seed=1\nquit\n"
            name = bot if bot == "random" else f"{bot}, {game}"
            found[name] = ([str(engines_dir() / bot / "bot.py")], lines.encode("ascii"))
    return found


def cpu_ms(words: list[str], said: bytes) -> float:
    """Run a bot and return its CPU time in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *words],
        input=said,
        env=dict(environment()) | {"PATH": os.environ.get("PATH", "")},
        cwd=Path(__file__).parent,
        capture_output=True,
        check=True,
    )
    if said and not done.stdout.endswith(b"ready\n"):
        raise RuntimeError(f"{words[0]} did not start: {done.stdout!r}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main() -> None:
    """Measure in rounds, so that a slow moment of the machine affects all rows, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=21, help="starts per row (prints the median)")
    rounds = max(parser.parse_args().rounds, 1)
    times: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, (words, said) in jobs().items():
            times.setdefault(name, []).append(cpu_ms(words, said))
    print("| what starts | median, ms | least, ms |\n|---|---|---|")
    for name, figures in times.items():
        print(f"| {name} | {median(figures):.1f} | {min(figures):.1f} |")


if __name__ == "__main__":
    main()
