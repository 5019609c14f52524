"""``tourney bots check`` of modules: what their moves took, and imports that do not exist."""

import re
from pathlib import Path

import pytest

from tests.addons.fuel.attacks.modules import MODULES, bot
from tests.cli.bots.commands import done, refused
from tests.support.folders import write_bot


def write_module(folder: Path, text: str) -> None:
    """Write a bot whose program is a module, given as text."""
    wasmtime = pytest.importorskip("wasmtime")
    written = write_bot(folder, "module", {}, command='["bot.wasm"]', games='["sage-stones"]')
    (written / "bot.wasm").write_bytes(wasmtime.wat2wasm(text))


@pytest.mark.compiler
def test_check_of_a_module_says_what_its_moves_took(tmp_path: Path) -> None:
    write_module(tmp_path, bot())
    said = done("check", str(tmp_path / "module"), "--sandbox", "off").splitlines()
    (line,) = (line for line in said if "by fuel" in line)
    found = re.fullmatch(
        r"ok   sage-stones by fuel, against itself: (\d+) moves, about ([\d,]+) fuel \(([\d.]+) ms\) each"
        r" in the median and about ([\d,]+) fuel .* at most, at ([\d,]+) fuel a millisecond; the same again",
        line,
    )
    assert found is not None, line
    moves, middle, ms, most, per_ms = (float(text.replace(",", "")) for text in found.groups())
    assert moves > 10
    assert 0 < middle <= most
    assert middle == pytest.approx(ms * per_ms, rel=0.01)


def test_check_names_imports_that_do_not_exist(tmp_path: Path) -> None:
    (module,) = (module for module in MODULES if module.name == "missing-import")
    write_module(tmp_path, module.text)
    said = refused("check", str(tmp_path / "module"), "--sandbox", "off")
    assert "it imports env.gettimeofday, which bots do not have" in said
    assert len(said.splitlines()) == 1
