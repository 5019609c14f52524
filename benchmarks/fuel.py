"""Fuel clocks: the same root on a busy machine, and the cost of a module beside a native bot.

    python -m benchmarks.fuel [--part roots|speed|meter|slow] [--games 2] [--loops 8] [--kills 10]
        [--rounds 5]

``roots``: four bots search Sages Tafl until a share of the turn's time is used up; one of them overruns the
limit now and then, and loses on time. The tournament is played by 1, 2 and 5 workers, beside busy loops,
through kills, and again by `tourney rerun --all`; then twice under ``wall``, with and without the busy loops.
Exits with 1 if a root differs, if a rerun does, or if no bot times out.

``speed``: one bot in C as a module and as a contained native program, with and without ``reuse``: in each
round all of them play short and longer matches of Sage Stones, in turn.

``meter``: programs that compute in different ways, natively and as modules without and with the meter. What
a millisecond of each is in fuel says how to choose `fuel-per-ms`, and what the meter does not see.

``slow``: instructions that are slow for their fuel, 400 of each in a row, by each meter: their processor time
beside the virtual time of the default `fuel-per-ms`.

It needs what builds modules from C; see `docs/reference/templates.md`.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import wasmtime

from benchmarks.soak import finish, killed, tourney
from tourney.addons.fuel.library import make_engine, measure
from tourney.addons.fuel.meter import charged
from tourney.addons.fuel.starter import missing_tools
from tourney.bots.catalogue.manifest import read_manifest
from tourney.bots.catalogue.starter import new_bot
from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.match.record import Record
from tourney.match.runner import MatchRunner, StoreLauncher
from tourney.match.spec import Entrant, Limits, MatchSpec
from tourney.store.database import Database

SEARCHERS = {"calm": 40, "brisk": 55, "eager": 70, "rash": 92}
"""The bots, and the hundredths of a turn's limit after which they end their search."""
MOVE_MS = 30
FILE = """name = "clocks"
game = "sages-tafl"
seed = 20261122
opening-plies = 4
games-per-pairing = {games}
{entrants}
[limits]
move-ms = {move}
margin-ms = 0
charge = "{charge}"{unit}
"""
STONES = (3, 10)
"""Stones a seat of a short match and of a longer one."""
NODES = 300_000
KERNELS = {
    "integers": """#include <stdint.h>
#include <stdio.h>
int main(void) {
    uint64_t x = 1;
    for (long k = 0; k < 30000000; k++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; x += (uint64_t)k; }
    printf("%d\\n", (int)(x & 1023));
}
""",
    "floats": """#include <stdio.h>
int main(void) {
    double x = 0.1, y = 0.2, sum = 0;
    for (long k = 0; k < 10000000; k++) {
        double z = x * x - y * y + 0.3;
        y = 2 * x * y + 0.1; x = z > 2 ? 0.1 : z; y = y > 2 ? 0.2 : y; sum += x / (y + 3);
    }
    printf("%d\\n", (int)sum);
}
""",
    "sort": """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static uint32_t a[1 << 17];
static int order(const void *x, const void *y) {
    uint32_t one = *(const uint32_t *)x, other = *(const uint32_t *)y;
    return (one > other) - (one < other);
}
int main(void) {
    uint32_t x = 1;
    for (long k = 0; k < 1 << 17; k++) { x = x * 1664525 + 1013904223; a[k] = x; }
    qsort(a, 1 << 17, sizeof a[0], order);
    printf("%d\\n", (int)(a[1000] & 1023));
}
""",
    "memory": """#include <stdint.h>
#include <stdio.h>
static uint32_t next[1 << 24]; /* 64 MiB: more than a processor's cache */
int main(void) {
    uint32_t at = 1, sum = 0;
    for (uint32_t k = 0; k < 1 << 24; k++) next[k] = (k * 1664525u + 1013904223u) & ((1 << 24) - 1);
    for (long k = 0; k < 1000000; k++) { at = next[at]; sum += at; }
    printf("%d\\n", (int)(sum & 1023));
}
""",
}
"""Programs that compute in different ways; each takes a tenth of a second or so."""


SLOW_MODULE = """(module (memory 1 20) (table $t 1 funcref) (func $f) (elem $e declare func $f)
 (func (export "run") (local $n i32) (local $k i32) (local $x f64) (loop $again BODY
  (br_if $again (i32.lt_s (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 10000))))))"""
