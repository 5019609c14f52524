"""Matches on the workers of a Dask cluster, by the package distributed.

Dask carries bytes: the arguments and results of two functions of this module, which workers import by name.
Settings, TLS and authentication among them, are those of Dask's own configuration.
"""

import asyncio
import itertools
import logging
import re
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from importlib import import_module
from typing import Any, ClassVar, Final

from tourney.addons.cluster import host_service
from tourney.addons.cluster.executor import ClusterExecutor
from tourney.addons.cluster.messages import MAX_REPLY, one_line
from tourney.addons.cluster.nodes import ClusterLink, ClusterNode, LinkLostError
from tourney.errors import UsageError, WorkerError, import_extra
from tourney.spawning import WorkerContext, terminal_signals_blocked

DaskFuture = Any  # the package's client, cluster and futures have few types; here they are Any
_ADDRESS: Final = re.compile(
    r"([a-z]+://)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+):(?P<port>[0-9]{1,5})", re.ASCII
)
RESOURCE: Final = "matches"
"""The resource by which a Dask worker offers match slots: ``dask worker ... --resources matches=4``."""

_ANSWER_SECONDS: Final = 20.0  # for a scheduler to say who it is
_AGAIN_SECONDS: Final = 0.5  # between attempts to reach it


class DaskExecutor(ClusterExecutor):
    """Plays matches on the workers of a Dask scheduler; without an address, on a cluster on this machine."""

    name: ClassVar[str] = "dask"

    def connect(self, address: str, workers: int) -> ClusterLink:
        """The link. Raises UsageError for a bad address, or if the package distributed is missing."""
        match = _ADDRESS.fullmatch(address)
        if address and not (match and 1 <= int(match["port"]) <= 65_535):
            raise UsageError(
                f"the executor dask://{address} needs the address of a scheduler, as in dask://10.0.0.1:8786"
                " or dask://[fd00::1]:8786"
            )
        import_extra("distributed", UsageError, "the executor dask needs", "dask")
        return DaskLink(address, workers)


def play(request: bytes) -> bytes:
    """Play a match on a worker: the function of Dask's tasks."""
    _watch()
    return host_service.play(request)


async def answer(request: bytes, attachment: bytes) -> bytes:
    """Answer a question on a worker, without holding up its event loop."""
    _watch()
    return await asyncio.to_thread(host_service.answer, request, attachment)


class _WorkerWatch:
    """The thread that ends this process's workers with its Dask worker."""

    lock = threading.Lock()
    thread: threading.Thread | None = None


def _watch() -> None:
    from distributed import get_worker  # noqa: PLC0415 - as above
    from distributed.core import Status  # noqa: PLC0415 - as above

    with _WorkerWatch.lock:
        if _WorkerWatch.thread is not None:
            return
        try:
            worker = get_worker()
        except ValueError:  # called on the event loop, beside any task
            return

        def watch() -> None:
            while worker.status in (Status.init, Status.running, Status.paused):
                time.sleep(0.5)
            host_service.end()

        _WorkerWatch.thread = threading.Thread(target=watch, name="tourney-watch", daemon=True)
        _WorkerWatch.thread.start()


