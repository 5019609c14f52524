"""Title, description, logo and links of a tournament: checked, kept, carried, and outside all digests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import genuine
from tests.support.tournaments import write_file
from tourney.bots.catalogue.store import BotStore
from tourney.check.database import check_database
from tourney.check.root import compute_root
from tourney.errors import TournamentError
from tourney.exchange.importing import import_tournament
from tourney.exchange.lines import export_lines
from tourney.parsing import parse_json
from tourney.run.engine.tournament_run import open_tournament
from tourney.run.tournament_file import read_tournament_file
from tourney.schema import SchemaError, read
from tourney.store.database import Database, copy_database
from tourney.store.presentation import (
    MAX_LOGO,
    NO_PRESENTATION,
    Link,
    Presentation,
    check_logo,
    logo_text,
)

PNG = b"\x89PNG\r\n\x1a\n rest"
SVG = b'<?xml version="1.0"?>\n<!-- > a <script> in words -->\n<svg xmlns="x"><path d="M0 0"/></svg>'
FULL = Presentation(
    "<b>Cup</b> \u05d0",
    "One.\n\nTwo.",
    (Link("Bots", "https://example.org/?a=1&b=2"), Link("Mail", "mailto:a@example.org")),
    logo_text(PNG),
)

FILE = """
name = "cup"
game = "sage-stones"
seed = 7
bots = ["pebble", "random"]
"""
KEYS = '''
title = "<b>Cup</b> \u05d0"
description = """One.

Two."""
logo = "pictures/logo"
[links]
"Bots" = "https://example.org/?a=1&b=2"
"Mail" = "mailto:a@example.org"
'''


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Database]:
    with Database.open(str(tmp_path / "one.db"), create=True) as opened:
        yield opened


@pytest.mark.parametrize(
    ("content", "suffix"),
    [(PNG, "png"), (b"\xff\xd8\xff\xe0", "jpg"), (b"RIFF\0\0\0\0WEBPVP8 ", "webp"), (SVG, "svg")],
)
def test_logo_kind_comes_from_its_content(content: bytes, suffix: str) -> None:
    assert check_logo(content.replace(b"<script>", b"")) == suffix


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"GIF89a",
        b"<html><svg></svg>",
        b"<svg><script>1</script></svg>",
        b"<svg><s:script/></svg>",
        b"<svg\nonload='x'></svg>",
        b"<svg><foreignObject/></svg>",
        b"<svg><a href='javascript:1'/></svg>",
        b"<!DOCTYPE svg [<!ENTITY a 'b'>]><svg></svg>",
        PNG + bytes(MAX_LOGO),
    ],
)
def test_other_files_are_no_logo(content: bytes) -> None:
    with pytest.raises(SchemaError):
        check_logo(content)


@pytest.mark.parametrize(
    "data",
    [
        {"title": "a\nb"},
        {"title": "x" * 201},
        {"description": "\x1b[31m"},
        {"links": [{"title": "x", "url": "javascript:alert(1)"}]},
        {"links": [{"title": "x", "url": "https://a b"}]},
        {"links": [{"title": "x", "url": "data:text/html,x"}]},
        {"links": [{"title": "", "url": "https://a"}]},
        {"links": [{"title": "x", "url": "https://a"}] * 31},
        {"logo": "no base64!"},
        {"logo": logo_text(b"GIF89a")},
        {"colour": "red"},
    ],
)
def test_bad_presentations_are_refused(data: object) -> None:
    with pytest.raises(SchemaError):
        read(data, Presentation)


def test_file_keys_are_read(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "logo").write_bytes(PNG)
    path = write_file(tmp_path, FILE + KEYS)
    assert read_tournament_file(path).presentation == FULL
    assert not read_tournament_file(write_file(tmp_path, FILE)).presentation


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('logo = "none.png"', "the logo .*none.png cannot be read: No such file"),
        ('logo = "."', "the logo .* cannot be read: Is a directory"),
        ('logo = "large"', "large: a logo has at most 256 KiB"),
        ('logo = "empty"', "logo names .*empty, which is empty"),
        ('logo = "text"', "logo is not a PNG, JPEG, WebP or SVG image"),
        ('title = "a\\u0007"', "title is .* must hold no control character"),
        ('[links]\nx = "ftp://a"', r"\[links\]: x is .*must begin with https://"),
    ],
)
def test_bad_file_keys_are_one_error(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "large").write_bytes(PNG + bytes(MAX_LOGO))
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "text").write_bytes(b"hello")
    with pytest.raises(TournamentError, match=words) as error:
        read_tournament_file(write_file(tmp_path, FILE + text))
    assert "\n" not in str(error.value)


def test_later_file_changes_presentation_but_no_digest(tmp_path: Path) -> None:
    bots = BotStore(tmp_path / "bots")
    said: list[str] = []

    def start(text: str) -> tuple[Presentation, object]:
        file = read_tournament_file(write_file(tmp_path, text))
        with open_tournament(file, str(tmp_path / "t.db"), bots, said.append) as (repository, tournament, _):
            return repository.tournaments.presentation(tournament.id), tournament

    first, before = start(FILE + 'title = "One"')
    said.clear()
    second, after = start(FILE + 'title = "Two"')
    assert (first.title, second.title) == ("One", "Two")
    assert before == after
    assert said == ["the title, description, logo or links of cup have changed"]
    assert start(FILE)[0] == NO_PRESENTATION


def test_presentation_survives_export_import_and_copy(repository: Database, tmp_path: Path) -> None:
    tournament = genuine.begin(repository)
    genuine.play_all(repository, tournament)
    root = compute_root(repository, tournament)
    repository.tournaments.keep_presentation(tournament.id, FULL)
    assert compute_root(repository, tournament) == root
    text = b"".join(export_lines(repository, tournament, measured=False)).decode("ascii")
    lines = [(f"line {n}", parse_json(line, unique=True)) for n, line in enumerate(text.splitlines(), 1)]
    with Database.open(str(tmp_path / "two.db"), create=True) as other:
        again = import_tournament(other, lines, "2026-11-20")
        assert other.tournaments.presentation(again.id) == FULL
    copy_database(str(tmp_path / "two.db"), str(tmp_path / "three.db"))
    with Database.open(str(tmp_path / "three.db")) as copied:
        assert copied.tournaments.presentation(1) == FULL
    assert check_database(str(tmp_path / "three.db")) == ()
