"""The bot store: atomic additions, a check at each fetch, and search by name."""

import errno
import multiprocessing
import os
import shutil
import stat
import zipfile
from pathlib import Path

import pytest

from tests.bots.conftest import MakeBot, inside
from tourney.bots.catalogue.manifest import Manifest
from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.bots.catalogue.tree import content_digest, hash_tree
from tourney.errors import BotError, StoreError


def unlock(folder: Path) -> None:
    """Make a stored folder writable, so that a test can damage it."""
    for place in [folder, *folder.rglob("*")]:
        place.chmod(place.stat().st_mode | 0o200)


def test_folder_is_stored_as_submitted(store: BotStore, make_bot: MakeBot) -> None:
    """Files and bits are the same, without .git and __pycache__ at any depth; the digest names it."""
    folder = make_bot(files={"bot.py": "x", "data/table.txt": "y"})
    (folder / "data" / "table.txt").chmod(0o755)
    wanted = content_digest(hash_tree(folder))
    for name in (".git", "data/__pycache__"):
        (folder / name).mkdir()
        (folder / name / "junk").write_text("junk")
    bot = store.add(folder)
    assert bot.digest == wanted
    assert bot.folder == store.root / "entries" / wanted / "files"
    assert hash_tree(bot.folder) == hash_tree(store.fetch(wanted).folder)
    assert {str(path.relative_to(bot.folder)) for path in bot.folder.rglob("*")} == {
        "bot.toml",
        "bot.py",
        "data",
        "data/table.txt",
    }
    assert bot.manifest == Manifest("mybot", "1.0", ("python3", "bot.py"))


def test_entry_is_read_only(store: BotStore, make_bot: MakeBot) -> None:
    bot = store.add(make_bot(files={"bot.py": "x", "sub/y": "y"}))
    for path in [bot.folder.parent, *bot.folder.parent.rglob("*")]:
        assert not path.stat().st_mode & 0o222, path


def test_temporary_files_are_removed(store: BotStore, make_bot: MakeBot) -> None:
    store.add(make_bot())
    assert list((store.root / "temporary").iterdir()) == []


def test_program_is_stored_with_a_manifest_from_its_name(store: BotStore, tmp_path: Path) -> None:
    program = tmp_path / "My Bot.sh"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    bot = store.add(program)
    assert bot.manifest == Manifest("my-bot", "0", ("./My Bot.sh",))
    assert [path.name for path in bot.folder.iterdir()] == ["My Bot.sh"]
    assert bot == store.fetch(bot.digest)


@pytest.mark.parametrize("top", ["", "mybot/"])
def test_zip_has_the_digest_of_its_folder(
    store: BotStore, make_bot: MakeBot, tmp_path: Path, top: str
) -> None:
    """The archive may include the folder itself, and records the executable bits."""
    folder = make_bot(files={"run.sh": "x"}, command='["./run.sh"]')
    (folder / "run.sh").chmod(0o755)
    with zipfile.ZipFile(tmp_path / "bot.zip", "w") as archive:
        for path in sorted(folder.iterdir()):
            archive.write(path, top + path.name)
        archive.writestr(top + "__pycache__/x.pyc", b"junk")
    assert store.add(tmp_path / "bot.zip").digest == store.add(folder).digest


def test_build_output_is_not_part_of_the_bot(store: BotStore, make_bot: MakeBot) -> None:
    """The digest is the same before and after the author's build."""
    folder = make_bot(
        files={"run.c": "x", "src/part.c": "y"},
        command='["./run"]',
        build='["make"]',
        build_output='["run", "*.o", "out/"]',
    )
    before = store.add(folder).digest
    (folder / "out").mkdir()
    for name in ("run", "run.o", "src/part.o", "out/x"):
        (folder / name).write_text("made")
    assert store.add(folder).digest == before
    (folder / "src" / "more.c").write_text("z")
    assert store.add(folder).digest != before


def test_file_at_the_end_of_the_longest_path_is_stored(store: BotStore, make_bot: MakeBot) -> None:
    deep = "d/" * 511 + "ef"
    bot = store.add(make_bot(files={"bot.py": "", deep: "x"}))
    assert (bot.folder / deep).read_text() == "x"
    store.remove(bot.digest)
    assert store.restore(bot.digest) == bot


def test_adding_again_changes_nothing(store: BotStore, make_bot: MakeBot) -> None:
    first = store.add(make_bot())
    before = inside(store)
    assert store.add(make_bot()) == first
    assert inside(store) == before


