"""What a bot can find in a match of what it saw in an earlier one.

Nothing here depends on time: the bots ask the kernel which pages are cached, and where that is refused, the
test asks for them.
"""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.containment import contained
from tests.support.tables import make_spec, outcome, toy
from tourney.bots.catalogue.command import BotCommand, environment, interpreter_paths
from tourney.bots.channel.interface import Channel
from tourney.bots.sandbox.canary_tools import CACHED_BYTES, cached_pages, drop_pages, shared_library
from tourney.bots.sandbox.cgroups import Cgroup
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.bots.sandbox.sandbox import Sandbox, open_sandbox
from tourney.check.named_seeds import RandomChannel
from tourney.match.runner import MatchRunner
from tourney.match.spec import Limits

pytestmark = pytest.mark.containment

FAR = 60 * 10**9
BITS = (1, 0, 1, 1, 0, 0, 1, 0)
MEMORY = """\
import os, sys
BITS = 8
STEP = 8 * 4096
def ask(fd, at):
    try:
        return os.preadv(fd, [bytearray(1)], at, os.RWF_NOWAIT) == 1
    except BlockingIOError:
        return False
fd = os.open(sys.argv[2], os.O_RDONLY)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
if sys.argv[1] == "write":
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    for number, bit in enumerate(sys.argv[3]):
        if bit == "1":
            os.pread(fd, 1, number * STEP)
    print("written")
else:
    try:
        print(*(int(ask(fd, number * STEP)) for number in range(BITS)))
    except OSError as error:
        print(error.strerror)
"""


NOTES = """\
import os, threading
FILES = ("smaps", "smaps_rollup", "numa_maps", "pagemap", "clear_refs")
def look(who):
    for place in ("self", "thread-self", str(os.getpid()), str(os.getppid()), "1"):
        for folder in (f"/proc/{place}", f"/proc/{place}/task/{place}"):
            for name in FILES:
                for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
                    try:
                        os.close(os.open(f"{folder}/{name}", flags))
                    except OSError:
                        continue
                    found.append(name)
found = []
look("itself")
thread = threading.Thread(target=look, args=("thread",))
thread.start()
thread.join()
ends = os.pipe()
if os.fork() == 0:
    look("child")
    os.write(ends[1], " ".join(found).encode() + b" ")
    os._exit(0)
os.wait()
print("found", *sorted(set(os.read(ends[0], 65536).decode().split())))
"""


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Path]:
    """Yield a file that all bots see, as they see the system's, on a disk, and not cached."""
    with shared_library() as folder:
        path = Path(folder) / "dropped"
        if not drop_pages(path):
            pytest.skip("the files of this machine are in memory, where all pages are always cached")
        yield path


def said(sandbox: Sandbox, folder: Path, *words: str, shown: Path | None = None) -> str:
    """Play a "match": start a bot with these words, and return its line once it has ended."""
    folder.chmod(0o755)
    (folder / "bot.py").write_text(MEMORY, "ascii")
    command = BotCommand(
        (sys.executable, "-I", "-S", "-B", "bot.py", *words),
        folder,
        environment(),
        (*interpreter_paths(), *([shown] if shown else [])),
    )
    channel = sandbox.spawn(command, memory_mb=512)
    try:
        event = channel.wait(time.monotonic_ns() + FAR)
        assert event.kind == "line", (event, channel.stderr())
        return event.text
    finally:
        channel.close(0)


WRITTEN = "".join(map(str, BITS))


def test_uncontained_bot_finds_what_it_left_in_the_cache(tmp_path: Path, library: Path) -> None:
    """The attack works where nothing prevents it: the next match reads all bits of the one before."""
    sandbox = PlainSandbox("off")
    seen = set()
    for _ in range(10):  # the kernel may keep a page that it is busy with
        assert said(sandbox, tmp_path, "write", str(library), WRITTEN) == "written"
        seen.add(said(sandbox, tmp_path, "read", str(library)))
        if " ".join(map(str, BITS)) in seen:
            return
    pytest.fail(f"none of {seen} is what was written")


@contained
def test_next_match_may_not_ask_what_is_cached(tmp_path: Path, library: Path) -> None:
    """The question is refused, as by a file system that does not know it."""
    sandbox = open_sandbox("auto")
    said(sandbox, tmp_path, "write", str(library), WRITTEN, shown=library.parent)
    assert said(sandbox, tmp_path, "read", str(library), shown=library.parent) == "Operation not supported"


