"""Bots as macOS, Windows and package managers pack them: one meaning, one digest."""

import io
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bots.conftest import MakeBot
from tests.support.folders import write_bot
from tourney.bots.catalogue.store import BotStore
from tourney.bots.catalogue.submission import bots_at, convert_scripts, digest_of_bot
from tourney.errors import BotError

UNIX, WINDOWS = 3, 0


def pack(path: Path, files: dict[str, bytes], system: int = UNIX, mode: int = stat.S_IFREG | 0o644) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.create_system = system
            info.external_attr = 0 if system == WINDOWS else mode << 16
            archive.writestr(info, data)
    return path


def content(folder: Path, prefix: str = "mybot/") -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {f"{prefix}{path.relative_to(folder)}": path.read_bytes() for path in files}


@pytest.mark.parametrize(
    "litter",
    [".DS_Store", "._mybot", "__MACOSX/._mybot", "Thumbs.db", "desktop.ini", "mybot/.DS_Store", "mybot/._a"],
)
def test_litter_of_file_managers_is_no_part_of_a_bot(make_bot: MakeBot, tmp_path: Path, litter: str) -> None:
    folder = make_bot()
    archive = pack(tmp_path / "mac.zip", {litter: b"\0\5\x16\7", **content(folder)})
    assert digest_of_bot(archive) == digest_of_bot(folder)
    (folder / Path(litter).name).write_bytes(b"litter")
    assert digest_of_bot(archive) == digest_of_bot(folder)


def test_byte_order_mark_before_a_manifest_is_passed_over(make_bot: MakeBot, store: BotStore) -> None:
    folder = make_bot()
    manifest = folder / "bot.toml"
    manifest.write_bytes(b"\xef\xbb\xbf" + manifest.read_bytes().replace(b"\n", b"\r\n"))
    assert store.add(folder).label == "mybot@1.0"


@pytest.mark.parametrize("start", [b"#!/bin/sh\nexec ./inner\n", b"\x7fELF\2\1\1"])
def test_windows_zip_gives_programs_their_bit(tmp_path: Path, store: BotStore, start: bytes) -> None:
    folder = write_bot(tmp_path, files={}, command='["./run"]')
    files = {**content(folder), "mybot/run": start, "mybot/inner": start, "mybot/data": b"ELF"}
    bot = store.add(pack(tmp_path / "windows.zip", files, WINDOWS))
    executable = {path.name for path in bot.folder.iterdir() if path.stat().st_mode & stat.S_IXUSR}
    assert executable == {"run", "inner"}


def test_program_of_the_command_becomes_executable_and_is_named(make_bot: MakeBot, store: BotStore) -> None:
    folder = make_bot(files={"run": "#!/bin/sh\n", "other": "#!/bin/sh\n"}, command='["./run"]')
    bot = store.add(folder)
    assert bot.notes == ("run was not executable and is taken for a program",)
    modes = {path.name: bool(path.stat().st_mode & stat.S_IXUSR) for path in bot.folder.iterdir()}
    assert modes == {"bot.toml": False, "run": True, "other": False}
    (folder / "run").chmod(0o755)
    assert digest_of_bot(folder) == bot.digest
    assert store.add(folder).notes == ()


def test_script_by_itself_becomes_executable(tmp_path: Path, store: BotStore) -> None:
    (tmp_path / "alone").write_text("#!/bin/sh\n")
    bot = store.add(tmp_path / "alone")
    assert bot.notes == ("alone was not executable and is taken for a program",)
    assert (bot.folder / "alone").stat().st_mode & stat.S_IXUSR


@pytest.mark.parametrize("build", [False, True])
def test_script_with_lines_of_windows_is_named(make_bot: MakeBot, store: BotStore, build: bool) -> None:
    keys = {"build": '["./run.sh"]'} if build else {"command": '["./run.sh"]'}
    folder = make_bot(files={"bot.py": "", "run.sh": "#!/bin/sh\nexit\n"}, **keys)
    (folder / "run.sh").write_bytes(b"#!/bin/sh\r\nexit\r\n")
    with pytest.raises(BotError, match=r"run\.sh line 1 ends in CR.* sed -i 's/\\r\$//' run\.sh"):
        store.add(folder)
    (folder / "run.sh").write_bytes(b"#!/bin/sh\nexit\r\n")
    store.add(folder)


