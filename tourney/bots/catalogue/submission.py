"""Copies a submitted bot - an executable file, a folder or an archive - and checks it."""

import bz2
import errno
import gzip
import lzma
import os
import posixpath
import stat
import struct
import tarfile
import tempfile
import zipfile
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from glob import glob
from io import BytesIO
from pathlib import Path
from typing import IO, BinaryIO, Final, NamedTuple
from unicodedata import normalize

from tourney.bots.catalogue.manifest import (
    FILE_NAME,
    MAX_TEXT,
    MODULE_SUFFIX,
    Manifest,
    manifest_from_name,
    read_manifest,
)
from tourney.bots.catalogue.tree import (
    MAX_PATH,
    SUBMITTED,
    FileEntry,
    SourceFile,
    check_path,
    content_digest,
    copy_file,
    copy_tree,
    is_litter,
    make_folders,
    naming,
    walk,
)
from tourney.errors import BotError, UnsafeFileError
from tourney.held_folder import HeldFolder, copy_named, hold
from tourney.parsing import toml_text
from tourney.texts import counted

_STORES_FAULT = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO})
"""Errors of the machine, not of the bot: from writing, which names no file, or from a broken device."""


class Submission(NamedTuple):
    """A submitted bot that was copied; ``notes`` are sentences on what differs from what was submitted."""

    manifest: Manifest
    files: tuple[FileEntry, ...]
    notes: tuple[str, ...] = ()


def copy_submission(source: Path, target: Path, scratch: Path) -> Submission:
    """Copy a submitted bot into the new folder ``target``.

    ``scratch`` is an empty folder for an archive. Raises BotError, with the path, if it is not a bot or holds
    what a bot may not hold.
    """
    try:
        mode = source.stat().st_mode
    except OSError as error:
        raise BotError(f"there is no bot {source}: {error.strerror}") from error
    with reading(source, target.parent):
        if stat.S_ISDIR(mode):
            with hold(source) as folder:
                return copy_folder(folder, target)
        if not stat.S_ISREG(mode):
            raise BotError("it is not a bot; a bot is an executable file, a folder, or a .zip or .tar.gz")
        # A private copy first: its owner could write to it while it is read in several places.
        copy = scratch / "named" / source.name
        copy.parent.mkdir()
        copy_named(source, copy, _MOST_UNPACKED)
        executable = bool(mode & stat.S_IXUSR)
        # An archive of Python is a program too.
        if is_archive(source.name) or (not executable and _form_of(copy)):
            return _copy_archive(copy, target, scratch / "unpacked")
        return _copy_program(copy, target, executable=executable)


@contextmanager
def reading(source: object, target: Path) -> Iterator[None]:
    """Turn what is wrong with a source that is copied below ``target`` into a BotError that names it.

    An OSError of the target, or of the machine, passes through.
    """
    try:
        with naming(source):
            yield
    except OSError as error:
        if error.errno in _STORES_FAULT or _is_below(error.filename, target):
            raise
        # The path may be that of a private copy, of which its owner knows nothing.
        name = Path(os.fsdecode(error.filename)).name if isinstance(error.filename, (str, bytes)) else ""
        where = f" ({name})" if name and name != Path(str(source)).name else ""
        raise BotError(f"it cannot be read: {error.strerror}{where}", source) from error


def _is_below(name: object, folder: Path) -> bool:
    return isinstance(name, (str, bytes)) and Path(os.fsdecode(name)).is_relative_to(folder)


def digest_of_folder(folder: Path) -> tuple[str, Manifest]:
    """The digest that a bot's folder would have in a store, and its manifest; nothing is copied."""
    with naming(folder), hold(folder) as held:
        manifest = _read_manifest(held)
        files = walk(held, manifest.build_output)
        entries, _ = _made_executable(manifest, [copy_file(file, None, SUBMITTED.bytes)[0] for file in files])
        return content_digest(entries), manifest


def digest_of_bot(source: Path) -> str:
    """The digest that a submitted bot would have in a store. Raises BotError."""
    with tempfile.TemporaryDirectory(prefix="tourney-") as folder:
        submission = copy_submission(source, Path(folder) / "files", Path(folder))
    return content_digest(submission.files)


