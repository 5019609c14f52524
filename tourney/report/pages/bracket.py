"""The page of a knockout: its bracket, drawn as SVG and as a list, with the matches of every tie."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from tourney.report import display
from tourney.report.charts.chart import coordinate
from tourney.report.display import EntrantLabel
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.match_lines import Chip
from tourney.report.pages.rounds import chips, score_text
from tourney.report.source import ReportSource
from tourney.results.rounds import Pairing
from tourney.schedule.knockout import Knockout, Tie
from tourney.texts import counted

INLINE = 64
"""Most entrants for which the first page draws the bracket too."""

_WIDTH = 208
_HEIGHT = 44
_GAP = 48
_PITCH = 66
"""Width and height of a box, the room to the next stage, and the distance of two boxes in a stage."""
_HEAD = 34
_NAME = 24
"""Characters of a name in a box; the list has the whole name."""


class Side(NamedTuple):
    """An entrant of a tie (None: not known yet), its seed from 1, and its score as printed."""

    entrant: EntrantLabel | None
    seed: int = 0
    score: str = ""
    won: bool = False


class TieView(NamedTuple):
    """A tie as shown. ``state``: ``done``, ``playing``, ``open`` (not paired yet) or ``bye``.

    ``short`` has the decision or the present state in few words, ``words`` in a sentence.
    """

    tie: Tie
    title: str
    sides: tuple[Side, ...]
    chips: tuple[Chip, ...]
    state: str
    short: str
    words: str

    @property
    def anchor(self) -> str:
        """Its id in the list of ties."""
        return f"tie-{self.tie.stage}-{self.tie.slot + 1}"


class StageView(NamedTuple):
    """A stage of the bracket: its title, and its ties from top to bottom."""

    title: str
    ties: list[TieView]


class BracketPage(NamedTuple):
    """The bracket with its scores; ``left`` counts the ties still to play."""

    stages: list[StageView]
    champion: EntrantLabel | None
    left: int

    def drawn(self, page: str = "") -> Markup:
        """The bracket as SVG, stage by stage from left to right; byes are left out.

        Its boxes link to the ties in the list of ``page`` ("": the same page). Colors come from CSS classes.
        """
        stages = self.stages
        rows = max(1, len(stages[0].ties))
        middle = [[_HEAD + _PITCH * (at + 0.5) for at in range(rows)]]
        for _ in stages[1:]:
            before = middle[-1]
            # A tie stands halfway between the two ties whose winners meet in it.
            middle.append([(a + b) / 2 for a, b in zip(before[::2], before[1::2], strict=True)])
        parts = []
        bottom = float(_HEAD + _PITCH * rows)
        for at, stage in enumerate(stages):
            x = at * (_WIDTH + _GAP)
            parts.append(f'<text class="stage" x="{x}" y="16">{escape(stage.title)}</text>')
            for view in stage.ties:
                # Below the final, with room for its own heading.
                y = middle[at][0] + 1.8 * _PITCH if view.tie.third else middle[at][view.tie.slot]
                bottom = max(bottom, y + _HEIGHT / 2 + 18)
                if view.tie.third:
                    title = escape(view.title)
                    parts.append(
                        f'<text class="stage" x="{x}" y="{coordinate(y - _HEIGHT / 2 - 8)}">{title}</text>'
                    )
                # A bye has no box, but keeps its place, so that the lines below meet.
                if view.state == "bye":
                    continue
                # Losers play for the third place, so no line leads to it.
                if at and not view.tie.third:
                    parts.extend(_connectors(stages[at - 1].ties, view, x, y, middle[at - 1]))
                parts.append(_box(view, x, y, page))
        width = len(stages) * (_WIDTH + _GAP) - _GAP + 2
        return Markup(  # noqa: S704 - numbers, our own classes, escaped words
            f'<svg class="bracket" viewBox="-1 0 {width} {coordinate(bottom)}" width="{width}"'
            f' height="{coordinate(bottom)}" role="group" aria-label="Bracket">{"".join(parts)}</svg>'
        )


def is_knockout(source: ReportSource) -> bool:
    """Whether a tournament has a bracket."""
    return source.format.has_bracket and len(source.entrants) > 1


def files(make: Renderer) -> Iterator[File]:
    """Yield the page of the bracket."""
    yield make.page("bracket.html", "bracket.html", bracket=make.once(bracket))


def bracket(make: Renderer) -> BracketPage:
    """The bracket of the renderer's tournament."""
    source = make.source
    ties = Knockout().bracket(source.setup, source.schedule).ties
    pairings = {
        (round_.number, frozenset(pairing.entrants)): pairing
        for round_ in source.rounds()
        for pairing in round_.pairings
    }
    last = max(tie.stage for tie in ties)
    stages: dict[int, StageView] = {}
    for tie in ties:
        pair = frozenset(n for n in (tie.one, tie.two) if n is not None)
        tie_pairings = [pairings[round_, pair] for round_ in tie.rounds if (round_, pair) in pairings]
        stage, title = _titles(tie, last)
        view = _tie_view(make, tie, title, tie_pairings)
        stages.setdefault(tie.stage, StageView(stage, [])).ties.append(view)
    final = next(tie for tie in ties if tie.stage == last and not tie.third)
    champion = None if final.winner is None else source.labels[final.winner]
    return BracketPage(
        [stages[number] for number in sorted(stages)], champion, sum(tie.winner is None for tie in ties)
    )


