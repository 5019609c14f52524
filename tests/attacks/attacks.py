"""The attacks: each hostile bot's actions in a match, and the expected outcome.

The module is long because it is a list: one entry for each attack.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tourney.bots.sandbox.sandbox import Degree
from tourney.match.spec import Limits

PATIENT: Final = Limits(move_ms=60_000, startup_ms=60_000, memory_mb=256)
HASTY: Final = Limits(move_ms=300, margin_ms=50, startup_ms=60_000, memory_mb=256)
"""For attacks that run into the deadline of a turn."""


@dataclass(frozen=True, slots=True)
class Attack:
    """A bot's actions instead of (or before) its first move, and the expected outcome.

    ``faults``: the possible kinds, None for no fault. ``notes``: words of the referee's note. ``needs``: the
    protections that contain it; if one of them is not enforced, the attack must work, in its form ``tame`` if
    there is one: it stops at its own bounds and removes what it wrote. ``freely``: the possible faults
    then.
    """

    name: str
    code: str
    faults: tuple[str | None, ...]
    notes: str = ""
    limits: Limits = PATIENT
    needs: tuple[str, ...] = ()
    tame: str = ""
    freely: tuple[str | None, ...] = (None,)

    def contained(self, protections: Mapping[str, Degree]) -> bool:
        """Return whether a sandbox with these protections contains it."""
        return all(protections[name] == "enforced" for name in self.needs)


def turn(body: str) -> str:
    """Return a bot that does this in its first turn."""
    return "def attack(first):\n" + "".join(f"    {line}\n" for line in body.splitlines())


def tries(*steps: tuple[str, str]) -> str:
    """Return a bot that tries these steps in its first turn, and reports the ones that worked."""
    body = [f"def {name}():\n    {code.replace(chr(10), chr(10) + '    ')}" for name, code in steps]
    return turn("\n".join([*body, *(f"attempt({name})" for name, _ in steps)]))


SEES_REFEREE = "if Path(f'/proc/{REFEREE}/cmdline').read_bytes() != WORDS:\n    raise PermissionError\n"
"""In the bot's namespace, another process can have the referee's number."""

TRACE = """\
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long
# Seized but not stopped; the tracer releases it by exiting.
child = os.fork()
if child == 0:
    os._exit(0 if libc.ptrace(0x4206, TARGET, None, None) == 0 else 1)
if os.waitpid(child, 0)[1]:
    raise PermissionError"""


def by_six_children(code: str) -> str:
    """Return a part of a bot in which six children each run some code, indented, and hold what they got."""
    return f"""\
import mmap
gate, ready = os.pipe(), os.pipe()
for _ in range(6):
    if os.fork() == 0:
{code}
        os.write(ready[1], b'!')
        os.close(gate[1])
        os.read(gate[0], 1)
        os._exit(0)
os.close(ready[1])
heard = 0
while heard < 6 and (more := os.read(ready[0], 6)):
    heard += len(more)
os.close(gate[1])
if any([os.wait()[1] for _ in range(6)]) or heard < 6:
    raise MemoryError
"""


MEMORY_BY_CHILDREN = by_six_children("""\
        memory = mmap.mmap(-1, 64 << 20)
        for at in range(0, 64 << 20, 4096):
            memory[at] = 1""")

FORKS = """\
children = []
try:
    for _ in range(600):
        child = os.fork()
        if child == 0:
            signal.pause()
        children.append(child)
finally:
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)"""

ONE_FILE = """\
import tempfile
with tempfile.TemporaryFile(dir='/tmp') as file:
    for _ in range(80):
        file.write(b'1' * (1 << 20))"""

MANY_FILES = """\
import tempfile
with tempfile.TemporaryDirectory(dir='/tmp') as folder:
    for k in range(10):
        Path(folder, str(k)).write_bytes(b'1' * (8 << 20))"""

CONNECT = """\
with socket.socket(socket.AF_UNIX) as one:
    one.settimeout(30)
    one.connect('\\0' + ABSTRACT)"""

ASK_BY_MAPPING = """\
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
with open('bot.py', 'rb') as file:
    place = libc.mmap(None, 4096, 1, 1, file.fileno(), 0)
if libc.mincore(place, 4096, ctypes.create_string_buffer(1)):
    raise PermissionError"""

ASK_BY_READING = """\
with open('bot.py', 'rb') as file:
    try:
        os.preadv(file.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT)
    except BlockingIOError:
        pass"""

SEE_A_LOCK = """\
import fcntl
place = os.open(LOCKED, os.O_RDONLY)
try:
    fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    return
