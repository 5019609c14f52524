"""The bots that ship: in the store, beside others of their names, and on the anchor ladders."""

import shutil
from pathlib import Path

import pytest

from tests.bots.conftest import MakeBot
from tourney.bots.catalogue.manifest import read_manifest
from tourney.bots.catalogue.shipped import ladder_of, ladders, provenance, shipped_bots
from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.errors import BotError
from tourney.games.registry import find_game


def test_ladders_have_five_rungs_of_different_names() -> None:
    assert {game for game, _ in ladders()} == {
        "cyvasse", "element", "sage-stones", "sages-tafl", "seven-sages"
    }  # fmt: skip
    for (game, seats), rungs in ladders().items():
        assert seats in find_game(game).seat_counts
        assert len({rung.name for rung in rungs}) == len(rungs) >= 5
        assert rungs[0].name == "random"
        assert "greedy" in {rung.name for rung in rungs}


def test_rungs_name_shipped_bots_that_play_the_game() -> None:
    shipped = shipped_bots()
    for (game, _), rungs in ladders().items():
        for rung in rungs:
            manifest = read_manifest((shipped[rung.bot] / "bot.toml").read_text(), rung.bot)
            assert manifest.plays(game)


def test_unknown_ladder_has_no_rungs() -> None:
    assert ladder_of("sages-tafl", 3) == ()
    assert ladder_of("no-such-game", 2) == ()


def test_shipped_bot_is_added_to_the_store(store: BotStore, tmp_path: Path) -> None:
    bot = resolve_bot("random", store, tmp_path)
    assert bot.folder.is_relative_to(store.root)
    assert store.fetch(bot.digest) == bot
    assert resolve_bot(f"random@{bot.manifest.version}", store, tmp_path) == bot


def test_added_bot_replaces_a_shipped_one_on_request(
    store: BotStore, make_bot: MakeBot, tmp_path: Path
) -> None:
    """Once it was added so, its path may be used as well."""
    folder = make_bot("random", version='"9"')
    own = store.add(folder, replace_shipped=True)
    assert resolve_bot("random", store, tmp_path) == own
    assert resolve_bot(str(folder), store, tmp_path) == own


@pytest.mark.parametrize("name", list(shipped_bots()))
def test_name_of_a_shipped_bot_is_refused_to_others(
    store: BotStore, make_bot: MakeBot, tmp_path: Path, name: str
) -> None:
    """Whether it comes as a folder or as a program, added or used by path; nothing is stored."""
    folder = make_bot(name, {"bot.py": "", name: "#!/bin/sh\n"}, version='"9"')
    (folder / name).chmod(0o755)
    for source in (folder, folder / name):
        with pytest.raises(
            BotError, match=f"it is called {name}, as a bot that ships with Tourney.*--replace"
        ):
            store.add(source)
        with pytest.raises(BotError, match=f"{source}: it is called {name}"):
            resolve_bot(str(source), store, tmp_path)
    assert store.entries() == ()


def test_copy_of_a_shipped_bot_is_that_bot(store: BotStore, tmp_path: Path) -> None:
    """Its digest decides, not where it lies."""
    shutil.copytree(shipped_bots()["random"], tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    assert store.add(tmp_path / "copy") == resolve_bot("random", store, tmp_path)


def test_provenance_is_decided_by_the_digest() -> None:
    shipped = {"random": "a" * 64, "greedy": "b" * 64}
    assert provenance("a" * 64, ("random", "random"), shipped) == "shipped"
    assert provenance("a" * 64, ("random-1", "random"), shipped) == "shipped"
    assert provenance("c" * 64, ("mybot", "mybot"), shipped) == "submitted"
    assert provenance("c" * 64, ("mybot", "random"), shipped) == "replacement"
    assert provenance("c" * 64, ("greedy", "mybot"), shipped) == "replacement"
    assert provenance("a" * 64, ("greedy", "random"), shipped) == "replacement"


def test_newer_shipped_bot_wins_over_its_stored_version(
    store: BotStore, make_bot: MakeBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stored copy does not hide a newer Tourney's bot; name@version still finds the copy."""
    shipped = make_bot("shipped", version='"1"').parent
    monkeypatch.setattr("tourney.bots.catalogue.shipped.engines_dir", lambda: shipped)
    old = resolve_bot("shipped", store, tmp_path)
    make_bot("shipped", version='"2"')
    new = resolve_bot("shipped", store, tmp_path)
    assert new.manifest.version == "2"
    assert resolve_bot("shipped", store, tmp_path) == new
    assert resolve_bot("shipped@1", store, tmp_path) == old
    assert resolve_bot(old.digest[:12], store, tmp_path) == old


def test_bot_used_by_path_is_found_by_name(store: BotStore, make_bot: MakeBot, tmp_path: Path) -> None:
    bot = resolve_bot(str(make_bot()), store, tmp_path)
    assert resolve_bot("mybot", store, tmp_path) == bot


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("randon", "there is no bot 'randon'; did you mean random?"),
        (
            "zzzzzz",
            (
                "there is no bot 'zzzzzz'; there are:"
                " alphabeta, castellan, greedy, heron, mason, mcts, pebble, random"
            ),
        ),
        ("random@77", "there is no bot 'random@77'"),
        ("", "there is no bot ''"),
        ("a\nb", "there is no bot 'a\\nb'"),
        ("./a\0b", "there is no bot './a\\x00b'"),
        ("a" * 300, "there is no bot 'aaa"),
    ],
)
def test_unknown_name_gets_a_suggestion(
    store: BotStore, tmp_path: Path, reference: str, message: str
) -> None:
    with pytest.raises(BotError) as caught:
        resolve_bot(reference, store, tmp_path)
    assert message in str(caught.value)


def test_shipped_bots_are_listed() -> None:
    assert list(shipped_bots()) == [
        "alphabeta",
        "castellan",
        "greedy",
        "heron",
        "mason",
        "mcts",
        "pebble",
        "random",
        "skipper",
        "tinker",
    ]
    assert all((folder / "bot.toml").is_file() for folder in shipped_bots().values())
