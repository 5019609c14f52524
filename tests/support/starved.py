"""A scripted bot on a machine that does not always give it a processor."""

from tourney.bots.channel.interface import Reading
from tourney.bots.channel.scripted import ScriptClock, ScriptedChannel


class Machine(ScriptedChannel):
    """A scripted bot on a machine that gives it a processor for a part of the time, from its request on.

    ``cpu`` and ``waited`` are percent of the time; a bot that neither computes nor waits sleeps.
    """

    def __init__(
        self, script: str, cpu: int = 0, waited: int = 0, *, clock: ScriptClock | None = None
    ) -> None:
        super().__init__(script, clock=clock or ScriptClock())
        self.began = self.clock()
        self.rates = cpu, waited
        self.readings = 0

    def reading(self) -> Reading | None:
        self.readings += 1
        passed = self.clock() - self.began
        cpu, waited = self.rates
        return Reading(passed * cpu // 100, passed * waited // 100)

    def cpu_ms(self) -> int:
        """Return its processor time so far."""
        return (self.clock() - self.began) * self.rates[0] // 100_000_000
