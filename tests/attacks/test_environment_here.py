"""An environment in a project's folder, as root and as an organiser who is not: what a bot can read of it.

``python3 -m venv .`` and ``bin/tourney run``: the interpreter's prefix is the folder of the database.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.support.containment import contained

pytestmark = [pytest.mark.containment, contained]

CHECKOUT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = sysconfig.get_path("purelib")
USER: Final = 2500
FILES: Final = {
    "cup.toml": 'name = "cup"\ngame = "sage-stones"\nseed = 7312931231\nbots = ["./spy", "./rival"]\n'
    "[options]\nstones = 15\n[limits]\nmove-ms = 600000\nstartup-ms = 600000\n",
    "spy/bot.toml": 'name = "spy"\nversion = "1"\ncommand = ["python3", "bot.py"]\n',
    "rival/bot.toml": 'name = "rival"\nversion = "1"\ncommand = ["python3", "bot.py"]\n',
    "spy/bot.py": """\
import os, sys
HEADER = b"SQLite format 3"
MARKS = [b"".join(parts) for parts in ((b"the rival's", b" opening"), (b"73129", b"31231"))]
def look():
    looked = 0
    for folder, folders, names in os.walk("/"):
        # Not the system's folders and the standard library, which take seconds.
        skipped = ("proc", "sys", "dev", "usr", "include", "pkgconfig")
        folders[:] = [name for name in folders if name not in skipped and not name.startswith("python3")]
        for name in names:
            path = os.path.join(folder, name)
            try:
                with open(path, "rb") as file:
                    data = file.read(1 << 22)
            except OSError:
                continue
            looked += 1
            if data.startswith(HEADER) or any(mark in data for mark in MARKS):
                print("info sees", path, flush=True)
    print("info looked", looked, flush=True)
for line in sys.stdin:
    word, *rest = line.split()
    if word == "tourney":
        print("bot wants=legal", flush=True)
    elif word == "game":
        look()
        print("ready", flush=True)
    elif word == "legal":
        action = rest[0]
    elif word == "go":
        print("move", action, flush=True)
    elif word == "quit":
        break
""",
}
FILES_OF_RIVAL: Final = "# the rival's opening\n" + FILES["spy/bot.py"].replace("        look()\n", "")


def as_user(words: Sequence[str], user: int) -> list[str]:
    """The words of a command that runs as a user; 0: as the one who runs the tests."""
    if not user:
        return list(words)
    # A shell in between: what setpriv itself executes is still found with root's rights.
    shell = ["sh", "-c", 'exec "$@"', "sh"]
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--", *shell, *words]


@cache
def interpreter(user: int) -> str:
    """An interpreter of this version that a user may run with the packages of the tests; "" if none."""
    system = shutil.which(f"python3.{sys.version_info[1]}", path="/usr/local/bin:/usr/bin:/bin")
    for candidate in filter(None, (str(Path(sys.executable).resolve()), system)):
        words = as_user([candidate, "-c", "import tourney.cli.start, sqlalchemy, msgspec, venv"], user)
        env = {"PYTHONPATH": f"{CHECKOUT}:{PACKAGES}", "PATH": os.defpath}
        if subprocess.run(words, env=env, capture_output=True, check=False, cwd="/").returncode == 0:
            return candidate
    return ""


class Project:
    """A folder with an environment and a tournament, whose owner runs commands there."""

    def __init__(self, folder: Path, user: int) -> None:
        self.folder = folder
        self.user = user
        subprocess.run([interpreter(user), "-m", "venv", "--without-pip", str(folder)], check=True)
        site = next(folder.glob("lib/python*/site-packages"))
        (site / "tests.pth").write_text(f"{PACKAGES}\n{CHECKOUT}\n", "utf-8")
        for name, text in {**FILES, "rival/bot.py": FILES_OF_RIVAL}.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, "utf-8")
        for path in (folder, *folder.rglob("*")):
            os.chown(path, user, user, follow_symlinks=False)
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (0o755 if path.is_dir() else 0o644))

    def tourney(self, *words: str, limits: str = "true") -> "subprocess.CompletedProcess[str]":
        """Run a command of the environment in the folder, under the limits that a shell sets."""
        program = [str(self.folder / "bin" / "python"), "-m", "tourney", *words]
        shell = ["sh", "-c", f'{limits} && exec "$@"', "sh", *program]
        env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self.folder)}
        return subprocess.run(
            as_user(shell, self.user), cwd=self.folder, env=env, capture_output=True, text=True, check=False
        )


@pytest.fixture(params=["root", "user"])
def project(request: pytest.FixtureRequest) -> Iterator[Project]:
    """A project outside of /tmp, of root or of another organiser."""
    user = USER if request.param == "user" and os.geteuid() == 0 else 0
    if request.param == "root" and os.geteuid() != 0:
        pytest.skip("the tests do not run as root")
    if not interpreter(user):
        pytest.skip("no interpreter with the packages of the tests is open to other users")
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="tourney-project-") as name:
        yield Project(Path(name), user)


def test_bot_sees_nothing_of_the_projects_folder(project: Project) -> None:
    """Neither the database with its seed, nor its log, nor a rival's code, nor the tournament file."""
    done = project.tourney("run", "cup.toml", "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert "sandbox auto: bubblewrap" in done.stderr
    shown = project.tourney("show", "1", "--log")
    looked = [line for line in shown.stdout.splitlines() if "looked" in line]
    assert looked, shown.stdout + shown.stderr
    assert int(looked[0].split()[-1]) > 10
    assert "sees" not in shown.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--db", "lib/t.db"), "the database"),
        (("--db", "linked/t.db"), "the database"),
        (("--bots", "bin/store"), "the bot store"),
        (("--log", "lib/run.log"), "the log"),
    ],
    ids=["database", "linked", "store", "log"],
)
def test_private_file_among_shown_ones_is_refused(
    project: Project, options: tuple[str, str], words: str
) -> None:
    """In one sentence, and nothing is left there but a log that was asked for, which has the sentence."""
    (project.folder / "linked").symlink_to("lib")
    before = sorted(project.folder.rglob("*"))
    done = project.tourney("run", "cup.toml", *options)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"error: {words} ")
    assert "which every bot can read; move it" in done.stderr
    log = project.folder / "lib" / "run.log"
    assert [path for path in sorted(project.folder.rglob("*")) if path != log] == before


