"""Finding templates and engines."""

from pathlib import Path

import pytest

from tourney import resources
from tourney.errors import EnvironmentFailure


def test_checkout_has_engines_and_templates() -> None:
    assert (resources.engines_dir() / "random" / "bot.toml").is_file()
    assert resources.templates_dir().is_dir()


def test_wheel_data_comes_before_sibling_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package may have another package's "templates" beside it."""
    package = tmp_path / "tourney"
    (tmp_path / "templates").mkdir()
    monkeypatch.setattr(resources, "_PACKAGE", package)
    assert resources.templates_dir() == tmp_path / "templates"
    (package / "_data" / "templates").mkdir(parents=True)
    assert resources.templates_dir() == package / "_data" / "templates"


def test_missing_folder_is_an_environment_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "tourney")
    with pytest.raises(EnvironmentFailure, match="Tourney's folder engines is missing"):
        resources.engines_dir()
