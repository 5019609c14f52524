"""Tournaments of WebAssembly modules by fuel: the same root on any number of workers, time-outs included."""

import json
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.addons.fuel.wasm import searcher, start, write_module
from tests.support.command import ROOT, invoke, popen
from tests.support.processes import wait_for
from tourney.addons.fuel import meter as fuel

BOTS = {
    "steady": searcher(2_000, 0, 1),
    "quick": searcher(500, 1_000, 2),
    "slow": searcher(4_000, 2_000, 3),
    "late": searcher(6_000, 4_000, 4),
}
"""Searchers by the clock; the last one now and then takes longer than it may."""
FILE = """
name = "cup"
game = "sage-stones"
seed = 5
games-per-pairing = 2
[limits]
move-ms = 10
margin-ms = 0
startup-ms = 100
memory-mb = 16
charge = "fuel"
fuel-per-ms = 1_000_000
[run]
sandbox = "off"
"""
ROOT_LINE = re.compile(r"root ([0-9a-f]{64})")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four modules and a tournament file; their compiled code is kept for all runs."""
    made = tmp_path_factory.mktemp("fuel")
    for name, text in BOTS.items():
        write_module(made / f"{name}.wasm", text)
    write(made, list(BOTS))
    return made


def write(folder: Path, bots: list[str], text: str = FILE, name: str = "cup.toml") -> Path:
    """Write a tournament file for modules of a folder."""
    paths = ", ".join(f'"./{bot}.wasm"' for bot in bots)
    file = folder / name
    file.write_text(text.replace('game = "', f'bots = [{paths}]\ngame = "', 1), "utf-8")
    return file


def places(folder: Path, name: str) -> tuple[str, ...]:
    return ("--db", str(folder / f"{name}.db"), "--bots", str(folder / "bots"))


def played(folder: Path, name: str, workers: int, file: str = "cup.toml") -> str:
    """Run the tournament into a database of its own, or go on with it; return its root."""
    done = invoke("run", str(folder / file), "--workers", str(workers), *places(folder, name))
    assert done.exit_code == 0, done.stderr
    return str(ROOT_LINE.findall(done.stderr + done.stdout)[-1])


@pytest.fixture(scope="module")
def root(folder: Path) -> str:
    """The root of the tournament on one worker."""
    return played(folder, "one", 1)


@pytest.mark.slow
def test_any_number_of_workers_gives_same_root(folder: Path, root: str) -> None:
    assert played(folder, "five", 5) == root


@pytest.mark.kill
def test_killed_run_goes_on_to_same_root(folder: Path, root: str) -> None:
    words = ["run", str(folder / "cup.toml"), "--workers", "2", *places(folder, "killed")]
    process = popen(
        [sys.executable, "-m", "tourney", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    with process:
        assert wait_for(lambda: results(folder / "killed.db") >= 3)
        process.kill()
    assert results(folder / "killed.db") < 12
    assert played(folder, "killed", 2) == root


def results(database: Path) -> int:
    """Return how many matches of a database have a result."""
    if not database.exists():
        return 0
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as opened:
            return int(opened.execute("SELECT count(*) FROM match").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


@pytest.mark.slow
def test_all_matches_reproduce_with_their_timeouts(folder: Path, root: str) -> None:
    again = invoke("rerun", "--all", *places(folder, "one"))
    assert again.exit_code == 0
    assert again.stdout == "12 matches replayed: 12 the same\n"
    out = folder / "records.jsonl"
    assert invoke("export", "cup", "--out", str(out), "--db", str(folder / "one.db")).exit_code == 0
    records = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    faults = [kind for record in records for _, kind, _ in record["outcome"]["faults"]]
    assert 0 < faults.count("timeout") == len(faults) < 6
    assert {record["limits"]["meter"] for record in records} == {"wasmtime-fuel-2"}
    assert {record["limits"]["ponder"] for record in records} == {"freeze"}
    assert invoke("verify", "--root", root, "--db", str(folder / "one.db")).exit_code == 0
    checked = subprocess.run(
        [sys.executable, str(ROOT / "seeds" / "check.py"), str(out)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


def test_matches_are_marked_reproducible(folder: Path, root: str) -> None:
    shown = invoke("show", "1", "--db", str(folder / "one.db")).stdout
    assert "not guaranteed" not in shown


def test_same_modules_play_by_wall(folder: Path) -> None:
    text = FILE.replace('charge = "fuel"\nfuel-per-ms = 1_000_000', 'charge = "wall"')
    text = text.replace(
        "move-ms = 10\nmargin-ms = 0\nstartup-ms = 100", "move-ms = 60_000\nstartup-ms = 60_000"
    )
    write(folder, ["steady", "quick"], text, "wall.toml")
    played(folder, "wall", 1, "wall.toml")
    standings = invoke("standings", "--format", "json", "--db", str(folder / "wall.db"))
    assert '"faults": 0' in standings.stdout


@pytest.mark.slow
def test_crash_is_in_the_record_and_reproduces(tmp_path: Path) -> None:
    write_module(tmp_path / "trap.wasm", start("unreachable"))
    write_module(tmp_path / "quick.wasm", BOTS["quick"])
    write(tmp_path, ["trap", "quick"])
    played(tmp_path, "t", 1)
    assert invoke("rerun", "--all", *places(tmp_path, "t")).stdout.endswith("2 the same\n")


def refusal(folder: Path, file: Path) -> str:
    """Return the sentence by which a run of a file is refused."""
    done = invoke("run", str(file), *places(folder, "refused"))
    assert done.exit_code == 2
    assert not (folder / "refused.db").exists() or not results(folder / "refused.db")
    return done.stderr


def test_mixed_field_is_refused(folder: Path) -> None:
    file = write(folder, ["quick"], FILE, "mixed.toml")
    file.write_text(file.read_text("utf-8").replace('"]', '", "random"]', 1), "utf-8")
    assert "is not a WebAssembly module" in refusal(folder, file)


def test_meter_that_counts_otherwise_is_refused_by_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuel, "_PROBED", (1, 2))
    fuel.meter_fault.cache_clear()
    try:
        said = refusal(folder, folder / "cup.toml")
    finally:
        fuel.meter_fault.cache_clear()
    assert f"wasmtime {fuel.wasmtime_version()} counts otherwise than the meter wasmtime-fuel-1" in said


def test_missing_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuel, "find_spec", lambda _: None)
    fuel.meter_fault.cache_clear()
    assert "pip install 'tourney[wasm]'" in refusal(folder, folder / "cup.toml")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('charge = "fuel"\n', "", "fuel-per-ms is set without"),
        ("fuel-per-ms = 1_000_000", 'ponder = "allow"', "ponder is"),
        ("fuel-per-ms = 1_000_000", 'meter = "sun"', "there is no meter sun"),
        ("fuel-per-ms = 1_000_000", "fuel-per-ms = 5", "fuel-per-ms is 5"),
    ],
)
def test_limits_that_do_not_fit_are_refused(folder: Path, old: str, new: str, why: str) -> None:
    file = write(folder, ["quick", "slow"], FILE.replace(old, new), "limits.toml")
    assert why in refusal(folder, file)


def test_module_that_cannot_be_run_is_refused_by_name(tmp_path: Path) -> None:
    write_module(tmp_path / "bad.wasm", '(module (import "env" "gpu" (func)))')
    (tmp_path / "text.wasm").write_text("no module", "utf-8")
    write_module(tmp_path / "quick.wasm", BOTS["quick"])
    assert "imports env.gpu" in refusal(tmp_path, write(tmp_path, ["bad", "quick"]))
    assert "does not begin as a binary module" in refusal(tmp_path, write(tmp_path, ["text", "quick"]))


FUEL = ("--charge", "fuel", "--fuel-per-ms", "1000000", "--move-ms", "20", "--seed", "5", "--sandbox", "off")
FEW = ("--max-pairs", "2", "--batch", "2", "--game", "sage-stones", "--option", "stones=3", "--bots", "bots")


@pytest.mark.slow
@pytest.mark.parametrize(("against", "code"), [((), 0), (("--against",), 4)], ids=["compare", "gate"])
def test_modules_are_compared_by_fuel(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, against: tuple[str, ...], code: int
) -> None:
    """With any number of workers the same root; a bot that is not a module is wrong use."""
    monkeypatch.chdir(folder)
    words = ("gate" if against else "compare", "./quick.wasm", *against)
    roots = set()
    for workers in "12":
        db = ("--db", str(tmp_path / f"{workers}.db"))
        done = invoke(*words, "./slow.wasm", *FEW, *FUEL, "--workers", workers, *db)
        assert done.exit_code == code, done.stderr
        (state,) = json.loads(invoke("status", "--format", "json", *db).stdout)["tournaments"]
        roots.add(state["root"])
        assert "4 the same" in invoke("rerun", "--all", *db, "--bots", "bots").stdout
    assert len(roots) == 1
    assert None not in roots
    native = invoke(*words, "random", *FEW, *FUEL, "--db", str(tmp_path / "no.db"))
    assert native.exit_code == 2
    assert "--charge fuel counts the work of WebAssembly modules, and random is none" in native.stderr
    assert native.stderr.count("\n") == 1
    assert not (tmp_path / "no.db").exists()
