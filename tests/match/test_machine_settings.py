"""The settings that make times uneven, read from a made-up machine."""

import os
from pathlib import Path

import pytest

from tourney.match.machine_settings import machine_settings, settings_text

QUIET = {
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance",
    "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance",
    "sys/devices/system/cpu/intel_pstate/no_turbo": "1",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    "proc/sys/kernel/randomize_va_space": "0",
    "proc/loadavg": "0.05 0.10 0.20 1/100 4711",
}


def machine(root: Path, **changes: str) -> Path:
    """Write the files of a quiet machine; ``changes`` name a part of a path, and "" removes the file."""
    for name, text in QUIET.items():
        for part, changed in changes.items():
            text = changed if part in name else text  # noqa: PLW2901 - the text with the change
        if text:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(f"{text}\n")
    return root


def test_quiet_machine_has_even_times(tmp_path: Path) -> None:
    settings = machine_settings(machine(tmp_path))
    assert all(each.even and not each.advice for each in settings)
    assert (
        settings_text(settings) == "governor performance, turbo off, huge pages madvise, ASLR off, load 0.05"
    )


@pytest.mark.parametrize(
    ("part", "text", "value"),
    [
        ("cpu1", "powersave", "governor performance/powersave"),
        ("no_turbo", "0", "turbo on"),
        ("hugepage", "[always] madvise never", "huge pages always"),
        ("randomize", "2", "ASLR on"),
        ("loadavg", f"{os.cpu_count() or 1}.50 1 1 2/100 9", f"load {os.cpu_count() or 1}.50"),
    ],
)
def test_setting_that_makes_times_uneven_has_advice(tmp_path: Path, part: str, text: str, value: str) -> None:
    settings = machine_settings(machine(tmp_path, **{part: text}))
    [uneven] = [each for each in settings if not each.even]
    assert f"{uneven.setting} {uneven.value}" == value
    assert uneven.advice


def test_setting_that_cannot_be_read_is_not_judged(tmp_path: Path) -> None:
    settings = machine_settings(machine(tmp_path, scaling_governor="", no_turbo=""))
    assert [(each.value, each.even) for each in settings[:2]] == [("unknown", None)] * 2
    assert settings_text(settings) == "huge pages madvise, ASLR off, load 0.05"
    (tmp_path / "sys/devices/system/cpu/cpufreq").mkdir(parents=True)
    (tmp_path / "sys/devices/system/cpu/cpufreq/boost").write_text("1\n")
    assert machine_settings(tmp_path)[1].value == "on"
