"""Arrivals of every kind for the inbox of a league: what a hostile author may put into its folder."""

import io
import os
import socket
import stat
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

MANIFEST = 'name = "x"\nversion = "1"\ncommand = ["python3", "bot.py"]\ngames = ["sage-stones"]\n'


def bot(folder: Path, manifest: str = MANIFEST) -> Path:
    """Write a bot into a new folder."""
    folder.mkdir()
    (folder / "bot.py").write_text("#\n")
    (folder / "bot.toml").write_text(manifest, "utf-8", "surrogateescape")
    return folder


def _named(box: Path, name: bytes) -> None:
    os.mkdir(os.path.join(os.fsencode(box), name))  # noqa: PTH102, PTH118 - a name of bytes


def _unreadable(box: Path, name: str, mode: int) -> None:
    (bot(box / "x.ready") / name).chmod(mode)


def _unreadable_folder(box: Path) -> None:
    (bot(box / "x.ready") / "inner").mkdir(mode=0o000)


def _special(box: Path, make: Callable[[Path], object]) -> None:
    """A special file as the submission, and as a part of one."""
    make(box / "x.ready")
    make(bot(box / "y.ready") / "part")


def _socket(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as opened:
        here = Path.cwd()
        os.chdir(place.parent)  # a path of a socket is short
        try:
            opened.bind(place.name)
        finally:
            os.chdir(here)


def _device(place: Path) -> None:
    os.mknod(place, stat.S_IFCHR | 0o666, os.makedev(1, 5))  # /dev/zero, which has no end


def _holes(place: Path) -> None:
    place.touch()
    os.truncate(place, 1 << 40)


def _signature(box: Path, make: Callable[[Path], object]) -> None:
    with zipfile.ZipFile(box / "x.zip.ready", "w") as archive:
        archive.writestr("bot.toml", MANIFEST)
        archive.writestr("bot.py", "#\n")
    make(box / "x.zip.sig")


def _deep(box: Path, depth: int = 3000) -> None:
    """A tree that is deeper than Python's stack and longer than any path."""
    at = os.open(bot(box / "x.ready"), os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=at)
        inner = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(at)


def _wide(box: Path, count: int = 20_100) -> None:
    """A tree with more files that do not belong to a bot than are looked at."""
    cache = bot(box / "x.ready") / "__pycache__"
    cache.mkdir()
    for number in range(count):
        (cache / str(number)).touch()


def _zip(box: Path, *entries: tuple[str, bytes]) -> None:
    with zipfile.ZipFile(box / "x.zip.ready", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data)


def _tar_link(box: Path) -> None:
    with tarfile.open(box / "x.tar.ready", "w") as archive:
        link = tarfile.TarInfo("bot.toml")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        loop = tarfile.TarInfo("self")
        loop.type, loop.linkname = tarfile.LNKTYPE, "self"
        archive.addfile(loop)


def _cut(box: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("bot.toml"))
    (box / "x.tar.gz.ready").write_bytes(packed.getvalue()[:-12])


def _times(box: Path) -> None:
    path = bot(box / "x.ready") / "bot.py"
    os.utime(path, (-1, -(1 << 31)))
    os.utime(path.parent, (1 << 33, 1 << 33))


def _manifest(box: Path, text: str) -> None:
    bot(box / "x.ready", text)


def _no_archives(box: Path) -> None:
    for ending in (".zip", ".tar", ".tar.gz"):
        (box / f"x{ending}.ready").write_bytes(b"PK\x05\x06 is no archive")


KINDS: Mapping[str, Callable[[Path], None]] = {
    "name not UTF-8": lambda box: _named(box, b"\xff.ready"),
    "name of controls": lambda box: _named(box, b"a\nb\xe2\x80\xa8\x1b[2J.ready"),
    "long name": lambda box: _named(box, b"a" * 245 + b".ready"),
    "name of endings": lambda box: _named(box, b"x.ready.zip.ready.ready"),
    "no name": lambda box: _named(box, b"ready.ready"),
    "path magic": lambda box: _named(box, b":(x)y.ready"),
    "file not UTF-8": lambda box: _named(bot(box / "x.ready"), b"\xff"),
    "unreadable file": lambda box: _unreadable(box, "bot.py", 0o000),
    "unreadable manifest": lambda box: _unreadable(box, "bot.toml", 0o000),
    "unreadable folder": _unreadable_folder,
    "link": lambda box: _special(box, lambda place: place.symlink_to("/etc/passwd")),
    "link to itself": lambda box: _special(box, lambda place: place.symlink_to(place.name)),
    "fifo": lambda box: _special(box, os.mkfifo),
    "socket": lambda box: _special(box, _socket),
    "device": lambda box: _special(box, _device),
    "holes": lambda box: _special(box, _holes),
    "huge signature": lambda box: _signature(box, _holes),
    "unreadable signature": lambda box: _signature(box, lambda place: place.touch(0o000)),
    "link as signature": lambda box: _signature(box, lambda place: place.symlink_to("/dev/zero")),
    "fifo as signature": lambda box: _signature(box, os.mkfifo),
    "folder as signature": lambda box: _signature(box, Path.mkdir),
    "deep tree": _deep,
    "wide tree": _wide,
    "empty folder": lambda box: (box / "x.ready").mkdir(),
    "folder called ready": lambda box: (bot(box / "x") / ".ready").mkdir(),
    "fifo called ready": lambda box: os.mkfifo(bot(box / "x") / ".ready"),
    "no archive": _no_archives,
    "cut archive": _cut,
    "archive of links": _tar_link,
    "archive with a long name": lambda box: _zip(box, ("bot.toml", MANIFEST.encode()), ("a" * 300, b"")),
    "archive outside": lambda box: _zip(box, ("bot.toml", MANIFEST.encode()), ("../../x", b"")),
    "archive bomb": lambda box: _zip(box, ("bot.toml", MANIFEST.encode()), ("zeros", bytes(1 << 24))),
    "manifest not UTF-8": lambda box: _manifest(box, '\udcff = "x"'),
    "deep manifest": lambda box: _manifest(box, f"{MANIFEST}x = {'[' * 20_000}"),
    "manifest of surrogates": lambda box: _manifest(box, MANIFEST.replace('"x"', '"\\ud800"')),
    "times": _times,
}
"""What makes an arrival of each kind in an author's folder."""
