"""Records as JSON data, for tests that edit them; digests by the package ``rfc8785``, independent of ours."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import rfc8785

from tourney.check.named_seeds import NamedSeed, play_named
from tourney.match.record import Record
from tourney.match.result import PlayedMatch
from tourney.match.spec import Opening


def as_json(record: Record) -> dict[str, Any]:
    """The record as JSON data, to be edited."""
    data: dict[str, Any] = json.loads(record.encode())
    return data


def digest_of(data: Mapping[str, Any]) -> str:
    """The digest that belongs to the content of a record's JSON data."""
    body = {key: value for key, value in data.items() if key != "digest"}
    return hashlib.sha256(rfc8785.dumps(body)).hexdigest()


def digested(data: Mapping[str, Any]) -> dict[str, Any]:
    """A record's JSON data with the digest that belongs to its content."""
    return {**data, "digest": digest_of(data)}


def play_random(seed: int) -> PlayedMatch:
    """Play a short match of random actions."""
    opening = Opening(plies=2)
    return play_named(
        NamedSeed(name="x", game="sage-stones", seats=2, seed=str(seed), opening=opening, digest="0" * 64)
    )
