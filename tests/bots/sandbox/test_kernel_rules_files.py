"""The rules for reading /proc leave runtimes, moves between folders and the listed figures as they are."""

import shutil
import time
from pathlib import Path

import pytest

from tests.support.containment import contained
from tourney.bots.catalogue.command import BotCommand, environment
from tourney.bots.sandbox.kernel_rules import landlock_words
from tourney.bots.sandbox.sandbox import open_sandbox

FAR = 60 * 10**9
MOVE = 'echo b >/tmp/a; mkdir /tmp/b; perl -e \'rename("/tmp/a", "/tmp/b/a") || die $!\'; cat /tmp/b/a'
SAYS = (
    ("node", ("node", "-e", "console.log(process.memoryUsage().rss > 0)"), "true"),
    ("java", ("java", "--version"), "openjdk"),
    ("java", ("sh", "-c", "java --version; exit 0"), "openjdk"),
    ("perl", ("sh", "-c", MOVE), "b"),
    ("sh", ("sh", "-c", "head -c 8 /proc/meminfo; echo; exit"), "MemTotal"),
    ("sh", ("sh", "-c", "cat /proc/vmstat /proc/1/status /proc/self/smaps; echo none"), "none"),
)


@contained
@pytest.mark.parametrize(("program", "words", "said"), SAYS, ids=[" ".join(row[1])[:20] for row in SAYS])
def test_bots_read_what_runtimes_need_and_no_more(
    tmp_path: Path, program: str, words: tuple[str, ...], said: str
) -> None:
    """A Java machine would print what it misses as its first line, in a child of a script too."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    tmp_path.chmod(0o755)
    sandbox = open_sandbox("auto")
    if sandbox.protections["page-cache"] != "enforced":
        pytest.skip("this machine does not enforce page-cache")
    channel = sandbox.spawn(BotCommand(words, tmp_path, environment()), memory_mb=4096)
    event = channel.wait(time.monotonic_ns() + FAR)
    channel.close(0)
    assert event.text.split()[:1] == [said], (event, channel.stderr())


def test_no_listed_file_shows_pages() -> None:
    listed = landlock_words("perl")[-1].split()
    assert not {"smaps", "smaps_rollup", "pagemap", "numa_maps", "self", "net"} & {
        name.rpartition("/")[2] for name in listed
    }
