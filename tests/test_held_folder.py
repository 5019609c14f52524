"""Folders of other accounts: nothing that their owners exchange leads anywhere else, or blocks."""

import ctypes
import errno
import fcntl
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.accounts import AUTHOR, ORGANISER, give, meanwhile, needs_root, run_as
from tests.support.folders import nest
from tourney import held_folder
from tourney.errors import UnsafeFileError
from tourney.held_folder import HeldFolder, hold, remove_tree

DEEP = 5 * sys.getrecursionlimit()
"""Folders within each other: too many for the stack and, with their names, for any path."""
SWAPS = 300
"""Reads against an owner who exchanges files all the time."""


@pytest.fixture(params=["openat2", "openat"], autouse=True)
def _ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run every test by both ways to open."""
    if request.param == "openat":
        monkeypatch.setattr(held_folder, "kernel_resolves", lambda: False)
    elif not held_folder.kernel_resolves():
        pytest.skip("the kernel has no openat2")


@pytest.fixture
def secret(shared_path: Path) -> Path:
    """A folder that only its owner may read, with a file of the same kind."""
    folder = shared_path / "secret"
    folder.mkdir(0o700)
    (folder / "key").write_text("secret 4711")
    (folder / "key").chmod(0o600)
    return folder


@pytest.fixture
def box(shared_path: Path) -> Iterator[HeldFolder]:
    """A folder that is held, with a file and a folder."""
    (shared_path / "box" / "sub").mkdir(parents=True)
    (shared_path / "box" / "file").write_text("content")
    (shared_path / "box" / "sub" / "key").write_text("dummy")
    with hold(shared_path / "box") as held:
        yield held


def refusal(held: HeldFolder, path: str) -> str:
    """The sentence by which a file is refused."""
    with pytest.raises(UnsafeFileError) as caught:
        os.close(held.open_file(path))
    return str(caught.value)


def test_files_are_read_and_listed(box: HeldFolder) -> None:
    assert [(entry.name, entry.is_folder) for entry in box.entries()] == [("file", False), ("sub", True)]
    assert box.read("file", 7) == b"content"
    assert box.read("sub/key", 7) == b"dummy"
    with box.hold("sub") as sub:
        assert [entry.name for entry in sub.entries()] == ["key"]


def test_link_is_refused_at_every_place_of_a_path(box: HeldFolder, secret: Path) -> None:
    (box.place / "link").symlink_to(secret / "key")
    (box.place / "folder").symlink_to(secret)
    assert "link is a link" in refusal(box, "link")
    assert "link" in refusal(box, "folder/key")
    with pytest.raises(UnsafeFileError, match=r"folder .* link"):
        box.entries("folder")
    assert box.read_link("link") == str(secret / "key")


@pytest.mark.parametrize("path", ["../secret/key", "sub/../../secret/key", "/etc/passwd"])
def test_path_that_leads_out_is_refused(box: HeldFolder, secret: Path, path: str) -> None:
    assert secret.is_dir()
    assert "outside" in refusal(box, path)


def test_magic_link_is_refused(box: HeldFolder) -> None:
    """The links of /proc lead to open files without any path."""
    with hold(Path("/proc/self")) as process:
        assert refusal(process, "exe")
        with pytest.raises(UnsafeFileError):
            process.entries("root")


def test_folder_exchanged_for_a_link_is_not_followed(box: HeldFolder, secret: Path) -> None:
    """The exchange comes after the folder was listed."""
    assert [entry.name for entry in box.entries("sub")] == ["key"]
    (box.place / "sub").rename(box.place / "old")
    (box.place / "sub").symlink_to(secret)
    assert "link" in refusal(box, "sub/key")


@pytest.mark.parametrize("kind", ["fifo", "socket", "device", "folder"])
def test_other_kinds_are_refused_without_waiting(box: HeldFolder, kind: str) -> None:
    place = box.place / "odd"
    if kind == "fifo":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server, pytest.MonkeyPatch.context() as patch:
            patch.chdir(box.place)
            server.bind("odd")
    elif os.geteuid() != 0:
        pytest.skip("only root makes devices")
    else:
        os.mknod(place, 0o20666, os.makedev(1, 5))  # of endless zeros
    assert refusal(box, "odd") == "odd is not a regular file; remove it"


@pytest.mark.skipif(not hasattr(fcntl, "F_SETLEASE"), reason="leases are Linux's")
def test_file_with_a_lease_does_not_block(box: HeldFolder) -> None:
    """Its owner could keep the reader waiting for 45 seconds, file after file."""
    before = signal.signal(signal.SIGIO, signal.SIG_IGN)  # the kernel sends it to the owner of the lease
    fd = os.open(box.place / "file", os.O_RDWR)
    try:
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        assert "held by a lease" in refusal(box, "file")
    finally:
        os.close(fd)
        signal.signal(signal.SIGIO, before)


@needs_root
def test_hard_link_to_file_of_another_account_is_refused(shared_path: Path, box: HeldFolder) -> None:
    """Without protected_hardlinks any account can make one, of a file whose folder is now out of reach."""
    for name, mode in (("private", 0o600), ("public", 0o644)):
        (shared_path / name).write_text("of root")
        (shared_path / name).chmod(mode)
        (box.place / name).hardlink_to(shared_path / name)
    (box.place / "copy").write_text("of root")
    (box.place / "copy").chmod(0o644)
    (box.place / "own").hardlink_to(box.place / "file")
    for path in (box.place, box.place / "file"):
        os.chown(path, AUTHOR, AUTHOR)
    with hold(box.place) as held:
        assert held.owner == AUTHOR
        for name in ("private", "public"):
            assert f"{name} belongs to root, and the folder to {AUTHOR}" in refusal(held, name)
        assert held.read("own", 99) == b"content"
        assert held.read("copy", 99) == b"of root"
        with box.hold("sub") as sub:
            assert sub.owner == 0


def test_second_name_where_everybody_could_link_it_is_refused(box: HeldFolder, shared_path: Path) -> None:
    """A file of the owner's own: another account sees its name, but may not read it."""
    (box.place / "sub" / "second").hardlink_to(box.place / "file")
    assert box.read("sub/second", 99) == b"content"
    held_folder.copy_named(box.place / "sub" / "second", shared_path / "copy", 99)
    (box.place / "sub").chmod(0o1777)
    assert "sub/second is a second name of a file" in refusal(box, "sub/second")
    assert box.read("sub/key", 99) == b"dummy"
    with pytest.raises(UnsafeFileError, match="second is a second name of a file"):
        held_folder.copy_named(box.place / "sub" / "second", shared_path / "another", 99)
    assert not (shared_path / "another").exists()


