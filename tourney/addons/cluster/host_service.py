"""The side of a host: answers a coordinator's questions, and plays its matches in worker processes.

Functions take and give bytes, so that any library can carry them. The workers are those of ``LocalExecutor``:
pinned, and ended with this process. Bots are kept in a store of the host's own, by content digest, and built
there once; all processes of a host share it.
"""

import fcntl
import hashlib
import io
import multiprocessing.process
import os
import platform
import tempfile
import threading
import time
import zipfile
from collections import deque
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue

from msgspec import structs

from tourney import __version__
from tourney.addons.cluster.messages import (
    BatchRequest,
    BotsAnswer,
    HostInfo,
    Question,
    RoomAnswer,
    decode,
    encode,
    join_replies,
    reply_of,
)
from tourney.bots.catalogue.build import built_command, host
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.catalogue.submission import unpack
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.errors import BotError, InputError, TourneyError
from tourney.games import compiled
from tourney.games.base import AnyGame
from tourney.games.registry import find_game
from tourney.held_folder import remove_tree
from tourney.match.match_memory import ALL_FIT, plan_matches, refuse_unfit
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.run.workers.local import LocalExecutor
from tourney.schema import SandboxLevel

CACHE_VARIABLE = "TOURNEY_CACHE"  # names the folder in which a host keeps bots; default: ~/.cache/tourney
_MAX_REQUEST = 1 << 30  # bytes; the coordinator is trusted, a bound only stops nonsense
_STEPS = 50_000  # of the loop that measures speed
_TRIES = 5  # of which the fastest counts: others were interrupted
_MAX_SLOT = 4096  # match slots of a host at most
_LOOK_SECONDS = 1.0  # between two looks whether the executor was stopped


class _HostState:
    """The workers of this process: an executor a slot, so that one that dies costs its own match only."""

    lock = threading.Lock()
    session = ""
    draining = False
    idle: "SimpleQueue[LocalExecutor]" = SimpleQueue()
    executors: tuple[LocalExecutor, ...] = ()
    plan = ALL_FIT
    slots: list[int] = []  # noqa: RUF012 - the descriptors of locks; this process has one host


def play(request: bytes) -> bytes:
    """Play matches in turn and return the replies; blocks a thread meanwhile."""
    wanted = decode(request, BatchRequest, most=_MAX_REQUEST)
    tasks = wanted.tasks(str(cache_folder() / "bots"))
    numbers = [task.number for task in tasks]
    with _HostState.lock:
        if _HostState.draining and _HostState.session == wanted.session:
            return join_replies([reply_of(WorkerReply(number), number) for number in numbers], numbers)
        _start_workers(wanted)
        idle = _HostState.idle
    executor = idle.get()
    try:
        replies = _play(tasks, executor)
    finally:
        idle.put(executor)
    return join_replies(replies, numbers)


def _play(tasks: Sequence[MatchTask], executor: LocalExecutor) -> list[bytes]:
    """Play matches on a worker, in turn.

    It gets the next one along with each, to make its sandbox ahead. So a match that ends the worker process
    may take the next one with it; both are replayed, each alone, and then it fails alone.
    """
    sent: deque[Future[WorkerReply]] = deque()
    replies: list[bytes] = []
    alone = len(tasks) == 1
    while len(replies) < len(tasks):
        number = tasks[len(replies)].number
        started = time.monotonic()
        try:
            most = 1 if alone else executor.capacity
            if len(sent) <= most // 2:  # whole batches of the executor, not one match at a time
                for task in tasks[len(replies) + len(sent) : len(replies) + most]:
                    sent.append(executor.submit(task))
                executor.flush()
            reply: WorkerReply | InputError = _wait(sent.popleft(), executor)
        except BrokenExecutor:
            sent.clear()
            with _HostState.lock:
                ended = executor not in _HostState.executors
                if not ended:
                    executor.restart()
            if not (alone or ended):
                alone = True
                continue
            reply = WorkerReply(number, failure="a worker process died")
        except InputError as error:
            reply = error
        except Exception as error:  # noqa: BLE001 - any error: the match is replayed
            sent.clear()
            reply = WorkerReply(number, failure=f"{type(error).__name__}: {error}")
        replies.append(reply_of(reply, number, round(1000 * (time.monotonic() - started))))
    return replies