def manifest_of(folder: Path, files: Sequence[FileEntry]) -> Manifest:
    """The manifest of a bot in a folder: ``bot.toml``, or one made from its only file's name."""
    if len(files) == 1 and files[0].path != FILE_NAME:
        return manifest_from_name(files[0].path, files[0].path)
    with hold(folder) as held:
        return _read_manifest(held)


def check_command(manifest: Manifest, files: Sequence[FileEntry], *, built: bool = False) -> None:
    """Raise BotError if the command's program is not among the bot's files, or not executable.

    A bot with a build is checked only once it is ``built``, because the build may make its program.
    """
    if manifest.build and not built:
        return
    held = {file.path: file for file in files}
    program, *words = manifest.command
    program_file: str | None
    if manifest.module is not None:
        if manifest.module not in held:
            raise BotError(f"the command's module {program} is not among the bot's files")
        program_file = None
    elif program == "python3":
        # A word after an option may be its value, so only a plain first word is known to be a file.
        program_file = words[0] if words and not words[0].startswith(("-", "/")) else None
    elif program in held:
        raise BotError(f"{program} in the command is looked up on PATH; write ./{program}")
    else:
        inside = not program.startswith("/") and ("/" in program or "\\" in program)
        program_file = program if inside else None
    if program_file is None:
        return
    path = os.path.normpath(program_file)
    file = held.get(path)
    if file is None:
        why = "and its build did not make it" if built else "add it, or set build in bot.toml to make it"
        if alike := [name for name in held if name.casefold() == path.replace("\\", "/").casefold()]:
            why = f"but {alike[0]} is: write it so"
        raise BotError(f"the command's program {program_file} is not among the bot's files; {why}")
    if program_file == program and not file.executable:
        raise BotError(
            f"the command's program {program_file} is not executable: let the build run chmod +x on it"
        )


def _programs(manifest: Manifest) -> Iterator[str]:
    """Yield the paths of the bot's own files that are started as programs when it comes."""
    if manifest.module is None:
        program = (manifest.build or manifest.command)[0]
        if "/" in program and not program.startswith("/"):
            yield os.path.normpath(program)


def _made_executable(
    manifest: Manifest, files: Iterable[FileEntry]
) -> tuple[tuple[FileEntry, ...], tuple[str, ...]]:
    """The files with the executable bit of each program, and the programs that lacked it, as from Windows."""
    programs = frozenset(_programs(manifest))
    entries = tuple(files)
    lacking = tuple(file.path for file in entries if file.path in programs and not file.executable)
    marked = tuple(file._replace(executable=file.executable or file.path in lacking) for file in entries)
    return marked, lacking


def bots_at(reference: str) -> tuple[Path, ...]:
    """The bots that a path or a pattern means: itself, or all that look like bots in a folder of bots.

    A pattern means what looks like bots as well, unless it matches nothing that does.

    Raises BotError for a pattern that matches nothing.
    """
    path = Path(reference)
    if not path.exists() and any(mark in reference for mark in "*?["):
        names = sorted(glob(reference))  # noqa: PTH207 - Path.glob takes no absolute pattern
        matches = [match for match in names if not is_litter(Path(match).name)]
        if not matches:
            raise BotError(f"no file or folder matches {reference}")
        bots = [match for match in matches if Path(match).is_dir() or _is_bot_file(Path(match))]
        return tuple(bot for match in bots or matches for bot in bots_at(match))
    if not path.is_dir() or (path / FILE_NAME).exists():
        return (path,)
    inner = sorted(place for place in path.iterdir() if not is_litter(place.name))
    places = tuple(place for place in inner if place.is_dir() or _is_bot_file(place))
    # Systems for courses give what was handed in as a folder for each author.
    handed_in = tuple(bot for place in places for bot in _handed_in(place) or (place,))
    # A folder in which nothing is a bot is a bot that lacks its manifest.
    return handed_in if any((bot / FILE_NAME).exists() or bot.is_file() for bot in handed_in) else (path,)


