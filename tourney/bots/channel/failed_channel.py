"""The channel to a bot that could not be started, by its own fault: it is dead from the beginning."""

from collections.abc import Sequence

from tourney.bots.channel.base import Channel, Event


class FailedChannel(Channel):
    """Says ``closed`` to whatever is asked; ``why`` goes to the log."""

    def __init__(self, why: str) -> None:
        self._end = Event("closed", why)

    def send(self, data: bytes) -> None:
        """Do nothing: nobody is there."""

    def pending(self) -> Sequence[Event]:
        """Return the end."""
        return (self._end,)

    def request(self, data: bytes) -> None:
        """Do nothing: nobody is there."""

    def wait(self, deadline: int) -> Event:  # noqa: ARG002 - the dead keep nobody waiting
        """Return the end at once."""
        return self._end

    def take_stderr(self) -> Sequence[str]:
        """Return nothing."""
        return ()

    def cpu_ms(self) -> int | None:
        """Return no time at all."""
        return 0

    def freeze(self) -> None:
        """Do nothing."""

    def thaw(self) -> None:
        """Do nothing."""

    def close(self, grace: float) -> None:
        """Do nothing."""
