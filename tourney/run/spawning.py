"""How worker processes are spawned: without the program that spawns them."""

import sys
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any


class PlainProcess(SpawnProcess):
    """A spawned process that does not import its parent's main module.

    The standard library runs that module's file again in each child, for functions that are defined there;
    a worker's are not. So it starts quicker, and also where the main module is no file to be run again.
    """

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Any:  # noqa: N802 - the standard library's name
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            return SpawnProcess._Popen(process_obj)  # noqa: SLF001 - it is the one seam there is
        finally:
            sys.modules["__main__"] = main


class PlainContext(SpawnContext):
    """The context of such processes, for executors, queues and events."""

    Process = PlainProcess