def change(files: Path) -> None:
    (files / "bot.py").write_text("changed")


def delete(files: Path) -> None:
    (files / "bot.py").unlink()


def extra(files: Path) -> None:
    (files / "__pycache__").mkdir()
    (files / "__pycache__" / "bot.cpython-311.pyc").write_text("evil")


def flip_bit(files: Path) -> None:
    (files / "bot.py").chmod(0o755)


def relink(files: Path) -> None:
    (files / "bot.py").unlink()
    (files / "bot.py").symlink_to("/etc/passwd")


def spoil_list(files: Path) -> None:
    (files.parent / "files.json").write_text("[]")


def drop_list(files: Path) -> None:
    (files.parent / "files.json").unlink()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (change, r"the content of bot\.py has changed"),
        (delete, r"bot\.py is missing"),
        (extra, "__pycache__/bot.cpython-311.pyc does not belong there"),
        (flip_bit, r"the executable bit of bot\.py has changed"),
        (relink, r"bot\.py is a link"),
        (spoil_list, "its list of files does not match the digest"),
        (drop_list, r"files\.json cannot be read: No such file"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_damaged_entry_is_named_and_adding_repairs_it(
    store: BotStore, make_bot: MakeBot, damage: object, message: str
) -> None:
    """``fetch`` finds any difference from the submitted files."""
    bot = store.add(make_bot())
    unlock(bot.folder.parent)
    assert callable(damage)
    damage(bot.folder)
    with pytest.raises(BotError, match=message) as caught:
        store.fetch(bot.digest)
    assert bot.digest in str(caught.value)
    assert store.add(make_bot()) == bot
    assert store.fetch(bot.digest) == bot


def test_unknown_digest_is_refused(store: BotStore) -> None:
    with pytest.raises(BotError, match="has no bot with the digest"):
        store.fetch("0" * 64)
    with pytest.raises(BotError, match="has no bot with the digest"):
        store.fetch("../../etc")


def test_name_means_the_bot_added_last(store: BotStore, make_bot: MakeBot) -> None:
    """Versions and digests do not count; adding a bot again makes it the last."""
    old = store.add(make_bot(version='"2.0"'))
    new = store.add(make_bot(version='"1.0"'))
    other = store.add(make_bot("other"))
    assert store.find("mybot") == new
    assert store.find("mybot@2.0") == old
    assert store.find("mybot@3.0") is None
    assert store.find("unknown") is None
    assert store.find("other") == other
    assert store.add(make_bot(version='"2.0"')) == store.find("mybot") == old


def test_added_bot_wins_over_a_used_one(store: BotStore, make_bot: MakeBot) -> None:
    added = store.add(make_bot(version='"1"'))
    used = store.add(make_bot(version='"2"'), origin="used")
    assert store.find("mybot") == added
    assert store.find("mybot@2") == used
    assert store.find("mybot@2", origin="added") is None
    assert [(entry.digest, entry.origin) for entry in store.entries()] == [
        (added.digest, "added"),
        (used.digest, "used"),
    ]
    store.add(make_bot(version='"2"'))
    assert store.find("mybot") == used


def test_bot_is_found_by_beginning_of_its_digest(store: BotStore, make_bot: MakeBot) -> None:
    bot = store.add(make_bot())
    assert store.find(bot.digest) == store.find(bot.digest[:6]) == bot
    assert store.find(bot.digest[:5]) is None
    twin = store.root / "entries" / (bot.digest[:12] + "0" * 52)
    shutil.copytree(bot.folder.parent, twin)
    with pytest.raises(BotError, match="begins 2 digests"):
        store.find(bot.digest[:8])


def test_list_includes_damaged_entries(store: BotStore, make_bot: MakeBot) -> None:
    bad, good = store.add(make_bot("bad")), store.add(make_bot("good"))
    unlock(bad.folder.parent)
    (bad.folder / "bot.toml").write_text("name = ")
    listed = store.entries()
    assert [entry.bot for entry in listed] == [None, good]
    assert "is not valid TOML" in listed[0].damage


def test_torn_line_of_the_log_is_skipped(store: BotStore, make_bot: MakeBot) -> None:
    first = store.add(make_bot(version='"1"'))
    with (store.root / "added").open("a") as log:
        log.write(f"{first.digest[:20]}")
    second = store.add(make_bot(version='"2"'))
    assert store.find("mybot") == second


def test_removed_bot_can_be_restored(store: BotStore, make_bot: MakeBot) -> None:
    bot = store.add(make_bot())
    store.remove(bot.digest)
    assert store.find("mybot") is None
    assert store.entries() == ()
    with pytest.raises(BotError, match=f"remove --undo {bot.digest[:12]}` brings it back"):
        store.fetch(bot.digest)
    with pytest.raises(BotError, match="has no bot with the digest"):
        store.remove(bot.digest)
    assert store.restore(bot.digest[:12]) == bot
    assert store.find("mybot") == bot
    with pytest.raises(BotError, match="no bot with the digest"):
        store.restore(bot.digest)


def test_removing_twice_keeps_one_copy(store: BotStore, make_bot: MakeBot) -> None:
    bot = store.add(make_bot())
    for _ in range(2):
        store.remove(bot.digest)
        assert store.add(make_bot()) == bot
    assert store.fetch(bot.digest) == bot


def test_leftovers_of_killed_addition_are_removed(store: BotStore, make_bot: MakeBot) -> None:
    store.add(make_bot())
    left = store.root / "temporary" / "left" / "entry" / "files"
    left.mkdir(parents=True)
    (left / "x").write_text("half")
    (left / "x").chmod(0o444)
    left.chmod(0o555)
    store.add(make_bot("other"))
    assert list((store.root / "temporary").iterdir()) == []


def _add(root: Path, folder: Path) -> str:
    return BotStore(root).add(folder).digest


def test_processes_add_the_same_bot_at_once(store: BotStore, make_bot: MakeBot) -> None:
    """Four processes add the same two bots at the same time; each finds both whole."""
    one, two = make_bot("one"), make_bot("two")
    context = multiprocessing.get_context("spawn")
    with context.Pool(4) as pool:
        jobs = [(store.root, folder) for folder in (one, two) * 6]
        digests = pool.starmap(_add, jobs)
    assert len(set(digests)) == 2
    assert {store.fetch(digest).manifest.name for digest in digests} == {"one", "two"}


def test_reading_does_not_make_a_store(store: BotStore) -> None:
    assert store.entries() == ()
    assert store.find("x") is None
    assert not store.root.exists()


def test_file_in_the_place_of_a_store_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"/file is not a folder; choose another one with --bots$"):
        BotStore(tmp_path / "file").find("random")


