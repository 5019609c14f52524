"""Tar archives of bots: what is taken, and what hostile ones are refused for."""

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tourney.bots.catalogue import submission
from tourney.bots.catalogue.store import BotStore
from tourney.bots.catalogue.submission import digest_of_bot, tar_ending
from tourney.bots.catalogue.tree import Bounds
from tourney.errors import BotError

TOML = b'name = "drifter"\nversion = "1"\ngames = ["sage-stones"]\ncommand = ["./run"]\n'


def entry(opened: tarfile.TarFile, name: str, data: bytes = b"", **attributes: object) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in attributes.items():
        setattr(info, key, value)
    opened.addfile(info, io.BytesIO(data))


def packed(path: Path, *more: Callable[[tarfile.TarFile], None]) -> Path:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as opened:
        entry(opened, "drifter/bot.toml", TOML)
        entry(opened, "drifter/run", b"#!/bin/sh\n", mode=0o755)
        for one in more:
            one(opened)
    packers: dict[str, Callable[[bytes], bytes]] = {
        "gz": gzip.compress,
        "z2": bz2.compress,
        "xz": lzma.compress,
    }
    path.write_bytes(packers.get(path.name[-2:], bytes)(plain.getvalue()))
    return path


@pytest.mark.parametrize("ending", submission.ENDINGS)
def test_archive_has_the_digest_of_its_folder(tmp_path: Path, ending: str) -> None:
    folder = tmp_path / "drifter"
    folder.mkdir()
    (folder / "bot.toml").write_bytes(TOML)
    (folder / "run").write_bytes(b"#!/bin/sh\n")
    (folder / "run").chmod(0o755)
    archive = packed(tmp_path / f"any{ending}")
    assert tar_ending(archive.name) == ending
    assert digest_of_bot(archive) == digest_of_bot(folder)
    assert BotStore(tmp_path / "bots").add(archive).manifest.name == "drifter"


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (lambda o: entry(o, "drifter/x", type=tarfile.SYMTYPE, linkname="/etc/passwd"), "x is a link"),
        (lambda o: entry(o, "drifter/x", type=tarfile.LNKTYPE, linkname="/etc/passwd"), "x is a link"),
        (lambda o: entry(o, "drifter/../../x"), "is not a plain path"),
        (lambda o: entry(o, "/x"), "is not a plain path"),
        (lambda o: entry(o, "drifter/x", type=tarfile.CHRTYPE, devmajor=1, devminor=3), "not a regular file"),
        (lambda o: entry(o, "drifter/x", type=tarfile.FIFOTYPE), "not a regular file"),
        (lambda o: entry(o, "drifter/run", b"again"), "run twice"),
        (
            lambda o: entry(o, "drifter/run/x", b"x"),
            "both as a file and as a folder|not a plain|Not a directory",
        ),
        (lambda o: entry(o, "drifter/a\nb", b"x"), "unprintable"),
    ],
)
def test_hostile_entry_is_refused(
    tmp_path: Path, more: Callable[[tarfile.TarFile], None], sentence: str
) -> None:
    with pytest.raises(BotError, match=sentence):
        digest_of_bot(packed(tmp_path / "x.tar", more))


def test_bomb_ends_at_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission, "_MOST_UNPACKED", 1 << 20)
    with gzip.open(tmp_path / "x.tar.gz", "wb") as file:
        for _ in range(3):
            file.write(b"\0" * (1 << 20))
    with pytest.raises(BotError, match="unpacks to more than"):
        digest_of_bot(tmp_path / "x.tar.gz")


def test_entries_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries of the bot's folder itself make no file and no folder."""
    monkeypatch.setattr(submission, "SUBMITTED", Bounds(3, 1 << 20, "a bot"))
    root = [lambda opened: entry(opened, "./", type=tarfile.DIRTYPE)] * 6
    with pytest.raises(BotError, match="more names than a bot may have"):
        digest_of_bot(packed(tmp_path / "x.tar", *root))


