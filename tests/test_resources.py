"""Where templates and engines are found."""

from pathlib import Path

import pytest

from tourney import resources
from tourney.errors import EnvironmentFailure


def test_both_folders_are_there() -> None:
    assert (resources.engines_dir() / "random" / "bot.toml").is_file()
    assert resources.templates_dir().is_dir()


def test_a_wheels_own_folder_comes_before_what_lies_beside_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside an installed package lie other packages' files, and "templates" is a common name."""
    package = tmp_path / "tourney"
    (tmp_path / "templates").mkdir()
    monkeypatch.setattr(resources, "_PACKAGE", package)
    assert resources.templates_dir() == tmp_path / "templates"
    (package / "_data" / "templates").mkdir(parents=True)
    assert resources.templates_dir() == package / "_data" / "templates"


def test_a_broken_installation_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "tourney")
    with pytest.raises(EnvironmentFailure, match="folder engines of Tourney is missing"):
        resources.engines_dir()
