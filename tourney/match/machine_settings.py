"""Settings of a machine that make equal matches take unequal time, as far as they can be read.

The list and what is wanted follow isolate's ``isolate-check-environment``, which judges of contests use.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

QUIET_LOAD = 0.1
"""Processes that wait for a processor, for each processor, up to which other programs disturb little."""


class MachineSetting(NamedTuple):
    """A setting: its value, whether times are even with it (None: it cannot be read), and what to do.

    The value of a setting that cannot be read is "unknown"; in virtual machines that is the host's to know.
    """

    setting: str
    value: str
    even: bool | None
    advice: str = ""


def machine_settings(root: Path = Path("/")) -> tuple[MachineSetting, ...]:
    """The settings of this machine; ``root`` is the folder with ``proc`` and ``sys``."""
    return tuple(_settings(root))


def settings_text(settings: tuple[MachineSetting, ...]) -> str:
    """The settings that can be read, in one line."""
    return ", ".join(f"{each.setting} {each.value}" for each in settings if each.even is not None)


def _settings(root: Path) -> Iterator[MachineSetting]:
    cpus = root / "sys/devices/system/cpu"
    governors = sorted({_text(file) for file in cpus.glob("cpu[0-9]*/cpufreq/scaling_governor")} - {""})
    yield _judged(
        "governor",
        "/".join(governors),
        governors == ["performance"],
        "the clock follows the load: `cpupower frequency-set -g performance`",
    )
    # Intel's own driver has a switch against it, all others one for it.
    off, on = _text(cpus / "intel_pstate/no_turbo"), _text(cpus / "cpufreq/boost")
    turbo = {"1": "off", "0": "on"}.get(off) or {"1": "on", "0": "off"}.get(on, "")
    yield _judged(
        "turbo",
        turbo,
        turbo == "off",
        "the clock follows temperature and the other processors: write 1 to"
        " /sys/devices/system/cpu/intel_pstate/no_turbo, or 0 to .../cpufreq/boost",
    )
    # The chosen word is in brackets: "always [madvise] never".
    pages = _text(root / "sys/kernel/mm/transparent_hugepage/enabled").partition("[")[2].partition("]")[0]
    yield _judged(
        "huge pages",
        pages,
        pages != "always",
        "the kernel joins pages while a bot thinks: write madvise or never to"
        " /sys/kernel/mm/transparent_hugepage/enabled",
    )
    layout = {"0": "off", "1": "partial", "2": "on"}.get(
        _text(root / "proc/sys/kernel/randomize_va_space"), ""
    )
    yield _judged(
        "ASLR",
        layout,
        layout == "off",
        "places in memory differ from process to process, and with them the use of caches by some per cent;"
        " leave it on unless you measure bots of your own: `sysctl kernel.randomize_va_space=0`",
    )
    load = _text(root / "proc/loadavg").partition(" ")[0]
    quiet = False
    with suppress(ValueError):
        quiet = float(load) <= QUIET_LOAD * (os.cpu_count() or 1)
    yield _judged("load", load, quiet, "other programs run: end them, or play with fewer --workers")


def _judged(setting: str, value: str, even: bool, advice: str) -> MachineSetting:
    if not value:
        return MachineSetting(setting, "unknown", None)
    return MachineSetting(setting, value, even, "" if even else advice)


def _text(path: Path) -> str:
    with suppress(OSError):
        return path.read_text("ascii", "replace").strip()[:80]
    return ""
