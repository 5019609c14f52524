"""The plug-in surface, with the test's own kind of plugin in place of the rating methods."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, cast
from unittest.mock import patch

import pytest

from tourney import plugins
from tourney.errors import BotError
from tourney.plugins import Addon, Registry


class Box:
    """The base class."""

    name: ClassVar[str]


class Crate(Box):
    name = "crate"


class Tin(Box):
    name = "tin"


class Sized(Box):
    name = "sized"

    def __init__(self, size: int) -> None:
        self.size = size


def fail() -> Box:
    raise RuntimeError("no wood")


@pytest.fixture
def home() -> Iterator[str]:
    """Return the name of an importable module that holds the classes above."""
    module: Any = ModuleType("tests_boxes")
    for made in (Crate, Tin, Sized, fail, dict):
        setattr(module, made.__name__, made)
    with patch.dict(sys.modules, {"tests_boxes": module}):
        yield "tests_boxes"


@pytest.fixture
def boxes(home: str) -> Iterator[Registry[Box]]:
    """The registry of boxes, of which the core brings one and no add-on any."""
    with (
        patch.object(plugins, "CORE", Addon(rating_methods={"crate": f"{home}:Crate"})),
        patch.object(plugins, "shipped", dict),
    ):
        yield Registry("box", "rating_methods", Box, BotError, plural="boxes")


def points(*offers: EntryPoint) -> Any:
    """Return a patch under which these entry points alone are installed."""
    return patch.object(plugins, "installed", lambda: offers)


def offer(home: str, *entries: tuple[str, str]) -> Any:
    """Return a patch under which packages offer these boxes, each in an add-on of its own."""
    plugins._loaded.cache_clear()  # entry points of the same name may have named other add-ons before
    offers = []
    for number, (name, target) in enumerate(entries):
        setattr(sys.modules[home], f"addon{number}", Addon(rating_methods={name: target}))
        offers.append(EntryPoint(f"package-{number}", f"{home}:addon{number}", plugins.GROUP))
    return points(*offers)


def test_core_class_needs_no_entry_points(boxes: Registry[Box]) -> None:
    with (
        patch.object(plugins, "installed", side_effect=AssertionError),
        patch.object(plugins, "shipped", side_effect=AssertionError),
    ):
        assert type(boxes.find("crate")) is Crate
        assert boxes.find("crate") is boxes.find("crate")


def test_plugins_are_listed_by_name_with_our_own(boxes: Registry[Box], home: str) -> None:
    with offer(home, ("tin", f"{home}:Tin"), ("crate", f"{home}:Crate")):
        assert boxes.names() == ("crate", "tin")
        assert [type(box) for box in boxes.all()] == [Crate, Tin]
        assert boxes.clashes() == {}


def _forget() -> None:
    plugins._entry_points.cache_clear()
    plugins._installed.cache_clear()


def test_entry_points_of_our_own_package_are_not_asked() -> None:
    """The folders of ``tourney/addons`` are newer than an editable installation's metadata."""
    with patch.object(plugins, "GROUP", "console_scripts"):
        _forget()
        names = [point.dist.name for point in plugins.installed() if point.dist]
    _forget()
    assert names
    assert "tourney" not in names


def test_unknown_name_is_refused_with_the_known_ones(boxes: Registry[Box], home: str) -> None:
    with offer(home, ("tin", f"{home}:Tin")), pytest.raises(BotError) as error:
        boxes.find("bag")
    assert str(error.value) == "there is no box 'bag'; the boxes are: crate, tin"


def test_own_class_wins_over_a_plugin_of_its_name(boxes: Registry[Box], home: str) -> None:
    sentence = f"the box crate of Tourney's own is offered by {home}:Tin as well; uninstall that package"
    with offer(home, ("crate", f"{home}:Tin")):
        assert type(boxes.find("crate")) is Crate
        assert boxes.clashes() == {"crate": sentence}
        with pytest.raises(BotError, match="as well; uninstall that package"):
            boxes.all()


def test_name_offered_by_two_plugins_is_refused(boxes: Registry[Box], home: str) -> None:
    sentence = f"the box tin is offered twice, by {home}:Crate and {home}:Tin; uninstall one of the packages"
    with offer(home, ("tin", f"{home}:Tin"), ("tin", f"{home}:Crate"), ("tin", f"{home}:Tin")):
        with pytest.raises(BotError) as error:
            boxes.find("tin")
        assert str(error.value) == sentence
        assert boxes.clashes() == {"tin": sentence}