def _handed_in(folder: Path) -> tuple[Path, ...]:
    """The archives and folders of bots in a folder that is not a bot itself, sorted."""
    if not folder.is_dir() or (folder / FILE_NAME).exists():
        return ()
    inner = sorted(place for place in folder.iterdir() if not is_litter(place.name))
    return tuple(
        place
        for place in inner
        if is_archive(place.name) or (place.is_dir() and (place / FILE_NAME).exists())
    )


def _is_bot_file(path: Path) -> bool:
    # Archives that are not read are bots too: who checks a folder must hear of them.
    ending = path.suffix.lower() in (MODULE_SUFFIX, *_NOT_READ) or is_archive(path.name)
    return path.is_file() and (ending or os.access(path, os.X_OK))


def _check_script(place: Path, name: str) -> None:
    """Raise BotError for a script whose first line ends as lines of Windows do: no system can start it."""
    with place.open("rb") as file:
        first = file.read(_LONGEST_SHEBANG)
    if why := _of_windows(first):
        sed = f"sed -i 's/\\r$//' {name} or " if why.startswith("ends") else ""
        raise BotError(
            f"{name} line 1 {why}, so that its interpreter is not found: run `tourney bots check --fix` with"
            f" its folder, {sed}dos2unix {name}, and add the bot again"
        )


def _of_windows(first: bytes) -> str:
    """What editors of Windows did to the first line of a script, in words, or ""."""
    line, end, _ = first.removeprefix(BOM_UTF8).partition(b"\n")
    if not line.startswith(b"#!"):
        return ""
    if first.startswith(BOM_UTF8):
        return "begins with a byte order mark"
    return "ends in CR, as lines of Windows do" if end and line.endswith(b"\r") else ""


def convert_scripts(source: Path) -> tuple[str, ...]:
    """Write the scripts of a bot again whose first line begins with ``#!`` and ends in CR, with LF alone.

    ``source`` is its folder, or the script itself. Each file is replaced in one step, by its owner's account
    and mode. Returns a sentence for each. Raises BotError for an archive, and for what cannot be read or
    written.
    """
    if not source.is_dir() and (source.suffix.lower() == ".zip" or tar_ending(source.name) is not None):
        raise BotError(
            "--fix does not change an archive: unpack it, run `tourney bots check --fix` with the folder, and"
            " pack it again",
            source,
        )
    with naming(source), hold(source if source.is_dir() else source.parent) as folder:
        try:
            files = walk(folder) if source.is_dir() else [SourceFile(source.name, folder, executable=True)]
            # A link stands for a copy, and its target is converted once.
            places = dict.fromkeys(file.place or file.path for file in files)
            converted = [(place, _convert(folder, place)) for place in places]
        except OSError as error:
            raise BotError(f"it cannot be changed: {error.strerror}") from error
    return tuple(f"{place}: {change}" for place, change in converted if change)


def _convert(folder: HeldFolder, place: str) -> str:
    """Convert a script as editors of Windows write it; returns what changed, or "" for any other file."""
    with os.fdopen(folder.open_file(place), "rb") as file:
        info = os.fstat(file.fileno())
        data = file.read(_LONGEST_SHEBANG)
        if not _of_windows(data):
            return ""
        data += file.read(SUBMITTED.bytes)
    inner, _, name = place.rpartition("/")
    with folder.hold(inner) as parent:
        text = data.removeprefix(BOM_UTF8).replace(b"\r\n", b"\n")
        parent.write(name, text, mode=stat.S_IMODE(info.st_mode), owner=info.st_uid)
    lines = data.count(b"\r\n")
    changes = [f"CR LF became LF in {counted(lines, 'line')}"] if lines else []
    changes += ["its byte order mark is gone"] if data.startswith(BOM_UTF8) else []
    return "; ".join(changes)


def _copy_program(source: Path, target: Path, *, executable: bool) -> Submission:
    with source.open("rb") as file:
        is_program = executable or file.read(len(_ELF)).startswith(_PROGRAMS)
    if not is_program and source.suffix != MODULE_SUFFIX:
        raise BotError("it is not executable; run chmod +x if it is a program, or add a folder")
    check_path(source.name)
    _check_script(source, source.name)
    notes: tuple[str, ...] = ()
    if is_program and not executable:
        source.chmod(0o755)
        notes = (_MADE_EXECUTABLE.format(source.name),)
    with hold(source.parent) as folder:
        files = copy_tree([SourceFile(source.name, folder, executable=True)], target)
    return Submission(manifest_of(target, files), files, notes)


