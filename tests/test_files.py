"""The one writer of files that users name."""

import errno
import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from tests.support.tournaments import refused
from tourney.errors import EnvironmentFailure, UsageError
from tourney.files import check_writable, descriptor_of, write_file, writing, writing_by_path


def by_path(path: Path, data: bytes) -> None:
    """Write a file as a library does that opens the path itself."""
    with writing_by_path(path) as place:
        place.write_bytes(data)


def interrupted(path: Path) -> NoReturn:
    with writing(path) as file:
        file.write(b"half")
        raise KeyboardInterrupt


both = pytest.mark.parametrize("write", [write_file, by_path])
Write = Callable[[Path, bytes], None]


@both
def test_regular_file_is_replaced_with_its_permissions(tmp_path: Path, write: Write) -> None:
    path = tmp_path / "file"
    write(path, b"old")
    before = path.stat()
    assert stat.S_IMODE(before.st_mode) == 0o666 & ~os.umask(os.umask(0o022))  # as any new file
    path.chmod(0o640)
    write(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_ino != before.st_ino
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser may give files away")
def test_replaced_file_keeps_owner_and_attributes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    os.chown(path, 1234, 4321)
    os.setxattr(path, "user.note", b"kept")
    write_file(path, b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 4321)
    assert os.getxattr(path, "user.note") == b"kept"


def test_content_is_private_while_a_private_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o600)
    with writing(path) as file:
        file.write(b"secret")
        assert path.read_bytes() == b"old"
        assert {stat.S_IMODE(entry.stat().st_mode) for entry in tmp_path.iterdir()} == {0o600}


@both
def test_target_of_a_link_is_replaced_and_the_link_stays(tmp_path: Path, write: Write) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_bytes(b"old")
    (tmp_path / "middle").symlink_to("there/file")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "middle")
    write(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "there" / "file").read_bytes() == b"new"


def test_other_hard_links_keep_the_old_content(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    os.link(tmp_path / "file", tmp_path / "other")
    write_file(tmp_path / "file", b"new")
    assert ((tmp_path / "file").read_bytes(), (tmp_path / "other").read_bytes()) == (b"new", b"old")


@both
def test_fifo_is_written_to(tmp_path: Path, write: Write) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    (tmp_path / "link").symlink_to(path)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(path.read_bytes()))
    reader.start()
    write(tmp_path / "link", b"new" * 100_000)
    reader.join(600)
    assert found == [b"new" * 100_000]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_device_is_written_to() -> None:
    write_file(Path("/dev/null"), b"new")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    with refused(EnvironmentFailure, "/dev/full cannot be written: No space left on device; free some space"):
        write_file(Path("/dev/full"), b"new")


NAMES = ("/dev/fd/{}", "/proc/self/fd/{}", "/proc/thread-self/fd/{}", "link", "../x/link")


@pytest.mark.parametrize("name", NAMES)
@both
def test_descriptor_goes_on_where_it_stands(tmp_path: Path, name: str, write: Write) -> None:
    (tmp_path / "x").mkdir()
    path = tmp_path / "x" / "log"
    with path.open("wb") as file:
        file.write(b"first\n")
        file.flush()
        (tmp_path / "x" / "link").symlink_to(f"/dev/fd/{file.fileno()}")
        write(tmp_path / "x" / name.format(file.fileno()), b"second\n")
        file.write(b"third\n")
    assert path.read_bytes() == b"first\nsecond\nthird\n"


def test_standard_output_by_name_is_appended_to(tmp_path: Path) -> None:
    code = "import tourney.files as f; f.write_file(f.Path('/dev/stdout'), b'x')"
    path = tmp_path / "out"
    path.write_bytes(b"before ")
    with path.open("ab") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True, timeout=600)
    assert path.read_bytes() == b"before x"


def test_descriptor_may_be_a_socket(tmp_path: Path) -> None:
    near, far = socket.socketpair()
    with near, far:
        write_file(Path(f"/dev/fd/{near.fileno()}"), b"new")
        assert far.recv(10) == b"new"


