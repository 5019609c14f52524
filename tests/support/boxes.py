"""Sandboxes of tests that claim protections, and enforce none."""

from collections.abc import Mapping

from tourney.bots.sandbox.plain import PlainSandbox
from tourney.bots.sandbox.sandbox import PROTECTIONS, Degree

WHY = "bubblewrap does not work here: the limit of open files (ulimit -n) is 64"


class Box(PlainSandbox):
    """A sandbox that enforces everything except what it is made without."""

    def __init__(self, *missing: str) -> None:
        super().__init__("auto")
        self._missing = missing
        self.fallen = WHY if missing else ""

    @property
    def protections(self) -> Mapping[str, Degree]:
        return {name: "absent" if name in self._missing else "enforced" for name in PROTECTIONS}


WHOLE, WEAK, WEAKEST = Box(), Box("network", "host-files"), Box("network", "host-files", "system")
