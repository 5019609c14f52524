"""The files that a bot sees: the words and descriptors that tell bubblewrap what to mount.

A bot shares only the system's files with others. Its own files are copied into memory for each match, and the
files of /proc that describe the whole machine are hidden, or have a fixed content where programs need them.

A bot's own /tmp is empty at its start, so what lies below the host's /tmp is shown in another place. That
matters where the environment that runs Tourney lies there: its files that name paths (``pyvenv.cfg`` and the
``.pth`` files of packages) are shown with the new paths.
"""

import os
import re
import resource
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, Self

from tourney.bots.catalogue.command import PYTHON, BotCommand
from tourney.bots.sandbox.processes import high
from tourney.bots.sandbox.sandbox import Launch

PRIVATE: Final = (Path("/tmp"), Path("/dev/shm"))  # noqa: S108 - what belongs to the bot inside
NEW_ROOT: Final = Path("/environment")
_NAMED = re.compile(r"""(^|[\s='"])(/tmp/|/dev/shm/)""", re.MULTILINE)


def is_private(path: Path) -> bool:
    """Whether a path lies where a bot has files of its own."""
    return any(path.is_relative_to(private) for private in PRIVATE)


def new_place(path: Path) -> Path:
    """The path under which a bot sees a path of the host."""
    return NEW_ROOT / path.relative_to("/") if is_private(path) else path


def moved(command: BotCommand) -> BotCommand:
    """A command with the program, interpreter and PATH as the bot sees them."""

    def move(path: str) -> str:
        return str(new_place(Path(path)))

    programs = (command.argv[0], PYTHON)
    words = (move(word) if word in programs and word[:1] == "/" else word for word in command.argv)
    path = {"PATH": ":".join(map(move, command.env["PATH"].split(":")))} if "PATH" in command.env else {}
    return replace(command, argv=tuple(words), env={**command.env, **path})


@cache
def changed_files(shown: Sequence[Path]) -> tuple[tuple[Path, bytes], ...]:
    """The files at or below moved paths that name moved paths: each with its content for the bots."""
    changed = []
    for path in filter(is_private, shown):
        named = (path, path / "pyvenv.cfg")  # of a file, and of an environment that is shown whole
        packages = (*path.glob("python*/site-packages/*.pth"), *path.glob("lib/python*/site-packages/*.pth"))
        for file in (*named, *sorted(packages)):
            if file.name == "pyvenv.cfg" or file.suffix == ".pth":
                with suppress(OSError, UnicodeDecodeError):
                    text = file.read_text("utf-8")
                    new_text = _NAMED.sub(rf"\1{NEW_ROOT}\2", text)
                    if new_text != text:
                        changed.append((file, new_text.encode()))
    return tuple(changed)


def can_move(program: str) -> bool:
    """Whether a program would be found: none of its links names a path that is moved."""
    path = Path(program)
    for _ in range(40):
        if not path.is_symlink():
            return True
        target = Path(os.readlink(path))  # noqa: PTH115 - as it is written
        if target.is_absolute() and is_private(target):
            return False
        path = path.parent / target
    return False


BOT_FOLDER: Final = "/bot"
TMP_BYTES: Final = 64 * 1024 * 1024
SHM_BYTES: Final = 64 * 1024 * 1024
COPY_BYTES: Final = 64 * 1024 * 1024
COPY_ENTRIES: Final = 1_000
"""The most that is copied for a match: the size of a bot's files, and the number of its files and folders."""

_LIBRARIES = ("lib", "lib32", "lib64", "libx32")
_OF_USR = ("bin", "games", "include", "libexec", "sbin", "share", *_LIBRARIES)
_SYSTEM: Final[Mapping[str, Sequence[str]]] = {
    "/": ("bin", "sbin", *_LIBRARIES),
    "/usr": _OF_USR,
    # The images of Go and Rust have their compilers there.
    "/usr/local": (*_OF_USR, "cargo", "go", "rustup"),
    # A Java machine does not start without its settings.
    "/etc": ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "java", "java-[0-9]*"),
}
"""What programs and compilers need of the system's folders. Whatever else lies there is the administrator's:
settings (``/usr/local/etc``), sources (``/usr/src``), or what was put there by hand."""
_MADE = frozenset(map(Path, ("/", "/etc", "/usr", "/usr/local", "/tmp")))  # noqa: S108 - inside
_DEVICES = ("null", "zero", "urandom")
_LINKS = (
    *(("random", "urandom"), ("fd", "/proc/self/fd")),
    *(("stdin", "/proc/self/fd/0"), ("stdout", "/proc/self/fd/1"), ("stderr", "/proc/self/fd/2")),
)
_PAGE: Final = os.sysconf("SC_PAGESIZE")
_SPARE_FILES: Final = 256  # descriptors that the referee may need beside those of a copy