def test_store_that_cannot_be_written_is_an_environment_failure(make_bot: MakeBot, tmp_path: Path) -> None:
    """A file stands in the store's place, so that root cannot write there either."""
    (tmp_path / "file").write_text("")
    message = (
        r"bot store .*/file/store cannot be written: Not a directory; choose another folder with --bots$"
    )
    with pytest.raises(StoreError, match=message):
        BotStore(tmp_path / "file" / "store").add(make_bot())


@pytest.mark.parametrize(("number", "words"), [(errno.ENOSPC, "No space left"), (errno.EIO, "Input/output")])
def test_failing_disk_is_an_environment_failure(
    store: BotStore, make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    """It leaves an empty store."""

    def full(_fd: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match=f"cannot be written: {words}"):
        store.add(make_bot())
    assert inside(store) == {"entries", "temporary"}


def test_store_inside_the_bot_is_refused(make_bot: MakeBot) -> None:
    """`tourney bots add .` would make the store contain itself."""
    folder = make_bot()
    with pytest.raises(BotError, match="lies inside the bot's folder"):
        BotStore(folder / "tourney-bots").add(folder)
    assert not (folder / "tourney-bots").exists()


def test_umask_does_not_affect_the_store(store: BotStore, make_bot: MakeBot) -> None:
    """Digest and bits stay the same, so that a sandbox's own user can read the entry."""
    before = os.umask(0o077)
    try:
        bot = store.add(make_bot(files={"bot.py": "", "sub/x": ""}))
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in [bot.folder, *bot.folder.rglob("*")]}
    assert modes == {0o555, 0o444}


# -- references to bots: a path, then the store, then the shipped bots -------------------------------------


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


def test_digest_never_means_a_bot_of_that_name(store: BotStore, make_bot: MakeBot) -> None:
    """Otherwise a bot called like another one's digest would play in its place."""
    victim = store.add(make_bot(files={"bot.py": "victim"}))
    impostor = make_bot(files={"bot.py": "impostor"})
    text = (impostor / "bot.toml").read_text()
    (impostor / "bot.toml").write_text(text.replace('"mybot"', f'"{victim.digest}"'))
    store.add(impostor)
    assert store.locate(victim.digest) == victim.digest
    assert resolve_bot(victim.digest, store).digest == victim.digest
    assert store.locate("0" * 64) is None
