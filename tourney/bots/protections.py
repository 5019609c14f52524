"""The protections that there are, by name, and the degrees to which a sandbox gives them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

Level = Literal["strict", "auto", "off"]
Degree = Literal["enforced", "partial", "absent"]

PROTECTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "environment": "the environment holds the five variables of the protocol and no other",
        "process-group": "the bot's process group ends with the match",
        "all-processes": "every process that the bot started ends with the match, wherever it went",
        "referee-death": "the bot ends when the process that referees it does",
        "process-table": "the bot sees no process but its own",
        "network": "there is no network, not even the host's own",
        "system": "the system's files are read-only",
        "host-files": "no other file of the host is to be seen: database, other bots, home",
        "bot-folder": "the bot's own folder is read-only",
        "private-tmp": "/tmp and /dev/shm are the bot's own and of bounded size",  # noqa: S108 - words
        "privileges": "the bot has no privileges, and no program gives it any",
        "own-user": "the bot's user has no rights to anything outside of the sandbox",
        "user-namespaces": "the bot can make no namespaces of its own",
        "address-space": "each process's memory is bounded",
        "total-memory": "the memory of all the bot's processes together is bounded",
        "process-count": "the number of the bot's processes is bounded",
        "open-files": "the number of files that a process has open is bounded",
        "file-size": "the size of a file is bounded",
        "core-dumps": "no core dumps are written",
        "system-calls": "dangerous system calls are refused",
        "processors": "the bot stays on the processors that it was given",
        "processor-time": "the processor time of all the bot's processes is known",
        "freezing": "all the bot's processes can be held still",
    }
)
"""The protections by name, each in a line for people, in the order in which they are shown."""


def degrees(held: Mapping[str, Degree]) -> dict[str, Degree]:
    """Return the degree of every protection, in order; those not named are absent."""
    return {name: held.get(name, "absent") for name in PROTECTIONS}