raise PermissionError"""

SET_A_RECORD_LOCK = """\
import fcntl, struct
lock = struct.pack('hhqqi4x', fcntl.F_RDLCK, os.SEEK_SET, 1, 1, 0)
asked = struct.pack('hhqqi4x', fcntl.F_WRLCK, os.SEEK_SET, 1, 1, 0)
fcntl.fcntl(os.open(LOCKED, os.O_RDONLY), fcntl.F_OFD_SETLK, lock)
found = fcntl.fcntl(os.open(LOCKED, os.O_RDONLY), fcntl.F_OFD_GETLK, asked)
if struct.unpack_from('h', found)[0] != fcntl.F_RDLCK:
    raise PermissionError"""

WATCH = """\
import ctypes
if ctypes.CDLL(None, use_errno=True).inotify_init1(0) < 0:
    raise PermissionError"""

UDP = """\
held = []
for _ in range(COUNT):
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.bind(('127.0.0.1', 0))
    one.connect(one.getsockname())
    for _ in range(3):
        one.send(b'1' * 60000)
    held.append(one)"""

QUEUED_BY_CHILDREN = by_six_children("""\
        held, queued = [], 0
        while queued < 64 << 20:
            held.append(socket.socketpair())
            for one in held[-1]:
                one.setblocking(False)
                try:
                    while True:
                        queued += one.send(b'1' * 65536)
                except BlockingIOError:
                    pass""")

SEE_OTHERS_WORK = """\
before = [Path(name).read_bytes() for name in ('/proc/stat', '/proc/loadavg')]
for _ in range(50):
    if os.fork() == 0:
        os._exit(0)
    os.wait()