@needs_root
def test_private_folder_of_another_account_is_not_listed(box: HeldFolder, secret: Path) -> None:
    secret.rename(box.place / "secret")
    os.chown(box.place, AUTHOR, AUTHOR)
    with hold(box.place) as held, pytest.raises(UnsafeFileError, match="secret belongs to root"):
        held.entries("secret")


@needs_root
def test_mount_is_refused_before_it_is_opened(shared_path: Path, box: HeldFolder, secret: Path) -> None:
    """A bind mount shows the same file system, which only openat2 can tell."""
    kinds = ["tmpfs", "bind"] if held_folder.kernel_resolves() else ["tmpfs"]
    for kind in kinds:
        words = ["-t", "tmpfs", "none"] if kind == "tmpfs" else ["--bind", str(secret)]
        if subprocess.run(["mount", *words, box.place / "sub"], check=False, capture_output=True).returncode:
            pytest.skip("this machine mounts nothing")
        try:
            with pytest.raises(UnsafeFileError, match="sub lies on a mount of its own"):
                box.entries("sub")
            with pytest.raises(OSError, match="cross-device"), hold(shared_path) as parent:
                parent.remove("box")
        finally:
            subprocess.run(["umount", box.place / "sub"], check=True)
    assert (secret / "key").read_text() == "secret 4711"


def test_growing_file_is_read_up_to_its_bound(box: HeldFolder, shared_path: Path) -> None:
    """Holes count like other bytes, and no half of a copy is left."""
    with (box.place / "holes").open("wb") as file:
        file.truncate(5 << 20)
    with pytest.raises(UnsafeFileError, match="longer than 1,024 KiB"):
        box.read("holes", 1 << 20)
    (shared_path / "target").mkdir()
    with hold(shared_path / "target") as target:
        with pytest.raises(UnsafeFileError, match="larger than 4 MiB"):
            box.copy_file("holes", target, "copy", 4 << 20)
        assert target.entries() == []
        box.copy_file("holes", target, "copy", 5 << 20)
        assert (target.place / "copy").stat().st_size == 5 << 20


