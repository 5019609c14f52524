"""TOML is read strictly, and what is wrong with it is said in words that a person understands."""

import pytest

from tourney.toml_text import loads


def test_what_toml_is_comes_back() -> None:
    text = 'a = [[1], ["x"]]\nb = 0xffff_ffff_ffff_ffff\n[c.d]\ne = 1.5\nf = true\n'
    assert loads(text) == {
        "a": [[1], ["x"]],
        "b": 2**64 - 1,
        "c": {"d": {"e": 1.5, "f": True}},
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = " + "9" * 5000, "a number has more than 4,300 digits"),
        ("a = 0x" + "f" * 5000, "a number has more than 128 bits"),
        ("a = [{b = 0b" + "1" * 129 + "}]", "a number has more than 128 bits"),
        ("a = " + "[" * 100_000, "lists or tables are nested more than 32 deep"),
        ("a = " + "[" * 40 + "]" * 40, "lists or tables are nested more than 32 deep"),
        (".".join("a" * 40) + " = 1", "lists or tables are nested more than 32 deep"),
        ("a = 1\na = 2", "Cannot overwrite a value (at end of document)"),
    ],
)
def test_what_is_none_is_said_without_advice_for_programmers(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        loads(text)
    assert str(caught.value) == says
