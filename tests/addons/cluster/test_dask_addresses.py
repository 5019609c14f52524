"""Which addresses of schedulers are taken, without a cluster."""

import socket
from functools import partial

import dask
import pytest

from tests.support.tournaments import refused
from tourney.addons.cluster.dask import DaskExecutor, DaskLink
from tourney.errors import UsageError, WorkerError
from tourney.run.workers.executor import find_executor, plays_here


@pytest.mark.parametrize(("executor", "here"), [("dask", True), ("dask://h:1", False)])
def test_only_matches_of_this_machine_need_its_memory(executor: str, here: bool) -> None:
    assert plays_here(partial(find_executor(executor), 2, cpus=1)) is here
    assert DaskExecutor.remote


def test_missing_address_is_named() -> None:
    with refused(UsageError, "lacks the address after ://, as in dask://HOST:PORT"):
        find_executor("dask://")


@pytest.mark.parametrize(
    "address", ["nonsense", "here:", "here:0", "here:65536", "here:-3", "here:1/x", "u:p@here:1", "::1:8786"]
)
def test_dask_refuses_what_is_no_address(address: str) -> None:
    with refused(
        UsageError, f"dask://{address} needs the address of a scheduler, as in dask://10.0.0.1:8786"
    ):
        find_executor(f"dask://{address}")(1)


def test_server_that_is_no_scheduler_is_named() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        dask.config.set({"distributed.comm.timeouts.connect": "200ms"}),
    ):
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with refused(WorkerError, f"the Dask scheduler {address} cannot be reached: "):
            DaskLink(address, 1).connect()