def _copy_archive(archive: Path, target: Path, unpacked: Path) -> Submission:
    """Copy the bot in an archive, by the only folder in it that has a manifest."""
    composed = unpack(archive, unpacked, links=True)
    inner = [place for place in unpacked.iterdir() if not is_litter(place.name)]
    notes: tuple[str, ...] = ()
    if len(inner) == 1 and inner[0].is_file() and is_archive(inner[0].name):
        # Once only: an archive may hold itself.
        notes = (f"it was packed twice, as {inner[0].name} in the archive",)
        unpacked = unpacked.with_name(f"{unpacked.name}-again")
        composed = unpack(inner[0], unpacked, links=True)
    notes += tuple(
        f"the name of {name} came in decomposed letters (NFD) and is composed" for name in composed[:1]
    )
    folder = _bot_folder(unpacked)
    with hold(folder) as held:
        misnamed = _misnamed(held)
        if misnamed is not None:
            held.move(misnamed, held, FILE_NAME)
            notes += (f"{misnamed} is taken for {FILE_NAME}",)
        submission = copy_folder(held, target)
    beside = [place.name for place in folder.parent.iterdir() if not is_litter(place.name)]
    if folder != unpacked and len(beside) > 1:
        notes += (f"the bot is the folder {folder.relative_to(unpacked)}; what lies beside it is left out",)
    return submission._replace(notes=(*notes, *submission.notes))


_MADE_EXECUTABLE: Final = "{} was not executable and is taken for a program"


def copy_folder(folder: HeldFolder, target: Path, leave_out: Iterable[str] = ()) -> Submission:
    """Copy the bot in a folder to the new folder ``target``.

    A program that its manifest starts becomes executable. What ``build-output`` or ``leave_out`` names is
    left out. Raises BotError, UnsafeFileError and OSError.
    """
    manifest = _read_manifest(folder)
    files, lacking = _made_executable(
        manifest, copy_tree(walk(folder, (*manifest.build_output, *leave_out)), target)
    )
    if all(file.path != FILE_NAME for file in files):
        raise BotError(f"build-output leaves out {FILE_NAME} itself")
    with hold(target) as copy:
        if _read_manifest(copy) != manifest:
            raise BotError(f"{FILE_NAME} changed while it was read; add the bot again")
    check_command(manifest, files)
    for name in lacking:
        (target / name).chmod(0o555)
    held = {file.path for file in files}
    for name in _programs(manifest):
        if name in held:
            _check_script(target / name, name)
    return Submission(manifest, files, tuple(map(_MADE_EXECUTABLE.format, lacking)))


def _bot_folder(folder: Path) -> Path:
    """The bot's folder in an unpacked archive: of those with a manifest the only one that is nearest the top.

    Without a manifest it is the top, or the only folder there. Raises BotError for two bots.
    """
    level = [folder]
    while level:
        bots = [place for place in level if (place / FILE_NAME).is_file() or _has_misnamed(place)]
        if len(bots) > 1:
            names = " and ".join(sorted(str(place.relative_to(folder)) for place in bots)[:2])
            raise BotError(f"it holds several bots, {names}; pack one of them")
        if bots:
            return bots[0]
        level = [
            inner
            for place in level
            for inner in place.iterdir()
            if inner.is_dir() and not inner.is_symlink() and not is_litter(inner.name)
        ]
    return folder


def _has_misnamed(folder: Path) -> bool:
    return any(place.name.lower() in _MISNAMED and place.is_file() for place in folder.iterdir())


def _misnamed(folder: HeldFolder) -> str | None:
    """The only file that was meant to be the manifest, as Windows names it, where there is none."""
    names = [entry.name for entry in folder.entries("", _MOST_LOOKED_AT) if not entry.is_folder]
    meant = [name for name in names if name.lower() in _MISNAMED]
    return meant[0] if len(meant) == 1 and FILE_NAME not in names else None


