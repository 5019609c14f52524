"""Hostile bots in real matches: each ends in time, with the right fault, and harms only itself.

"In time" is exact on any machine: the referee never waits beyond the deadline (``Fight.overstayed``).
The time until a bot ends depends on the machine; ``benchmarks.hostile attacks`` measures it.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.attacks.arena import Arena, Fight
from tests.attacks.attacks import ATTACKS, Attack, turn
from tests.support.containment import contained
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.bots.sandbox.sandbox import Sandbox, open_sandbox, program
from tourney.match.spec import Limits

pytestmark = pytest.mark.containment

HANG_SECONDS = 120
"""A bot that is not ended stays for ten minutes; any other delay past a deadline is shorter."""
REFEREE_BYTES = 8 * 1024 * 1024
"""Bytes that the referee's peak memory may grow by in a match."""
LEVELS: dict[str, Callable[[], Sandbox]] = {
    "auto": partial(open_sandbox, "auto"),
    "limits": lambda: PlainSandbox("auto", program("prlimit"), program("setpriv")),
    "off": lambda: PlainSandbox("off", setpriv=program("setpriv")),
}
MAY_FAIL = {"database", "rivals-folder", "own-folder", "traces-the-referee", "kills-the-referee"}
"""Attacks that some machines withstand without a sandbox: they refuse tracing, or hide processes."""
LIMITED = {"address-space", "open-files", "file-size", "core-dumps"}
"""The protections by limits; other attacks work as with ``off``."""


def cases() -> Iterator[object]:
    for level in LEVELS:
        for attack in ATTACKS:
            if level != "limits" or LIMITED & {*attack.needs}:
                marks = [contained] if level == "auto" else []
                yield pytest.param(level, attack, id=f"{level}-{attack.name}", marks=marks)


@pytest.fixture(scope="session")
def control(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the digest of the next match if there was no attack."""
    with Arena(tmp_path_factory.mktemp("control"), PlainSandbox("off")) as arena:
        return arena.control()


@pytest.mark.parametrize(("level", "attack"), [*cases()])
def test_attack_harms_only_its_own_bot(
    tmp_path: Path,
    control: str,
    level: str,
    attack: Attack,
    record_property: Callable[[str, object], None],
) -> None:
    """Right fault in time, no process left, little referee memory, and the same next match."""
    tmp_path.chmod(0o755)
    sandbox = LEVELS[level]()
    with Arena(tmp_path, sandbox) as arena:
        fight = arena.attack(attack)
    held = attack.contained(sandbox.protections)
    if fight.worked:
        record_property("not contained", (level, attack.name, fight.worked))
    if held:
        assert fight.worked == []
        assert fight.kinds[0] in attack.faults, fight.notes
        assert attack.notes in fight.notes
    else:
        assert fight.worked or attack.name in MAY_FAIL, fight.said
        assert fight.kinds[0] in attack.freely, fight.notes
    assert len(fight.kinds) == 1
    assert_in_time(fight)
    assert fight.grown < REFEREE_BYTES
    assert fight.next == control


def assert_in_time(fight: Fight) -> None:
    assert fight.overstayed == ()
    if fight.faults:
        assert fight.past < HANG_SECONDS


@contained
def test_out_of_memory_is_a_crash_named_in_the_log(tmp_path: Path) -> None:
    """The log names the kernel's kill of a bot beyond its total memory limit."""
    sandbox = open_sandbox("auto")
    if sandbox.protections["total-memory"] != "enforced":
        pytest.skip("no control group bounds memory here")
    tmp_path.chmod(0o755)
    # The bot's own shared memory also counts: 60 MiB of it, and the bot maps the rest.
    body = (
        "import mmap\n"
        "with open('/dev/shm/x', 'wb') as file:\n"
        "    file.write(b'1' * (60 << 20))\n"
        "hog = [bytearray(b'1') * (40 << 20) for _ in range(10)]"
    )
    limits = Limits(move_ms=60_000, startup_ms=60_000, memory_mb=450)
    with Arena(tmp_path, sandbox) as arena:
        fight = arena.fight(turn(body), limits)
    assert fight.kinds == ("crash",)
    assert "out of memory" in fight.notes
