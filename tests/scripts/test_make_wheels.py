"""The script of the wheels names what it cannot do; `tests/test_wheel.py` builds one without network."""

from pathlib import Path

import pytest

from scripts.make_wheels import interpreters, main


def test_missing_folder_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err.startswith("usage: ")


def test_interpreter_that_does_not_run_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = str(tmp_path / "python3.12")
    assert main([str(tmp_path / "wheels"), missing]) == 3
    assert capsys.readouterr().err == f"error: {missing}: it cannot be run: No such file or directory\n"


def test_no_interpreter_on_path_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert interpreters() == []
    assert main([str(tmp_path / "wheels")]) == 3
    assert "python3.11, python3.12, python3.13" in capsys.readouterr().err