def _read_manifest(folder: HeldFolder) -> Manifest:
    try:
        data = folder.read(FILE_NAME, MAX_TEXT)
    except FileNotFoundError as error:
        advice = "`tourney bots new NAME` writes a bot with one"
        if (misnamed := _misnamed(folder)) is not None:
            advice = f"rename {misnamed}"
        raise BotError(f"there is no {FILE_NAME}; {advice}") from error
    except UnsafeFileError as error:
        raise BotError(str(error)) from error
    except OSError as error:
        raise BotError(f"{FILE_NAME} cannot be read: {error.strerror}") from error
    try:
        text = toml_text(data)
    except ValueError as error:
        raise BotError(f"{FILE_NAME} {error}") from error
    return read_manifest(text, FILE_NAME)


MAX_DIRECTORY: Final = 16 * 1024 * 1024  # bytes of a zip's central directory: room for 10,000 long names
_MISNAMED: Final = frozenset({FILE_NAME, f"{FILE_NAME}.txt"})
"""Names of a manifest in small letters; systems that hide endings add another one."""
_MOST_LOOKED_AT: Final = 10_000
_NOT_READ: Final = {
    ".7z": "7z",
    ".rar": "RAR",
    ".zst": "Zstandard",
    ".gz": "gzip",
    ".bz2": "bzip2",
    ".xz": "xz",
    ".z": "compress",
}
"""Endings of archives that are not read, with their names."""
_MAGIC: Final = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"\x1f\x8b": "gz",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
    b"7z\xbc\xaf\x27\x1c": ".7z",
    b"Rar!\x1a\x07": ".rar",
    b"\x28\xb5\x2f\xfd": ".zst",
    b"\x1f\x9d": ".z",
}
"""What archives begin with; a name with a dot is that of one that is not read."""
_TAR_MAGIC: Final = b"ustar"
_TAR_MAGIC_AT: Final = 257
_MOST_XZ_MEMORY: Final = 128 << 20
"""Bytes that xz may use: its header may ask for 4 GiB."""
ENDINGS: Final = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_MOST_UNPACKED: Final = SUBMITTED.bytes + SUBMITTED.files * (2 * MAX_PATH + 2048)
"""Bytes that an archive within the bounds of a bot may unpack to, with its headers."""
_END = b"PK\x05\x06"
_END_SIZE = 22
_ZIP64_LOCATOR = b"PK\x06\x07"
_ZIP64_LOCATOR_SIZE = 20
_ZIP64_END = b"PK\x06\x06"
_ZIP64_END_SIZE = 56
_UTF8_FLAG = 0x800
_UNICODE_PATH = 0x7075
"""The extra field of Info-ZIP for a name in UTF-8, which WinRAR writes."""
_UNIX = 3
_CHUNK = 1 << 20
_ELF = b"\x7fELF"
_PROGRAMS = (b"#!", _ELF)
"""What a file begins with that the system can start by itself."""
_LONGEST_SHEBANG = 256
_MALFORMED = (
    *(zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error, struct.error, lzma.LZMAError),
    *(EOFError, NotImplementedError, RecursionError, ValueError, OverflowError),
)
"""What the standard library raises for malformed archives; ValueError for names that are not UTF-8."""


class _PackedFile(NamedTuple):
    """An entry of an archive: its checked name, its type as of ``stat.S_IFMT``, and how to read it.

    ``executable`` is None where the archive does not say, as one from Windows: the first bytes decide. The
    content of a symbolic link is its target.
    """

    name: str
    kind: int
    executable: bool | None
    size: int
    read: Callable[[], IO[bytes] | None]


def is_archive(name: str) -> bool:
    """Whether a file's name is that of an archive which may hold a bot."""
    return name.lower().endswith(".zip") or tar_ending(name) is not None


