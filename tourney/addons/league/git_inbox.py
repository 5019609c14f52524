"""An inbox that is a git repository: a branch AUTHOR with folders BOT, or folders AUTHOR/BOT of one branch.

It is fetched into ``records/inbox.git``; nothing in it is checked out or run. Its server decides who may
push to which branch; the commits of an author with keys must also be signed by one of them.

All pushed content is hostile. Names are bytes of any kind, so objects are named by their hashes, and paths
are literal. A tree of a few objects may have more paths than any disk holds, so only the beginning of what
git prints is read. A branch that cannot be fetched, or a tree that cannot be read, becomes a refused
submission; the others are examined.
"""

import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import Final

from tourney.addons.league.file import HANDLE
from tourney.addons.league.folder import League, LeagueFolder
from tourney.addons.league.identity import Arrival, allowed_signers, folder_problem
from tourney.bots.catalogue.tree import MAX_PATH, SUBMITTED
from tourney.errors import BotError, EnvironmentFailure, UnsafeFileError
from tourney.held_folder import hold
from tourney.texts import legible

_FETCH_SECONDS: Final = 600
_SECONDS: Final = 120
"""For one branch, or one object: the others wait meanwhile."""
_MOST_PRINTED: Final = 16 << 20
_MOST_NEW: Final = 1_000
"""New authors that are examined."""
MOST_ENTRIES: Final = 100
"""Entries of an author that are examined."""
_MOST_UPDATES: Final = 50
"""Entries of a reflog that are compared with a tree."""
_HEADS: Final = "refs/heads/"
_AUTHORS: Final = "refs/authors/"
_HEAD: Final = "HEAD"
_UPDATE: Final = re.compile(rb"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t]*> ([0-9]{1,12}) [-+][0-9]{4}(\t.*)?")
"""An entry of a reflog: the commit before, the commit after, and seconds since 1970."""
_OTHERS: Final = "GIT_ALTERNATE_OBJECT_DIRECTORIES"
_MOST_SAID: Final = 4096
_CHUNK: Final = 1 << 16
_BRANCH: Final = "git:"
"""The source of a branch that is refused as a whole."""


def is_repository(league: LeagueFolder) -> bool:
    """Whether the inbox of a league is a git repository."""
    named = league.table.inbox
    path = league.inbox
    return (
        "://" in named or (path / ".git").exists() or ((path / "HEAD").is_file() and (path / "refs").is_dir())
    )


def git_arrivals(league: League, notes: list[str]) -> Iterator[Arrival]:
    """Fetch the repository, and yield the bots in it; ``notes`` gets the names of ignored entries.

    Raises EnvironmentFailure if the repository cannot be read at all.
    """
    if not (league.records / "inbox.git").exists():
        # Bare: nothing in it is ever checked out, so no filter of a pushed .gitattributes runs.
        _git(league, "init", "--quiet", "--bare")
    heads, main = _listed(league)
    if league.table.git == "folders":
        yield from _folders(league, main, notes)
        return
    _name_strangers(heads, "branch", notes)
    authors = _looked_at(league, heads, notes)
    refused = yield from _fetch(league, {author: heads[author] for author in authors})
    trees = _git(league, "for-each-ref", "--format=%(refname) %(tree)", _AUTHORS)
    for ref, _, tree in (line.partition(" ") for line in trees.splitlines()):
        author = ref.removeprefix(_AUTHORS)
        if author in authors and author not in refused and tree:
            yield from _of_author(league, author, (ref, _HEADS + author), tree, "", notes)


