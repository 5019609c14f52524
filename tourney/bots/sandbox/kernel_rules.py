"""The rules by which the kernel judges a bot: a filter of system calls, and the files of /proc that it reads.

The filter (seccomp) is a BPF program that the kernel runs before each call. It refuses what no player of
board games needs and what enlarges the kernel's attack surface: tracing and reading other processes, mounts,
namespaces, keys, BPF, performance counters, modules, clocks, swap, io_uring, and sockets except of the family
UNIX (AF_VSOCK, for one, reaches a virtual machine's host from any network namespace). Bots share the system's
files with all other bots, so it also refuses calls that tell or change what the kernel has cached of a file,
and watches on files; locks have no effect. It allows all else, as the last of several walls. Calls of another
architecture (32-bit programs on a 64-bit kernel) do not exist for a bot. A build has no opponent: it may lock
files, watch them, and use sockets of the family IP.

The list of files is kept by Landlock. Every process can read in its own ``smaps``, ``pagemap`` and
``numa_maps`` what the kernel notes of each page of the system's files: a memory from match to match. Mounts
cannot cover these files, since each new process has its own. A bot's first process keeps the files that
runtimes read (Node's memory usage, the place of the stack); other processes have none. All that lies outside
/proc may be read as before.
"""

import errno
import platform
import struct
from functools import cache
from typing import Final

_LOAD = 0x20
_EQUAL = 0x15
_AT_LEAST = 0x35
_ANY_BIT = 0x45
_RETURN = 0x06
"""Instructions of classic BPF: load a word of the call, compare it, test its bits, return."""
_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000
"""The kernel's verdicts; the lower half of a refusal is the bot's errno, 0 a pretended success."""
_NUMBER = 0
_MACHINE = 4
_ARGUMENTS = 16
"""Offsets of a call's number, its architecture, and its arguments of eight bytes each."""
_NEW_NAMESPACES: Final = 0x7E020000
_X32: Final = 0x40000000
_UNIX = 1
_IP = (2, 10)
_TERMINAL_INPUT: Final = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX, which type into a terminal
_TERMINALS: Final = (0x5400, 0x5500)
"""The ioctls of terminals and pipes. Those of files read and change what the kernel has cached of them."""
_LOCKS: Final = (6, 7, 37, 38)  # fcntl: F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW
_SET_FLAGS: Final = 4
_ASK_LOCKS: Final = (5, 36)
"""fcntl: F_GETLK and F_OFD_GETLK. SQLite needs them, and no bot can set a lock for another one to see."""
_OWN_DESCRIPTOR: Final = (*range(4), *range(8, 12), 15, 16, 1027, *range(1030, 1035))
"""fcntl: what concerns only the descriptor, its pipe or its memory file, and not locks, leases, watches or
hints of a file."""
_DIRECT: Final = (0x4000, 0x10000)
"""O_DIRECT, which reads from the disk past the cache: on x86_64 and aarch64."""
_CACHE_ADVICE: Final = (3, 12, 20, 21)  # MADV_WILLNEED, MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT
_SYNCHRONOUS: Final = 4
_MEMORY_MERGE: Final = 67

MACHINES: Final = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""The kernel's word for each known architecture, and its column in the tables below."""

_Numbers = tuple[int | None, int | None]


def _calls(text: str) -> dict[str, _Numbers]:
    """Calls with their numbers on x86_64 and aarch64; ``-`` for one that an architecture lacks."""
    words = (word.split(":") for word in text.split())
    return {name: (int(x86_64), None if aarch64 == "-" else int(aarch64)) for name, x86_64, aarch64 in words}