def _form_of(archive: Path) -> str:
    """The form of an archive by its first bytes: ``zip``, ``tar``, ``gz``, ``bz2``, ``xz``, or "".

    Names lie: `tar -cf bot.tar.gz` packs without compression. Raises BotError for a form that is not read.
    """
    with archive.open("rb") as file:
        first = file.read(_TAR_MAGIC_AT + len(_TAR_MAGIC))
    form = next((form for magic, form in _MAGIC.items() if first.startswith(magic)), "")
    if form in _NOT_READ:
        raise BotError(f"it is a {_NOT_READ[form]} archive, which is not read: pack it as .zip or .tar.gz")
    return form or ("tar" if first[_TAR_MAGIC_AT:] == _TAR_MAGIC else "")


def tar_ending(name: str) -> str | None:
    """The ending of a tar archive's name, or None."""
    return next((ending for ending in ENDINGS if name.lower().endswith(ending)), None)


def unpack(archive: Path, target: Path, *, links: bool = False) -> tuple[str, ...]:
    """Unpack a zip or tar archive into a new folder. Raises BotError, with the entry, for anything unsafe.

    Returns the files whose names came decomposed (NFD), as of macOS, and are composed (NFC) now. The form is
    that of the first bytes. Refused, before a file is written: absolute names, ``..``, links unless
    ``links``, devices, sparse files, duplicate names, encryption, zip files with compression other than
    deflate, and more than the bounds of a bot. Files get 0755 or 0644 by their owner's executable bit or, in
    an archive without such bits, by their first bytes; the archive's other attributes are ignored.
    A tar archive is decompressed beside ``target`` first.
    """
    if not archive.stat().st_size:
        raise BotError("it is empty, as after an upload that broke off")
    form = _form_of(archive) or ("zip" if tar_ending(archive.name) is None else "tar")
    kind = "zip" if form == "zip" else "tar"
    try:
        with _zip_entries(archive) if form == "zip" else _tar_entries(archive, form, target) as entries:
            files, composed = _checked(entries, links=links)
            target.mkdir()
            made = {""}
            # Links come last: so no file is written through one.
            for file in sorted(files, key=lambda file: file.kind == stat.S_IFLNK):
                make_folders(target, file.name.rpartition("/")[0], made)
                if file.kind == stat.S_IFLNK:
                    _link(file, target / file.name)
                else:
                    _write(file, target / file.name)
            return composed
    except _MALFORMED as error:
        raise BotError(f"it is not a valid {kind} file: {error}; pack it again") from error
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise BotError(f"it is not a valid {kind} file: an offset is outside of it; pack it again") from error


def _checked(entries: Iterable[_PackedFile], *, links: bool) -> tuple[list[_PackedFile], tuple[str, ...]]:
    """The files of an archive, and the names that were composed.

    Raises BotError for any entry that a bot may not have.
    """
    total = 0
    files: dict[str, _PackedFile] = {}
    composed: list[str] = []
    folders: set[str] = set()
    for number, entry in enumerate(entries):
        # The names of folders may recur, so the bounds of files and folders do not bound the entries.
        if number > 2 * SUBMITTED.files:
            raise BotError("it has more names than a bot may have")
        name = normalize("NFC", entry.name.rstrip("/"))
        is_link = entry.kind == stat.S_IFLNK
        if is_link and not (links and entry.size <= MAX_PATH):
            raise BotError(f"{name} is a link; replace it with a copy of its target")
        if not is_link and entry.kind not in (stat.S_IFREG, stat.S_IFDIR):
            raise BotError(f"{name} is not a regular file; remove it")
        above = name
        if entry.kind != stat.S_IFDIR:
            if name in files:
                raise BotError(f"it holds {name} twice")
            files[name] = entry._replace(name=name)
            composed += [name] if name != entry.name else []
            above = name.rpartition("/")[0]
        while above and above not in folders:
            folders.add(above)
            above = above.rpartition("/")[0]
        total += entry.size
        SUBMITTED.check(len(files), len(folders), total)
    if both := files.keys() & folders:
        raise BotError(f"it holds {min(both)} both as a file and as a folder")
    return list(files.values()), tuple(composed)


def _check_name(name: str) -> None:
    parts = name.rstrip("/").split("/")
    if not name or name.startswith("/") or "\\" in name or any(part in ("", ".", "..") for part in parts):
        raise BotError(f"the name {name!r} is not a plain path inside the bot's folder; pack it again")
    if parts[-1] != "Icon\r":  # a folder's own picture on macOS, which is litter
        check_path(name.rstrip("/"))