def _listed(league: League) -> tuple[dict[str, str], str | None]:
    """The commit of each branch on the server, and the ref of the main branch, or None.

    The main branch is HEAD or, if HEAD names a branch that was never pushed, the only branch. Only a few of
    the names that cannot be authors are kept.
    """
    heads: dict[str, str] = {}
    strange = 0
    main = _HEAD
    is_there = False
    for line in _lines(league, "ls-remote", "--symref", _source(league), _HEAD, f"{_HEADS}*"):
        commit, _, ref = line.partition("\t")
        if ref == _HEAD and commit.startswith("ref: "):
            main = commit.removeprefix("ref: ")
        elif ref == _HEAD:
            is_there = True
        elif ref.startswith(_HEADS):
            branch = ref.removeprefix(_HEADS)
            strange += HANDLE.fullmatch(branch) is None
            if strange <= MOST_ENTRIES or HANDLE.fullmatch(branch):
                heads[branch] = commit
    if is_there:
        return heads, main
    return heads, _HEADS + next(iter(heads)) if len(heads) == 1 else None


def _name_strangers(names: Iterable[str], what: str, notes: list[str]) -> None:
    strange = sorted(name for name in names if HANDLE.fullmatch(name) is None)
    notes += [
        f"the {what} {legible(name)} cannot name an author: it is left alone"
        for name in strange[:MOST_ENTRIES]
    ]


def _looked_at(league: League, names: Iterable[str], notes: list[str]) -> list[str]:
    """The authors that are examined: all established ones, and a bounded number of new ones."""
    authors = league.ledger.established.keys() | league.authors.keys()
    new = sorted(name for name in names if HANDLE.fullmatch(name) and name not in authors)
    if len(new) > _MOST_NEW:
        notes.append(
            f"the inbox has {len(new):,} authors of whom no bot is in the league: the first {_MOST_NEW:,} by"
            " name are looked at"
        )
    return sorted(authors.intersection(names)) + new[:_MOST_NEW]


def _fetch(league: League, heads: Mapping[str, str]) -> Generator[Arrival, None, set[str]]:
    """Fetch branches; yield and return the ones that cannot be fetched. Raises EnvironmentFailure.

    A branch that was refused before is fetched alone, so that it cannot fail the others' fetch again.
    """
    refused = {
        submission.author: submission.stamp
        for submission in league.ledger.submissions.values()
        if submission.source == _BRANCH
    }
    failed = {author for author, commit in heads.items() if refused.get(author) == commit}
    trusted = [author for author in heads if author not in refused]
    alone = [author for author in heads if author in refused and author not in failed]
    try:
        if trusted:
            _fetch_heads(league, trusted, _FETCH_SECONDS)
    except EnvironmentFailure:
        alone = [author for author in heads if author not in failed]
    problems: dict[str, EnvironmentFailure] = {}
    for author in alone:
        try:
            _fetch_heads(league, [author], _SECONDS)
        except EnvironmentFailure as error:
            problems[author] = error
    if problems and len(problems) == len(heads):
        raise next(iter(problems.values()))  # it is the server, and no branch
    for author, problem in problems.items():
        yield Arrival(author, "branch", _BRANCH, heads[author], f"its branch cannot be fetched: {problem}")
    return failed | problems.keys()


def _fetch_heads(league: League, authors: list[str], seconds: int) -> None:
    refs = "".join(f"+{_HEADS}{author}:{_AUTHORS}{author}\n" for author in authors)
    # Objects are not checked here: one bad object of one branch would refuse all branches.
    unchecked = ("-c", "fetch.fsckObjects=false", "-c", "transfer.fsckObjects=false")
    words = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--stdin", _source(league))
    _git(league, *unchecked, *words, input_text=refs, seconds=seconds)


def _folders(league: League, main: str | None, notes: list[str]) -> Iterator[Arrival]:
    """Yield the bots of the main branch."""
    if main is None:
        notes.append("HEAD of the inbox names a branch that is not there: push it, or let HEAD name another")
        return
    ref = _AUTHORS + _HEAD
    fetch = ("fetch", "--quiet", "--no-tags", _source(league), f"+{main}:{ref}")
    _git(league, *fetch, seconds=_FETCH_SECONDS)
    trees = dict(_trees(league, _git(league, "rev-parse", f"{ref}^{{tree}}").strip()))
    _name_strangers(trees, "folder", notes)
    for author in _looked_at(league, trees, notes):
        yield from _of_author(league, author, (ref, main), trees[author], f"{author}/", notes)


