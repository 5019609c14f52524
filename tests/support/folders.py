"""Folders of bots for tests."""

import os
from collections.abc import Mapping
from pathlib import Path


def write_bot(parent: Path, name: str = "mybot", files: Mapping[str, str] | None = None, **toml: str) -> Path:
    """Write a bot's folder and return it; a keyword is a line of its manifest, as TOML, ``_`` for ``-``."""
    folder = parent / name
    folder.mkdir(parents=True, exist_ok=True)
    lines = {"name": f'"{name}"', "version": '"1.0"', "command": '["python3", "bot.py"]'} | toml
    manifest = "".join(f"{key.replace('_', '-')} = {value}\n" for key, value in lines.items())
    (folder / "bot.toml").write_text(manifest)
    for path, text in ({"bot.py": f"# {name}\n"} if files is None else files).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def write_shell_bot(parent: Path, name: str, cases: str, *, games: str = '["sages-tafl"]') -> Path:
    """Write a bot in shell whose answers are a ``case``'s branches over the first word of a line."""
    script = f"while read -r word rest; do case $word in\n{cases}\nquit) exit 0;; esac; done\n"
    return write_bot(parent, name, {"bot.sh": script}, command='["sh", "bot.sh"]', games=games)


def nest(folder: Path, depth: int) -> None:
    """Make folders within each other, deeper than any path may be."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        for _ in range(depth):
            os.mkdir("d", dir_fd=fd)
            inner = os.open("d", os.O_RDONLY, dir_fd=fd)
            os.close(fd)
            fd = inner
    finally:
        os.close(fd)
