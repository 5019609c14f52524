"""``league.toml`` and ``authors.toml``: what is read, and what is refused in a sentence."""

from pathlib import Path

import pytest

from tourney.addons.league.file import house_bots, read_authors_file, read_league_file
from tourney.errors import InputError

LEAST = 'name = "stones"\ngame = "sage-stones"\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "league.toml"
    path.write_text(text)
    return path


def test_least_file_has_defaults(tmp_path: Path) -> None:
    table = read_league_file(written(tmp_path, LEAST))
    assert (table.opens, table.closes) == ("22:00", "07:00")
    assert table.anchors == {"random": 0}
    assert (table.season.weeks, table.quota.seconds_per_night) == (6, 1800)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (LEAST + 'nite = "x"', 'unknown key "nite"'),
        (LEAST + 'nights = "22-07"', "must be two times of day, as 22:00-07:00"),
        (LEAST + 'nights = "22:00-22:00"', "begins and ends at 22:00"),
        (LEAST + "[quota]\nsubmissions-per-day = 0", "[quota]: submissions-per-day is 0"),
        (LEAST + 'house = ["greedy"]', "anchors names random, which is not in house"),
        (
            LEAST + 'house = ["random", "alphabeta"]',
            'house names "alphabeta", which is not a shipped bot that plays',
        ),
        (LEAST + "seats = [5]", "seats"),
        ('name = "stones"\ngame = "nim"', "nim"),
        ("name = ", "not valid TOML"),
    ],
)
def test_bad_file_is_refused_by_key(tmp_path: Path, text: str, sentence: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_league_file(path)
    assert sentence in str(caught.value)
    assert str(path) in str(caught.value)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_league_file(tmp_path / "league.toml")


def test_authors_have_keys_and_accounts(tmp_path: Path) -> None:
    path = tmp_path / "authors.toml"
    assert read_authors_file(path) == {}
    path.write_text('[mason]\nuser = "mason"\nkeys = ["ssh-ed25519 AAAAC3Nz mason@host"]\n')
    assert read_authors_file(path)["mason"].keys == ("ssh-ed25519 AAAAC3Nz mason@host",)


@pytest.mark.parametrize("text", ["[Mason]\n", '[mason]\nkeys = ["none"]\n', "[a.b]\n"])
def test_bad_author_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "authors.toml").write_text(text)
    with pytest.raises(InputError, match=r"authors\.toml"):
        read_authors_file(tmp_path / "authors.toml")


def test_house_bots_play_the_game() -> None:
    assert {"random", "greedy"} <= set(house_bots("sage-stones"))
    assert "alphabeta" not in house_bots("sage-stones")