def _of_author(
    league: League, author: str, refs: tuple[str, str], tree: str, below: str, notes: list[str]
) -> Iterator[Arrival]:
    """Yield the bots in an author's tree; ``below`` is its path in the tree of the ref, here and there."""
    here, there = refs
    problem = folder_problem(league, author, None)
    try:
        bots = _trees(league, tree)
    except EnvironmentFailure as error:
        yield Arrival(author, "branch", _BRANCH, tree, f"its folders cannot be listed: {error}")
        return
    if len(bots) > MOST_ENTRIES:
        notes.append(f"{author} has {len(bots):,} folders: the first {MOST_ENTRIES} by name are looked at")
    for bot, bot_tree in bots[:MOST_ENTRIES]:
        why = problem or _signature_problem(league, author, here, f"{below}{bot}")
        yield Arrival(author, bot, f"git:{below}{bot}", bot_tree, why, tree=bot_tree, ref=there)


def _signature_problem(league: League, author: str, ref: str, path: str) -> str:
    """The reason that the last commit of a path is not signed by its author's key, or ""."""
    table = league.authors.get(author)
    if table is None or not table.keys:
        return ""
    with NamedTemporaryFile("w", prefix="tourney-") as signers:
        signers.write(allowed_signers(author, table))
        signers.flush()
        keys = ["-c", "gpg.format=ssh", "-c", f"gpg.ssh.allowedSignersFile={signers.name}"]
        # A signature of another kind would be checked by the organiser's own key ring.
        for kind in ("gpg.program", "gpg.openpgp.program", "gpg.x509.program"):
            keys += ["-c", f"{kind}=false"]
        commit = ""
        with suppress(EnvironmentFailure):
            commit = _git(league, "log", "-1", "--format=%H", ref, "--", path).strip()
            _git(league, *keys, "verify-commit", commit)
            return ""
    return f"the commit {commit[:12]} is not signed by a key of {author} in authors.toml"


def _trees(league: League, tree: str) -> list[tuple[str, str]]:
    """The folders of a tree by name, with their trees. Raises EnvironmentFailure if it cannot be read."""
    folders = []
    for line in _git(league, "ls-tree", "-z", tree).split("\0"):
        kind, _, name = line.partition("\t")
        if " tree " in kind:
            folders.append((name, kind.split()[2]))
    return sorted(folders)


def received(league: League, arrival: Arrival) -> int | None:
    """The time at which the server received an arrival, in microseconds since 1970, or None if unknown.

    It comes from the reflog of a server on this machine. The date of a commit proves nothing: its author
    chooses it.
    """
    if "://" in league.table.inbox or not arrival.tree:
        return None
    server = _server(league)
    path = arrival.source.removeprefix("git:")
    with suppress(OSError, UnsafeFileError, EnvironmentFailure):
        with hold(server / "logs") as logs:
            lines = logs.read(arrival.ref, _MOST_PRINTED).splitlines()
        since = None
        for line in reversed(lines[-_MOST_UPDATES:]):
            update = _UPDATE.fullmatch(line)
            if update is None:
                return None
            before = update[1].decode()
            after = update[2].decode()
            seconds = int(update[3])
            if seconds > time.time():
                return None  # the clock of the server is not ours
            if _tree_at(league, after, path) != arrival.tree:
                return since
            since = seconds * 1_000_000
            if not before.strip("0") or _tree_at(league, before, path) != arrival.tree:
                return since
    return None


def _tree_at(league: League, commit: str, path: str) -> str | None:
    """The tree at a path of a commit, from the server's objects too, or None if there is none.

    Raises EnvironmentFailure if the commit is not there: an update that was replaced may be gone.
    """
    printed = b"".join(
        _stream(league, ("ls-tree", commit, "--", path), others=str(_server(league) / "objects"))
    )
    line = os.fsdecode(printed)
    return line.split()[2] if " tree " in line.partition("\t")[0] else None


def _server(league: League) -> Path:
    """The repository's own folder, if the inbox is on this machine."""
    return league.inbox / ".git" if (league.inbox / ".git").is_dir() else league.inbox