SLOW = {
    "ref.func": "(drop (ref.func $f))",
    "memory.grow": "(drop (memory.grow (i32.const 0)))",
    "memory.fill": "(memory.fill (local.get $k) (local.get $k) (local.get $k))",
    "table.grow": "(drop (table.grow $t (ref.null func) (i32.const 0)))",
    "elem.drop": "(elem.drop $e)",
    "f64.sqrt": "(local.set $x (f64.sqrt (local.get $x)))",
    "call": "(call $f)",
}


def write_searchers(folder: Path, charge: str, games: int) -> None:
    """Write a tournament of four bots in C that limit their search by the clock."""
    folder.mkdir()
    for name, share in SEARCHERS.items():
        new_bot(folder / name, "c", "sages-tafl", "search", wasm=True)
        source = folder / name / "skipper.c"
        text = source.read_text("utf-8")
        for old, new in (
            ("move ? move / 2 : 1000", f"move ? move * {share} / 100 : 1000"),
            ("NODES = 100000", "NODES = 0"),  # the clock alone ends a search
            ("TABLE = 1 << 18", "TABLE = 1 << 12"),  # quick to clear
            ("nodes & 1023", "nodes & 15"),
        ):
            if text.count(old) != 1:
                raise RuntimeError(f"{source} no longer has one {old!r}")
            text = text.replace(old, new)
        source.write_text(text, "utf-8")
    entrants = "\n".join(f'[[entrant]]\nbot = "./{name}"' for name in SEARCHERS)
    unit = "\nfuel-per-ms = 1_000_000" * (charge == "fuel")  # so that many short turns take little time
    toml = FILE.format(games=games, entrants=entrants, move=MOVE_MS, charge=charge, unit=unit)
    (folder / "roots.toml").write_text(toml, "utf-8")


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Keep processes busy beside what is measured."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def records(folder: Path) -> list[Record]:
    """Return the records of a folder's tournament, in schedule order."""
    with Database.open(str(folder / "tourney.db")) as repository:
        return [record for _, record in repository.records.all(repository.tournaments.get().id)]


def lost_on_time(played: list[Record]) -> int:
    """Count the matches in which a bot timed out."""
    return sum(any(kind == "timeout" for _, kind, _ in one.outcome.faults) for one in played)


def measure_roots(where: Path, games: int, loops: int, kills: int) -> bool:
    """Play the tournament in every way, print a table and return whether all roots are the same."""
    roots: dict[str, str] = {}
    print("| run | root | s |\n|---|---|---|")

    def play(way: str, run: Callable[[Path], str]) -> Path:
        folder = where / f"fuel-{len(roots)}"
        write_searchers(folder, "fuel", games)
        begun = time.monotonic()
        roots[way] = run(folder)
        print(f"| {way} | `{roots[way][:16]}` | {time.monotonic() - begun:.1f} |", flush=True)
        return folder

    for workers in (1, 2, 5):
        way = f"{workers} worker{'s' * (workers > 1)}"
        first = play(way, lambda folder, workers=workers: finish(folder, workers))  # type: ignore[misc]  # bound at once
    with busy(loops):
        play(f"2 workers beside {loops} busy loops", lambda folder: finish(folder, 2))
    done = 0

    def through_kills(folder: Path) -> str:
        nonlocal done
        root, done = killed(folder, kills, seed=5)
        return root

    play("2 workers, killed", through_kills)
    again = subprocess.run(
        tourney("rerun", "--all", "--db", "tourney.db"),
        cwd=first,
        capture_output=True,
        text=True,
        check=False,
    )
    played = records(first)
    print(f"\ncharge = fuel: {len(played)} matches, {lost_on_time(played)} lost on time; killed {done} times")
    same = len(set(roots.values())) == 1 and again.returncode == 0 and lost_on_time(played) > 0
    said = (again.stdout.splitlines() or [again.stderr])[-1]
    print(f"`tourney rerun --all`: exit code {again.returncode}, {said}\n")
    measure_wall(where, games, loops)
    return same