def test_scripts_of_windows_are_converted_in_place(make_bot: MakeBot, store: BotStore) -> None:
    files = {"bot.py": "", "lib/run.sh": "", "data.txt": "", "late.sh": ""}
    folder = make_bot(files=files, command='["./lib/run.sh"]')
    script, data, late = folder / "lib" / "run.sh", folder / "data.txt", folder / "late.sh"
    script.write_bytes(b"#!/bin/sh\r\necho '\r'\r\n")
    script.chmod(0o750)
    data.write_bytes(b"a\r\n")
    late.write_bytes(b"#!/bin/sh\necho\r\n")
    (folder / "link").symlink_to("lib/run.sh")
    assert convert_scripts(folder) == ("lib/run.sh: CR LF became LF in 2 lines",)
    assert script.read_bytes() == b"#!/bin/sh\necho '\r'\n"
    assert stat.S_IMODE(script.stat().st_mode) == 0o750
    assert data.read_bytes() == b"a\r\n"
    assert late.read_bytes() == b"#!/bin/sh\necho\r\n"
    assert (folder / "link").is_symlink()
    assert sorted(place.name for place in script.parent.iterdir()) == ["run.sh"]
    assert convert_scripts(folder) == ()
    store.add(folder)


def test_mark_before_a_script_is_named_and_removed(make_bot: MakeBot, store: BotStore) -> None:
    folder = make_bot(files={"run.sh": ""}, command='["./run.sh"]')
    (folder / "run.sh").write_bytes(b"\xef\xbb\xbf#!/bin/sh\nexit\n")
    with pytest.raises(BotError, match=r"run\.sh line 1 begins with a byte order mark.* dos2unix run\.sh"):
        store.add(folder)
    assert convert_scripts(folder) == ("run.sh: its byte order mark is gone",)
    assert (folder / "run.sh").read_bytes() == b"#!/bin/sh\nexit\n"
    store.add(folder)


def raw_zip(path: Path, files: dict[bytes, bytes], *, extra: bytes = b"", large: bool = False) -> Path:
    """A zip file of DOS with these bytes as names and, if it is ``large``, with the records of ZIP64."""
    data = directory = b""
    for name, text in files.items():
        size, version = (0xFFFFFFFF, 45) if large else (len(text), 20)
        field = (struct.pack("<HHQQ", 1, 16, len(text), len(text)) if large else b"") + extra
        sizes = struct.pack("<IIIHH", zlib.crc32(text), size, size, len(name), len(field))
        head = struct.pack("<HHHHH", version, 0, 0, 0, 33) + sizes
        directory += b"PK\1\2" + bytes((version, 0)) + head + bytes(10) + struct.pack("<I", len(data))
        directory += name + field
        data += b"PK\3\4" + head + name + field + text
    place, count, length = len(data), len(files), len(directory)
    data += directory
    if large:
        end, place_, length_ = len(data), 0xFFFFFFFF, 0xFFFFFFFF
        data += struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, length, place)
        data += struct.pack("<IIQI", 0x07064B50, 0, end, 1)
    else:
        place_, length_ = place, length
    data += struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count, count, length_, place_, 0)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "case",
    ["zip64", "cp437", "utf-8", "unicode path", "decomposed", "backslashes", "picture", "deep", "drive"],
)
def test_archive_that_a_system_writes_its_way_is_the_same_bot(case: str, tmp_path: Path) -> None:
    folder = write_bot(
        tmp_path, files={"lib/b\u00f6t.py": "print()\n"}, command='["python3", "lib/b\u00f6t.py"]'
    )
    plain = {name.removeprefix("mybot/"): data for name, data in content(folder).items()}
    code, name = ("cp437" if case == "cp437" else "utf-8"), "lib/b\u00f6t.py"
    spelt = {
        "unicode path": "lib/b?t.py",
        "decomposed": "lib/bo\u0308t.py",
        "backslashes": "./lib\\b\u00f6t.py",
    }.get(case, name)
    prefix = {"deep": "a/b/c/d/e/f/", "drive": "C:\\Users\\me\\course\\handed in\\mybot\\"}.get(case, "")
    files = {(prefix + spelt if path == name else prefix + path).encode(code): plain[path] for path in plain}
    if case == "picture":
        files[b"lib/Icon\r"] = b"a picture"
    field = struct.pack("<BI", 1, zlib.crc32(spelt.encode())) + name.encode()
    extra = struct.pack("<HH", 0x7075, len(field)) + field if case == "unicode path" else b""
    archive = raw_zip(tmp_path / "bot.zip", files, extra=extra, large=case == "zip64")
    assert digest_of_bot(archive) == digest_of_bot(folder)


