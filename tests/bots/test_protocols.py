"""Bots with another protocol play through an adapter."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest

from tests.support.command import installed
from tests.support.tables import TOE, make_spec, outcome
from tourney.bots.catalogue.manifest import read_manifest
from tourney.bots.catalogue.store import BotStore
from tourney.bots.channel.interface import Channel, Event, FailedChannel, ForwardingChannel
from tourney.bots.protocols import PROTOCOLS, BotProtocol
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.errors import BotError
from tourney.match.runner import MatchRunner, StoreLauncher
from tourney.match.spec import Entrant, Limits
from tourney.plugins import Addon
from tourney.protocol import Go, Greeting, Hello, Legal, NewGame, Ready, decode_referee

MANIFEST = 'name = "first"\nversion = "1"\ncommand = ["./bot"]\nprotocol = "first"\n'
BOT = """#!/bin/sh
while read -r actions; do
    echo "${actions%% *}"
done
"""


class FirstChannel(ForwardingChannel):
    """Sends a bot its legal actions, and converts its answer to a move."""

    def __init__(self, inner: Channel) -> None:
        super().__init__(inner)
        self._said: list[bytes] = []
        self._legal: tuple[str, ...] = ()

    def send(self, data: bytes) -> None:
        for line in data.decode().splitlines():
            match decode_referee(line):
                case Hello():
                    self._said.append(Greeting(legal=True).encode())
                case NewGame():
                    self._said.append(Ready().encode())
                case Legal(actions):
                    self._legal = actions
                case Go():
                    self._inner.request(" ".join(self._legal).encode() + b"\n")

    def request(self, data: bytes) -> None:
        self.send(data)

    def wait(self, deadline: int) -> Event:
        if self._said:
            return Event("line", self._said.pop().decode().rstrip("\n"))
        event = self._inner.wait(deadline)
        return Event("line", f"move {event.text}") if event.kind == "line" else event


class FirstProtocol(BotProtocol):
    name = "first"

    def adapt(self, channel: Channel) -> Channel:
        return FirstChannel(channel)


@pytest.fixture
def first() -> Iterator[None]:
    """Install a package that offers the protocol ``first``."""
    module: Any = ModuleType("tests_first")
    module.FirstProtocol = FirstProtocol
    addon = Addon(protocols={"first": "tests_first:FirstProtocol"})
    with patch.dict(sys.modules, {"tests_first": module}), installed(addon):
        yield
    PROTOCOLS.clear()


def test_own_protocol_needs_no_adapter() -> None:
    channel = FailedChannel("gone")
    assert PROTOCOLS.find("tourney").adapt(channel) is channel


@pytest.mark.usefixtures("first")
def test_bot_plays_through_its_adapter(tmp_path: Path) -> None:
    folder = tmp_path / "first"
    folder.mkdir()
    (folder / "bot.toml").write_text(MANIFEST)
    (folder / "bot").write_text(BOT)
    (folder / "bot").chmod(0o755)
    store = BotStore(tmp_path / "store")
    bot = store.add(folder)
    seats = tuple(Entrant(name, "first", "1", (), bot.digest) for name in ("one", "two"))
    spec = make_spec(limits=Limits(move_ms=60_000, startup_ms=60_000))
    sandbox = PlainSandbox("off")
    launcher = StoreLauncher(store, sandbox)
    with MatchRunner(launcher, sandbox=sandbox, find=lambda _: TOE) as runner:
        played = runner.play(type(spec)(spec.game, spec.options, seats, spec.seed, spec.limits))
    assert [action for _, action in played.record.actions] == ["a1", "a2", "a3", "b1", "b2", "b3", "c1"]
    assert outcome(played)["faults"] == []


@pytest.mark.usefixtures("first")
def test_manifest_may_name_an_installed_protocol() -> None:
    assert read_manifest(MANIFEST, "bot.toml").protocol == "first"


def test_unknown_protocol_error_lists_known_ones() -> None:
    with pytest.raises(
        BotError, match='line 4: protocol is "first", but the bot protocols are: gomocup, gtp, tourney'
    ):
        read_manifest(MANIFEST, "bot.toml")
    with pytest.raises(
        BotError, match="there is no bot protocol 'first'; the bot protocols are: gomocup, gtp, tourney"
    ):
        PROTOCOLS.find("first")
