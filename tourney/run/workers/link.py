"""The seam to libraries that reach other hosts: what Dask, Ray or MPI have to offer a ``ClusterExecutor``."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass

from tourney.errors import EnvironmentFailure


class LinkLostError(EnvironmentFailure):
    """The coordinator has no connection to its cluster; it may come back."""


@dataclass(frozen=True, slots=True)
class Node:
    """A worker process of the library: its address, which never comes again, its machine, and its slots.

    ``machine`` is what the library knows of it, not what the worker says: an IP address, or where all are on
    this machine, the worker's name.
    """

    address: str
    machine: str
    slots: int


class Link(ABC):
    """A connection to a cluster.

    The functions that nodes call are ``tourney.run.workers.host.answer`` and ``host.play``. Futures are those
    of ``concurrent.futures``. Where a node is lost, its futures may stay open for ever: ``nodes`` says which
    are there. Methods raise LinkLostError.
    """

    allowed_failures: int = 3
    """How many nodes may be lost while they play one match, before it is void."""

    @abstractmethod
    def connect(self) -> None:
        """Connect, or connect again after the connection was lost."""

    @abstractmethod
    def nodes(self) -> Mapping[str, Node]:
        """Return the nodes that are there now, by address.

        It waits for an answer as long as the connection stands; the caller does this in a thread.
        """

    @abstractmethod
    def ask(self, address: str, request: bytes, attachment: bytes = b"") -> bytes:
        """Return a node's answer to a question; takes no slot. Raises OSError where it gives none."""

    @abstractmethod
    def play(self, address: str, request: bytes) -> "Future[object]":
        """Send a match to a node, where it takes one slot; the future has the reply."""

    @abstractmethod
    def close(self) -> None:
        """End the connection, and what ``connect`` started."""