def test_composed_name_is_noted_and_refused_beside_its_other_form(tmp_path: Path, store: BotStore) -> None:
    folder = write_bot(tmp_path, files={"b\u00f6t.py": ""}, command='["python3", "b\u00f6t.py"]')
    files = content(folder)
    mac = {name.replace("\u00f6", "o\u0308"): data for name, data in files.items()}
    (note,) = store.add(pack(tmp_path / "mac.zip", mac)).notes
    assert note.startswith("the name of mybot/b\u00f6t.py came in decomposed letters")
    with pytest.raises(BotError, match=re.escape("it holds mybot/b\u00f6t.py twice")):
        digest_of_bot(pack(tmp_path / "both.zip", files | mac))


def test_directory_of_zip64_is_bounded_before_it_is_read(tmp_path: Path) -> None:
    archive = raw_zip(tmp_path / "bot.zip", {b"bot.toml": b""}, large=True)
    data = bytearray(archive.read_bytes())
    struct.pack_into("<Q", data, data.index(b"PK\6\6") + 40, 1 << 40)
    archive.write_bytes(data)
    with pytest.raises(BotError, match="it has more names than a bot may have"):
        digest_of_bot(archive)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ('["python3", "bot.py"]', "program bot.py is not among the bot's files; but Bot.py is: write it so"),
        (
            "['lib\\run.sh']",
            "program lib\\run.sh is not among the bot's files; but lib/run.sh is: write it so",
        ),
    ],
)
def test_command_spelt_as_on_windows_is_named(command: str, sentence: str, make_bot: MakeBot) -> None:
    folder = make_bot(files={"Bot.py": "", "lib/run.sh": "#!/bin/sh\n"}, command=command)
    with pytest.raises(BotError, match=re.escape(sentence)):
        BotStore(folder.parent / "store").add(folder)


def test_script_by_itself_is_converted(tmp_path: Path) -> None:
    script = tmp_path / "alone"
    script.write_bytes(b"#!/bin/sh\r\n")
    assert convert_scripts(script) == ("alone: CR LF became LF in 1 line",)
    assert script.read_bytes() == b"#!/bin/sh\n"


def test_conversion_follows_no_link_out_of_the_bot(make_bot: MakeBot, tmp_path: Path) -> None:
    outside = tmp_path / "outside.sh"
    outside.write_bytes(b"#!/bin/sh\r\n")
    folder = make_bot(files={"bot.py": ""})
    (folder / "run.sh").symlink_to(outside)
    with pytest.raises(BotError, match=r"run\.sh is a link"):
        convert_scripts(folder)
    assert outside.read_bytes() == b"#!/bin/sh\r\n"


@pytest.mark.parametrize("name", ["b.zip", "b.tar.gz", "B.TGZ"])
def test_conversion_of_an_archive_is_refused_with_the_way(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"PK")
    with pytest.raises(
        BotError, match=r"unpack it, run `tourney bots check --fix` with the folder"
    ) as caught:
        convert_scripts(tmp_path / name)
    assert (tmp_path / name).read_bytes() == b"PK"
    assert str(caught.value).startswith(f"{tmp_path / name}: ")


def test_module_that_windows_wrote_needs_no_bit(make_bot: MakeBot, store: BotStore) -> None:
    folder = make_bot(files={"bot.wasm": "\0asm"}, command='["bot.wasm"]')
    assert store.add(folder).notes == ()


