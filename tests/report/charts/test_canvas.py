"""Pictures as PNG: rectangles and letters where they belong, the same bytes each time."""

import numpy as np
import pytest

from tests.report.browser import read_png
from tourney.report.charts.canvas import MISSING, Canvas, Lettering, fitted, width_of

WHITE, BLACK, BLUE = (255, 255, 255), (0, 0, 0), (0, 90, 143)
PLAIN, BOLD = Lettering(34, BLACK), Lettering(34, BLACK, bold=True)


def drawn(
    words: str, look: Lettering = PLAIN, *, end: bool = False
) -> "np.ndarray[tuple[int, int], np.dtype[np.bool_]]":
    """The pixels that a text at 100, 100 darkens."""
    canvas = Canvas(200, 150, WHITE)
    canvas.text(100, 100, words, look, end=end)
    return read_png(canvas.png())[:, :, 0] < 128


def test_rectangle_fills_its_pixels() -> None:
    canvas = Canvas(20, 10, WHITE)
    canvas.rectangle(2, 3, 4, 5, BLUE)
    pixels = read_png(canvas.png())
    assert pixels.shape == (10, 20, 3)
    assert (pixels[3:8, 2:6] == BLUE).all()
    assert (pixels != 255).any(axis=2).sum() == 20


def test_letters_have_their_shapes() -> None:
    bar = drawn("|")
    rows, columns = np.nonzero(bar)
    assert 2 <= np.ptp(columns) + 1 <= 6
    assert np.ptp(rows) > 25
    ring = drawn("O")
    rows, columns = np.nonzero(ring)
    assert not ring[(rows.min() + rows.max()) // 2, (columns.min() + columns.max()) // 2]
    assert rows.max() <= 101


def test_bold_letters_are_heavier() -> None:
    assert drawn("Elo", BOLD).sum() > 1.3 * drawn("Elo").sum()


def test_text_begins_or_ends_at_its_place() -> None:
    assert np.nonzero(drawn("HH"))[1].min() >= 100
    assert 90 < np.nonzero(drawn("HH", end=True))[1].max() < 100


def test_text_beyond_the_edge_is_cut() -> None:
    assert drawn("W" * 20).shape == (150, 200)


@pytest.mark.parametrize("letter", ["\u5c06", "\u05d0", "\N{GRINNING FACE}"])
def test_unknown_letters_are_a_square(letter: str) -> None:
    assert (drawn(letter) == drawn(MISSING)).all()


def test_fitted_texts_fit_and_name_no_unknown_letter() -> None:
    assert fitted("alpha", PLAIN, 500) == "alpha"
    assert (
        fitted("\u5c06\u68cb \u05d0\u0416\u03a9\u017b", PLAIN, 500) == "\u25a1\u25a1 \u25a1\u0416\u03a9\u017b"
    )
    for letter in "iWm":
        cut = fitted(letter * 500, BOLD, 500)
        assert cut.endswith("\N{HORIZONTAL ELLIPSIS}")
        assert 450 < width_of(cut, BOLD) <= 500


def test_equal_pictures_are_equal_bytes() -> None:
    def picture() -> bytes:
        canvas = Canvas(90, 50, WHITE)
        canvas.text(3, 40, "Ag\u00e9", BOLD)
        return canvas.png()

    assert picture() == picture()