def _write(entry: _PackedFile, place: Path) -> None:
    left = entry.size
    mode = 0o755 if entry.executable else 0o644
    out = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    # The file comes first: it closes ``out`` also where the entry cannot be opened.
    with os.fdopen(out, "wb") as file, entry.read() or BytesIO() as packed:
        while chunk := packed.read(_CHUNK):
            if entry.executable is None and left == entry.size and chunk.startswith(_PROGRAMS):
                os.fchmod(out, 0o755)
            left -= len(chunk)
            if left < 0:
                raise BotError(f"{entry.name} unpacks to more than it says")
            file.write(chunk)


def _link(entry: _PackedFile, place: Path) -> None:
    """Make a symbolic link, which ``walk`` resolves within the bot or refuses."""
    with entry.read() or BytesIO() as packed:
        text = packed.read(MAX_PATH + 1)
    if not text or len(text) > MAX_PATH or b"\0" in text:
        raise BotError(f"{entry.name} is a link to nothing; remove it")
    place.symlink_to(os.fsdecode(text))


@contextmanager
def _zip_entries(archive: Path) -> Iterator[Iterable[_PackedFile]]:
    _check_directory(archive)
    with zipfile.ZipFile(archive) as opened:
        yield (_zip_entry(opened, info) for info in opened.infolist())


def _check_directory(archive: Path) -> None:
    """Check the central directory's size before the standard library reads it into memory."""
    with archive.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        start = file.seek(max(0, size - _END_SIZE - 0xFFFF - _ZIP64_LOCATOR_SIZE - _ZIP64_END_SIZE))
        tail = file.read(size - start)
    at = len(tail) - _END_SIZE
    if not (at >= 0 and tail[at:].startswith(_END) and tail.endswith(b"\0\0")):
        at = tail.rfind(_END)
    if at < 0 or at + _END_SIZE > len(tail):
        raise BotError("it is not a zip file; pack it again, and see that all of it arrives")
    length = tail[at + 12 : at + 16]
    locator = max(0, at - _ZIP64_LOCATOR_SIZE)
    if tail[locator:at].startswith(_ZIP64_LOCATOR):
        # Clouds write ZIP64 whatever the size. The record is read right before its locator, as by zipfile.
        record = tail[max(0, locator - _ZIP64_END_SIZE) : locator]
        if not record.startswith(_ZIP64_END):
            raise BotError("it is a ZIP64 file of an unusual form; pack it as a plain zip, or add the folder")
        length = record[40:48]
    if int.from_bytes(length, "little") > MAX_DIRECTORY:
        raise BotError("it has more names than a bot may have")


def _zip_name(info: zipfile.ZipInfo) -> str:
    """The name of an entry, which is UTF-8 in many archives that do not say so; else it is of DOS (CP437)."""
    if info.flag_bits & _UTF8_FLAG:
        return info.filename
    try:
        data = info.filename.encode("cp437")
        extra = info.extra
        while len(extra) >= 4:
            kind, size = struct.unpack_from("<HH", extra)
            field, extra = extra[4 : 4 + size], extra[4 + size :]
            # The field holds for the name whose checksum it has.
            if kind == _UNICODE_PATH and field[1:5] == zlib.crc32(data).to_bytes(4, "little"):
                data = field[5:]
        return data.decode("utf-8")
    except UnicodeError:  # later versions of Python read the extra field themselves
        return info.filename