def test_closed_descriptor_is_refused() -> None:
    with refused(EnvironmentFailure, "/dev/fd/987 cannot be written", "not open for writing"):
        write_file(Path("/dev/fd/987"), b"")


def test_ordinary_paths_are_no_descriptors(tmp_path: Path) -> None:
    (tmp_path / "1").write_bytes(b"")
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert [descriptor_of(path) for path in (tmp_path / "1", loop, Path("/dev/null"))] == [None] * 3
    assert descriptor_of(Path(f"/proc/{os.getppid()}/fd/1")) is None


@both
def test_what_is_no_place_for_a_file_is_refused(tmp_path: Path, write: Write) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("missing")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
    for name, words in {
        ".": "is a folder: name a file",
        "loop": "is a symbolic link that leads back to itself",
        "dangling": "is a symbolic link to",
        "socket": "is a socket",
    }.items():
        for refuse in (lambda path: write(path, b""), check_writable):
            with refused(UsageError, str(tmp_path / name), words):
                refuse(tmp_path / name)
    assert not (tmp_path / "missing").exists()
    with refused(EnvironmentFailure, "no/file cannot be written: there is no folder"):
        write(tmp_path / "no" / "file", b"")


@both
def test_read_only_file_is_refused_even_for_the_superuser(tmp_path: Path, write: Write) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with refused(UsageError, "file is read-only: make it writable, or name another file"):
        write(path, b"new")
    assert path.read_bytes() == b"old"


def test_read_only_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)  # the superuser is never refused
    with refused(EnvironmentFailure, f"{tmp_path} cannot be written to", "make the folder writable"):
        write_file(tmp_path / "file", b"new")


@both
def test_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def full(_: int) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with refused(EnvironmentFailure, "file cannot be written: No space left on device; free some space"):
        write(path, b"new")
    monkeypatch.undo()
    with pytest.raises(KeyboardInterrupt):
        interrupted(path)
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_content_is_on_disk_before_it_takes_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    sync, replace = os.fsync, Path.replace

    def synced(descriptor: int) -> None:
        calls.append("sync")
        sync(descriptor)

    def replaced(path: Path, to: Path) -> Path:
        calls.append("rename")
        return replace(path, to)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    write_file(tmp_path / "file", b"new")
    assert calls == ["sync", "rename", "sync"]


def test_new_file_takes_no_other_files_place(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with writing(path, new=True) as file:
        file.write(b"new")
    with refused(UsageError, "file is there already; name another file"), writing(path, new=True):
        pass
    path.unlink()
    with refused(UsageError, "file is there already"), writing(path, new=True) as file:
        file.write(b"mine")
        path.write_bytes(b"yours")  # by another process, meanwhile
    assert path.read_bytes() == b"yours"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_check_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "file"
    check_writable(path)
    assert list(tmp_path.iterdir()) == []
    path.write_bytes(b"old")
    check_writable(path)
    assert (path.read_bytes(), len(list(tmp_path.iterdir()))) == (b"old", 1)
    with refused(UsageError, "is there already"):
        check_writable(path, new=True)


def test_check_removes_what_killed_processes_left_and_no_more(tmp_path: Path) -> None:
    """A living process holds a lock on its file."""
    left = [tmp_path / ".tourney-1-0.new", tmp_path / ".tourney-1-1.new"]
    for path in left:
        path.touch()
    with writing(tmp_path / "one"):
        check_writable(tmp_path / "two")
        assert [path.name for path in tmp_path.iterdir()] == [f".tourney-{os.getpid()}-0.new"]


def test_long_names_and_leftovers_are_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    (tmp_path / f".tourney-{os.getpid()}-0.new").write_bytes(b"of a killed process with this id")
    write_file(path, b"new")
    assert path.read_bytes() == b"new"


def test_writing_removes_a_killed_writers_file_with_sqlites_beside_it(tmp_path: Path) -> None:
    """A backup that is killed leaves a database and its journal."""
    for name in (".tourney-1-0.new", ".tourney-1-0.new-journal"):
        (tmp_path / name).touch()
    write_file(tmp_path / "one", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["one"]
