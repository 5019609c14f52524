"""The compiled launcher: what it does before a bot, wrong words, and the programs that take its place."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.containment import contained
from tourney.bots.catalogue.command import BotCommand, environment
from tourney.bots.sandbox import bubblewrap
from tourney.bots.sandbox.bubblewrap import EXTRAS, Bubblewrap, Users
from tourney.bots.sandbox.cgroup_search import find_cgroups
from tourney.bots.sandbox.kernel_rules import READABLE
from tourney.bots.sandbox.launcher import compiled_path
from tourney.bots.sandbox.probe import probe_sandbox

LAUNCHER = compiled_path()
LIMITS = "8589934592,1048576,64,-"
USER = "1999"

pytestmark = pytest.mark.skipif(
    LAUNCHER is None or not LAUNCHER.is_file(), reason="the launcher is not compiled; run make cores"
)
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


def launch(*words: str, line: bytes = b"\nrest\n") -> subprocess.CompletedProcess[bytes]:
    """Run the launcher; what it writes to the bot's output is its standard output, without the ready line."""
    shell = ["/bin/sh", "-c", 'exec "$@" 7>&1 1>&2', "sh", str(LAUNCHER)]
    return subprocess.run([*shell, *words], input=line, capture_output=True, check=False)


def test_command_gets_exactly_its_variables_folder_and_the_rest_of_the_input(tmp_path: Path) -> None:
    done = launch(
        "-",
        "-",
        LIMITS,
        str(tmp_path),
        "PATH=/usr/bin:/bin",
        "A=b c",
        "--",
        "--",
        "sh",
        "-c",
        "env; pwd; cat",
    )
    assert done.returncode == 0
    variables = {line for line in done.stdout.decode().split("\n") if "=" in line}
    assert variables - {f"PWD={tmp_path}", "OLDPWD=/", "SHLVL=0", "_=/usr/bin/env"} == {
        "PATH=/usr/bin:/bin",
        "A=b c",
    }
    assert done.stdout.endswith(f"{tmp_path}\nrest\n".encode())
    assert done.stdout.startswith(b"\n")
    assert done.stderr == b""


def test_limits_hold_in_the_command() -> None:
    words = ("PATH=/usr/bin:/bin", "--", "--", "cat", "/proc/self/limits")
    printed = launch("-", "-", "8589934592,1048576,64,4000", "/", *words).stdout.decode()
    rows = {line[:26].strip(): line[26:].split()[:2] for line in printed.splitlines()}
    assert rows["Max address space"] == ["8589934592"] * 2
    assert rows["Max file size"] == ["1048576"] * 2
    assert rows["Max open files"] == ["64"] * 2
    assert rows["Max processes"] == ["4000"] * 2
    assert rows["Max core file size"] == ["0"] * 2


@pytest.mark.parametrize(
    ("name", "text", "code", "output"),
    [
        ("plain", "echo a script $1", 0, b"\na script word\n"),
        ("shebang", "#!/bin/sh\necho $0", 0, b"\n./shebang\n"),
        ("lost", "#!/no/such/interpreter\n", 127, b"\n"),
        ("readable", None, 126, b"\n"),  # not executable
    ],
)
def test_program_is_run_as_by_a_shell(
    tmp_path: Path, name: str, text: str | None, code: int, output: bytes
) -> None:
    """A text without an interpreter is one of the shell's; what cannot be run ends as a shell would."""
    (tmp_path / name).write_text(text or "")
    (tmp_path / name).chmod(0o644 if text is None else 0o755)
    done = launch("-", "-", LIMITS, str(tmp_path), "--", "--", f"./{name}", "word")
    assert (done.returncode, done.stdout) == (code, output)


