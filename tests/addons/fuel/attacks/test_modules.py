"""Hostile WebAssembly modules under fuel: each has its fault in its seat, and only there.

The module runs in a host process in the bot's sandbox. Nothing here depends on the machine's speed: a module
out of fuel stops, however slow its instructions are.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from tests.addons.fuel.attacks.modules import MODULES, PROBES, Module, bot, slow_to_compile
from tests.support.containment import bubblewrap_works
from tests.support.folders import write_bot
from tests.support.tables import toy
from tourney.addons.fuel import runtime
from tourney.bots.catalogue.store import BotStore
from tourney.bots.metering import PLAIN_METER
from tourney.bots.sandbox import sandbox
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.errors import BotError
from tourney.match.result import PlayedMatch
from tourney.match.runner import MatchRunner, StoreLauncher, entrant_of
from tourney.match.spec import Entrant, Limits, MatchSpec

pytestmark = pytest.mark.containment

wasmtime = pytest.importorskip("wasmtime")

LIMITS = Limits(
    move_ms=20, margin_ms=0, startup_ms=20, memory_mb=256, charge="fuel", fuel_per_ms=6_000_000
).metered()


class Table:
    """A hostile module at the first seat of toe, an honest one at the second."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._store = BotStore(folder / "store")
        self.sandbox = open_sandbox("auto" if bubblewrap_works() else "off")
        self._launch = StoreLauncher(self._store, self.sandbox)
        self._runner = MatchRunner(self._launch, sandbox=self.sandbox, find=toy)
        self._honest = self.add("honest", bot())

    def add(self, name: str, text: str, size: int = 0) -> Entrant:
        folder = write_bot(self._folder, name, {}, command='["bot.wasm"]')
        (folder / "bot.wasm").write_bytes(wasmtime.wat2wasm(text))
        if size:
            os.truncate(folder / "bot.wasm", size)
        return entrant_of(self._store.add(folder), name)

    def play(
        self, name: str, text: str, *, seed: int = 1, size: int = 0, limits: Limits = LIMITS
    ) -> PlayedMatch:
        entrants = (self.add(name, text, size), self._honest)
        return self._runner.play(MatchSpec("toe", (), entrants, seed, limits))

    def close(self) -> None:
        self._runner.close()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    folder = tmp_path_factory.mktemp("modules")
    folder.chmod(0o755)
    made = Table(folder)
    yield made
    made.close()


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_module_harms_only_its_own_match(module: Module, table: Table) -> None:
    if module.fault == "refused":
        with pytest.raises(BotError, match=module.note):
            table.play(module.name, module.text)
        return
    played = table.play(module.name, module.text)
    faults = [(seat, kind) for seat, kind, _ in played.record.outcome.faults]
    notes = " ".join(played.lines(1, "note"))
    assert faults == ([(1, module.fault)] if module.fault else []), notes
    assert module.note in notes
    if module.seen:
        assert played.lines(1, "info")[: len(module.seen)] == list(module.seen)
    again = table.play(module.name, module.text)
    assert again.record.digest == played.record.digest
    assert again.lines(1, "info") == played.lines(1, "info")


@pytest.mark.parametrize("module", PROBES, ids=lambda module: module.name)
def test_probe_sees_the_same_in_every_run(module: Module, table: Table) -> None:
    """And another thing in a match with another seed."""
    one, same, other = (
        table.play(f"{module.name}-probe", module.text, seed=seed).lines(1, "info") for seed in (1, 1, 2)
    )
    assert len(set(one)) == len(one) > 2
    assert same == one
    assert other != one


def test_slow_compilation_is_stopped(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "COMPILE_SECONDS", 1)
    with pytest.raises(BotError, match="takes longer than 1 s to compile"):
        table.play("slow", slow_to_compile(6_000))


def test_large_compilation_is_stopped(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    if table.sandbox.protections["total-memory"] != "enforced":
        pytest.skip("no control group bounds memory here")
    monkeypatch.setattr(runtime, "COMPILE_MB", 16)
    monkeypatch.setattr(sandbox, "HOST_MB", 120)
    with pytest.raises(BotError, match="memory"):
        table.play("large", slow_to_compile(2_500))


def test_module_of_200_mb_is_refused(table: Table) -> None:
    with pytest.raises(BotError, match=r"bot\.wasm is larger than 64 MiB"):
        table.play("vast", bot(), size=200 << 20)


def test_older_meter_counts_as_before(table: Table) -> None:
    """A match by it replays to its digest; by the new one the same work is beyond the limit."""
    grown = (
        "(local.set $k (i32.const 2000000)) (loop $next (drop (memory.grow (i32.const 0)))"
        " (br_if $next (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))"
    )
    text = bot(grown * 4, local="(local $k i32)")
    older = structs.replace(LIMITS, meter=PLAIN_METER)
    one, same, new = (table.play("grows", text, limits=limits).record for limits in (older, older, LIMITS))
    assert one.outcome.faults == ()
    assert same.digest == one.digest
    assert [kind for _, kind, _ in new.outcome.faults] == ["timeout"]