def _titles(tie: Tie, last: int) -> tuple[str, str]:
    """The title of a tie's stage, and the tie's own."""
    left = last - tie.stage + 1
    title = {1: "Final", 2: "Semi-finals", 3: "Quarter-finals"}.get(left) or f"Last {2**left}"
    if tie.third:
        return title, "Third place"
    place = f" {tie.slot + 1}" if left <= 3 else f", tie {tie.slot + 1}"
    return title, title if left == 1 else title.removesuffix("s") + place


def _tie_view(make: Renderer, tie: Tie, title: str, pairings: Sequence[Pairing]) -> TieView:
    source = make.source
    seeds = {player.number: seed for seed, player in enumerate(source.setup.seeded(), 1)}
    units: Counter[int] = Counter()
    for pairing in pairings:
        units.update(dict(zip(pairing.entrants, pairing.units, strict=True)))
    results = [result for pairing in pairings for result in pairing.results]
    sides = tuple(
        Side(None)
        if number is None
        else Side(
            source.labels[number],
            seeds[number],
            score_text(units[number], 2) if results else "",
            number == tie.winner,
        )
        for number in (tie.one, tie.two)
    )
    order = [number for number in (tie.one, tie.two) if number is not None]
    played = tuple(chips(make, results, order)) if results else ()
    size = sum(pairing.size for pairing in pairings)
    return TieView(tie, title, sides, played, *_decision(tie, len(results), size))


def _decision(tie: Tie, done: int, games: int) -> tuple[str, str, str]:
    """The state of a tie, and how it was decided in few words and in a sentence."""
    extra = len(tie.rounds) - 1
    groups = counted(extra, "further group")
    if tie.how == "bye":
        return "bye", "bye", "A bye: goes on without a match."
    if tie.how == "walkover":
        return "done", "walkover", "Walkover: the opponent is withdrawn, or failed to start too often."
    if tie.how == "score":
        return "done", "", "Decided by the score of the matches."
    if tie.how == "extra":
        return "done", f"after {groups}", f"Tied after the first matches, and decided by {groups}."
    if tie.how == "seed":
        after = f" after {groups}" if extra > 0 else ""
        return "done", "better seed", f"Tied{after}: the better seed goes on."
    if tie.rounds:
        again = f", with {groups} so far" if extra > 0 else ""
        played = f"{done} of {games} matches played"
        return "playing", played, f"In progress: {played}{again}."
    if tie.one is None or tie.two is None:
        return "open", "to be played", "Still to play: not all of its bots are known yet."
    return "open", "to be played", "Still to play: its matches are not paired yet."


def _connectors(
    before: Sequence[TieView], view: TieView, x: int, y: float, middle: Sequence[float]
) -> Iterator[str]:
    """Yield the lines from the two ties before a tie, from those with a box."""
    for slot in (2 * view.tie.slot, 2 * view.tie.slot + 1):
        if before[slot].state != "bye":
            path = f"M{x - _GAP} {coordinate(middle[slot])}H{x - _GAP // 2}"
            yield f'<path class="join" d="{path}V{coordinate(y)}H{x}"/>'


def _box(view: TieView, x: int, y: float, page: str) -> str:
    """A tie's box around its middle (``x`` is the left edge), which links to its place in the list."""
    half = _HEIGHT / 2
    top = y - half
    middle = coordinate(y)
    parts = [
        f'<rect x="{x}" y="{coordinate(top)}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>',
        f'<line x1="{x}" x2="{x + _WIDTH}" y1="{middle}" y2="{middle}"/>',
    ]
    for place, side in enumerate(view.sides):
        baseline = coordinate(top + half * place + 15.5)
        style = "won" if side.won else "lost" if view.state == "done" else ""
        if side.entrant is None:
            parts.append(f'<text class="unknown" x="{x + 34}" y="{baseline}">to be decided</text>')
            continue
        name = escape(display.isolated(display.label(side.entrant.name, _NAME)))
        parts.append(
            f'<text class="seed" x="{x + 26}" y="{baseline}">{side.seed}</text>'
            f'<svg x="{x + 34}" y="{coordinate(top + half * place)}" width="{_WIDTH - 78}"'
            f' height="{coordinate(half)}"><text class="{style}" x="0" y="15.5">{name}</text></svg>'
            f'<text class="score {style}" x="{x + _WIDTH - 8}" y="{baseline}">{side.score}</text>'
        )
    if view.short:
        parts.append(
            f'<text class="how" x="{x + _WIDTH}" y="{coordinate(top + _HEIGHT + 12)}">'
            f"{escape(view.short)}</text>"
        )
    names = " against ".join(
        f"{side.seed} {display.isolated(side.entrant.name)} {side.score}".rstrip()
        if side.entrant
        else "a bot to be decided"
        for side in view.sides
    )
    label = escape(f"{view.title}: {names}. {view.words}")
    return (
        f'<a class="tie {view.state}" href="{page}#{view.anchor}" aria-label="{label}">'
        f"<title>{label}</title>{''.join(parts)}</a>"
    )