NOT_PERMITTED: Final = _calls(
    "acct:163:89 add_key:248:217 adjtimex:159:171 bpf:321:280 chroot:161:51 clock_adjtime:305:266"
    " clock_settime:227:112 delete_module:176:106 fanotify_init:300:262 finit_module:313:273"
    " fsconfig:431:431 fsmount:432:432 fsopen:430:430 fspick:433:433 init_module:175:105 ioperm:173:-"
    " iopl:172:- kcmp:312:272 kexec_file_load:320:294 kexec_load:246:104 keyctl:250:219"
    " lookup_dcookie:212:18 modify_ldt:154:- mount:165:40 mount_setattr:442:442 move_mount:429:429"
    " name_to_handle_at:303:264 nfsservctl:180:42 open_by_handle_at:304:265 open_tree:428:428"
    " perf_event_open:298:241 pidfd_getfd:438:438 pivot_root:155:41 process_madvise:440:440"
    " process_vm_readv:310:270 process_vm_writev:311:271 ptrace:101:117 quotactl:179:60"
    " quotactl_fd:443:443 reboot:169:142 request_key:249:218 setdomainname:171:162 sethostname:170:161"
    " setns:308:268 settimeofday:164:170 swapoff:168:225 swapon:167:224 sysfs:139:- syslog:103:116"
    " umount2:166:39 unshare:272:97 uselib:134:- userfaultfd:323:282 ustat:136:- vhangup:153:58"
)
"""Refused with EPERM."""
NOT_THERE: Final = _calls(
    "_sysctl:156:- clone3:435:435 io_uring_enter:426:426 io_uring_register:427:427 io_uring_setup:425:425"
    " memfd_secret:447:447"
)
"""Refused with ENOSYS, so that a library falls back. A filter cannot read the flags of clone3."""
PRETENDED: Final = _calls("sched_setaffinity:203:122")
"""Succeeds without effect: some engines give up if they may not choose their processors."""
_FILES_NOT_THERE: Final = _calls(
    "cachestat:451:451 inotify_init:253:- inotify_init1:294:26 io_cancel:210:3 io_destroy:207:1"
    " io_getevents:208:4 io_pgetevents:333:292 io_setup:206:0 io_submit:209:2 mincore:27:232"
    " openat2:437:437"
)
"""Refused to bots with ENOSYS. The calls of asynchronous input, and openat2, have flags that mean "only if it
is cached", which a filter cannot read."""
_FILES_PRETENDED: Final = _calls(
    "fadvise64:221:223 fdatasync:75:83 flock:73:32 fsync:74:82 futimesat:261:- readahead:187:213"
    " sched_setattr:314:274 sched_setparam:142:118 sched_setscheduler:144:119 setpriority:141:140"
    " setsid:112:157 sync:162:81 sync_file_range:277:84 syncfs:306:267 utime:132:- utimensat:280:88"
    " utimes:235:-"
)
"""Succeed without effect for bots: advice, locks (a Java machine locks a file of its own, and warns on
standard output if it fails), syncing (a bot's own files are in memory; the system's would wait for the
disk), times of files (devices are the host's), new sessions (the kernel numbers them for all, in
/proc/self/autogroup), and priorities (a bot with a low one waits on purpose)."""
_SOCKET_COOKIE: Final = 57  # SO_COOKIE: the kernel counts it up for all sockets that are asked for theirs

_CLONE = (56, 220)
_IOCTL = (16, 29)
_FCNTL = (72, 25)
_SOCKET = (41, 198)
_SOCKETPAIR = (53, 199)
_OPEN = (2, None)
_OPENAT = (257, 56)
_MADVISE = (28, 233)
_MSYNC = (26, 227)
_PRCTL = (157, 167)
_PREADV2 = (327, 286)
_PWRITEV2 = (328, 287)
_GETSOCKOPT = (55, 209)


@cache
def seccomp_filter(machine: str | None = None, *, build: bool = False) -> bytes | None:
    """The program for an architecture (default: this one) for bubblewrap; None if it is unknown.

    ``build``: the program for builds instead of bots.
    """
    word, column = MACHINES.get(machine or platform.machine(), (0, -1))
    if column < 0:
        return None
    absent = _refusal(errno.ENOSYS)
    program = [_step(_LOAD, _MACHINE), _step(_EQUAL, word, yes=1), absent, _step(_LOAD, _NUMBER)]
    if column == 0:
        program += _when(_AT_LEAST, _X32, [absent])
    bodies = _by_arguments(_DIRECT[column], build=build)
    for table, error in refused_calls(build=build):
        bodies += [(numbers, [_refusal(error)]) for numbers in table.values()]
    for numbers, body in bodies:
        if (number := numbers[column]) is not None:
            program += _when(_EQUAL, number, body)
    return b"".join([*program, _ALLOWANCE])


def refused_calls(*, build: bool) -> list[tuple[dict[str, _Numbers], int]]:
    """The calls that are refused with any arguments: their numbers by name, and the errno."""
    common = [(NOT_PERMITTED, errno.EPERM), (NOT_THERE, errno.ENOSYS), (PRETENDED, 0)]
    if build:
        return common
    return [*common, (_FILES_NOT_THERE, errno.ENOSYS), (_FILES_PRETENDED, 0)]


