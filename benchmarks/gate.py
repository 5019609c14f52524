"""Gates: how often they err, and how many pairs of games they take.

    python -m benchmarks.gate [--runs 400] [--tries 40] [--simulated]

First by simulation with seeds: candidates of known strength against one or three baselines, with draws and
with pairs whose strength varies (by a normal distribution of 150 Elo), looked at after every batch of 16
pairs, up to ``LOOKS`` times. A gate is wrong if it claims anything that is not true. Beside it the
pairs of the sequential test of ``tourney compare`` with the same bounds, against one baseline.

Then real gates: one of two shipped engines, and ``--tries`` gates of equals, which toss coins; at most 5 % of
these may be accepted, but for chance.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tourney.compare.gate import GateRequest, gate_bot
from tourney.compare.gate_format import Claim, GateRule, prove
from tourney.ratings.sprt import Sprt, expected_score
from tourney.ratings.superiority import normals
from tourney.run.config.tournament_file import EntrantLine
from tourney.run.workers.local import LocalExecutor, default_workers
from tourney.seeds import U64, derive
from tourney.store.values import RunSettings

RULE = GateRule(0, 40)
LOOKS = 60
SPREAD = 150.0

MANIFEST = """name = "coin"
version = "1.0"
command = ["python3", "bot.py"]
"""
PROGRAM = """import hashlib, sys
for line in sys.stdin:
    word, *rest = line.split()
    if word == "tourney":
        print("bot wants=legal", flush=True)
    elif word == "game":
        turn, game = 0, line
        print("ready", flush=True)
    elif word == "legal":
        legal = rest
    elif word == "go":
        turn += 1
        drawn = hashlib.sha256(f"{sys.argv[1]} {turn} {game}".encode()).digest()[0]
        print("resign" if drawn % 2 else f"move {legal[0]}", flush=True)
"""
"""A bot that resigns at every other turn, by its argument and the game's seed: equals whose games vary."""

Batch = list[int]


def play(run: int, baseline: int, number: int, elo: float, drawn: float, offsets: Sequence[float]) -> Batch:
    """Return a batch of pairs by the candidate's half-points; ``offsets`` change its strength in turn."""
    counts = [0] * 5
    for pair in range(RULE.batch):
        offset = offsets[(number * RULE.batch + pair + 7 * run) % len(offsets)] if offsets else 0.0
        score = expected_score(elo + offset)
        draw = 4 * drawn * score * (1 - score)
        points = 0
        for game in (1, 2):
            u = derive(run, "gate", baseline, number, pair, game) / U64
            points += 2 if u < score - draw / 2 else 1 if u < score + draw / 2 else 0
        counts[points] += 1
    return counts


def simulate(
    run: int, elos: Sequence[float], drawn: float, offsets: Sequence[float]
) -> tuple[str, list[Claim | None], int]:
    """Return the verdict of a gate, what it claims of each baseline, and the pairs played."""
    batches: list[list[Batch]] = [[] for _ in elos]
    claims: list[Claim | None] = [None] * len(elos)
    for number in range(LOOKS):
        for baseline, elo in enumerate(elos):
            if claims[baseline] is None:
                batches[baseline].append(play(run, baseline, number, elo, drawn, offsets))
        claims = [claim for _, _, claim in prove(RULE, batches)]
        if "worse" in claims or None not in claims:
            break
    verdict = "rejected" if "worse" in claims else "undecided" if None in claims else "accepted"
    return verdict, claims, RULE.batch * sum(map(len, batches))


def sequential_pairs(run: int, elo: float, drawn: float, offsets: Sequence[float]) -> int:
    """Return the pairs that the test of ``tourney compare`` takes."""
    test, total = Sprt(RULE.elo0, RULE.elo1, RULE.alpha, RULE.beta), [0] * 5
    for number in range(LOOKS):
        batch = play(run, 0, number, elo, drawn, offsets)
        total = [one + other for one, other in zip(total, batch, strict=True)]
        if test.decide(total) is not None:
            break
    return sum(total)