def measure_wall(where: Path, games: int, loops: int) -> None:
    """Play the tournament under ``wall`` on the machine as it is and beside busy loops; say what differs."""
    found = []
    for name in ("as it is", "busy"):
        folder = where / f"wall-{name.replace(' ', '-')}"
        write_searchers(folder, "wall", games)
        with busy(loops if name == "busy" else 0):
            finish(folder, 2)
        found.append(records(folder))
    pairs = list(zip(*found, strict=True))
    actions = sum(one["actions"] != other["actions"] for one, other in pairs)
    ranks = sum(one["outcome"]["ranks"] != other["outcome"]["ranks"] for one, other in pairs)
    free, loaded = map(lost_on_time, found)
    print(
        f"charge = wall: beside {loops} busy loops, of {len(pairs)} matches {actions} have other actions than"
        f" without, and {ranks} another result; {loaded} instead of {free} are lost on time"
    )


def measure_speed(where: Path, rounds: int, matches: int) -> None:
    """Play matches of one bot, as a module and as a program, and print a table."""
    store = BotStore(where / "bots")
    sandbox = open_sandbox("auto")
    launch = StoreLauncher(store, sandbox)
    rooms: dict[str, tuple[MatchRunner, Limits]] = {}
    for kind in ("native", "module"):
        new_bot(where / kind, "c", "sage-stones", wasm=kind == "module")
        limits = Limits(move_ms=10_000, charge="fuel" if kind == "module" else "wall").metered()
        rooms[kind] = (MatchRunner(launch, sandbox=sandbox), limits)
        if kind == "native":  # of a module the host is always kept, and an instance never
            rooms["native, reuse"] = (MatchRunner(launch, sandbox=sandbox, reuse=True), limits)
    print("one worker, contained; medians of rounds; times with the start of the bots\n")
    print("| half-moves | bots | matches/s | against native | us a half-move |\n|---|---|---|---|---|")
    try:
        for stones in STONES:
            times: dict[str, list[float]] = {name: [] for name in rooms}
            for number in range(rounds + 1):
                for name, (runner, limits) in rooms.items():
                    bot = resolve_bot(str(where / name.partition(",")[0]), store, Path("/"))
                    seats = tuple(Entrant(f"seat-{k}", name[:6], "0.1", (), bot.digest) for k in (1, 2))
                    moves, took = _play(runner, seats, stones, limits, matches)
                    if number:  # the first round builds, compiles and starts what is kept
                        times[name].append(took / matches)
            for name, found in times.items():
                took, native = median(found), median(times["native"])
                half_moves = moves / matches
                print(
                    f"| {half_moves:.0f} | {name} | {1 / took:.0f} | {native / took:.1f} |"
                    f" {took / half_moves * 1e6:.0f} |"
                )
    finally:
        for runner, _ in rooms.values():
            runner.close()


def _play(
    runner: MatchRunner, seats: tuple[Entrant, ...], stones: int, limits: Limits, matches: int
) -> tuple[int, float]:
    """Play matches of Sage Stones; return their half-moves, and the seconds."""
    options = (("stones", str(stones)), ("play-on", "no"))
    moves, begun = 0, time.perf_counter()
    for seed in range(matches):
        played = runner.play(MatchSpec("sage-stones", options, seats, seed, limits))
        if played.outcome.faults:
            raise RuntimeError(f"{seats[0].bot}: {played.outcome.faults}")
        moves += sum(actor > 0 for actor, _ in played.record.actions)
    return moves, time.perf_counter() - begun


def measure_meter(where: Path, rounds: int) -> None:
    """Run programs natively and as modules with and without the meter, and print a table."""
    folder = where / "programs"
    new_bot(folder, "c", "sages-tafl", "search", wasm=True)
    build = read_manifest((folder / "bot.toml").read_text("utf-8"), "bot.toml").build
    for name, text in KERNELS.items():
        (folder / f"{name}.c").write_text(text, "utf-8")
    go = f"go move=600000 nodes={NODES}"
    lines = ("tourney 1", "game sages-tafl seats=2 seat=1 seed=1", go, "quit", "")
    (folder / "lines").write_text("\n".join(lines), "ascii")
    engines = {metered: make_engine(metered=metered) for metered in (False, True)}
    print(f"medians of {rounds} rounds, in CPU time; `search` looks at {NODES:,} nodes\n")
    print("| program | native, ms | module | module, metered | fuel a native ms | fuel a metered ms |")
    print("|---|---|---|---|---|---|", flush=True)
    for name in ("skipper", *KERNELS):
        words = [name if word == "bot.wasm" else word for word in build[:-1]]
        subprocess.run([*words, f"{name}.c"], cwd=folder, check=True)
        (folder / name).rename(folder / f"{name}.wasm")
        subprocess.run(["cc", "-O2", "-std=c11", "-o", name, f"{name}.c", "-lm"], cwd=folder, check=True)
        print(_row("search" if name == "skipper" else name, folder / name, engines, rounds), flush=True)


