"""What hosts send: ``tests.support.parsers`` lists it."""

import contextlib
from typing import Final

from tourney.addons.cluster.messages import InvalidReplyError, read_replies


def read_answer(data: bytes) -> None:
    """Read the replies of a batch of two matches."""
    with contextlib.suppress(InvalidReplyError):  # the host is set aside with its words
        read_replies(data, 2)


TARGETS: Final = {"replies": read_answer}
