"""Finding templates, engines and rules."""

from pathlib import Path

import pytest

from tourney.bots.catalogue import shipped
from tourney.errors import EnvironmentFailure
from tourney.games.registry import find_game


def test_checkout_has_engines_and_templates() -> None:
    assert (shipped.engines_dir() / "random" / "bot.toml").is_file()
    assert shipped.templates_dir().is_dir()


def test_wheel_data_comes_before_sibling_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package may have another package's "templates" beside it."""
    package = tmp_path / "tourney"
    (tmp_path / "templates").mkdir()
    monkeypatch.setattr(shipped, "_PACKAGE", package)
    assert shipped.templates_dir() == tmp_path / "templates"
    (package / "_data" / "templates").mkdir(parents=True)
    assert shipped.templates_dir() == package / "_data" / "templates"


def test_missing_folder_is_an_environment_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "_PACKAGE", tmp_path / "tourney")
    with pytest.raises(EnvironmentFailure, match="Tourney's folder engines is missing"):
        shipped.engines_dir()


def test_own_games_have_their_pages() -> None:
    game = find_game("element")
    assert shipped.rules_text(game, game.guide()) == (shipped.rules_dir() / "element.md").read_text(
        encoding="utf-8"
    )


@pytest.mark.addon("chess")
def test_rules_in_short_name_every_figure() -> None:
    game = find_game("chess960")
    guide = game.guide()
    assert guide is not None
    text = shipped.short_rules(game, guide)
    assert text.startswith(f"# Chess960\n\n{guide.aim}\n")
    assert all(f"- {figure.name} ({figure.glyph}): " in text for figure in guide.figures)