def test_links_within_a_bot_stand_for_copies(make_bot: MakeBot, tmp_path: Path, store: BotStore) -> None:
    """As of node_modules/.bin and of a virtual environment, in folders and in both kinds of archives."""
    script = "#!/usr/bin/env node\n"
    folder = make_bot(files={"bot.py": "x", "node_modules/tool/cli.js": script, "lib/a": "a"})
    (folder / "node_modules/tool/cli.js").chmod(0o755)
    (folder / "node_modules/.bin").mkdir()
    (folder / "node_modules/.bin/tool").symlink_to("../tool/cli.js")
    (folder / "node_modules/.bin/again").symlink_to("tool")
    (folder / "lib64").symlink_to("lib")
    bot = store.add(folder)
    assert content(bot.folder, "") == {
        "bot.py": b"x",
        "bot.toml": (folder / "bot.toml").read_bytes(),
        "lib/a": b"a",
        "lib64/a": b"a",
        **dict.fromkeys(
            ("node_modules/.bin/again", "node_modules/.bin/tool", "node_modules/tool/cli.js"),
            script.encode(),
        ),
    }
    assert not any(path.is_symlink() for path in bot.folder.rglob("*"))
    assert (bot.folder / "node_modules/.bin/tool").stat().st_mode & stat.S_IXUSR
    with tarfile.open(tmp_path / "linux.tar", "w") as opened:
        opened.add(folder, "mybot")
    assert digest_of_bot(tmp_path / "linux.tar") == bot.digest
    with zipfile.ZipFile(tmp_path / "linux.zip", "w") as archive:  # as `zip --symlinks` writes it
        for path in sorted(folder.rglob("*")):
            info = zipfile.ZipInfo(f"mybot/{path.relative_to(folder)}{'/' * path.is_dir()}".rstrip("/"))
            info.create_system = UNIX
            if path.is_symlink():
                info.external_attr = (stat.S_IFLNK | 0o777) << 16
                archive.writestr(info, str(path.readlink()))
            elif path.is_file():
                info.external_attr = path.stat().st_mode << 16
                archive.writestr(info, path.read_bytes())
    assert digest_of_bot(tmp_path / "linux.zip") == bot.digest


def test_hard_link_of_tar_stands_for_a_copy(tmp_path: Path, make_bot: MakeBot) -> None:
    folder = make_bot(files={"bot.py": "x", "sub/copy.py": "x"})
    with tarfile.open(tmp_path / "x.tar", "w") as opened:
        for name in ("bot.toml", "bot.py"):
            opened.add(folder / name, f"./mybot/{name}")
        info = tarfile.TarInfo("./mybot/sub/copy.py")
        info.type, info.linkname = tarfile.LNKTYPE, "./mybot/bot.py"
        opened.addfile(info, io.BytesIO())
    assert digest_of_bot(tmp_path / "x.tar") == digest_of_bot(folder)


def up(folder: Path) -> None:
    (folder / "link").symlink_to("../../secret")


def absolute(folder: Path) -> None:
    (folder / "link").symlink_to("/etc/passwd")


def through(folder: Path) -> None:
    (folder / "out").symlink_to("..")
    (folder / "link").symlink_to("out/secret")


def dangling(folder: Path) -> None:
    (folder / "link").symlink_to("gone")


def around(folder: Path) -> None:
    (folder / "link").symlink_to("knil")
    (folder / "knil").symlink_to("link")


