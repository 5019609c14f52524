"""Submitted .zip files and folders: unpacked, or refused before anything is written."""

import errno
import os
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bots.conftest import MakeBot, inside
from tests.support.folders import nest
from tourney.bots.catalogue import submission, tree
from tourney.bots.catalogue.store import BotStore
from tourney.bots.catalogue.submission import unpack
from tourney.bots.catalogue.tree import SUBMITTED, Bounds
from tourney.errors import BotError, StoreError
from tourney.held_folder import remove_tree
from tourney.seeds import stream


def info(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name)
    made.create_system = 3
    made.external_attr = mode << 16
    return made


def zip_of(path: Path, *entries: tuple[zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, data in entries:
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return path


def test_files_keep_only_the_owners_executable_bit(tmp_path: Path) -> None:
    archive = zip_of(
        tmp_path / "bot.zip",
        (info("bot.toml"), b"x"),
        (info("bin/run", stat.S_IFREG | stat.S_ISUID | 0o777), b"run"),
        (info("empty/", stat.S_IFDIR | 0o755), b""),
    )
    unpack(archive, tmp_path / "out")
    found = {str(p.relative_to(tmp_path / "out")): p for p in (tmp_path / "out").rglob("*") if p.is_file()}
    assert {name: path.read_bytes() for name, path in found.items()} == {"bot.toml": b"x", "bin/run": b"run"}
    assert stat.S_IMODE(found["bin/run"].stat().st_mode) & 0o7700 == 0o700
    assert not found["bot.toml"].stat().st_mode & 0o111


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "/etc/evil",
        "a/../../evil",
        "a\\..\\evil",
        "..\\evil",
        "C:\\..\\a",
        "a//b",
        "a/./b",
        "..",
        "a\nb",
        "a\x1b[2J",
    ],
)
def test_unsafe_names_are_refused(tmp_path: Path, name: str) -> None:
    """Nothing is written, in the target or beside it."""
    archive = zip_of(tmp_path / "bot.zip", (info("bot.toml"), b"x"), (info(name), b"evil"))
    with pytest.raises(BotError, match=r"not a plain path|unprintable"):
        unpack(archive, tmp_path / "in" / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bot.zip"]


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        (stat.S_IFLNK | 0o777, "is a link"),
        (stat.S_IFIFO | 0o644, "not a regular"),
        (stat.S_IFCHR, "not a regular"),
    ],
)
def test_links_and_devices_are_refused(tmp_path: Path, mode: int, message: str) -> None:
    archive = zip_of(tmp_path / "bot.zip", (info("x", mode), b"/etc/passwd"))
    with pytest.raises(BotError, match=message):
        unpack(archive, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_duplicate_name_is_refused(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        archive = zip_of(tmp_path / "bot.zip", (info("x"), b"1"), (info("x"), b"2"))
    with pytest.raises(BotError, match="holds x twice"):
        unpack(archive, tmp_path / "out")


def test_name_of_file_and_folder_is_refused(tmp_path: Path) -> None:
    archive = zip_of(tmp_path / "bot.zip", (info("x"), b"1"), (info("x/y"), b"2"))
    with pytest.raises(BotError, match="both as a file and as a folder"):
        unpack(archive, tmp_path / "out")


def test_zip_bomb_is_refused_by_its_stated_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One megabyte of zeros packs to a kilobyte; the limit applies to the unpacked size."""
    monkeypatch.setattr(submission, "SUBMITTED", Bounds(10, 1_000_000, "a bot"))
    archive = zip_of(tmp_path / "bot.zip", (info("x"), bytes(1_000_001)))
    assert archive.stat().st_size < 2_000
    with pytest.raises(BotError, match="files hold more than"):
        unpack(archive, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_zip_with_false_size_is_refused(tmp_path: Path) -> None:
    """Both headers state a false size; no more than that is unpacked."""
    archive = zip_of(tmp_path / "bot.zip", (info("x"), bytes(100_000)))
    data = bytearray(archive.read_bytes())
    for marker, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<L", data, data.index(marker) + offset, 10)
    archive.write_bytes(data)
    with pytest.raises(BotError, match=r"not a valid zip file|more than it says"):
        unpack(archive, tmp_path / "out")
    assert sum(path.stat().st_size for path in (tmp_path / "out").rglob("*") if path.is_file()) <= 10


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission, "SUBMITTED", Bounds(3, 1_000_000, "a bot"))
    archive = zip_of(tmp_path / "bot.zip", *((info(f"f{k}"), b"") for k in range(4)))
    with pytest.raises(BotError, match="holds more than 3 files"):
        unpack(archive, tmp_path / "out")


def test_zip_of_too_many_folders_is_refused(tmp_path: Path) -> None:
    """Few names can stand for millions of folders."""
    deep = "/".join("d" * 300)
    archive = zip_of(tmp_path / "bot.zip", *((info(f"{k}/{deep}/f"), b"") for k in range(40)))
    with pytest.raises(BotError, match="holds more than 10,000 folders"):
        unpack(archive, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_huge_central_directory_is_refused_unread(tmp_path: Path) -> None:
    """Its size is checked before it is read."""
    archive = zip_of(tmp_path / "bot.zip", (info("x"), b""))
    data = bytearray(archive.read_bytes())
    struct.pack_into("<L", data, data.index(b"PK\x05\x06") + 12, 1 << 30)
    archive.write_bytes(data)
    with pytest.raises(BotError, match="more names than a bot may have"):
        unpack(archive, tmp_path / "out")


def encrypted(data: bytearray) -> None:
    for marker, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(marker) + offset] |= 1


def lzma(data: bytearray) -> None:
    for marker, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        struct.pack_into("<H", data, data.index(marker) + offset, zipfile.ZIP_LZMA)


def zip64(data: bytearray) -> None:
    data[data.index(b"PK\x05\x06") : data.index(b"PK\x05\x06")] = b"PK\x06\x07" + bytes(16)


def torn(data: bytearray) -> None:
    at = data.index(b"PK\x03\x04") + 32
    data[at : at + 2] = b"\xff\xff"


def no_zip(data: bytearray) -> None:
    data[:] = b"#!/bin/sh\n"


def empty(data: bytearray) -> None:
    data.clear()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (encrypted, "is encrypted"),
        (lzma, "not packed by deflate"),
        (zip64, "is a ZIP64 file"),
        (torn, "not a valid zip file"),
        (no_zip, "is not a zip file"),
        (empty, "it is empty"),
    ],
)
def test_unusable_archive_is_refused_with_a_reason(
    tmp_path: Path, spoil: Callable[[bytearray], None], message: str
) -> None:
    archive = zip_of(tmp_path / "bot.zip", (info("x"), b"some text to be packed " * 9))
    data = bytearray(archive.read_bytes())
    spoil(data)
    archive.write_bytes(data)
    with pytest.raises(BotError, match=message):
        unpack(archive, tmp_path / "out")


def test_corrupt_archive_raises_only_bot_errors(tmp_path: Path) -> None:
    """A fixed random stream changes, deletes and inserts bytes; every file is closed again."""
    extra = info("sub/\xe4.py")
    extra.extra = b"\x55\x54\x05\x00\x01abcd"
    whole = zip_of(tmp_path / "whole.zip", (info("bot.toml"), b"name = 1\n" * 20), (extra, b"print()\n" * 50))
    draw = stream(1, "spoil")
    refused, opened = 0, len(list(Path("/dev/fd").iterdir()))
    for k in range(400):
        data = bytearray(whole.read_bytes())
        for _ in range(1 + draw(3)):
            at = draw(len(data))
            match draw(4):
                case 0:
                    del data[at : at + 1 + draw(20)]
                case 1:
                    data[at:at] = bytes(draw(256) for _ in range(1 + draw(10)))
                case _:
                    data[at] = [0, 255, draw(256)][draw(3)]
        (tmp_path / "bot.zip").write_bytes(data)
        try:
            unpack(tmp_path / "bot.zip", tmp_path / f"out-{k}")
        except BotError:
            refused += 1
    assert 100 < refused < 400
    assert len(list(Path("/dev/fd").iterdir())) == opened
    assert all(path.name.startswith("out-") or path.suffix == ".zip" for path in tmp_path.iterdir())


def test_broken_device_is_not_the_bots_fault(
    store: BotStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A league would refuse the submission for good."""

    def fail(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(submission, "_write", fail)
    with pytest.raises(StoreError, match="Input/output error"):
        store.add(zip_of(tmp_path / "bot.zip", (info("bot.toml"), b"name = 1\n")))


def make_link(folder: Path) -> None:
    (folder / "link").symlink_to("/etc/passwd")


def make_folder_link(folder: Path) -> None:
    (folder / "link").symlink_to("/etc")


def make_manifest_link(folder: Path) -> None:
    (folder / "bot.toml").rename(folder / "real.toml")
    (folder / "bot.toml").symlink_to("real.toml")


def make_pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe")


def make_manifest_pipe(folder: Path) -> None:
    (folder / "bot.toml").unlink()
    os.mkfifo(folder / "bot.toml")


def make_bad_name(folder: Path) -> None:
    (folder / "a\x1bb").write_text("")


def make_no_utf8_name(folder: Path) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff")).write_text("")


def no_manifest(folder: Path) -> None:
    (folder / "bot.toml").unlink()


def binary_manifest(folder: Path) -> None:
    (folder / "bot.toml").write_bytes(b"# a bot\nname = '\xff'")


def endless_manifest(folder: Path) -> None:
    (folder / "bot.toml").write_text("#" * 70_000)


def no_program(folder: Path) -> None:
    (folder / "bot.py").unlink()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (make_link, "link is a link that leads out of the bot"),
        (make_folder_link, "link is a link that leads out of the bot"),
        (make_manifest_link, r"bot\.toml is a link"),
        (make_pipe, "pipe is not a regular file"),
        (make_manifest_pipe, r"bot\.toml is not a regular file"),
        (make_bad_name, "unprintable"),
        (make_no_utf8_name, "unprintable"),
        (no_manifest, r"there is no bot\.toml"),
        (binary_manifest, r"bot\.toml line 2 is not UTF-8: invalid start byte; save it as UTF-8"),
        (endless_manifest, "longer than 64 KiB"),
        (no_program, r"bot\.py is not among the bot's files"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_bad_bot_is_refused_and_leaves_nothing(
    store: BotStore, make_bot: MakeBot, spoil: object, message: str
) -> None:
    folder = make_bot()
    assert callable(spoil)
    spoil(folder)
    with pytest.raises(BotError, match=message) as caught:
        store.add(folder)
    assert str(folder) in str(caught.value)
    assert inside(store) == {"entries", "temporary"}


def test_missing_path_is_named(store: BotStore, tmp_path: Path) -> None:
    with pytest.raises(BotError, match=r"there is no bot .*/missing: No such file"):
        store.add(tmp_path / "missing")


def test_file_that_is_not_executable_is_refused(store: BotStore, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("x")
    with pytest.raises(BotError, match=r"bot\.py: it is not executable; run chmod \+x"):
        store.add(tmp_path / "bot.py")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ('["./gone"]', "the command's program ./gone is not among the bot's files; add it, or set build"),
        ('["run"]', "write ./run"),
    ],
)
def test_bad_command_is_refused(store: BotStore, make_bot: MakeBot, command: str, message: str) -> None:
    folder = make_bot(files={"run": "#!/bin/sh\n"}, command=command)
    with pytest.raises(BotError, match=message):
        store.add(folder)


def test_unknown_game_is_refused(store: BotStore, make_bot: MakeBot) -> None:
    with pytest.raises(BotError, match=r"there is no game 'draughts'; the games are: .*sages-tafl"):
        store.add(make_bot(games='["sages-tafl", "draughts"]'))


def sparse(folder: Path, size: int) -> None:
    with (folder / "data").open("wb") as file:
        file.truncate(size)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fill", "message"),
    [
        (lambda folder: sparse(folder, SUBMITTED.bytes + 1), "files hold more than 512 MiB"),
        (lambda folder: [(folder / f"f{k}").touch() for k in range(SUBMITTED.files)], "10,000 files"),
        (lambda folder: [(folder / f"d{k}").mkdir() for k in range(SUBMITTED.files + 1)], "10,000 folders"),
        (lambda folder: nest(folder, 1_500), "longer than 1,024 bytes"),
    ],
)
def test_tree_beyond_the_bounds_is_refused_before_it_is_copied(
    store: BotStore,
    make_bot: MakeBot,
    fill: Callable[[Path], object],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = make_bot()
    fill(folder)
    monkeypatch.setattr(tree, "copy_file", None)
    with pytest.raises(BotError, match=message):
        store.add(folder)
    assert inside(store) == {"entries", "temporary"}
    remove_tree(folder)
