"""Compressed files: read as their first bytes say, written as their names say, never half."""

import gzip
import io
from pathlib import Path

import pytest
import zstandard

from tests.support.tournaments import refused
from tourney.errors import InputError, UsageError
from tourney.parsing import compressing, reading

TEXT = b"".join(b'{"line": %d}\n' % number for number in range(50_000))


def packed(name: str, text: bytes = TEXT) -> bytes:
    file = io.BytesIO()
    with compressing(file, name) as writer:
        writer.writelines([text[:5], text[5:]])
    return file.getvalue()


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst"])
@pytest.mark.parametrize("text", [b"", b"x", TEXT])
def test_what_is_written_is_read_again(tmp_path: Path, name: str, text: bytes) -> None:
    path = tmp_path / "other-name"
    path.write_bytes(packed(name, text))
    with reading(path) as file:
        assert file.readline() + file.read() == text
    assert (len(path.read_bytes()) < len(TEXT) / 4) == (name != "a.jsonl" or text != TEXT)


@pytest.mark.parametrize("name", ["a.gz", "a.zst"])
def test_compressed_bytes_depend_on_the_content_alone(name: str) -> None:
    assert packed(name) == packed(f"another-{name}")


@pytest.mark.parametrize("name", ["a.gz", "a.zst"])
def test_several_parts_are_one_content(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(packed(name) + packed(name, b"more"))
    with reading(path) as file:
        assert file.read() == TEXT + b"more"


@pytest.mark.parametrize("count", [1, 5_000])
def test_zeros_that_pad_gzip_are_passed_over(tmp_path: Path, count: int) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(packed("a.gz") + bytes(count) + packed("a.gz", b"more") + bytes(count))
    with reading(path) as file:
        assert file.read() == TEXT + b"more"


@pytest.mark.parametrize("name", ["a.gz", "a.zst"])
@pytest.mark.parametrize("kept", [0.3, 0.999])
def test_file_that_breaks_off_is_refused_by_name(tmp_path: Path, name: str, kept: float) -> None:
    path = tmp_path / name
    path.write_bytes(packed(name)[: int(len(packed(name)) * kept)])
    with refused(InputError, f"{path} is damaged"), reading(path) as file:
        file.read()


@pytest.mark.parametrize("name", ["a.gz", "a.zst"])
def test_altered_byte_is_refused_or_changes_nothing(tmp_path: Path, name: str) -> None:
    whole = packed(name, TEXT[:2000])
    path = tmp_path / name
    refusals = 0
    for place in range(4, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        try:
            with reading(path) as file:
                assert file.read() == TEXT[:2000]
        except InputError:
            refusals += 1
    assert refusals > len(whole) // 14


def test_window_beyond_the_bound_is_refused(tmp_path: Path) -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=28, enable_ldm=False)
    path = tmp_path / "wide.zst"
    writer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    path.write_bytes(writer.compress(TEXT) + writer.flush())
    with refused(InputError, f"{path} is damaged"), reading(path) as file:
        file.read()


def test_missing_extra_is_named_before_anything_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "a.zst"
    path.write_bytes(packed("a.zst"))
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    file = io.BytesIO()
    with refused(UsageError, "a.zst", "pip install 'tourney[zstd]'"), compressing(file, "a.zst"):
        pass
    assert file.getvalue() == b""
    with refused(UsageError, str(path), "pip install 'tourney[zstd]'"), reading(path):
        pass


def test_gzip_of_other_programs_is_read(tmp_path: Path) -> None:
    path = tmp_path / "b"
    path.write_bytes(gzip.compress(TEXT, 1))
    with reading(path) as file:
        assert file.readlines() == TEXT.splitlines(keepends=True)