@pytest.mark.parametrize(
    ("attribute", "sentence"),
    [
        ("fail", "is broken: RuntimeError: no wood"),
        ("Bag", "is broken: AttributeError: "),
        ("Sized", "is broken: TypeError: "),
        ("dict", "gives no "),
        ("Crate", "calls itself 'crate'; the names must be equal, of the form [a-z][a-z0-9-]*"),
    ],
)
def test_broken_plugin_is_named(boxes: Registry[Box], home: str, attribute: str, sentence: str) -> None:
    with offer(home, ("tin", f"{home}:{attribute}")), pytest.raises(BotError) as error:
        boxes.find("tin")
    assert str(error.value).startswith(f"the plugin of box tin ({home}:{attribute}) {sentence}")


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("tests_nowhere:ADDON", "is broken: ModuleNotFoundError: "),
        ("tests_boxes:Tin", "is not a tourney.plugins.Addon"),
    ],
)
def test_broken_addon_is_named_wherever_names_are_listed(
    boxes: Registry[Box], target: str, sentence: str
) -> None:
    with points(EntryPoint("gone", target, plugins.GROUP)):
        assert type(boxes.find("crate")) is Crate
        with pytest.raises(BotError, match=f"the add-on gone \\({target}\\) {sentence}"):
            boxes.find("bag")
        with pytest.raises(BotError, match=f"the add-on gone \\({target}\\) {sentence}"):
            boxes.all()
        assert list(boxes.working()[1]) == ["gone"]


def test_class_is_found_for_kinds_made_with_arguments(boxes: Registry[Box], home: str) -> None:
    with offer(home, ("sized", f"{home}:Sized"), ("tin", f"{home}:dict")):
        assert boxes.find_class("sized") is Sized
        with pytest.raises(BotError, match="is not a subclass of"):
            boxes.find_class("tin")


def test_cleared_registry_loads_again(boxes: Registry[Box]) -> None:
    first = boxes.find("crate")
    boxes.clear()
    assert boxes.find("crate") is not first


def test_working_things_are_listed_beside_broken_ones(boxes: Registry[Box], home: str) -> None:
    with offer(home, ("tin", f"{home}:Tin"), ("bag", f"{home}:Bag")):
        working, broken = boxes.working()
        assert [type(box) for box in working] == [Crate, Tin]
        assert list(broken) == ["bag"]
        assert boxes.knows("bag")
        assert not boxes.knows("sack")
        with pytest.raises(BotError, match=r"the plugin of box bag \(.*\) is broken"):
            boxes.all()


def package(folder: Path, name: str, groups: str) -> None:
    """Write what pip leaves of an installed package: its name and entry points."""
    metadata = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(groups)


@pytest.mark.parametrize("group", plugins.OLD_GROUPS)
def test_package_of_an_old_group_is_named_with_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: str
) -> None:
    """Where its name is requested, and where all are listed: in errors, never by absence alone."""
    package(tmp_path, "old-hex", f"[{group}]\nhex = hex:Hex\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    sentence = (
        f"the package old-hex offers hex by the entry-point group {group}, which Tourney no longer reads; the"
        " package must offer it in an Addon by the group tourney.addons (docs/how-to/write-an-add-on.md)"
    )
    kind = cast("plugins.Kind", group.partition(".")[2])
    things = Registry[Box]("thing", kind, Box, BotError)
    for request in (lambda: things.find("hex"), lambda: things.find_class("hex")):
        with pytest.raises(BotError) as error:
            request()
        assert str(error.value) == sentence
    with pytest.raises(BotError, match=r"there is no thing 'bag'.*the package old-hex offers hex"):
        things.find("bag")
    assert "hex" in things.names()
    assert things.knows("hex")
    assert list(plugins.others()[1].values()) == [sentence]


def test_package_that_offers_both_groups_needs_no_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path, "new-hex", "[tourney.games]\nhex = box:Hex\n\n[tourney.addons]\nhex = box:ADDON\n")
    (tmp_path / "box.py").write_text("from tourney.plugins import Addon\n\nADDON = Addon()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    working, broken = plugins.others()
    assert list(working) == ["hex"]
    assert broken == {}


def _metadata_loaded(path: str) -> bool:
    """Whether a process with this folder on its path asks ``importlib.metadata`` for add-ons."""
    code = "from tourney import plugins; plugins.others(); print('importlib.metadata' in plugins.sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout == "True\n"


def test_packages_are_read_whole_only_where_some_offers_an_addon(tmp_path: Path) -> None:
    package(tmp_path, "plain", "[console_scripts]\nplain = plain:main\n")
    assert not _metadata_loaded(str(tmp_path))
    package(tmp_path, "club", f"[{plugins.GROUP}]\nclub = club:ADDON\n")
    assert _metadata_loaded(str(tmp_path))


def test_addon_inside_a_zip_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "packed.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("packed_box.py", "from tourney.plugins import Addon\n\nADDON = Addon()\n")
        packed.writestr(
            "packed-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: packed\nVersion: 1.0\n"
        )
        packed.writestr(
            "packed-1.0.dist-info/entry_points.txt", f"[{plugins.GROUP}]\npacked = packed_box:ADDON\n"
        )
    monkeypatch.syspath_prepend(str(path))
    assert list(plugins.others()[0]) == ["packed"]


def test_every_shipped_addon_is_a_folder_and_offers_what_exists() -> None:
    """Each target of an add-on that ships can be imported."""
    for name, addon in plugins.shipped().items():
        assert isinstance(addon, Addon), name
        for field in Addon._fields:
            for entry in getattr(addon, field).values():
                target = entry if isinstance(entry, str) else entry.target
                assert target.startswith(f"tourney.addons.{name}."), target
                module, _, attribute = target.partition(":")
                assert hasattr(import_module(module), attribute), target