SCENES: tuple[tuple[Sequence[float], float, bool], ...] = (
    ((0,), 0.0, False),
    ((0,), 0.5, False),
    ((0,), 0.3, True),
    ((40,), 0.0, False),
    ((40,), 0.5, False),
    ((100,), 0.3, False),
    ((0, 0, 0), 0.3, False),
    ((0, 40, 100), 0.3, False),
    ((40, 40, 40), 0.3, False),
    ((60, 80, 100), 0.3, False),
)
"""The candidate's Elo over each baseline, the share of draws among equals, and whether pairs vary."""


def simulations(runs: int) -> None:
    """Print a line for each scene."""
    print(
        f"gates with --no-regression {RULE.elo0:g} --gain {RULE.elo1:g}, {runs} runs of at most {LOOKS} looks"
    )
    print(
        "| Elo over baselines | draws | pairs vary | accepted | rejected | undecided | wrong | pairs | SPRT |"
    )
    print("|---|---:|---|---:|---:|---:|---:|---:|---:|")
    spread = [SPREAD * value for value in normals(997, "gate")]
    for elos, drawn, varied in SCENES:
        offsets = spread if varied else []
        verdicts: Counter[str] = Counter()
        wrong = pairs = sequential = 0
        for run in range(runs):
            verdict, claims, played = simulate(run, elos, drawn, offsets)
            verdicts[verdict] += 1
            pairs += played
            wrong += any(
                (claim == "better" and elo <= RULE.elo0) or (claim == "worse" and elo >= RULE.elo1)
                for claim, elo in zip(claims, elos, strict=True)
            )
            if len(elos) == 1:
                sequential += sequential_pairs(run, elos[0], drawn, offsets)
        shares = " | ".join(
            f"{100 * verdicts[v] / runs:.1f} %" for v in ("accepted", "rejected", "undecided")
        )
        beside = f"{sequential / runs:.0f}" if len(elos) == 1 else ""
        names = ", ".join(f"{elo:+g}" for elo in elos)
        print(
            f"| {names} | {drawn:g} | {'yes' if varied else 'no'} | {shares} | {100 * wrong / runs:.1f} %"
            f" | {pairs / runs:.0f} | {beside} |",
            flush=True,
        )


def real_gates(tries: int) -> None:
    """Play gates of shipped bots, each in a database of its own."""
    game, fast = "sage-stones", RunSettings(reuse=True, sandbox="off")
    executor = partial(LocalExecutor, default_workers())
    with tempfile.TemporaryDirectory(prefix="tourney-") as place:
        folder = Path(place)
        begun = time.monotonic()
        engines = GateRequest(
            EntrantLine("greedy"), (EntrantLine("random"),), game, rule=GateRule(0, 40), seed=1, run=fast
        )
        result = gate_bot(engines, str(folder / "a.db"), folder / "bots", executor).result
        against = result["against"][0]
        print(
            f"greedy against random: {result['verdict']} after {result['pairs']} pairs,"
            f" Elo {against['elo']} ({against['low']} .. {against['high']}), {time.monotonic() - begun:.0f} s"
        )
        verdicts: Counter[str] = Counter()
        begun = time.monotonic()
        pairs = 0
        coin = folder / "coin"
        coin.mkdir()
        (coin / "bot.toml").write_text(MANIFEST)
        (coin / "bot.py").write_text(PROGRAM)
        for number in range(1, tries + 1):
            equals = GateRequest(
                EntrantLine(str(coin), args=("a",)),
                (EntrantLine(str(coin), args=("b",)),),
                game,
                rule=GateRule(0, 100),
                seed=derive(1, "equals", number),
                run=fast,
            )
            result = gate_bot(equals, str(folder / "b.db"), folder / "bots", executor).result
            verdicts[result["verdict"]] += 1
            pairs += result["pairs"]
        print(
            f"a coin against a coin, {tries} gates with --gain 100: {verdicts['accepted']} accepted,"
            f" {verdicts['rejected']} rejected, {pairs} pairs, {time.monotonic() - begun:.0f} s"
        )


def main(arguments: Sequence[str]) -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--tries", type=int, default=40)
    parser.add_argument("--simulated", action="store_true", help="play no real gates")
    given = parser.parse_args(arguments)
    simulations(given.runs)
    if not given.simulated:
        real_gates(given.tries)


if __name__ == "__main__":
    main(sys.argv[1:])