def _wait(future: "Future[WorkerReply]", executor: LocalExecutor) -> WorkerReply:
    """The reply of a worker; workers that were ended meanwhile give none."""
    while True:
        try:
            return future.result(timeout=_LOOK_SECONDS)
        except TimeoutError:
            if executor not in _HostState.executors:
                raise BrokenExecutor from None


def answer(request: bytes, attachment: bytes = b"") -> bytes:
    """Answer a question. A machine that cannot do something says so in the answer, and raises nothing."""
    asked = decode(request, Question, most=_MAX_REQUEST)
    if asked.kind == "about":
        return encode(host_info(asked.game, asked.sandbox))
    if asked.kind == "room":
        return encode(_room(asked))
    if asked.kind == "bots":
        return encode(_bots(asked))
    if asked.kind == "add":
        return encode(_add(asked.digests[0], attachment))
    with _HostState.lock:
        if _HostState.session == asked.session:
            _HostState.draining = True
            for executor in _HostState.executors:
                executor.drain()
            if asked.kind == "end":
                _end()
    return encode(BotsAnswer())


def end() -> None:
    """End the workers of this process with their bots, as when the process ends."""
    with _HostState.lock:
        _end()


def cache_folder() -> Path:
    """The folder in which this host keeps what coordinators send it."""
    default = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "tourney"
    return Path(os.environ.get(CACHE_VARIABLE) or default)


def host_info(game: str, level: SandboxLevel) -> HostInfo:
    """The facts that decide whether this host's results and containment equal those of others."""
    info = HostInfo(
        host=platform.node(),
        version=__version__,
        python=f"{platform.python_implementation()} {platform.python_version()} on {platform.machine()}",
        cores=compiled.summary(),
        speed=speed(),
    )
    try:
        rules = find_game(game)
        box = open_sandbox(level, {"the bot store": cache_folder()})
    except TourneyError as error:
        return structs.replace(info, problem=str(error))
    except Exception as error:  # noqa: BLE001 - a broken plugin is this host's problem alone
        return structs.replace(info, problem=f"{type(error).__name__}: {error}"[:2000])
    if rules.outside:
        return structs.replace(info, problem="an outside referee plays on the coordinator's machine only")
    degrees = " ".join(f"{name}={degree}" for name, degree in sorted(box.protections.items()))
    network = box.protections["network"] == "enforced"
    text = f"{box.name} {degrees}"
    return structs.replace(info, rules=rules_digest(rules), sandbox=text, contained=network)


def rules_digest(game: AnyGame) -> str:
    """A game's version of its rules, and a digest of the source files of its module or package."""
    module = import_module(type(game).__module__)
    name = module.__package__ if module.__package__ not in (None, "", "tourney.games") else ""
    files = [Path(str(module.__file__))]
    if name:
        files = sorted(Path(str(import_module(name).__file__)).parent.glob("**/*.p[yx]*"))
    digest = hashlib.sha256()
    for file in files:
        if file.suffix in (".py", ".pxd"):
            digest.update(f"{file.name} ".encode() + hashlib.sha256(file.read_bytes()).digest())
    return f"{game.rules} ({digest.hexdigest()[:12]})"