def _by_arguments(direct: int, *, build: bool) -> list[tuple[_Numbers, list[bytes]]]:
    """The numbers of the calls that depend on their arguments, each with the steps that decide."""
    families = (_UNIX, *_IP) if build else (_UNIX,)
    socket = [_argument(0), *_each(families, _ALLOWANCE), _refusal(errno.EAFNOSUPPORT)]
    clone = [_argument(0), *_when(_ANY_BIT, _NEW_NAMESPACES, [_refusal(errno.EPERM)]), _ALLOWANCE]
    terminal = [_argument(1), *_each(_TERMINAL_INPUT, _refusal(errno.EPERM))]
    common = [(_CLONE, clone), (_SOCKET, socket), (_SOCKETPAIR, socket)]
    if build:
        return [*common, (_IOCTL, [*terminal, _ALLOWANCE])]
    first, end = _TERMINALS
    ioctl = [
        *terminal,
        *_when(_AT_LEAST, end, [_refusal(errno.ENOTTY)]),
        *_when(_AT_LEAST, first, [_ALLOWANCE]),
        _refusal(errno.ENOTTY),
    ]
    not_direct = [*_when(_ANY_BIT, direct, [_refusal(errno.EINVAL)]), _ALLOWANCE]
    fcntl = [
        _argument(1),
        *_when(_EQUAL, _SET_FLAGS, [_argument(2), *not_direct]),
        *_each((*_OWN_DESCRIPTOR, *_ASK_LOCKS), _ALLOWANCE),
        *_each(_LOCKS, _refusal(0)),
        _refusal(errno.EINVAL),
    ]
    merge = [_argument(0), *_each((_MEMORY_MERGE,), _refusal(errno.EINVAL)), _ALLOWANCE]
    no_flags = [_argument(5), *_each((0,), _ALLOWANCE), _refusal(errno.EOPNOTSUPP)]
    return [
        (_FCNTL, fcntl),
        (_OPENAT, [_argument(2), *not_direct]),
        (_OPEN, [_argument(1), *not_direct]),
        (_MADVISE, [_argument(2), *_each(_CACHE_ADVICE, _refusal(0)), _ALLOWANCE]),
        (_IOCTL, ioctl),
        *common,
        (_MSYNC, [_argument(2), *_when(_ANY_BIT, _SYNCHRONOUS, [_refusal(0)]), _ALLOWANCE]),
        (_PRCTL, merge),
        (_GETSOCKOPT, [_argument(2), *_each((_SOCKET_COOKIE,), _refusal(errno.ENOPROTOOPT)), _ALLOWANCE]),
        (_PREADV2, no_flags),
        (_PWRITEV2, no_flags),
    ]


def _step(code: int, value: int, *, yes: int = 0, no: int = 0) -> bytes:
    """An instruction; ``yes`` and ``no`` are the instructions to skip if a test holds or not."""
    return struct.pack("=HBBI", code, yes, no, value)


_ALLOWANCE: Final = _step(_RETURN, _ALLOW)


def _argument(place: int) -> bytes:
    """Load the lower half of an argument, counted from 0: the kernel reads no more of these."""
    return _step(_LOAD, _ARGUMENTS + 8 * place)


def _refusal(error: int) -> bytes:
    return _step(_RETURN, _REFUSE | error)


def _when(test: int, value: int, body: list[bytes]) -> list[bytes]:
    """Do these steps, which end with a verdict, if a test of the loaded word holds."""
    return [_step(test, value, no=len(body)), *body]


def _each(values: tuple[int, ...], verdict: bytes) -> list[bytes]:
    return [part for value in values for part in _when(_EQUAL, value, [verdict])]


# -- the files of /proc -------------------------------------------------------------------------------------

READABLE: Final = (
    "cpuinfo filesystems loadavg meminfo stat sys/kernel sys/vm uptime version"
    " self/cmdline self/limits self/maps self/stat self/statm self/status"
)
"""The files below /proc that a bot may read."""
_SCRIPT: Final = r"""
my ($read, $refer) = (1 << 2, 1 << 13);
my $rules = syscall(444, pack("Q", $read | $refer), 8, 0);
$rules >= 0 or die "landlock_create_ruleset: $!\n";
sub allow {
    my $rights = shift;
    for (@_) {
        sysopen(my $file, $_, 010000000) or next;
        syscall(445, $rules, 1, pack("Ql", $rights, fileno $file), 0) == 0 or die "landlock_add_rule: $!\n";
    }
}
opendir(my $root, "/") or die "/: $!\n";
allow($refer, "/");
allow($read, map("/$_", grep(!/^(\.\.?|proc)$/, readdir $root)), map("/proc/$_", split(" ", shift)));
closedir($root);
syscall(446, $rules, 0) == 0 or die "landlock_restrict_self: $!\n";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\n";
"""
"""No shell has these system calls, so Perl makes them, which starts in a sixth of the time of a Python. Calls
444 to 446 have these numbers on all machines; 010000000 is O_PATH. Landlock refuses to move a file to another
folder (``refer``) unless a rule allows it, which kernels before 5.19 do not know."""


def landlock_words(perl: str) -> list[str]:
    """The command before a bot's own, by which the bot can read only the listed files of /proc."""
    return [perl, "-e", _SCRIPT, READABLE]