class DaskLink(ClusterLink):
    """A client of a Dask scheduler at HOST:PORT; "" starts a cluster on this machine, a worker a slot."""

    def __init__(self, address: str, workers: int) -> None:
        self._address = address
        self._workers = workers
        self._client: Any = None
        self._cluster: Any = None
        self._numbers = itertools.count()
        self._sent: dict[str, list[DaskFuture]] = {}  # by worker, those that have not ended

    def connect(self) -> None:
        """Connect to the scheduler, or start the cluster on this machine."""
        import dask  # noqa: PLC0415 - as above

        distributed: Any = import_module("distributed")
        for name in ("distributed", "tornado", "asyncio", *logging.root.manager.loggerDict):
            if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):  # some have their own levels
                logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is said by the executor
        self.allowed_failures = max(1, int(dask.config.get("distributed.scheduler.allowed-failures", 3)))
        self._close_client()
        try:
            if not self._address and self._cluster is None:
                WorkerContext()  # starts the resource tracker, whose start would unblock the signals
                with terminal_signals_blocked():  # for its processes: Ctrl-C is for the coordinator
                    self._cluster = distributed.LocalCluster(
                        n_workers=self._workers,
                        threads_per_worker=1,
                        resources={RESOURCE: 1},
                        host="127.0.0.1",
                        dashboard_address="127.0.0.1:0",
                        worker_dashboard_address="127.0.0.1:0",
                        memory_limit=0,
                        silence_logs=logging.CRITICAL,
                    )
            # Bytes travel by themselves; what Dask would unpickle for them is refused.
            safe = {"deserializers": ["dask", "msgpack", "error"]}
            target = self._cluster if self._cluster is not None else self._url()
            if self._cluster is None:  # else the client waits for ever for a server of another kind
                asyncio.run(_greet(self._url()))
            self._client = distributed.Client(target, set_as_default=False, **safe)
            if self._cluster is not None:
                self._client.wait_for_workers(self._workers)
        except (OSError, RuntimeError, ValueError, TypeError) as error:
            where = self._address or "on this machine"
            raise WorkerError(
                f"the Dask scheduler {where} cannot be reached: {_words(error)}{self._about_tls(error)}"
            ) from error

    def _url(self) -> str:
        import dask  # noqa: PLC0415 - as above

        if "://" in self._address:
            return self._address
        encrypted = dask.config.get("distributed.comm.require-encryption", None)
        scheme = "tls" if encrypted else dask.config.get("distributed.comm.default-scheme", "tcp")
        return f"{scheme}://{self._address}"

    def _about_tls(self, error: Exception) -> str:
        """Say what TLS may have to do with an error; "" where nothing points to it."""
        if not self._address:
            return ""
        if self._url().startswith("tls://"):
            return "; check that both sides have TLS certificates of one authority"
        words = f"{error} {error.__cause__!r}".lower()
        # A scheduler with TLS ends a plain connection or, on a busy machine, lets the time limit pass first.
        ended = any(word in words for word in ("closed", "reset", "comm was", "timed out"))
        if not ended or "refused" in words:
            return ""
        return "; if it requires TLS, set Dask's TLS settings as docs/how-to/cluster.md says"

    def nodes(self) -> Mapping[str, ClusterNode]:
        """The workers that the scheduler knows; waits while the connection stands."""
        while True:
            client = self._running()
            try:
                info = client.sync(client.scheduler.identity, n_workers=-1, callback_timeout=_ANSWER_SECONDS)
            except OSError:  # a time-out among them: the client notices itself that its connection ends
                time.sleep(_AGAIN_SECONDS)
            except (RuntimeError, ValueError, AttributeError) as error:
                raise self._lost(error) from error
            else:
                break
        nodes = {}
        for address, worker in info["workers"].items():
            if worker.get("status") in ("closing", "closed", "closing_gracefully"):
                continue
            slots = min(int(worker["resources"].get(RESOURCE, 0)), int(worker["nthreads"]))
            nodes[address] = ClusterNode(address, _machine(worker), slots)
        for address in [address for address in list(self._sent) if address not in nodes]:
            with suppress(OSError, RuntimeError):
                client.cancel(self._sent.pop(address))
        return nodes

    def ask(self, address: str, request: bytes, attachment: bytes = b"") -> bytes:
        """A worker's answer."""
        client = self._running()
        try:
            answers = client.run(answer, request, attachment, workers=[address], on_error="return")
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            raise OSError(f"it gives no answer: {_words(error)}") from error
        reply = answers.get(address)
        if not isinstance(reply, bytes):
            raise OSError(f"it gives no answer: {_words(reply)}")
        return reply

    def play(self, address: str, request: bytes) -> "Future[object]":
        """Submit a task that only this worker can take, for one of its slots."""
        future: Future[object] = Future()
        try:
            sent = self._running().submit(
                play,
                request,
                key=f"match-{self._session_name()}-{next(self._numbers)}",
                workers=[address],
                resources={RESOURCE: 1},
                pure=False,
            )
        except (OSError, RuntimeError, ValueError) as error:
            raise self._lost(error) from error
        self._sent.setdefault(address, []).append(sent)
        loop = self._client.loop
        sent.add_done_callback(lambda _done: loop.add_callback(self._fetch, address, sent, future))
        return future

    def _session_name(self) -> str:
        return str(self._running().id).rpartition("-")[2][:8]

    def close(self) -> None:
        """Close the client, and the cluster on this machine."""
        self._close_client()
        if self._cluster is not None:
            with suppress(OSError, RuntimeError, TimeoutError):
                self._cluster.close(timeout=10)
            self._cluster = None

    def _close_client(self) -> None:
        self._sent.clear()
        if self._client is not None:
            with suppress(OSError, RuntimeError, TimeoutError):
                self._client.close(timeout=5)
            self._client = None

    def _running(self) -> Any:
        if self._client is None or self._client.status != "running":
            raise self._lost(None)
        return self._client

    def _lost(self, error: Exception | None) -> LinkLostError:
        why = f" ({_words(error)})" if error is not None else ""
        return LinkLostError(f"the connection to the Dask scheduler {self._address} is lost{why}")

    async def _fetch(self, address: str, sent: DaskFuture, future: "Future[object]") -> None:
        """Fetch the result of a task that has ended; ``nodes`` cancels one that is lost with its worker."""
        try:
            if sent.status == "finished":
                sizes = await self._client.scheduler.nbytes(keys=[sent.key], summary=False)
                if (
                    sizes.get(sent.key, 0) > 2 * MAX_REPLY
                ):  # a reply that is not fetched is too long for the executor
                    future.set_result(b"x" * (MAX_REPLY + 1))
                    return
                for reply in await self._client.gather([sent], errors="skip", asynchronous=True):
                    future.set_result(reply)
                    return
            elif sent.status == "error":
                future.set_exception(OSError("its worker raised an exception instead of a reply"))
                return
        except asyncio.CancelledError:
            pass
        except Exception as error:  # noqa: BLE001 - whatever comes from other hosts ends here
            future.set_exception(OSError(f"its reply could not be fetched: {_words(error)}"))
            return
        finally:
            with suppress(ValueError, KeyError):
                self._sent[address].remove(sent)
        future.cancel()  # lost: the executor finds that its node is gone