def test_no_more_entries_are_listed_than_wanted(box: HeldFolder) -> None:
    assert len(box.entries(most=1)) == 1


@needs_root
def test_reader_never_reads_past_an_owner_who_swaps(shared_path: Path, box: HeldFolder, secret: Path) -> None:
    """The owner exchanges a folder for a link to the secret, in one step, without pause."""
    (box.place / "link").symlink_to(secret)
    give(box.place, AUTHOR)
    place = box.place
    contents = set()
    with meanwhile(AUTHOR, lambda: exchange(place / "sub", place / "link")), hold(place) as held:
        for _ in range(SWAPS):
            with suppress(UnsafeFileError):
                contents.add(held.read("sub/key", 99))
    assert contents <= {b"dummy"}


def exchange(one: Path, another: Path) -> None:
    """Exchange two names in one step."""
    assert not ctypes.CDLL(None).renameat2(-100, bytes(one), -100, bytes(another), 2)


# -- removal ------------------------------------------------------------------------------------------------


def test_removal_follows_no_link(box: HeldFolder, shared_path: Path, secret: Path) -> None:
    (box.place / "sub" / "link").symlink_to(secret)
    (shared_path / "top").symlink_to(secret)
    nest(box.place / "sub", 50)
    with hold(shared_path) as parent:
        parent.remove("box")
        parent.remove("top")
    assert [path.name for path in shared_path.iterdir()] == ["secret"]
    assert (secret / "key").exists()


def test_tree_of_any_depth_is_removed(shared_path: Path) -> None:
    """Names are those that the removal itself would choose."""
    top = shared_path / "top"
    top.mkdir()
    for name in "0123":
        (top / name).write_text("")
    (top / "4").mkdir()
    (top / "4" / "x").write_text("")
    nest(top, DEEP)
    remove_tree(top)
    assert list(shared_path.iterdir()) == []


def test_read_only_tree_is_removed_without_following_links(shared_path: Path) -> None:
    other = shared_path / "other"
    other.mkdir()
    (other / "kept").write_text("kept")
    inner = shared_path / "top" / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "link").symlink_to(other)
    (inner / "file").write_text("")
    for place in (inner, inner.parent, inner.parent.parent):
        place.chmod(0)
    remove_tree(shared_path / "top")
    assert [path.name for path in shared_path.iterdir()] == ["other"]
    assert (other / "kept").read_text() == "kept"