def test_negative_size_is_refused(tmp_path: Path) -> None:
    """Such a size leads back to an entry that was read before."""
    archive = packed(tmp_path / "x.tar", lambda opened: entry(opened, "drifter/x"))
    data = bytearray(archive.read_bytes())
    at = data.index(b"drifter/x\0")
    data[at + 124 : at + 136] = b"\xff" * 11 + b"\x00"
    data[at + 148 : at + 156] = b" " * 8
    data[at + 148 : at + 155] = b"%06o\0" % sum(data[at : at + 512])
    archive.write_bytes(data)
    with pytest.raises(BotError, match="not a valid tar file"):
        digest_of_bot(archive)


def test_long_header_is_not_read_into_memory(tmp_path: Path) -> None:
    header = tarfile.TarInfo("pax")
    header.type, header.size = tarfile.XHDTYPE, 1 << 30
    (tmp_path / "x.tar").write_bytes(header.tobuf() + b"\0" * 10240)
    with pytest.raises(BotError, match="header"):
        digest_of_bot(tmp_path / "x.tar")


def test_other_bytes_are_not_an_archive(tmp_path: Path) -> None:
    (tmp_path / "x.tar.gz").write_bytes(b"no archive")
    with pytest.raises(BotError, match="not a valid tar file"):
        digest_of_bot(tmp_path / "x.tar.gz")


def _twice(data: bytes) -> bytes:
    """The same in two parts, as parallel programs pack, with the zeros that fill up a tape."""
    return bz2.compress(data[:700]) + bz2.compress(data[700:]) + b"\0" * 600


@pytest.mark.parametrize("name", ["bot.tar.gz", "bot.tar", "bot.zip", "bot.tar.bz2", "bot", "bot.tar.zst"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, _twice, lzma.compress])
def test_archive_is_read_by_its_content(tmp_path: Path, name: str, pack: Callable[[bytes], bytes]) -> None:
    plain = packed(tmp_path / "plain.tar")
    other = tmp_path / name if name != "bot.tar" else tmp_path / "in.tar"
    other.write_bytes(pack(plain.read_bytes()))
    assert digest_of_bot(other) == digest_of_bot(plain)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (bz2.compress(b"x" * 9999)[:-9], "it ends in the middle"),
        (lzma.compress(b"x" * 9999)[:-9], "it ends in the middle"),
        (b"BZh9 is not", "not a valid tar file"),
        (lzma.compress(b"x", preset=9)[:24] + b"\0" * 99, "not a valid tar file"),
        (b"7z\xbc\xaf\x27\x1c\0\4", "a 7z archive, which is not read: pack it as .zip or .tar.gz"),
        (b"Rar!\x1a\x07\x01\0", "a RAR archive, which is not read"),
        (b"\x1f\x9d\x90\0", "a compress archive, which is not read"),
        (b"\x28\xb5\x2f\xfd\0", "a Zstandard archive, which is not read"),
    ],
)
def test_archive_that_cannot_be_read_says_why(tmp_path: Path, data: bytes, sentence: str) -> None:
    (tmp_path / "bot.tar").write_bytes(data)
    with pytest.raises(BotError, match=sentence):
        digest_of_bot(tmp_path / "bot.tar")


def test_memory_of_xz_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = packed(tmp_path / "bot.tar.xz")
    limited = partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, 1 << 20)
    monkeypatch.setattr(submission, "_DECOMPRESSORS", {"xz": limited})
    with pytest.raises(BotError, match="Memory usage limit exceeded"):
        digest_of_bot(archive)


@pytest.mark.parametrize("pack", [bz2.compress, lzma.compress])
def test_bomb_is_stopped_while_it_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(submission, "_MOST_UNPACKED", 3 << 20)
    (tmp_path / "bot.tar").write_bytes(pack(bytes(64 << 20)))
    with pytest.raises(BotError, match="it unpacks to more than"):
        digest_of_bot(tmp_path / "bot.tar")
    assert not list(tmp_path.rglob("plain.tar"))