def notes_found(sandbox: Sandbox, folder: Path) -> list[str]:
    """Play a bot that opens the kernel's notes on the pages of each of its processes, and return its line."""
    folder.chmod(0o755)
    (folder / "bot.py").write_text(NOTES, "ascii")
    words = (sys.executable, "-I", "-S", "-B", "bot.py")
    channel = sandbox.spawn(BotCommand(words, folder, environment(), interpreter_paths()), memory_mb=512)
    try:
        return channel.wait(time.monotonic_ns() + FAR).text.split()
    finally:
        channel.close(0)


@contained
def test_no_process_of_a_bot_reads_or_clears_page_notes(tmp_path: Path) -> None:
    """Neither the first one nor a thread or a child; without containment all can."""
    whole = open_sandbox("auto")
    if whole.protections["page-cache"] != "enforced":
        pytest.skip("this kernel has no rules for the files of /proc, or Perl is missing")
    assert notes_found(whole, tmp_path) == ["found"]
    assert {"clear_refs", "pagemap", "smaps"} <= set(notes_found(PlainSandbox("off"), tmp_path))


@contained
def test_end_of_match_drops_what_it_read_of_shared_files(tmp_path: Path, library: Path) -> None:
    """So the time of a read shows nothing either; it stays cached only for a bot that was in no match yet."""
    sandbox = open_sandbox("auto")
    if sandbox.protections["page-cache"] != "enforced":
        pytest.skip("no control group counts what is cached here")
    drop_pages(library)
    said(sandbox, tmp_path, "write", str(library), WRITTEN, shown=library.parent)
    assert sandbox.settle() == 0  # as before the next match begins
    assert cached_pages(library) == 0
    # What it writes is not read: it must read the whole file without filling a pipe.
    words = ("/bin/sh", "-c", f"cat {library} >/dev/null")
    command = BotCommand(words, tmp_path, environment(), (library.parent,))
    sandbox.rehearse(command, memory_mb=512)
    assert cached_pages(library) == CACHED_BYTES // 4096


@contained
def test_match_without_a_following_one_leaves_nothing_cached(
    tmp_path: Path, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runner does not wait for its next match to drop what a match read: another worker may play it."""

    def stay(group: Cgroup, done: Callable[[], None] | None = None, *, keep_caches: bool = False) -> None:
        # As where killed processes take a while to leave.
        group._done, group._keep_caches = done, keep_caches
        group._ended.groups.append(group)

    monkeypatch.setattr(Cgroup, "leave", stay)
    sandbox = open_sandbox("auto")
    if sandbox.protections["page-cache"] != "enforced":
        pytest.skip("no control group counts what is cached here")
    tmp_path.chmod(0o755)
    script = f"cat {library} >/dev/null; read a; echo bot; read b; echo ready; exec sleep 600"
    words = ("/bin/sh", "-c", script)
    command = BotCommand(words, tmp_path, environment(), (library.parent,))
    started: list[Channel] = []

    def launch(*_: object) -> Channel:
        started.append(RandomChannel() if started else sandbox.spawn(command, memory_mb=512))
        return started[-1]

    limits = Limits(move_ms=100, startup_ms=60_000, memory_mb=512)
    with MatchRunner(launch, sandbox=sandbox, find=toy) as runner:
        faults = outcome(runner.play(make_spec(limits=limits)))["faults"]
        assert [kind for _, kind, _ in faults] == ["timeout"]
        assert cached_pages(library) == 0


@contained
def test_bots_own_files_are_not_the_hosts(tmp_path: Path) -> None:
    """A copy in memory: what the bot reads of it leaves the host's file uncached."""
    data = tmp_path / "data"
    data.write_bytes(b"1" * CACHED_BYTES)
    inode = (data.stat().st_dev, data.stat().st_ino)
    command = BotCommand(("/bin/sh", "-c", "stat -c '%d %i %a' data"), tmp_path, environment())
    tmp_path.chmod(0o755)
    channel = open_sandbox("auto").spawn(command, memory_mb=512)
    device, number, mode = channel.wait(time.monotonic_ns() + FAR).text.split()
    channel.close(0)
    assert (int(device), int(number)) != inode
    assert mode == "444"