def inside_itself(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub/link").symlink_to("../sub")


def mutual(folder: Path) -> None:
    for one, other in (("a", "b"), ("b", "a")):
        (folder / one).mkdir()
        (folder / one / "x").symlink_to(f"../{other}")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (up, "leads out of the bot"),
        (absolute, "leads out of the bot"),
        (through, r"out.*(leads out of the bot|lies below one)"),
        (dangling, "a link to gone, which is not there"),
        (around, "a link to itself or"),
        (inside_itself, "a link to itself or to a folder that it lies in"),
        (mutual, r"is longer than 1,024 bytes|more than 10,000 folders"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
@pytest.mark.parametrize("packed", [False, True])
def test_links_that_lead_elsewhere_are_refused(
    make_bot: MakeBot, tmp_path: Path, make: Callable[[Path], None], message: str, packed: bool
) -> None:
    """Also where a bot is unpacked: no file is written or read through a link."""
    folder = make_bot()
    (folder.parent / "secret").write_text("secret")
    make(folder)
    source = folder
    if packed:
        source = tmp_path / "x.tar.gz"
        with tarfile.open(source, "w:gz") as opened:
            opened.add(folder, "mybot")
    with pytest.raises(BotError, match=message):
        digest_of_bot(source)


def test_archive_writes_no_file_through_its_links(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "evil.tar", "w") as opened:
        for name, kind, text in (("out", tarfile.SYMTYPE, str(tmp_path)), ("out/evil", tarfile.REGTYPE, "")):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, text
            opened.addfile(info, io.BytesIO())
    with pytest.raises(BotError, match="both as a file and as a folder"):
        digest_of_bot(tmp_path / "evil.tar")
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize(
    ("prefix", "more"),
    [
        ("", {}),
        ("./", {"./": b""}),
        ("submission/mybot/", {}),
        ("mybot/", {"README.md": b"how to run it", "docs/a.txt": b"x"}),
        ("mybot\\", {"mybot\\": b"", "__MACOSX\\._mybot": b"x"}),
        ("mybot-main/", {"mybot-main/": b""}),
    ],
)
def test_bot_is_where_its_manifest_is(
    make_bot: MakeBot, tmp_path: Path, prefix: str, more: dict[str, bytes]
) -> None:
    folder = make_bot()
    files = {f"{prefix}{name}": data for name, data in content(folder, "").items()}
    archive = pack(tmp_path / "any.zip", {**more, **files})
    assert digest_of_bot(archive) == digest_of_bot(folder)
    notes = BotStore(tmp_path / "store").add(archive).notes
    assert [note for note in notes if "left out" in note] == (
        ["the bot is the folder mybot; what lies beside it is left out"] if "README.md" in more else []
    )


def test_archive_of_two_bots_names_them(make_bot: MakeBot, store: BotStore, tmp_path: Path) -> None:
    folder = make_bot()
    files = {**content(folder, "all/one/"), **content(folder, "all/two/")}
    with pytest.raises(BotError, match="it holds several bots, all/one and all/two; pack one of them"):
        store.add(pack(tmp_path / "any.zip", files))


def test_folder_of_the_bots_own_name_is_no_second_bot(make_bot: MakeBot, tmp_path: Path) -> None:
    folder = make_bot()
    (folder / "mybot").mkdir()
    (folder / "mybot" / "rules.py").write_text("x = 1\n")
    archive = pack(tmp_path / "any.zip", content(folder))
    assert digest_of_bot(archive) == digest_of_bot(folder)


@pytest.mark.parametrize("name", ["Bot.toml", "bot.toml.txt", "BOT.TOML"])
def test_manifest_that_windows_named_is_taken(
    make_bot: MakeBot, store: BotStore, tmp_path: Path, name: str
) -> None:
    folder = make_bot()
    files = content(folder)
    files[f"mybot/{name}"] = files.pop("mybot/bot.toml")
    archive = pack(tmp_path / "any.zip", files)
    assert digest_of_bot(archive) == digest_of_bot(folder)
    assert f"{name} is taken for bot.toml" in store.add(archive).notes
    # A folder is its author's, and is not changed.
    (folder / "bot.toml").rename(folder / name)
    with pytest.raises(BotError, match=f"there is no bot.toml; rename {name}"):
        store.add(folder)


def test_archive_in_an_archive_is_unpacked_once(make_bot: MakeBot, store: BotStore, tmp_path: Path) -> None:
    folder = make_bot()
    archive = pack(tmp_path / "mybot.zip", content(folder))
    for depth in (1, 2):
        archive = pack(tmp_path / f"{depth}.zip", {archive.name: archive.read_bytes()})
        if depth == 1:
            assert digest_of_bot(archive) == digest_of_bot(folder)
    with pytest.raises(BotError, match=r"there is no bot\.toml"):
        store.add(archive)


def test_manifest_of_powershell_is_read(make_bot: MakeBot, store: BotStore) -> None:
    folder = make_bot()
    manifest = folder / "bot.toml"
    manifest.write_text(manifest.read_text(), "utf-16")
    assert store.add(folder).label == "mybot@1.0"
    manifest.write_text(manifest.read_text("utf-16").replace('"', "\u201c"))
    with pytest.raises(BotError, match='has typographic quotation marks: write "'):
        store.add(folder)
    manifest.write_text('{"name": "mybot", "version": "1.0"}')
    with pytest.raises(BotError, match="it looks like JSON: write a line for each key"):
        store.add(folder)


def test_folder_of_authors_folders_means_their_archives(make_bot: MakeBot, tmp_path: Path) -> None:
    folder = make_bot()
    for author in ("Anna M\u00fcller_12_file_", "Ben_13_file_"):
        (tmp_path / "all" / author).mkdir(parents=True)
        pack(tmp_path / "all" / author / "bot.zip", content(folder))
    (tmp_path / "all" / "Carl.rar").write_bytes(b"Rar!")
    (tmp_path / "all" / "Dora").mkdir()
    (tmp_path / "all" / "Dora" / "run.sh").touch(0o755)
    bots = [str(bot.relative_to(tmp_path / "all")) for bot in bots_at(str(tmp_path / "all"))]
    assert bots == ["Anna M\u00fcller_12_file_/bot.zip", "Ben_13_file_/bot.zip", "Carl.rar", "Dora"]
