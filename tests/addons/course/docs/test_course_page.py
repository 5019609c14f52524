"""The guide to courses works as printed, from archives to a site, private replies, marks and a final."""

import shlex
import zipfile
from pathlib import Path

import pytest

from tests.docs.pages import blocks, every_block, page
from tests.support.command import invoke
from tourney.addons.course.marks import read_marks
from tourney.bots.catalogue.shipped import shipped_digests
from tourney.run.tournament_file import read_tournament_file

PAGE = page("how-to/run-a-course.md")
BOT = """import sys
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "tourney":
        print("bot wants=legal", flush=True)
    elif word == "game":
        print("ready", flush=True)
    elif word == "legal":
        actions = rest.split(" ")
    elif word == "go":
        print("thinking", file=sys.stderr, flush=True)
        print("move", actions[INDEX], flush=True)
    elif word == "quit":
        break
"""
SMALL = {
    "rounds = 5": "rounds = 1",
    "games-per-pairing = 40": "games-per-pairing = 2",
    "move-ms = 1000": 'move-ms = 60000\nstartup-ms = 60000\n[run]\nsandbox = "off"\nreuse = true',
}
"""Sizes with which the guide takes little time, and limits that no slow machine exceeds."""
DIGESTS = {name.upper(): digest for name, digest in shipped_digests().items() if name in ("random", "greedy")}


def hand_in(folder: Path, name: str, index: int, version: str = "1") -> None:
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
        keys = f'name = "{name}"\nversion = "{version}"\ngames = ["sage-stones"]\n'
        archive.writestr("bot.toml", f'{keys}command = ["python3", "bot.py"]\n')
        archive.writestr("bot.py", BOT.replace("INDEX", str(index)))


def files() -> dict[str, str]:
    """The files of the page by name, small."""
    texts = {}
    for text in blocks(PAGE, "toml"):
        for old, new in (SMALL | DIGESTS).items():
            text = text.replace(old, new)  # noqa: PLW2901 - the same text, step by step
        name = next((line.split('"')[1] for line in text.splitlines() if line.startswith("name = ")), "marks")
        texts[f"{name}.toml"] = text
    return texts


def test_files_on_the_page_are_read(tmp_path: Path) -> None:
    hand_in(tmp_path / "submissions", "anna", 0)
    for name, text in files().items():
        (tmp_path / name).write_text(text)
    assert len(read_tournament_file(tmp_path / "course.toml").entrants) == 3
    assert len(read_tournament_file(tmp_path / "staff.toml").entrants) == 3
    assert [step.mark for step in read_marks(tmp_path / "marks.toml").step] == [10, 15]


@pytest.mark.slow
def test_guide_leads_from_archives_to_a_final(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for index, name in enumerate(("anna", "ben", "carl")):
        hand_in(tmp_path / "submissions", name, index % 2 - 1)
    for name, text in files().items():
        (tmp_path / name).write_text(text)
    commands = [line for kind, text in every_block(PAGE) if kind == "sh" for line in text.splitlines()]
    assert len(commands) >= 12
    for line in commands:
        program, *words = shlex.split(line)
        assert program == "tourney"
        if "--replace" in words:
            hand_in(tmp_path / "submissions", "anna", 0, "2")
        if words[:2] == ["bots", "check"]:
            words += ["--move-ms", "60000", "--startup-ms", "60000", "--sandbox", "off"]
        if words[0] == "run":
            words += ["--workers", "1"]
        if "--from" in words:
            keys = ("limits.move-ms=60000", "run.sandbox=off", "run.reuse=true")
            words += [word for key in keys for word in ("--set", key)]
        done = invoke(*words)
        assert done.exit_code == 0, f"{line}\n{done.output}"
    assert (tmp_path / "site" / "index.html").is_file()
    assert (
        (tmp_path / "receipts" / "anna.zip.txt")
        .read_text()
        .startswith("submissions/anna.zip\nresult: passed")
    )
    replies = [path.name for path in (tmp_path / "replies").iterdir() if (path / "index.html").is_file()]
    assert sorted(replies) == ["anna", "ben", "carl", "greedy", "random"]
    assert "anna" in (tmp_path / "overall.html").read_text()
    assert (tmp_path / "course-2.toml").is_file()
    assert invoke("verify", "--all").exit_code == 0
