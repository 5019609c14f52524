"""Engagement: which enemy pieces a seat's pieces engage sufficiently, judged on one board."""

from tourney.games.cyvasse.board import AT, BETWEEN, BIT, FRONT, NEAR, spread
from tourney.games.cyvasse.ground import Ground
from tourney.games.cyvasse.pieces import OCCUPIED, WIDTH, Masks


class Engagement(dict[int, bool]):
    """Says of an enemy piece, by its square, whether it is sufficiently engaged; judged when first asked.

    A piece on water engages nothing. A piece next to enemy Towers engages those Towers only: so it counts at
    distance 1 against a Tower, and nowhere else.
    """

    __slots__ = (
        "_at2",
        "_at3",
        "_back",
        "_bare",
        "_close",
        "_heavy",
        "_spears",
        "_towers",
        "barrier",
        "trebuchet",
    )

    def __init__(self, masks: Masks, seat: int, ground: Ground) -> None:
        rabble, spears, light, horse, elephant, crossbows, trebuchet, dragon, tower, king = masks[:OCCUPIED]
        _, _, _, e_horse, e_elephant, e_crossbows, e_trebuchet, e_dragon, e_tower, _, enemy = masks[WIDTH:]
        dry = ~ground.water
        free = dry & ~spread(e_tower)
        close = rabble | light | horse | elephant | crossbows | dragon | tower | king
        self._close = close & free
        self._spears = spears & free
        self._towers = e_tower, close & dry, spears & dry
        self._at2 = (elephant | crossbows | trebuchet | dragon) & free
        self._at3 = (crossbows | trebuchet) & free
        self.trebuchet = trebuchet & free
        """The Trebuchet if it can engage anything: the only kind that does at distance 4."""
        self.barrier = ground.mountains | enemy
        """What bars an engagement when it stands strictly between."""
        self._heavy = e_horse | e_elephant | e_dragon | e_tower
        self._bare = e_crossbows | e_trebuchet
        self._back = FRONT[3 - seat]

    def __missing__(self, s: int) -> bool:
        answer = self[s] = self._judge(s, BIT[s])
        return answer

    def _judge(self, s: int, bit: int) -> bool:
        if bit & self._bare:
            return True
        missing = 2 if bit & self._heavy else 1
        towers, close, spears = self._towers
        if not bit & towers:
            close, spears = self._close, self._spears
        missing -= (NEAR[s] & close).bit_count() + (self._back[s] & spears).bit_count()
        far = AT[2][s] & self._at2 | AT[3][s] & self._at3 | AT[4][s] & self.trebuchet
        while missing > 0 and far:
            other = far & -far
            far ^= other
            if not BETWEEN[s][other.bit_length()] & self.barrier:
                missing -= 1
        return missing <= 0