def measure_slow(rounds: int) -> None:
    """Run slow instructions by each meter, and print how much longer than their virtual time they take."""
    engine = make_engine(metered=True)
    unit = (Limits(move_ms=1, charge="fuel").metered().fuel_per_ms or 1) * 1000
    print("| instruction | wasmtime-fuel-1 | wasmtime-fuel-2 |\n|---|---|---|", flush=True)
    for name, text in SLOW.items():
        code = bytes(wasmtime.wat2wasm(SLOW_MODULE.replace("BODY", text * 400)))
        factors = []
        for form in (code, charged(code)):
            found = []
            for _ in range(rounds):
                begun = time.thread_time()
                fuel, _ = measure(engine, form, "run")
                found.append((time.thread_time() - begun) * unit / fuel)
            factors.append(median(found))
        print(f"| `{name}` | {factors[0]:,.0f} times | {factors[1]:,.0f} times |", flush=True)


def _row(title: str, program: Path, engines: dict[bool, wasmtime.Engine], rounds: int) -> str:
    """Run a program in all ways, in turn, and return its row."""
    modules = {
        metered: wasmtime.Module.from_file(engine, f"{program}.wasm") for metered, engine in engines.items()
    }
    times: dict[str, list[float]] = {"native": [], "False": [], "True": []}
    fuel = set()
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        with (program.parent / "lines").open("rb") as given:
            subprocess.run([str(program)], stdin=given, stdout=subprocess.DEVNULL, check=True)
        times["native"].append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
        for metered, module in modules.items():
            begun = time.thread_time()
            used = _run(engines[metered], module, program.parent / "lines", metered=metered)
            times[str(metered)].append(time.thread_time() - begun)
            fuel |= {used} if metered else set()
    if len(fuel) != 1:
        raise RuntimeError(f"{title} used different fuel in its runs: {sorted(fuel)}")
    native, plain, metered_ = (median(found) for found in times.values())
    (units,) = fuel
    return (
        f"| {title} | {native * 1e3:.0f} | {plain / native:.2f} times | {metered_ / native:.2f} times |"
        f" {units / native / 1e9:,.1f} million | {units / metered_ / 1e9:,.1f} million |"
    )


def _run(engine: wasmtime.Engine, module: wasmtime.Module, lines: Path, *, metered: bool) -> int:
    """Run a module by the machine's clocks; return its fuel."""
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    wasi = wasmtime.WasiConfig()
    wasi.stdin_file = str(lines)
    store = wasmtime.Store(engine)
    store.set_wasi(wasi)
    most = 1 << 60
    if metered:
        store.set_fuel(most)
    start = linker.instantiate(store, module).exports(store)["_start"]
    assert isinstance(start, wasmtime.Func)  # noqa: S101 - clang makes it
    start(store)
    return most - store.get_fuel() if metered else 0


def main() -> int:
    """Measure what is asked for; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--part", action="append", choices=("roots", "speed", "meter", "slow"), help="default: all"
    )
    parser.add_argument("--games", type=int, default=2, help="games of a pairing, in roots")
    parser.add_argument("--loops", type=int, default=8, help="busy loops, in roots")
    parser.add_argument("--kills", type=int, default=10, help="kills, in roots")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, in speed, meter and slow")
    parser.add_argument("--matches", type=int, default=20, help="matches of a round, in speed")
    given = parser.parse_args()
    if needed := missing_tools("c"):
        parser.error(f"the bots cannot be built: install {needed}")
    parts = given.part or ["roots", "speed", "meter", "slow"]
    same = True
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        where.chmod(0o755)
        if "roots" in parts:
            same = measure_roots(where, given.games, given.loops, given.kills)
        if "speed" in parts:
            measure_speed(where, given.rounds, given.matches)
        if "meter" in parts:
            measure_meter(where, given.rounds)
        if "slow" in parts:
            measure_slow(given.rounds)
    return int(not same)


if __name__ == "__main__":
    sys.exit(main())
