"""References to bots: a path, then the store, then the shipped bots."""

import shutil
from pathlib import Path

import pytest

from tests.bots.conftest import MakeBot
from tourney.bots.catalogue.shipped import provenance, shipped_bots
from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.errors import BotError


def test_path_is_added_to_the_store(store: BotStore, make_bot: MakeBot, tmp_path: Path) -> None:
    """It has a slash or names a bot's folder beside the tournament file; the bot stays in the store."""
    folder = make_bot()
    bot = resolve_bot("./mybot", store, folder.parent)
    assert bot == resolve_bot("mybot", store, folder.parent) == resolve_bot(str(folder), store, tmp_path)
    (folder / "bot.py").write_text("moved on")
    assert resolve_bot("./mybot", store, folder.parent).digest != bot.digest
    assert store.fetch(bot.digest) == bot


def test_folder_without_manifest_needs_a_slash(store: BotStore, make_bot: MakeBot, tmp_path: Path) -> None:
    """A name means the stored bot, also beside a folder of that name."""
    (tmp_path / "random").mkdir()
    assert resolve_bot("random", store, tmp_path).manifest.name == "random"
    with pytest.raises(BotError, match=r"random: there is no bot\.toml"):
        resolve_bot("./random", store, tmp_path)


def test_missing_path_is_not_taken_for_a_name(store: BotStore, tmp_path: Path) -> None:
    with pytest.raises(BotError, match=r"there is no bot .*/random: No such file"):
        resolve_bot("./random", store, tmp_path)


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
                " alphabeta, greedy, heron, mason, mcts, pebble, random, skipper"
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
        "greedy",
        "heron",
        "mason",
        "mcts",
        "pebble",
        "random",
        "skipper",
    ]
    assert all((folder / "bot.toml").is_file() for folder in shipped_bots().values())
