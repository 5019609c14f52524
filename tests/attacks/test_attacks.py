"""Hostile bots in real matches: each ends in time, with the right fault, and harms nobody else.

Times are bounds that only a failure exceeds: what is exact is the fault, what is left, and the next match.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.attacks.arena import HASTY, PATIENT, REFEREE_BYTES, Arena, turn
from tests.containment import contained
from tourney.bots.sandbox import PlainSandbox, Sandbox, open_sandbox
from tourney.match.spec import Limits

pytestmark = pytest.mark.attack

LONGEST_SECONDS = 30
"""A match's deadlines here are 0.35 s and some start-ups; a bot that hangs would hold it for ever."""


@dataclass(frozen=True, slots=True)
class Attack:
    """What a bot does instead of (or before) its first move, and what must come of it.

    ``faults``: the kinds that may come of it, None for no fault. ``wild``: it would harm this machine where
    nothing contains it, so it is tried in the sandbox alone.
    """

    name: str
    code: str
    faults: tuple[str | None, ...]
    says: str = ""
    limits: Limits = PATIENT
    wild: bool = False


ATTACKS = [
    Attack(
        "fork-bomb",
        turn("while True:\n    try:\n        os.fork()\n    except OSError:\n        pass"),
        ("timeout", "crash"),
        limits=HASTY,
        wild=True,
    ),
    Attack("memory-hog", turn("hog = bytearray(600 << 20)"), ("crash",), "exited with code 1", wild=True),
    Attack(
        "memory-by-children",
        turn(
            "for _ in range(8):\n"
            "    if os.fork() == 0:\n"
            "        hog = bytearray(b'1') * (200 << 20)\n"
            "        time.sleep(600)"
        )
        + "    time.sleep(600)\n",
        ("timeout", "crash"),
        limits=HASTY,
        wild=True,
    ),
    Attack(
        "disk-by-one-file",
        turn("with open('/tmp/x', 'wb') as file:\n    while True:\n        file.write(b'1' * (1 << 20))"),
        ("crash",),
        wild=True,
    ),
    Attack(
        "disk-by-many-files",
        turn(
            "for k in range(10**9):\n"
            "    with open(f'/dev/shm/{k}', 'wb') as file:\n"
            "        file.write(b'1' * (1 << 20))"
        ),
        ("crash",),
        "exited with code 1",
        wild=True,
    ),
    Attack(
        "kill-all",
        # What a user may kill is all in the sandbox; never tried where that could be somebody else's.
        turn(
            "if os.getuid() and os.getpid() < 100:\n"
            "    os.kill(-1, signal.SIGKILL)\n"
            "    os.kill(1, signal.SIGKILL)\n"
            "    os.kill(os.getppid(), signal.SIGKILL)"
        ),
        (None, "crash"),
        wild=True,
    ),
    Attack(
        "endless-line",
        turn("while True:\n    os.write(1, b'x' * 4000)"),
        ("protocol",),
        "longer than 4,096 bytes",
    ),
    Attack(
        "flood-of-info",
        turn("while True:\n    os.write(1, b'info x\\n' * 500)"),
        ("overflow",),
        "between two requests",
    ),
    Attack(
        "trickle-of-info",
        turn("while True:\n    say('info still here')\n    time.sleep(0.01)"),
        ("timeout",),
        "no answer within 350 ms",
        limits=HASTY,
    ),
    Attack(
        "flood-of-stderr",
        turn("while True:\n    os.write(2, b'x' * 65536)"),
        ("timeout",),
        limits=HASTY,
    ),
    Attack(
        "flood-of-stderr-then-a-move",
        turn("for _ in range(2000):\n    os.write(2, b'y' * 60000 + b'\\n')"),
        (None,),
    ),
    Attack(
        "never-reads",
        "def begin():\n    time.sleep(600)\n",
        ("startup",),
        limits=Limits(move_ms=300, startup_ms=1500),
    ),
    Attack("closes-stdout", turn("os.close(1)\ntime.sleep(600)"), ("crash",), "closed its output"),
    Attack(
        "grandchild-holds-the-pipe",
        turn("if os.fork() == 0:\n    time.sleep(600)\nos._exit(3)"),
        ("crash",),
        "exited with code 3",
    ),
    Attack("sleeps-past-the-deadline", turn("time.sleep(600)"), ("timeout",), limits=HASTY),
    Attack("spins-past-the-deadline", turn("while True:\n    pass"), ("timeout",), limits=HASTY),
    Attack("stops-itself", turn("os.kill(0, signal.SIGSTOP)"), ("timeout",), limits=HASTY),
    Attack("garbage", turn("os.write(1, b'\\xff\\xfe\\x00\\n')\ntime.sleep(600)"), ("protocol",), "no UTF-8"),
    Attack(
        "answers-before-asked",
        "def begin():\n    os.write(1, b'bot\\nready\\nmove a1\\n')\n    time.sleep(600)\n",
        ("startup",),
        "out of turn",
    ),
    Attack(
        "answers-twice",
        turn(
            "os.write(1, b'move ' + first.encode() + b'\\nmove c3\\n')\nsys.stdin.readline()\ntime.sleep(600)"
        ),
        ("protocol",),
        "out of turn",
    ),
    *(
        Attack(f"exits-with-{code}", turn(f"os._exit({code})"), ("crash",), f"exited with code {code}")
        for code in (0, 1, 125, 127, 137, 139)
    ),
    Attack(
        "dies-by-signal", turn("os.kill(os.getpid(), signal.SIGSEGV)\ntime.sleep(600)"), ("crash",), "SIGSEGV"
    ),
    Attack(
        "ignores-every-signal",
        turn(
            "for number in range(1, 65):\n"
            "    try:\n"
            "        signal.signal(number, signal.SIG_IGN)\n"
            "    except (OSError, ValueError):\n"
            "        pass\n"
            "time.sleep(600)"
        ),
        ("timeout",),
        limits=HASTY,
    ),
]
LEVELS: dict[str, Callable[[], Sandbox]] = {
    "auto": lambda: open_sandbox("auto"),
    "off": lambda: PlainSandbox("off"),
}