@cache
def speed() -> int:
    """The steps of a fixed loop that one processor does in a millisecond: the best of a few tries."""
    best = 0
    for _ in range(_TRIES):
        started = time.thread_time_ns()
        value = 1
        for _ in range(_STEPS):
            value = (value * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
        best = max(best, _STEPS * 1_000_000 // max(1, time.thread_time_ns() - started))
    return best


def pack_bot(bot: StoredBot) -> bytes:
    """A bot's files as a zip, for ``answer``."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(path for path in bot.folder.rglob("*") if path.is_file()):
            info = zipfile.ZipInfo(str(file.relative_to(bot.folder)))
            info.create_system = 3
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100755 if os.access(file, os.X_OK) else 0o100644) << 16
            packed.writestr(info, file.read_bytes())
    return out.getvalue()


def _room(asked: Question) -> RoomAnswer:
    """The number of matches that fit into this host's memory; its workers keep bots in the rest."""
    if asked.memory is None:
        return RoomAnswer()
    try:
        refuse_unfit(asked.memory)
    except TourneyError as error:
        return RoomAnswer(0, str(error)[:2000])
    _HostState.plan = plan_matches(asked.memory, _MAX_SLOT)
    return RoomAnswer(_HostState.plan.matches)


def _bots(asked: Question) -> BotsAnswer:
    store = BotStore(cache_folder() / "bots")
    missing = tuple(digest for digest in asked.digests if not store.has(digest))
    broken = {}
    try:
        box = open_sandbox(asked.sandbox, {"the bot store": cache_folder()})
        for digest in asked.digests:
            try:
                if digest not in missing:
                    built_command(store, digest, box)
            except BotError as error:
                broken[digest] = str(error)[:2000]
    except (TourneyError, OSError) as error:
        return BotsAnswer(problem=str(error)[:2000])
    return BotsAnswer(missing, broken)


def _add(digest: str, files: bytes) -> BotsAnswer:
    """Put a bot into this host's store, if its files have that digest."""
    place = None
    try:
        cache_folder().mkdir(parents=True, exist_ok=True)
        place = Path(tempfile.mkdtemp(prefix="bot-", dir=cache_folder()))
        archive = place / "bot.zip"
        folder = place / "bot"
        archive.write_bytes(files)
        unpack(archive, folder)
        held = list(folder.iterdir())
        program = len(held) == 1 and held[0].is_file() and held[0].name != "bot.toml"
        added = BotStore(cache_folder() / "bots").add(
            held[0] if program else folder, origin="used", replace_shipped=True
        )
        if added.digest != digest:
            return BotsAnswer(problem=f"the bot {digest[:12]} came with the digest {added.digest[:12]}")
    except (TourneyError, OSError) as error:
        return BotsAnswer(problem=str(error)[:2000])
    finally:
        if place is not None:
            remove_tree(place)
    return BotsAnswer()


def _start_workers(wanted: BatchRequest) -> None:
    """Start the workers of a session, and end those of an earlier one. The caller holds the lock."""
    if _HostState.session == wanted.session and _HostState.executors:
        return
    _end()
    # Dask's nanny marks its workers as daemons, which may start no processes; these end with this one.
    multiprocessing.process.current_process()._config.pop("daemon", None)  # type: ignore[attr-defined]  # noqa: SLF001
    first = _take_slots(wanted.slots)
    _HostState.session = wanted.session
    _HostState.draining = False
    _HostState.idle = SimpleQueue()
    _HostState.executors = tuple(
        LocalExecutor(1, cpus=wanted.cpus, first=first + slot, plan=_HostState.plan)
        for slot in range(wanted.slots)
    )
    for executor in _HostState.executors:
        _HostState.idle.put(executor)


def _end() -> None:
    executors = _HostState.executors
    _HostState.executors = ()
    _HostState.session = ""
    for executor in executors:
        executor.stop()
    _free_slots()


def _take_slots(count: int) -> int:
    """Take ``count`` slots in a row that no other process of this host holds; return the first."""
    folder = Path(tempfile.gettempdir()) / f"tourney-slots-{os.getuid()}-{host()}"[:200]
    with suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        for slot in range(_MAX_SLOT):
            fd = os.open(folder / str(slot), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(fd)
                _free_slots()  # slots in a row: begin again behind the one that is taken
                continue
            _HostState.slots.append(fd)  # open until the end, as closing it, or dying, gives the lock back
            if len(_HostState.slots) == count:
                return slot - count + 1
    _free_slots()
    return 0


def _free_slots() -> None:
    while _HostState.slots:
        os.close(_HostState.slots.pop())
