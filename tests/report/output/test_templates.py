"""``--templates``: a folder's files replace those of the report, and mistakes in it are named."""

import re
from pathlib import Path

import pytest

from tests.report import world
from tests.support.command import invoke
from tests.support.sites import site
from tourney.bots.catalogue.shipped import templates_dir
from tourney.errors import UsageError
from tourney.report.output.layout import Options, Templates
from tourney.report.output.write import write
from tourney.report.source import ReportSource, load
from tourney.store.database import Database

GUIDE = Path(__file__).parents[3] / "docs" / "how-to" / "publish-a-report.md"


@pytest.fixture
def source(repository: Database) -> ReportSource:
    tournament = world.begin(repository, ("<b>bold</b>", "plain"))
    world.play_all(repository, tournament)
    return load(repository, tournament)


def folder(path: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(content, encoding="utf-8")
    return path


def made(source: ReportSource, path: Path) -> dict[str, str]:
    options = Options(templates=Templates.of(path))
    return {file.path: file.content.decode(errors="replace") for file in site(source, options)}


def test_files_replace_those_of_the_same_name(source: ReportSource, tmp_path: Path) -> None:
    mine = folder(
        tmp_path / "mine",
        {
            "base.html": '{% extends "original/base.html" %}{% block footer %}<p>Ours</p>{% endblock %}',
            "static/style.css": "body { color: red }",
            ".hidden": "x",
        },
    )
    found, usual = made(source, mine), {f.path: f.content.decode(errors="replace") for f in site(source)}
    assert found.keys() == usual.keys()
    assert found["assets/style.css"] == "body { color: red }"
    assert found["assets/theme.js"] == usual["assets/theme.js"]
    for path, content in found.items():
        if path.endswith(".html"):
            assert "<p>Ours</p>" in content
            assert "Written by Tourney" not in content
            assert (
                content.split("<main")[1].split("<footer")[0]
                == usual[path].split("<main")[1].split("<footer")[0]
            )


def test_replaced_pages_escape_names(source: ReportSource, tmp_path: Path) -> None:
    page = '{% extends "base.html" %}{% block main %}{{ entrant.name }}{% endblock %}'
    found = made(source, folder(tmp_path / "mine", {"bot.html": page}))
    assert "&lt;b&gt;bold&lt;/b&gt;" in found["bots/01-b-bold-b.html"]
    assert "<b>bold" not in found["bots/01-b-bold-b.html"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "indx.html",
            "",
            "replaces no file of the report; the names are adaptive.html, audit.html, base.html, ",
        ),
        (
            "static/more.css",
            "",
            "replaces no file of the report; the names are adaptive.html, audit.html, base.html, ",
        ),
        ("bot.html", "one\n{% if %}", "bot.html, line 2: "),
        ("bot.html", "\n\n{{ entrant.name|safe }}", "bot.html, line 3: No filter named 'safe'"),
        ("bot.html", "{% autoescape false %}x{% endautoescape %}", "bot.html, line 1: autoescape cannot"),
        ("bot.html", '{% extends "bases.html" %}', "bot.html, line 1: there is no template 'bases.html'"),
        ("base.html", '{% extends "base.html" %}', "it uses itself; write original/base.html"),
        ("bot.html", "\ud8ff", "bot.html, line 1: it is not UTF-8 text"),
    ],
)
def test_mistakes_name_file_and_line(tmp_path: Path, name: str, content: str, said: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(UsageError, match=re.escape(said)) as caught:
        Templates.of(tmp_path)
    assert str(tmp_path / name) in str(caught.value)


def test_missing_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for name in ("absent", "file"):
        with pytest.raises(UsageError, match="cannot be read: it is not a folder"):
            Templates.of(tmp_path / name)


@pytest.mark.parametrize("name", ["bot.html", "match.html"])
def test_unknown_value_names_file_and_line(repository: Database, tmp_path: Path, name: str) -> None:
    """Also where another process renders the page; the folder of the report stays as it was."""
    world.play_all(repository, world.begin(repository, "ab"))
    mine = folder(
        tmp_path / "mine", {name: '{% extends "base.html" %}\n{% block main %}\n{{ bott }}{% endblock %}'}
    )
    out = str(tmp_path / "out")
    database = str(tmp_path / "tourney.db")
    shown = invoke("report", "--db", database, "--out", out, "--templates", str(mine), "--processes", "2")
    assert shown.exit_code == 2
    assert shown.stderr == f"error: {mine / name}, line 3: 'bott' is undefined\n"
    assert not Path(out).exists()


def test_changed_template_is_seen_by_the_next_report(source: ReportSource, tmp_path: Path) -> None:
    text = '{% extends "original/match.html" %}{% block footer %}WORDS{% endblock %}'
    for number, words in enumerate(("first", "second")):
        mine = folder(tmp_path / f"mine-{number}", {"match.html": text.replace("WORDS", words)})
        write(site(source, Options(templates=Templates.of(mine))), tmp_path / "out")
        assert words in (tmp_path / "out" / "matches" / "1.html").read_text(encoding="utf-8")


def test_every_template_can_be_replaced_by_its_original(source: ReportSource, tmp_path: Path) -> None:
    names = [path.relative_to(templates_dir()).as_posix() for path in templates_dir().rglob("*.*")]
    copies = {name: (templates_dir() / name).read_text(encoding="utf-8") for name in names}
    assert made(source, folder(tmp_path / "mine", copies)) == {
        file.path: file.content.decode(errors="replace") for file in site(source)
    }


def test_example_of_the_guide_works(repository: Database, tmp_path: Path) -> None:
    world.play_all(repository, world.begin(repository, "ab"))
    guide = GUIDE.read_text(encoding="utf-8")
    blocks = re.findall(r"`my-templates/([a-z./]+)`:\n\n```[a-z]+\n(.*?)```", guide, re.DOTALL)
    assert [name for name, _ in blocks] == ["base.html"]
    mine = folder(tmp_path / "my-templates", dict(blocks))
    out = tmp_path / "out"
    shown = invoke(
        "report", "--db", str(tmp_path / "tourney.db"), "--out", str(out), "--templates", str(mine)
    )
    assert shown.exit_code == 0, shown.stderr
    for path in out.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "--link: light-dark(#7a1f5c, #f0a8d8)" in text
        assert "example.org/club" in text