@pytest.fixture(params=[pytest.param("auto", marks=contained), "off"])
def arena(tmp_path: Path, request: pytest.FixtureRequest) -> Arena:
    """An arena with and without containment."""
    tmp_path.chmod(0o755)
    return Arena(tmp_path, LEVELS[request.param]())


@pytest.mark.parametrize("attack", ATTACKS, ids=[attack.name for attack in ATTACKS])
def test_attack_harms_nobody_but_its_bot(arena: Arena, attack: Attack) -> None:
    """The right fault, in time; no process left; the referee hardly grows; the next match is as ever."""
    if attack.wild and arena.sandbox.kind == "plain":
        pytest.skip("only where something contains it")
    fight = arena.fight(attack.code, attack.limits)
    kinds = [kind for _, kind, _ in fight.faults] or [None]
    assert kinds[0] in attack.faults, fight.notes
    assert len(kinds) == 1
    assert attack.says in fight.notes
    assert fight.seconds < LONGEST_SECONDS
    assert fight.grown < REFEREE_BYTES
    assert fight.left == ()


DAEMON = turn(
    "if os.fork() == 0:\n"
    "    os.setsid()\n"
    "    if os.fork() == 0:\n"
    "        time.sleep(60)\n"
    "    os._exit(0)\n"
    "os.wait()"
)


def test_daemon_outlives_its_match_only_where_nothing_contains_it(arena: Arena) -> None:
    """A process that left its session and its parents: the sandbox ends it, a process group does not."""
    fight = arena.fight(DAEMON)
    assert fight.faults == []
    assert len(fight.left) == (1 if arena.sandbox.kind == "plain" else 0)


@contained
def test_out_of_memory_is_a_crash_with_its_cause_in_the_log(tmp_path: Path) -> None:
    """Where the kernel kills a bot for the bound on all its memory, the log says so."""
    sandbox = open_sandbox("auto")
    if sandbox.protections["total-memory"] != "enforced":
        pytest.skip("no control group bounds memory here")
    tmp_path.chmod(0o755)
    # Shared memory of the bot's own counts too: 64 MiB of it, and the rest mapped by the bot itself.
    body = (
        "import mmap\n"
        "with open('/dev/shm/x', 'wb') as file:\n"
        "    file.write(b'1' * (60 << 20))\n"
        "hog = [bytearray(b'1') * (40 << 20) for _ in range(10)]"
    )
    limits = Limits(move_ms=60_000, startup_ms=60_000, memory_mb=450)
    fight = Arena(tmp_path, sandbox).fight(turn(body), limits)
    assert [kind for _, kind, _ in fight.faults] == ["crash"]
    assert "out of memory" in fight.notes