def test_missing_tree_is_not_removed(shared_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        remove_tree(shared_path / "gone")


@needs_root
def test_removal_changes_no_mode_of_what_an_owner_swaps_in(
    box: HeldFolder, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is exchanged for a link to another account's between its listing and its opening."""
    secret.chmod(0o755)
    real = held_folder._open_to_empty

    def swap(parent: int, name: str, owner: int | None) -> int | None:
        if name == "sub" and not (box.place / "sub").is_symlink():
            (box.place / "sub").rename(box.place / "old")
            (box.place / "sub").symlink_to(secret)
        return real(parent, name, owner)

    monkeypatch.setattr(held_folder, "_open_to_empty", swap)
    with hold(box.place.parent) as parent:
        parent.remove("box")
    assert secret.stat().st_mode & 0o7777 == 0o755
    assert (secret / "key").exists()
    assert not box.place.exists()


@needs_root
def test_removal_as_root_ends_against_an_owner_who_swaps(shared_path: Path, secret: Path) -> None:
    """Nothing of another account is removed or changed, whatever the removal comes to."""
    secret.chmod(0o755)
    (shared_path / "eve").mkdir()
    for number in range(20):
        top = shared_path / "eve" / f"top-{number}"
        (top / "sub" / "inner").mkdir(parents=True)
        (top / "sub" / "inner" / "key").write_text("dummy")
        (top / "link").symlink_to(secret)
        give(shared_path / "eve", AUTHOR)

        def swap(top: Path = top) -> None:
            ctypes.CDLL(None).renameat2(-100, bytes(top / "sub"), -100, bytes(top / "link"), 2)

        with meanwhile(AUTHOR, swap), hold(shared_path / "eve") as box, suppress(OSError):
            box.remove(top.name)
    assert secret.stat().st_mode & 0o7777 == 0o755
    assert (secret / "key").read_text() == "secret 4711"


@needs_root
def test_removal_empties_no_folder_of_a_third_account(box: HeldFolder) -> None:
    """Its owner could move a folder of his own there, with files of others below it."""
    (box.place / "sub" / "inner").mkdir()
    (box.place / "sub" / "inner" / "key").write_text("of another one")
    give(box.place, AUTHOR)
    give(box.place / "sub" / "inner", ORGANISER)
    with hold(box.place) as held, pytest.raises(PermissionError, match=f"it belongs to {ORGANISER}"):
        held.remove("sub")
    (kept,) = box.place.rglob("inner/key")
    assert kept.read_text() == "of another one"


def test_removal_of_an_endless_folder_ends(box: HeldFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_folder, "_MOST_ENTRIES", 2)
    with hold(box.place.parent) as parent, pytest.raises(OSError, match="has 2 entries or more"):
        parent.remove("box")


def test_removal_ends_while_its_owner_makes_new_folders(
    box: HeldFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = held_folder._flatten

    def grow(top: int, name: str, numbers: Iterator[int], owner: int | None) -> int:
        os.mkdir(f"new-{next(numbers)}", dir_fd=top)
        return real(top, name, numbers, owner)

    monkeypatch.setattr(held_folder, "_flatten", grow)
    with (
        hold(box.place.parent) as parent,
        pytest.raises(OSError, match="grows while it is removed") as caught,
    ):
        parent.remove("box", 100)
    assert caught.value.errno == errno.EBUSY


# -- writing ------------------------------------------------------------------------------------------------


def test_written_file_replaces_a_link_and_not_its_target(box: HeldFolder, secret: Path) -> None:
    (box.place / "receipt").symlink_to(secret / "key")
    (box.place / "second").hardlink_to(secret / "key")
    (box.place / ".receipt.new").symlink_to(secret / "key")
    for name in ("receipt", "second"):
        box.write(name, b"new", mode=0o640)
        assert not (box.place / name).is_symlink()
        assert (box.place / name).read_bytes() == b"new"
        assert (box.place / name).stat().st_mode & 0o7777 == 0o640
    assert (secret / "key").read_text() == "secret 4711"
    assert not [entry.name for entry in box.entries() if entry.name.endswith(".new")]


def test_folder_is_made_with_its_mode_or_held_as_it_is(box: HeldFolder, secret: Path) -> None:
    (box.place / "link").symlink_to(secret)
    with box.make_folder("made", 0o750) as made:
        assert made.place.stat().st_mode & 0o7777 == 0o750
    with box.make_folder("sub", 0o700) as sub:
        assert sub.place.stat().st_mode & 0o7777 != 0o700
    with pytest.raises(UnsafeFileError, match="link"):
        box.make_folder("link", 0o700)


def test_moved_link_stays_a_link(box: HeldFolder, secret: Path) -> None:
    (box.place / "link").symlink_to(secret)
    with box.hold("sub") as sub:
        box.move("link", sub, "moved")
        assert sub.read_link("moved") == str(secret)
    assert secret.is_dir()


# -- paths that users name ----------------------------------------------------------------------------------


def test_links_of_the_user_are_followed(
    shared_path: Path, box: HeldFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shared_path)
    Path("relative").symlink_to("box/sub")
    Path("absolute").symlink_to(box.place)
    Path("chain").symlink_to("absolute/../relative")
    Path("loop").symlink_to("loop")
    for path in ("relative", "chain", "absolute/sub", "box/sub/.", "box/../box/sub"):
        with hold(Path(path)) as held:
            assert held.read("key", 9) == b"dummy"
    monkeypatch.chdir("box")
    with hold(Path()) as held:
        assert held.read("file", 9) == b"content"
    for missing in ("loop", "nothing"):
        with pytest.raises(OSError, match=r"symbolic links|No such file"), hold(shared_path / missing):
            pass


@needs_root
@pytest.mark.parametrize("reader", [0, ORGANISER])
def test_link_of_another_account_leads_to_its_own_files_only(
    shared_path: Path, box: HeldFolder, secret: Path, reader: int
) -> None:
    """Else the author of a bot chooses which folder of the reader's is taken for the bot."""
    give(secret, reader)
    (box.place / "link").symlink_to(secret)
    (box.place / "own").symlink_to("sub")
    give(box.place, AUTHOR)

    def read() -> None:
        with hold(box.place / "own") as held:
            assert held.read("key", 9) == b"dummy"
        expected = f"leads over a link of {AUTHOR} to files of"
        with pytest.raises(UnsafeFileError, match=expected), hold(box.place / "link"):
            pass

    run_as(reader, read)