if before == [Path(name).read_bytes() for name in ('/proc/stat', '/proc/loadavg')]:
    raise PermissionError"""

OWN_PATH = """\
names = ('/proc/1/cmdline', '/proc/self/mountinfo', '/proc/self/environ', '/proc/mounts')
if not any(os.path.dirname(DATABASE).encode() in Path(name).read_bytes() for name in names):
    os.stat(DATABASE)"""

ATTACKS: Final = (
    Attack(
        "fork-bomb",
        turn("while True:\n    try:\n        os.fork()\n    except OSError:\n        pass"),
        ("timeout", "crash"),
        limits=HASTY,
        needs=("process-count",),
        tame=tries(
            ("have_600_processes", FORKS),
        ),
    ),
    Attack(
        "memory-hog",
        turn("hog = bytearray(b'1') * (300 << 20)"),
        ("crash",),
        "exited with code 1",
        needs=("address-space",),
        tame=tries(("map_300_mib", "import mmap\nmmap.mmap(-1, 300 << 20).close()")),
    ),
    Attack(
        "memory-by-children",
        turn(
            "for _ in range(8):\n"
            "    if os.fork() == 0:\n"
            "        hog = bytearray(b'1') * (100 << 20)\n"
            "        time.sleep(600)\n"
            "time.sleep(600)"
        ),
        ("timeout", "crash"),
        limits=HASTY,
        needs=("total-memory",),
        tame=tries(("use_384_mib_by_children", MEMORY_BY_CHILDREN)),
    ),
    Attack(
        "disk-by-one-file",
        turn(
            "import tempfile\n"
            "with tempfile.TemporaryFile(dir='/tmp') as file:\n"
            "    while True:\n"
            "        file.write(b'1' * (1 << 20))"
        ),
        ("crash",),
        "exited with code 1",
        needs=("file-size",),
        tame=tries(
            ("make_a_file_of_80_mib", ONE_FILE),
        ),
    ),
    Attack(
        "disk-by-many-files",
        turn(
            "for k in range(10**9):\n"
            "    for place in ('/tmp', '/dev/shm'):\n"
            "        with open(f'{place}/{k}', 'wb') as file:\n"
            "            file.write(b'1' * (1 << 20))"
        ),
        ("crash",),
        "exited with code 1",
        needs=("private-tmp",),
        tame=tries(
            ("fill_80_mib_of_tmp", MANY_FILES),
        ),
    ),
    Attack(
        "database",
        tries(
            ("read_the_database", "Path(DATABASE).read_bytes()"),
            ("write_to_the_database", "with Path(DATABASE).open('ab') as file:\n    file.write(b'!')"),
            ("remove_the_database", "Path(DATABASE).rename(DATABASE + '.gone')"),
        ),
        (None,),
        needs=("host-files",),
    ),
    Attack(
        "rivals-folder",
        tries(
            ("read_a_rivals_program", "Path(RIVAL, 'bot').read_bytes()"),
            ("change_a_rivals_program", "with Path(RIVAL, 'bot').open('ab') as file:\n    file.write(b'#')"),
            ("leave_a_file_with_a_rival", "Path(RIVAL, 'left').write_bytes(b'')"),
        ),
        (None,),
        needs=("host-files",),
    ),
    Attack(
        "own-folder",
        tries(("change_itself", "with open('bot.py', 'ab') as file:\n    file.write(b'#')")),
        (None,),
        needs=("bot-folder",),
    ),
    Attack(
        "loopback-socket",
        tries(
            (
                "connect_to_a_port",
                "with socket.create_connection(('127.0.0.1', PORT), timeout=30):\n    pass",
            )
        ),
        (None,),
        needs=("network",),
    ),
    Attack(
        "abstract-socket",
        tries(
            ("connect_to_an_abstract_socket", CONNECT),
        ),
        (None,),
        needs=("network",),
    ),
    Attack(
        "kills-the-referee",
        # All processes that its user may kill are in the sandbox.
        tries(("kill_the_referee", SEES_REFEREE + "os.kill(REFEREE, signal.SIGKILL)"))
        + "    for target in (-1, 1, os.getppid()):\n"
        "        try:\n"
        "            os.kill(target, signal.SIGKILL)\n"
        "        except OSError:\n"
        "            pass\n",
        (None, "crash"),
        needs=("process-table", "own-user"),
        # This attack harms nothing.
        tame=tries(("signal_the_referee", SEES_REFEREE + "os.kill(REFEREE, signal.SIGURG)")),
    ),
    Attack(
        "traces-the-referee",
        tries(
            ("trace_the_referee", SEES_REFEREE + TRACE.replace("TARGET", "REFEREE")),
            ("trace_its_parent", "PARENT = os.getppid()\n" + TRACE.replace("TARGET", "PARENT")),
            ("open_the_referees_memory", SEES_REFEREE + "open(f'/proc/{REFEREE}/mem', 'rb').close()"),
        ),
        (None,),
        needs=("process-table", "system-calls"),
    ),
    Attack(
        "asks-what-is-cached",
        tries(("ask_by_a_mapping", ASK_BY_MAPPING), ("ask_by_reading", ASK_BY_READING)),
        (None,),
        needs=("page-cache",),
    ),
    Attack(
        "sees-locks-of-others",
        tries(("see_a_lock", SEE_A_LOCK), ("set_a_record_lock", SET_A_RECORD_LOCK)),
        (None,),
        needs=("file-locks",),
    ),
    Attack("watches-files-of-others", tries(("watch_files", WATCH)), (None,), needs=("file-locks",)),
    Attack(
        "memory-in-udp-queues",
        tries(("queue_udp_data", UDP.replace("COUNT", "900"))),
        (None,),
        needs=("sockets",),
        tame=tries(("queue_udp_data", UDP.replace("COUNT", "9"))),
    ),
    Attack(
        "memory-in-unix-queues",
        tries(("queue_384_mib_in_sockets", QUEUED_BY_CHILDREN)),
        (None, "crash"),
        needs=("sockets",),
    ),
    Attack(
        "reads-figures-of-the-machine",
        tries(
            ("see_others_work", SEE_OTHERS_WORK),
            ("read_interrupts", "Path('/proc/interrupts').read_bytes()"),
            ("read_disk_figures", "Path('/proc/diskstats').read_bytes()"),
        ),
        (None,),
        needs=("system-figures",),
    ),
    Attack(
        "finds-its-path-on-the-host",
        tries(("find_its_path", OWN_PATH)),
        (None,),
        needs=("host-files",),
    ),
    Attack(
        "takes-terminals-of-the-host",
        tries(("open_a_terminal", "os.openpty()")),
        (None,),
        needs=("host-files",),
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
        turn("for _ in range(500):\n    os.write(2, b'y' * 60000 + b'\\n')"),
        (None,),
    ),
    Attack(
        "never-reads",
        "def begin():\n    time.sleep(600)\n",
        ("startup",),
        limits=Limits(move_ms=300, startup_ms=400),
    ),
    Attack("closes-stdout", turn("os.close(1)\ntime.sleep(600)"), ("crash",), "closed its output"),
    Attack(
        "daemon-outlives-the-match",
        turn(
            "if os.fork() == 0:\n"
            "    os.setsid()\n"
            "    if os.fork() == 0:\n"
            "        time.sleep(600)\n"
            "    os._exit(0)\n"
            "os.wait()"
        ),
        (None,),
        needs=("all-processes",),
    ),
    Attack(
        "grandchild-holds-the-pipe",
        turn("if os.fork() == 0:\n    time.sleep(600)\nos._exit(3)"),
        ("crash",),
        "exited with code 3",
    ),
    Attack("sleeps-past-the-deadline", turn("time.sleep(600)"), ("timeout",), limits=HASTY),
    Attack("spins-past-the-deadline", turn("while True:\n    pass"), ("timeout",), limits=HASTY),
    Attack("stops-itself", turn("os.kill(0, signal.SIGSTOP)"), ("timeout",), limits=HASTY),
    Attack("garbage", turn("os.write(1, b'\\xff\\xfe\\x00\\n')\ntime.sleep(600)"), ("protocol",), "UTF-8"),
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
)

PONDERERS: Final = (
    Attack(
        "works-in-the-opponents-time",
        turn("if os.fork() == 0:\n    while True:\n        pass"),
        (None,),
        limits=Limits(move_ms=600_000, startup_ms=600_000, ponder="freeze", memory_mb=256),
    ),
    Attack(
        "daemon-works-in-the-opponents-time",
        turn(
            "child = os.fork()\n"
            "if child == 0:\n"
            "    os.setsid()\n"
            "    if os.fork():\n"
            "        os._exit(0)\n"
            "    while True:\n"
            "        pass\n"
            "os.waitpid(child, 0)"
        ),
        (None,),
        limits=Limits(move_ms=600_000, startup_ms=600_000, ponder="freeze", memory_mb=256),
        needs=("freezing",),
    ),
)
"""Attacks against an opponent that measures; they are contained if ``freeze`` stops them."""
