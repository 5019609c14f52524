import subprocess
import sys

import pytest

BEGIN = "import sys; from tourney.cli.postponed import postpone; postpone();"


def output(code: str) -> str:
    """What a new process prints: in this one the modules are long loaded."""
    done = subprocess.run([sys.executable, "-c", BEGIN + code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_sqlalchemy_leaves_postponed_modules_unloaded() -> None:
    code = "import sqlalchemy.dialects.sqlite; print({'asyncio.events', 'email'} & {*sys.modules})"
    assert output(code) == "set()"


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        ("import asyncio\nasync def two(): return 2\nprint(asyncio.run(two()))", "2"),
        ("from asyncio import Queue; print(Queue.__module__)", "asyncio.queues"),
        ("import asyncio.events; print(asyncio.iscoroutine(1), asyncio.Queue.__name__)", "False Queue"),
        ("from importlib.metadata import version; print(version('tourney') != '')", "True"),
        ("import importlib.metadata; print(importlib.metadata.version('tourney') != '')", "True"),
        ("import asyncio; print(hasattr(asyncio, 'nonsense'))", "False"),
        ("import email, asyncio; postpone(); print(asyncio.Queue is sys.modules['asyncio'].Queue)", "True"),
    ],
)
def test_postponed_module_works_once_used(code: str, printed: str) -> None:
    assert output(code) == printed


def test_threads_share_one_load_of_a_postponed_module() -> None:
    code = (
        "import asyncio; from concurrent.futures import ThreadPoolExecutor as Pool;"
        "print(len(set(Pool(8).map(lambda name: id(getattr(asyncio, name)), ['Queue'] * 8))))"
    )
    assert output(code) == "1"
