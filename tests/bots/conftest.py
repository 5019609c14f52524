"""What the tests of bots share: a store, and folders that hold a bot."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tourney.bots.store import BotStore

MakeBot = Callable[..., Path]


@pytest.fixture
def store(tmp_path: Path) -> BotStore:
    return BotStore(tmp_path / "store")


@pytest.fixture
def make_bot(tmp_path: Path) -> MakeBot:
    """Return a function that writes a bot's folder; a keyword ``toml`` replaces lines of its manifest."""

    def make(name: str = "mybot", files: dict[str, str] | None = None, **toml: str) -> Path:
        folder = tmp_path / "src" / name
        folder.mkdir(parents=True, exist_ok=True)
        lines = {"name": f'"{name}"', "version": '"1.0"', "command": '["python3", "bot.py"]'} | toml
        manifest = "".join(f"{key.replace('_', '-')} = {value}\n" for key, value in lines.items())
        (folder / "bot.toml").write_text(manifest)
        for path, text in (files or {"bot.py": f"# {name}\n"}).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        return folder

    return make