def _zip_entry(opened: zipfile.ZipFile, info: zipfile.ZipInfo) -> _PackedFile:
    name = _zip_name(info)
    # Programs of Windows write backslashes, although the form's specification forbids it.
    if "/" not in name or info.create_system != _UNIX:
        name = name.replace("\\", "/")
    name = name.removeprefix("./")
    if name:  # else it is the bot's folder itself
        _check_name(name)
    if info.flag_bits & 1:
        raise BotError(f"{info.filename} is encrypted; pack it without a password")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BotError(
            f"{info.filename} is not packed by deflate, as by Windows from 2 GB on: pack it as .tar.gz, or as"
            " .zip by another program"
        )
    # Only an archive that was packed on Unix has modes.
    mode = info.external_attr >> 16 if info.create_system == _UNIX else 0
    kind = stat.S_IFMT(mode)
    if kind in (0, stat.S_IFREG, stat.S_IFDIR):
        kind = stat.S_IFREG if name and not name.endswith("/") else stat.S_IFDIR
    executable = bool(mode & stat.S_IXUSR) if stat.S_IMODE(mode) else None
    return _PackedFile(name, kind, executable, info.file_size, partial(opened.open, info))


@contextmanager
def _tar_entries(archive: Path, form: str, target: Path) -> Iterator[Iterable[_PackedFile]]:
    """Decompress the archive within a bound, so that nothing can grow while it is read."""
    plain = target.with_name("plain.tar")
    try:
        opened = gzip.GzipFile(archive) if form == "gz" else archive.open("rb")
        with opened as packed, plain.open("wb") as out:
            for chunk in _content(packed, form):
                if out.tell() + len(chunk) > _MOST_UNPACKED:
                    raise BotError(
                        f"it unpacks to more than {SUBMITTED.bytes >> 20:,} MiB, the most for a bot"
                    )
                out.write(chunk)
        with plain.open("rb") as file:
            tar = tarfile.TarFile(fileobj=_Bounded(file), mode="r")  # type: ignore[arg-type]  # reads as a file
            yield (_tar_entry(tar, info) for info in iter(tar.next, None))
    finally:
        plain.unlink(missing_ok=True)


def _content(packed: BinaryIO | gzip.GzipFile, form: str) -> Iterator[bytes]:
    """Yield the content of a file in pieces, which xz and bzip2 pack in one or several parts."""
    if form not in _DECOMPRESSORS:
        yield from iter(partial(packed.read, _CHUNK), b"")
        return
    part = _DECOMPRESSORS[form]()
    while data := packed.read(_CHUNK):
        while data:
            if part.eof and not (data := data.lstrip(b"\0")):
                break
            part = _DECOMPRESSORS[form]() if part.eof else part
            try:
                yield part.decompress(data, _CHUNK)
                while not (part.needs_input or part.eof):
                    yield part.decompress(b"", _CHUNK)
            except OSError as error:  # of bzip2, without a number
                raise ValueError(str(error)) from error
            data = part.unused_data if part.eof else b""
    if not part.eof:
        raise EOFError("it ends in the middle")


_DECOMPRESSORS: Final[Mapping[str, Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor]]] = {
    "bz2": bz2.BZ2Decompressor,
    "xz": partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, _MOST_XZ_MEMORY),
}


class _Bounded:
    """A file that is read in small pieces only: a header that claims to be longer is an attack."""

    def __init__(self, file: BinaryIO) -> None:
        self.seek, self.tell, self._read = file.seek, file.tell, file.read

    def read(self, size: int) -> bytes:
        if not 0 <= size <= 2 * _CHUNK:
            raise BotError("one of its headers is longer than a bot needs; pack it again")
        return self._read(size)


def _tar_entry(tar: tarfile.TarFile, info: tarfile.TarInfo) -> _PackedFile:
    name = info.name.removeprefix("./").rstrip("/")
    if info.isdir() and name in ("", "."):
        name = ""  # the bot's folder itself
    else:
        _check_name(name)
    if info.size < 0:  # the next entry would be one that was read before
        raise ValueError(f"the size of {name} is negative")
    if info.issym() or info.islnk():
        target = info.linkname
        if info.islnk() and not target.startswith("/"):  # it names its target from the top of the archive
            target = posixpath.relpath(target, posixpath.dirname(name) or ".")
        text = os.fsencode(target)
        return _PackedFile(name, stat.S_IFLNK, None, len(text), partial(BytesIO, text))
    regular = info.isreg() and not info.issparse()
    kind = stat.S_IFDIR if info.isdir() else stat.S_IFREG if regular else 0
    return _PackedFile(name, kind, bool(info.mode & stat.S_IXUSR), info.size, partial(tar.extractfile, info))
