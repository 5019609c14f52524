"""Bots that are WebAssembly modules, as the rest of Tourney sees them; an add-on compiles and runs them."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from tourney.errors import UsageError
from tourney.plugins import load, offered

if TYPE_CHECKING:
    from tourney.bots.catalogue.store import BotStore, StoredBot
    from tourney.bots.sandbox.sandbox import Sandbox

K = TypeVar("K")
V = TypeVar("V")

CODE: Final = "module.bin"
"""The file of a compiled module."""


class ModuleRuntime(ABC):
    """Compiles and runs modules. An add-on names its subclass in the field ``module_runtimes``."""

    @abstractmethod
    def compiled_folder(
        self,
        store: "BotStore",
        bot: "StoredBot",
        built: Path,
        sandbox: "Sandbox",
        meter: str | None,
        seconds: float,
    ) -> Path:
        """The folder of a bot's compiled module, from its files in ``built``; made once on a host.

        The code counts fuel by ``meter``, or none. Compilation ends after ``seconds``, or its own limit.
        Raises BotError for a module that cannot be compiled, UsageError if this machine lacks the compiler,
        SandboxError, and StoreError if the store cannot be written.
        """

    @abstractmethod
    def command_words(self, words: tuple[str, ...], *, metered: bool) -> tuple[str, ...]:
        """The command of the process that runs a compiled module, whose own words are ``words``."""

    @abstractmethod
    def check_meter(self, meter: str | None) -> None:
        """Raise UsageError if matches of a meter cannot be played on this machine."""

    @abstractmethod
    def state(self) -> str:
        """Whether modules can play on this machine, and whether fuel is counted as records count it."""

    @property
    @abstractmethod
    def languages(self) -> tuple[str, ...]:
        """The languages of templates that build to a module."""

    @abstractmethod
    def as_module(self, files: Mapping[str, str], language: str) -> Iterator[tuple[str, str]]:
        """Yield the files of a template's bot, changed so that it builds to a module."""

    @abstractmethod
    def missing_tools(self, language: str) -> str:
        """What this machine lacks to build a module from a language, or "" if it has all."""


def surplus(waiting: Sequence[tuple[K, V]], wanted: Iterable[K], most: int) -> list[tuple[K, V]]:
    """The kept things to end before a match: all but its ``wanted`` ones and the latest ``most`` others."""
    needed = list(wanted)
    others = []
    for thing in reversed(waiting):
        if thing[0] in needed:
            needed.remove(thing[0])
        else:
            others.append(thing)
    return others[most:]


def find_runtime() -> ModuleRuntime:
    """The runtime of modules. Raises UsageError if no add-on brings one."""
    targets = sorted(offered("module_runtimes").items())
    if not targets:
        raise UsageError("bots that are WebAssembly modules need the add-on fuel, which is not installed")
    runtime: ModuleRuntime = load(targets[0][1])()
    return runtime