async def _greet(url: str) -> None:
    """Ask a scheduler for its identity. Raises OSError if there is none, or something else."""
    import dask  # noqa: PLC0415 - as above

    distributed: Any = import_module("distributed")
    text = dask.config.get("distributed.comm.timeouts.connect")
    seconds = dask.utils.parse_timedelta(text, default="seconds")
    safety = distributed.Security().get_connection_args("client")
    try:
        async with distributed.rpc(url, connection_args=safety) as scheduler:
            # A little longer than the time limit of the connection itself, whose errors say more.
            await asyncio.wait_for(scheduler.identity(n_workers=0), 1.2 * seconds)
    except TimeoutError as error:
        raise OSError(str(error) or f"no Dask scheduler answers there in {seconds:g} seconds") from error


def _machine(worker: Mapping[str, Any]) -> str:
    """The IP address of a worker's machine; on this machine, where all share it, the worker's name."""
    address = str(worker["host"])
    local = address.startswith("127.") or address in ("::1", "localhost")
    name = worker.get("name")
    text = str(name) if local and name is not None else address
    text = text.rpartition("://")[2]
    return "".join(c if c.isascii() and (c.isalnum() or c in ".:-_") else "-" for c in text)[:80]


def _words(error: object) -> str:
    text = re.sub(r"in <[^<>]*>: ", "", str(error)) or type(error).__name__
    return one_line(text)[:200]