def test_canary_finds_what_would_be_shown(project: Project) -> None:
    """And nothing beside the environment otherwise."""
    (project.folder / "t.db").write_bytes(b"SQLite format 3")
    done = project.tourney("doctor", "--db", "t.db", "--format", "json")
    rows = {row["protection"]: row for row in json.loads(done.stdout)["protections"]}
    assert rows["host-files"]["degree"] == "enforced", rows["host-files"]
    (project.folder / "t.db").rename(project.folder / "lib" / "t.db")
    done = project.tourney("doctor", "--db", "lib/t.db", "--format", "json")
    rows = {row["protection"]: row for row in json.loads(done.stdout)["protections"]}
    assert rows["host-files"]["degree"] == "partial"
    assert rows["host-files"]["tried"].endswith("/lib/t.db")
    assert done.returncode == 1
    assert "the sandbox fails to enforce: host-files" in done.stderr


LIMITS: Final = {"nofile": (64, "open files (ulimit -n) is 64"), "nproc": (12, "threads (ulimit -u) is 12")}


@pytest.mark.parametrize("kind", list(LIMITS))
def test_tournament_goes_on_with_no_less_containment(project: Project, kind: str) -> None:
    """A shell's limits that take the sandbox away stop it; the sentence names the limit."""
    limit, words = LIMITS[kind]
    limits = f"prlimit --pid $$ --{kind}={limit}"
    again = ["sh", "-c", f"{limits} && {limits}0"]
    if subprocess.run(as_user(again, project.user), capture_output=True, check=False).returncode == 0:
        pytest.skip("this user may raise its limits again")
    if kind == "nproc" and not project.user and os.geteuid() == 0:
        pytest.skip("the kernel does not count root's processes")
    assert project.tourney("run", "cup.toml", "--workers", "1").returncode == 0
    file = project.folder / "cup.toml"
    file.write_text(
        file.read_text("utf-8").replace("[options]", '[[entrant]]\nbot = "./rival"\nname = "x"\n[options]')
    )
    done = project.tourney("run", "cup.toml", "--workers", "1", limits=limits)
    assert done.returncode == 3, done.stderr
    assert "cup began with" in done.stderr
    assert words in done.stderr
    assert "pass --allow-weaker" in done.stderr
    status = json.loads(project.tourney("status", "cup", "--format", "json").stdout)
    assert '"x"' not in json.dumps(status), "a refused run enters no bot"
    doctor = project.tourney("doctor", limits=limits)
    assert words in doctor.stderr
    assert "install bubblewrap" not in doctor.stderr
    assert "bug in Tourney" not in doctor.stderr
    assert project.tourney("run", "cup.toml", "--workers", "1").returncode == 0