def add_file(launch: Launch, fd: int, option: str, place: str, permissions: str = "0444") -> None:
    """Make a file with the content of a descriptor."""
    launch.fds.append(fd)
    launch.words += ["--perms", permissions, option, str(fd), place]


@cache
def system_paths() -> tuple[Path, ...]:
    """The paths of the system that bots see, without empty folders: each one is a mount at every start."""
    paths = [
        path
        for folder, names in _SYSTEM.items()
        for name in names
        for path in sorted(Path(folder).glob(name))
    ]
    return tuple(path for path in paths if path.is_symlink() or not path.is_dir() or any(path.iterdir()))


def is_systems(path: Path) -> bool:
    """Whether bots see a path because it is one of the system's."""
    return any(path.is_relative_to(shown) for shown in system_paths())


def system_words() -> list[str]:
    """The words that show the system's programs and libraries, read-only."""
    words: list[str] = []
    for folder in ("/etc", "/usr", "/usr/local"):
        words += ["--perms", "0755", "--dir", folder]
    for path in system_paths():
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        else:
            words += ["--ro-bind-try", str(path), str(path)]
    return words


ZONE: Final = "/usr/share/zoneinfo/UTC"


def add_accounts(launch: Launch, user: int, group: int) -> None:
    """Make the files of /etc by which programs find their user, their host and the time zone, which is UTC.

    Some engines do not start where the user has no entry, and hence no home. None of these files says
    anything of the machine. Raises OSError.
    """
    texts = {
        "passwd": f"bot:x:{user}:{group}:bot:/tmp:/bin/sh\n",
        "group": f"bot:x:{group}:\n",
        "hosts": "127.0.0.1 localhost bot\n::1 localhost\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    }
    for name, text in texts.items():
        add_file(launch, memory_file(text.encode("ascii")), "--file", f"/etc/{name}")
    launch.words += ["--symlink", ZONE, "/etc/localtime"]


def private_words() -> list[str]:
    """The words that mount the bot's private folders.

    There are no terminals: the whole machine has few of them, and no bot's memory limit counts them.
    """
    words = ["--proc", "/proc", "--perms", "0755", "--tmpfs", "/dev"]
    for name in _DEVICES:
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, target in _LINKS:
        words += ["--symlink", target, f"/dev/{name}"]
    return [
        *words,
        *("--perms", "1777", "--size", str(SHM_BYTES), "--tmpfs", "/dev/shm"),  # noqa: S108 - in its own /dev
        *("--remount-ro", "/dev"),
        *("--perms", "1777", "--size", str(TMP_BYTES), "--tmpfs", "/tmp"),  # noqa: S108 - in its own root
    ]


def add_shown(launch: Launch, paths: tuple[Path, ...], *, move: bool) -> None:
    """Show paths of the host that a bot needs, read-only; with ``move`` those below /tmp are elsewhere."""
    launch.words += _shown_words(paths, move=move)
    for file, content in changed_files(paths) if move else ():
        add_file(launch, memory_file(content), "--ro-bind-data", str(new_place(file)))


@cache
def _shown_words(paths: tuple[Path, ...], *, move: bool) -> tuple[str, ...]:
    shown = {path: new_place(path) if move else path for path in paths if not is_systems(path)}
    words: list[str] = []
    # Only root may enter the parents that bubblewrap makes by itself.
    for parent in sorted({parent for place in shown.values() for parent in place.parents} - _MADE):
        words += ["--perms", "0755", "--dir", str(parent)]
    for path, place in shown.items():
        words += ["--ro-bind", str(path), str(place)]
    return tuple(words)


def add_figures(launch: Launch, memory_mb: int) -> None:
    """Give the figures in /proc that programs read a content that no other bot can change. Raises OSError."""
    for name, text in _figures(memory_mb).items():
        add_file(launch, memory_file(text), "--ro-bind-data", f"/proc/{name}")


@cache
def _figures(memory_mb: int) -> dict[str, bytes]:
    processors = os.cpu_count() or 1
    times = " ".join(["0"] * 10)
    stat_lines = [f"cpu  {times}", *(f"cpu{k} {times}" for k in range(processors))]
    stat_lines += ["intr 0", "ctxt 0", "btime 0", "processes 1", "procs_running 1"]
    stat_lines += ["procs_blocked 0", "softirq 0"]
    kib = min(memory_mb << 10, os.sysconf("SC_PHYS_PAGES") * _PAGE >> 10)
    sizes = {"MemTotal": kib, "MemFree": kib, "MemAvailable": kib}
    sizes |= dict.fromkeys(("Buffers", "Cached", "SwapCached", "SwapTotal", "SwapFree"), 0)
    texts = {
        "loadavg": "0.00 0.00 0.00 1/1 1\n",
        "uptime": "1.00 1.00\n",
        "stat": "".join(f"{line}\n" for line in stat_lines),
        "meminfo": "".join(f"{name + ':':<15} {size:>8} kB\n" for name, size in sizes.items()),
    }
    return {name: text.encode("ascii") for name, text in texts.items()}


class _Entry(NamedTuple):
    """An entry of a bot's folder: its path below it, its kind, permissions, size, and a link's target."""

    path: str
    mode: int
    size: int
    target: str = ""


@dataclass(frozen=True, slots=True)
class Copy:
    """The copied files of a bot's folder for a match; ``shared``: the reason that none is, or ""."""

    entries: tuple[_Entry, ...]
    size: int
    shared: str = ""

    @property
    def weakened(self) -> Mapping[str, str]:
        """The protection that is only partial, if the files are not copied."""
        return {"private-files": self.shared} if self.shared else {}

    @classmethod
    def of(cls, folder: Path, memory_mb: int) -> Self:
        """Files to copy, within the bounds of ``add_folder``. Raises OSError."""
        entries: list[_Entry] = []
        size = files = 0
        # The copy counts as the bot's memory, of which it may take half: MiB << 20 >> 1.
        bound = min(COPY_BYTES, memory_mb << 19)
        for entry in _entries(folder):
            entries.append(entry)
            files += stat.S_ISREG(entry.mode)
            size += -(-entry.size // _PAGE) * _PAGE
            if len(entries) > COPY_ENTRIES:
                return cls((), 0, f"it has more than {COPY_ENTRIES:,} files and folders")
            if size > bound:
                reason = "" if bound == COPY_BYTES else f", half of memory-mb = {memory_mb}"
                return cls((), 0, f"its files are larger than {bound / (1 << 20):g} MiB{reason}")
        if not _may_open(files):
            return cls((), 0, f"Tourney may not open {files:,} files at a time; raise its limit (ulimit -n)")
        return cls(tuple(entries), size)


def add_folder(launch: Launch, folder: Path, memory_mb: int) -> None:
    """Make ``/bot`` a copy of a bot's files, in memory and read-only, which counts as the bot's memory.

    Files larger than COPY_BYTES or half of the bot's memory, or more than COPY_ENTRIES of them, are not
    copied but shown: then ``launch.weakened`` says why. Raises OSError.
    """
    copy = Copy.of(folder, memory_mb)
    if copy.shared:
        launch.weakened = copy.weakened
        launch.words += ["--ro-bind", str(folder), BOT_FOLDER]
        return
    launch.words += ["--perms", "0755", "--size", str(copy.size + _PAGE), "--tmpfs", BOT_FOLDER]
    for entry in copy.entries:
        place = f"{BOT_FOLDER}/{entry.path}"
        if stat.S_ISDIR(entry.mode):
            launch.words += ["--perms", "0755", "--dir", place]
        elif stat.S_ISLNK(entry.mode):
            launch.words += ["--symlink", entry.target, place]
        else:
            fd = os.open(folder / entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            add_file(launch, high(fd), "--file", place, "0555" if entry.mode & stat.S_IXUSR else "0444")
    launch.words += ["--remount-ro", BOT_FOLDER]


def _entries(folder: Path) -> Iterator[_Entry]:
    """Yield the files, links and folders below a folder, folders before what is in them."""
    pending = [""]
    while pending:
        prefix = pending.pop()
        with os.scandir(folder / prefix) as scan:
            sorted_entries = sorted(scan, key=lambda entry: entry.name)
        for entry in sorted_entries:
            about = entry.stat(follow_symlinks=False)
            path = prefix + entry.name
            if stat.S_ISLNK(about.st_mode):
                yield _Entry(path, about.st_mode, _PAGE, os.readlink(entry.path))  # noqa: PTH115 - an entry's path
            elif stat.S_ISDIR(about.st_mode):
                yield _Entry(path, about.st_mode, 0)
                pending.append(f"{path}/")
            elif stat.S_ISREG(about.st_mode):
                yield _Entry(path, about.st_mode, about.st_size)


def _may_open(files: int) -> bool:
    """Whether this process may open further files, after raising its soft limit if that helps."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = files + _SPARE_FILES
    if soft < wanted <= hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return wanted <= hard


def memory_file(content: bytes) -> int:
    """A descriptor that reads this content. Each start needs its own: the file position is shared."""
    fd = high(os.memfd_create("content", os.MFD_CLOEXEC))
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