def _source(league: League) -> str:
    return league.table.inbox if "://" in league.table.inbox else str(league.inbox)


def write_archive(league: League, tree: str, target: Path) -> None:
    """Write a tree to a tar archive. Raises BotError for one that no bot may be, or that cannot be read."""
    try:
        files = folders = size = 0
        for line in _lines(league, "ls-tree", "-r", "-t", "-l", "-z", tree, end=b"\0"):
            described, _, path = line.partition("\t")
            *_, kind, _, length = described.split()
            files = files + (kind != "tree")
            folders = folders + (kind == "tree")
            size += int(length) if length.isdigit() else 0
            SUBMITTED.check(files, folders, size)
            if len(os.fsencode(path)) > MAX_PATH:
                raise BotError(f"it has a path of more than {MAX_PATH:,} bytes; shorten it")
        with target.open("wb") as archive:
            for chunk in _stream(league, ("archive", "--format=tar", tree)):
                archive.write(chunk)
    except EnvironmentFailure as error:
        raise BotError(f"it cannot be read: {error}") from error


def _git(league: League, *words: str, input_text: str = "", seconds: int = _SECONDS) -> str:
    """The output of a git command. Raises EnvironmentFailure if it fails or prints too much."""
    printed = bytearray()
    for chunk in _stream(league, words, input_text=input_text, seconds=seconds):
        printed += chunk
        if len(printed) > _MOST_PRINTED:
            raise EnvironmentFailure(f"git {words[0]} prints more than {_MOST_PRINTED >> 20} MiB")
    return os.fsdecode(bytes(printed))


def _lines(league: League, *words: str, end: bytes = b"\n") -> Iterator[str]:
    """Yield the lines that a git command prints, however many. Raises EnvironmentFailure if it fails."""
    rest = b""
    for chunk in _stream(league, words):
        *lines, rest = (rest + chunk).split(end)
        yield from map(os.fsdecode, lines)


def _stream(
    league: League, words: Sequence[str], *, input_text: str = "", seconds: int = _SECONDS, others: str = ""
) -> Iterator[bytes]:
    """Yield the output of a git command. Raises EnvironmentFailure if it fails or takes too long.

    ``input_text`` is its standard input; ``others`` is a folder of objects that it may read too.
    """
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_LITERAL_PATHSPECS": "1", "LC_ALL": "C"}
    environment |= {"GIT_NO_REPLACE_OBJECTS": "1"} | ({_OTHERS: others} if others else {})
    command = ["git", f"--git-dir={league.records / 'inbox.git'}", *words]
    name = next(word for word in words if not word.startswith("-") and "=" not in word)
    deadline = time.monotonic() + seconds
    with TemporaryFile() as source, TemporaryFile() as errors:
        source.write(input_text.encode())
        source.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 - a fixed program, without a shell
                command,
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise EnvironmentFailure(
                f"the inbox is a git repository, and git cannot be run: {error}"
            ) from error
        with process:
            try:
                yield from _chunks(process, deadline)
                code = process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                raise EnvironmentFailure(f"git {name} of the inbox took longer than {seconds} s") from None
            finally:
                if process.returncode is None:
                    os.killpg(process.pid, signal.SIGKILL)  # with its children, which hold the pipe
        if code:
            errors.seek(-min(errors.seek(0, os.SEEK_END), _MOST_SAID), os.SEEK_END)
            last = errors.read().decode("utf-8", "replace").strip().splitlines()[-1:]
            raise EnvironmentFailure(f"git {name} of the inbox failed: {legible(''.join(last)) or code}")


def _chunks(process: "subprocess.Popen[bytes]", deadline: float) -> Iterator[bytes]:
    """Yield the output of a process. Raises TimeoutExpired at the deadline."""
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)
    chunk = b"-"
    while chunk:
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(1000 * left):
            raise subprocess.TimeoutExpired(process.args, left)
        if chunk := os.read(process.stdout.fileno(), _CHUNK):
            yield chunk