def test_command_is_searched_in_its_own_path(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("#!/bin/sh\necho mine\n")
    (tmp_path / "mine").chmod(0o755)
    assert (
        launch("-", "-", LIMITS, "/", f"PATH=/nowhere::{tmp_path}", "--", "--", "mine").stdout == b"\nmine\n"
    )
    missing = launch("-", "-", LIMITS, "/", "PATH=/nowhere", "--", "--", "mine")
    assert (missing.returncode, missing.stderr) == (127, b"mine: not found\n")
    assert launch("-", "-", LIMITS, "/", "--", "--", "mine").returncode == 127


def test_closed_input_starts_nothing(tmp_path: Path) -> None:
    done = launch("-", "-", LIMITS, str(tmp_path), "--", "--", "/usr/bin/touch", "made", line=b"no line")
    assert (done.returncode, list(tmp_path.iterdir())) == (1, [])


@as_root
def test_root_is_given_up_for_good() -> None:
    """No user, group or capability of root is left, and none comes back."""
    words = (USER, "-", LIMITS, "/", "PATH=/usr/bin:/bin", "--", "--", "cat", "/proc/self/status")
    status = dict(
        line.split(":\t", 1) for line in launch(*words).stdout.decode().splitlines() if ":\t" in line
    )
    assert {status[key] for key in ("Uid", "Gid")} == {"\t".join([USER] * 4)}
    assert status["Groups"].strip() == ""
    assert {int(status[key], 16) for key in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {0}
    assert status["NoNewPrivs"] == "1"


def test_only_listed_files_of_proc_are_read() -> None:
    script = "read x </proc/self/smaps || echo refused; read x </proc/uptime && echo read"
    done = launch("-", READABLE, LIMITS, "/", "PATH=/bin", "--", "--", "sh", "-c", script)
    assert done.stdout == b"\nrefused\nread\n"


WORDS = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12), max_size=9)


@given(words=WORDS)
@example(words=[])
@example(words=["0", "-", LIMITS, "/", "--", "--", "/bin/true"])
@example(words=["1,", "-", LIMITS, "/", "--", "--", "/bin/true"])
@example(words=["4294967295", "-", LIMITS, "/", "--", "--", "/bin/true"])
@example(words=["-", "-", "1,2,3", "/", "--", "--", "/bin/true"])
@example(words=["-", "-", "99999999999999999999,2,3,-", "/", "--", "--", "/bin/true"])
@example(words=["-", "-", LIMITS, "/nowhere", "--", "--", "/bin/true"])
@example(words=["-", "-", LIMITS, "/", "--", "/bin/true"])
@example(words=["-", "-", LIMITS, "/", "--", "--"])
@example(words=["-", "a" * 5000, LIMITS, "/", "--", "--", "/bin/true"])
def test_wrong_words_end_in_one_sentence_and_start_nothing(words: list[str]) -> None:
    done = launch(*words)
    assert done.returncode == 125
    assert done.stdout in {b"", b"\n"}
    assert done.stderr.startswith(b"launcher: ")
    assert done.stderr.count(b"\n") == 1


@contained
@pytest.mark.slow
@pytest.mark.parametrize("extras", [EXTRAS, EXTRAS - {"launcher"}], ids=["launcher", "chain"])
def test_canary_finds_the_same_protections_with_and_without(extras: frozenset[str]) -> None:
    sandbox = Bubblewrap("auto", extras, Users.of_this_host(), find_cgroups())
    findings = {finding.protection: finding.degree for finding in probe_sandbox(sandbox)}
    assert findings == dict(sandbox.protections)
    assert sandbox.protections == Bubblewrap("auto", EXTRAS, Users.of_this_host(), find_cgroups()).protections


@pytest.fixture
def chain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which the launcher was not compiled."""
    monkeypatch.setattr(bubblewrap, "compiled_launcher", lambda: None)


@contained
def test_sandbox_without_the_launcher_says_so_and_works(chain: None, tmp_path: Path) -> None:
    sandbox = Bubblewrap.open("auto")
    assert "in place of the launcher, as it is not compiled" in sandbox.starter
    sandbox.check_command(BotCommand(("/bin/true",), Path("/usr"), environment()))


@contained
def test_sandbox_with_the_launcher_says_so() -> None:
    assert Bubblewrap.open("auto").starter == "the compiled launcher"
