"""The numbers of the page on ratings that the lab has are those of its code."""

from tests.docs.pages import page
from tourney.addons.lab.comparison import BATCH


def test_page_has_the_pairs_between_checks_of_a_comparison() -> None:
    assert f"After every {BATCH} pairs (`--batch`)" in " ".join(page("explanation/ratings.md").split())
