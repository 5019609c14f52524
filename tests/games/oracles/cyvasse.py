"""A second, slow implementation of Nine-Tile Cyvasse, written from the rules page alone.

A square is (row 0..8 from south, x) with x in half squares from the middle, so that the half-circle turn is
(8 - row, -x) and the six directions are plain vectors. Nothing is shared with ``tourney.games.cyvasse``.
It is one file, in the page's order, to be read beside the one page.
"""

from __future__ import annotations

from functools import cache

Square = tuple[int, int]

ROWS = "abcdefghi"
LENGTHS = [8, 9, 10, 11, 12, 11, 10, 9, 8]
DIRECTIONS = [(0, -2), (0, 2), (1, -1), (1, 1), (-1, -1), (-1, 1)]
SQUARES = [(row, 2 * i - (LENGTHS[row] + 1)) for row in range(9) for i in range(1, LENGTHS[row] + 1)]
BOARD = set(SQUARES)

ORDER = "RRRRRRSSSLLLHHEECCTDWW"
COUNT = {**{piece: ORDER.count(piece) for piece in ORDER}, "K": 1}
ARMOUR = {"R": 1, "S": 1, "L": 1, "H": 2, "E": 2, "C": 0, "T": 0, "D": 2, "W": 2, "K": 1}
MOVE = {"R": 1, "S": 1, "L": 3, "H": 2, "E": 1, "C": 2, "T": 1, "D": 4, "W": 0, "K": 1}
REACH = {"R": [1], "S": [1], "L": [1], "H": [1], "E": [1, 2], "C": [1, 2, 3], "T": [2, 3, 4], "D": [1, 2],
         "W": [1], "K": [1]}  # fmt: skip
KING_TILES = {"b3": "d3 d4 d5 c3 c4 b3", "b5": "d5 d6 d7 c5 c6 b5", "b7": "d7 d8 d9 c7 c8 b7"}
BLOCKS = {"b3": ["L1", "R1", "R2", "R3"], "b5": ["L1", "L2", "R2", "R3"], "b7": ["L1", "L2", "L3", "R3"]}
# Faces as NW NE SW SE.
L_FACE = {1: "M..M", 2: "WW..", 3: "M...", 4: ".W..", 5: "M...", 6: ".W..", 7: "....", 8: "...."}
R_FACE = {1: ".M..", 2: "W...", 3: "W...", 4: ".M..", 5: "....", 6: "....", 7: "....", 8: "...."}


class Refused(ValueError):
    """The page refuses this."""


def name(square: Square) -> str:
    row, x = square
    return f"{ROWS[row]}{(x + LENGTHS[row] + 1) // 2}"


NAMES = {name(square): square for square in SQUARES}


def square_of(text: str) -> Square:
    if text not in NAMES:
        raise Refused(text)
    return NAMES[text]


def turned(square: Square) -> Square:
    return (8 - square[0], -square[1])


def own(seat: int, square: Square) -> Square:
    """White's square for the same place of a seat's side, and back."""
    return square if seat == 1 else turned(square)


def side(seat: int) -> list[Square]:
    return [square for square in SQUARES if (square[0] < 4 if seat == 1 else square[0] > 4)]


def block_squares(king: str, block: int) -> list[Square]:
    """The NW, NE, SW, SE squares of the block-th block (from 0), as White sees them."""
    shape, n = BLOCKS[king][block % 4][0], int(BLOCKS[king][block % 4][1])
    if block < 4:
        words = (
            [f"d{2 * n - 1}", f"d{2 * n}", f"c{2 * n - 1}", f"c{2 * n}"]
            if shape == "L"
            else [f"d{2 * n + 4}", f"d{2 * n + 5}", f"c{2 * n + 3}", f"c{2 * n + 4}"]
        )
    else:
        words = (
            [f"b{2 * n - 1}", f"b{2 * n}", f"a{2 * n - 1}", f"a{2 * n}"]
            if shape == "L"
            else [f"b{2 * n + 2}", f"b{2 * n + 3}", f"a{2 * n + 1}", f"a{2 * n + 2}"]
        )
    return [NAMES[word] for word in words]


def face(king: str, block: int, tile: int, turn: bool) -> str:
    shown = (L_FACE if BLOCKS[king][block % 4][0] == "L" else R_FACE)[tile]
    return shown[3] + shown[2] + shown[1] + shown[0] if turn else shown


def shown_faces(king: str, block: int, tile: int) -> list[tuple[bool, str]]:
    plain, half = face(king, block, tile, False), face(king, block, tile, True)
    return [(False, plain)] if plain == half else [(False, plain), (True, half)]


@cache
def can_be_laid(king: str, shown: tuple[str, ...], tiles: frozenset[int]) -> bool:
    """Whether those tiles, all of them, can be laid on the first blocks to show these faces."""
    if not shown:
        return not tiles
    last = len(shown) - 1
    return any(
        shown[last] in (text for _, text in shown_faces(king, last, tile))
        and can_be_laid(king, shown[:last], tiles - {tile})
        for tile in sorted(tiles)
    )


class Oracle:
    """One game in play; ``play`` changes it."""

    def __init__(self) -> None:
        self.terrain = {square: "." if square[0] == 4 else "?" for square in SQUARES}
        self.pieces: dict[Square, str] = {}
        self.seat = 1
        self.phase = "king"
        self.king = ""
        self.left: list[int] = []
        self.put = 0
        self.rabble: Square | None = None
        self.quiet = 0
        self.turn = 0
        self.times: dict[tuple[object, ...], int] = {}
        self.outcome: tuple[int, int] | None = None

    # Pieces and engagement.

    def seat_on(self, square: Square) -> int:
        piece = self.pieces.get(square)
        return 0 if piece is None else 1 if piece.isupper() else 2

    def line(self, origin: Square, step: tuple[int, int], length: int) -> list[Square]:
        squares = []
        for k in range(1, length + 1):
            square = (origin[0] + step[0] * k, origin[1] + step[1] * k)
            if square not in BOARD:
                break
            squares.append(square)
        return squares

    def neighbours(self, square: Square) -> list[Square]:
        return [self.line(square, step, 1)[0] for step in DIRECTIONS if self.line(square, step, 1)]

    def front(self, square: Square, seat: int) -> list[Square]:
        ahead = 1 if seat == 1 else -1
        return [near for near in self.neighbours(square) if near[0] == square[0] + ahead]

    def engages(self, attacker: Square, target: Square) -> bool:
        seat, other = self.seat_on(attacker), self.seat_on(target)
        kind = self.pieces[attacker].upper()
        if self.terrain[attacker] == "W":
            return False
        if kind == "S" and target not in self.front(attacker, seat):
            return False
        towers = [
            near
            for near in self.neighbours(attacker)
            if self.seat_on(near) == other and self.pieces[near].upper() == "W"
        ]
        if towers and target not in towers:
            return False
        for step in DIRECTIONS:
            way = self.line(attacker, step, 4)
            if target in way:
                distance = way.index(target) + 1
                between = way[: distance - 1]
                return distance in REACH[kind] and not any(
                    self.terrain[square] == "M" or self.seat_on(square) == other for square in between
                )
        return False

    def sufficiently_engaged(self, target: Square) -> bool:
        enemy = 3 - self.seat_on(target)
        engaging = [
            square for square in self.pieces if self.seat_on(square) == enemy and self.engages(square, target)
        ]
        return len(engaging) >= ARMOUR[self.pieces[target].upper()]

    def zone(self) -> set[Square]:
        enemy = 3 - self.seat
        return {
            near
            for square, piece in self.pieces.items()
            if self.seat_on(square) == enemy and piece.upper() == "S"
            for near in self.front(square, enemy)
        }

    # Movement.

    def empty(self, square: Square) -> bool:
        return square not in self.pieces and self.terrain[square] != "M"

    def can_cross(self, square: Square, kind: str, zone: set[Square]) -> bool:
        if square in zone:
            return False
        return kind == "D" or (self.terrain[square] != "M" and self.seat_on(square) != 3 - self.seat)

    def normal_targets(self, origin: Square) -> set[Square]:
        kind = self.pieces[origin].upper()
        zone = self.zone()
        found: set[Square] = set()

        def walk(square: Square, steps: int) -> None:
            if steps == 0:
                return
            for near in self.neighbours(square):
                if self.empty(near):
                    found.add(near)
                if self.can_cross(near, kind, zone):
                    walk(near, steps - 1)

        walk(origin, MOVE[kind])
        if kind == "K":
            for _, beyond in self.over_tower(origin, zone):
                if self.empty(beyond):
                    found.add(beyond)
        return found - {origin}

    def over_tower(self, origin: Square, zone: set[Square]) -> list[tuple[Square, Square]]:
        found = []
        for step in DIRECTIONS:
            way = self.line(origin, step, 2)
            if len(way) == 2 and self.seat_on(way[0]) == self.seat and way[0] not in zone:
                if self.pieces[way[0]].upper() == "W":
                    found.append((way[0], way[1]))
        return found

    def captures(self, origin: Square) -> list[str]:
        kind = self.pieces[origin].upper()
        zone = self.zone()
        start = name(origin)
        found = []
        if kind in "CW":
            return []
        if kind == "T":
            for step in DIRECTIONS:
                back = self.line(origin, (-step[0], -step[1]), 1)
                for target in self.line(origin, step, 4):
                    if self.seat_on(target) == 3 - self.seat and back and self.empty(back[0]):
                        if self.engages(origin, target) and self.sufficiently_engaged(target):
                            found.append(f"{start}x{name(target)}")
            return found
        length = 2 if kind == "E" else MOVE[kind]
        for step in DIRECTIONS:
            way = self.line(origin, step, length)
            for k, target in enumerate(way):
                before = way[:k]
                if self.seat_on(target) != 3 - self.seat or not self.sufficiently_engaged(target):
                    continue
                if not all(self.can_cross(square, kind, zone) for square in before):
                    continue
                if kind == "E" and not all(self.empty(square) for square in before):
                    continue
                if kind == "S" and target not in self.front(origin, self.seat):
                    continue
                found.append(f"{start}x{name(target)}")
                if kind in "LH" and target not in zone:
                    for end in range(k + 1, len(way)):
                        if self.empty(way[end]):
                            found.append(f"{start}x{name(target)}-{name(way[end])}")
                        if not self.can_cross(way[end], kind, zone):
                            break
        if kind == "K":
            for _, beyond in self.over_tower(origin, zone):
                if self.seat_on(beyond) == 3 - self.seat and self.sufficiently_engaged(beyond):
                    found.append(f"{start}x{name(beyond)}")
        return found

    def rabble_moves(self) -> list[str]:
        return [
            f"{name(square)}-{name(target)}"
            for square, piece in self.pieces.items()
            if self.seat_on(square) == self.seat and piece.upper() == "R" and square != self.rabble
            for target in self.normal_targets(square)
        ]

    # The console's questions.

    def actor(self) -> str:
        return "over" if self.outcome else str(self.seat)

    def legal(self) -> list[str]:
        if self.outcome:
            return []
        if self.phase == "king":
            return sorted(f"king-{name(own(self.seat, NAMES[king]))}" for king in KING_TILES)
        if self.phase == "tile":
            block = 8 - len(self.left)
            return sorted(
                f"tile-{tile}{'t' if turn else ''}"
                for tile in self.left
                for turn, _ in shown_faces(self.king, block, tile)
            )
        if self.phase == "put":
            return sorted(f"put-{name(square)}" for square in side(self.seat) if self.empty(square))
        if self.phase == "rabble":
            return sorted([*self.rabble_moves(), "done"])
        return self.turn_actions()

    def turn_actions(self) -> list[str]:
        found = []
        for square in self.pieces:
            if self.seat_on(square) == self.seat:
                found += [f"{name(square)}-{name(target)}" for target in self.normal_targets(square)]
                found += self.captures(square)
        return sorted(found)

    def weights(self) -> list[tuple[str, int]]:
        raise AssertionError("no chance here")

    def play(self, text: str) -> None:
        if self.phase == "king":
            square = square_of(text.removeprefix("king-"))
            self.king = name(own(self.seat, square))
            for word in KING_TILES[self.king].split():
                self.terrain[own(self.seat, NAMES[word])] = "."
            self.pieces[square] = "K" if self.seat == 1 else "k"
            self.phase, self.left = "tile", list(range(1, 9))
        elif self.phase == "tile":
            tile, turn = int(text[5]), text.endswith("t")
            block = 8 - len(self.left)
            for white, what in zip(
                block_squares(self.king, block), face(self.king, block, tile, turn), strict=True
            ):
                self.terrain[own(self.seat, white)] = what
            self.left.remove(tile)
            if not self.left:
                self.phase, self.put = "put", 0
        elif self.phase == "put":
            piece = ORDER[self.put]
            self.pieces[square_of(text.removeprefix("put-"))] = piece if self.seat == 1 else piece.lower()
            self.put += 1
            if self.put == 22:
                if self.seat == 1:
                    self.seat, self.phase, self.king = 2, "king", ""
                else:
                    self.seat, self.phase = 1, "play"
                    self.start_turn()
        elif text == "done":
            self.end_turn(False)
        else:
            self.play_piece(text)

    def play_piece(self, text: str) -> None:
        if "x" not in text:
            origin, target = map(square_of, text.split("-"))
            self.pieces[target] = self.pieces.pop(origin)
            if self.pieces[target].upper() == "R" and self.phase == "play":
                self.rabble = target
                if self.rabble_moves():
                    self.phase = "rabble"
                    return
            self.end_turn(False)
            return
        start, _, rest = text.partition("x")
        origin, (taken, _, end) = square_of(start), rest.partition("-")
        target = square_of(taken)
        piece = self.pieces.pop(origin)
        del self.pieces[target]
        if piece.upper() == "T":
            for step in DIRECTIONS:
                if target in self.line(origin, step, 4):
                    self.pieces[self.line(origin, (-step[0], -step[1]), 1)[0]] = piece
        else:
            self.pieces[square_of(end) if end else target] = piece
        self.end_turn(True)

    def end_turn(self, captured: bool) -> None:
        self.rabble, self.phase = None, "play"
        self.quiet = 0 if captured else self.quiet + 1
        self.turn += 1
        self.seat = 3 - self.seat
        self.start_turn()

    def start_turn(self) -> None:
        key = (tuple(sorted(self.pieces.items())), tuple(sorted(self.terrain.items())), self.seat)
        self.times[key] = self.times.get(key, 0) + 1
        win_for_other = (2, 1) if self.seat == 1 else (1, 2)
        if ("K" if self.seat == 1 else "k") not in self.pieces.values() or not self.turn_actions():
            self.outcome = win_for_other
        elif self.times[key] >= 3 or self.quiet >= 100 or self.turn >= 400:
            self.outcome = (1, 1)

    def ranks(self) -> str:
        return "-" if self.outcome is None else f"{self.outcome[0]} {self.outcome[1]}"

    # Strings.

    def phase_text(self) -> str:
        if self.phase == "tile":
            return f"tile-{8 - len(self.left)}:{''.join(map(str, self.left))}"
        if self.phase == "put":
            return f"put-{self.put}"
        if self.phase == "rabble":
            assert self.rabble is not None
            return f"rabble-{name(self.rabble)}"
        return self.phase

    def text(self, hidden: list[Square], phase: str) -> str:
        def rows(of: dict[Square, str], masked: str) -> str:
            return "/".join(
                "".join(
                    masked if square in hidden else of.get(square, ".")
                    for square in SQUARES
                    if square[0] == row
                )
                for row in reversed(range(9))
            )

        return " ".join(
            [
                rows(self.terrain, "?"),
                rows(self.pieces, "."),
                str(self.seat),
                phase,
                str(self.quiet),
                str(self.turn),
            ]
        )

    def position(self) -> str:
        return self.text([], self.phase_text())

    def observe(self, seat: int) -> str:
        if self.phase in ("king", "tile", "put"):
            return self.text(side(3 - seat), self.phase_text() if seat == self.seat else "hidden")
        return self.position()

    @classmethod
    def read(cls, text: str) -> Oracle:
        fields = text.split(" ")
        if len(fields) != 6:
            raise Refused("fields")
        game = cls()
        for of, field, allowed in ((game.terrain, fields[0], ".MW?"), (game.pieces, fields[1], "")):
            rows = field.split("/")
            if [len(row) for row in rows] != list(reversed(LENGTHS)):
                raise Refused("rows")
            for row, line in zip(reversed(range(9)), rows, strict=True):
                for square, what in zip([s for s in SQUARES if s[0] == row], line, strict=True):
                    if allowed:
                        if what not in allowed:
                            raise Refused("terrain")
                        of[square] = what
                    elif what.upper() in COUNT and what.isascii():
                        of[square] = what
                    elif what != ".":
                        raise Refused("pieces")
        game.seat, game.quiet, game.turn = number(fields[2]), number(fields[4]), number(fields[5])
        if game.seat not in (1, 2):
            raise Refused("seat")
        game.read_phase(fields[3])
        if game.position() != text:
            raise Refused("not in the one form")
        game.refuse_impossible()
        if game.phase == "play":
            game.start_turn()
        return game

    def read_phase(self, text: str) -> None:
        if text in ("king", "play"):
            self.phase = text
        elif text.startswith("tile-") and text[6:7] == ":":
            self.phase = "tile"
            self.left = [number(letter) for letter in text[7:]]
            if self.left != sorted(set(self.left)) or not self.left or not set(self.left) <= set(range(1, 9)):
                raise Refused("tiles")
        elif text.startswith("put-"):
            self.phase, self.put = "put", number(text[4:])
            if self.put > 21:
                raise Refused("put")
        elif text.startswith("rabble-"):
            self.phase, self.rabble = "rabble", square_of(text[7:])
        else:
            raise Refused("phase")

    def of_seat(self, seat: int) -> dict[Square, str]:
        return {
            square: piece.upper() for square, piece in self.pieces.items() if self.seat_on(square) == seat
        }

    def refuse_impossible(self) -> None:
        for square, piece in self.pieces.items():
            if self.terrain[square] in "M?":
                raise Refused("on a mountain or on ?")
            if piece.upper() == "W" and square not in side(self.seat_on(square)):
                raise Refused("tower")
        for seat in (1, 2):
            held = list(self.of_seat(seat).values())
            if any(held.count(piece) > count for piece, count in COUNT.items()):
                raise Refused("too many")
        if any(self.terrain[square] != "." for square in SQUARES if square[0] == 4):
            raise Refused("row e")
        if self.quiet > self.turn or self.quiet > 100 or self.turn > 400:
            raise Refused("quiet or turn")
        if self.phase in ("king", "tile", "put"):
            self.refuse_setup()
            return
        if self.seat != self.turn % 2 + 1:
            raise Refused("seat")
        for seat in (1, 2):
            if not any(self.laid(seat, king, 8, frozenset(range(1, 9))) for king in KING_TILES):
                raise Refused("terrain")
            if "K" not in self.of_seat(seat).values():
                if seat != self.seat or self.quiet or not self.turn or self.phase == "rabble":
                    raise Refused("king")
        if self.phase == "rabble":
            assert self.rabble is not None
            if self.of_seat(self.seat).get(self.rabble) != "R" or not self.rabble_moves():
                raise Refused("rabble")

    def laid(self, seat: int, king: str, blocks: int, tiles: frozenset[int]) -> bool:
        """Whether a side shows the king tile, this number of blocks of these tiles, and ? on all the rest."""
        rest = set(side(seat))
        for word in KING_TILES[king].split():
            square = own(seat, NAMES[word])
            rest.discard(square)
            if self.terrain[square] != ".":
                return False
        shown = []
        for block in range(blocks):
            squares = [own(seat, white) for white in block_squares(king, block)]
            rest -= set(squares)
            shown.append("".join(self.terrain[square] for square in squares))
        return all(self.terrain[square] == "?" for square in rest) and can_be_laid(king, tuple(shown), tiles)

    def refuse_setup(self) -> None:
        if self.quiet or self.turn:
            raise Refused("no turns in the set-up")
        if self.seat == 1:
            if self.of_seat(2) or any(self.terrain[square] != "?" for square in side(2)):
                raise Refused("Black has not begun")
        else:
            self.refuse_side(1, "put", 22)
        self.refuse_side(self.seat, self.phase, self.put)

    def refuse_side(self, seat: int, phase: str, put: int) -> None:
        pieces = self.of_seat(seat)
        if phase == "king":
            if pieces or any(self.terrain[square] != "?" for square in side(seat)):
                raise Refused("king")
            return
        kings = [name(own(seat, square)) for square, piece in pieces.items() if piece == "K"]
        if len(kings) != 1 or kings[0] not in KING_TILES:
            raise Refused("king square")
        if any(square not in side(seat) for square in pieces):
            raise Refused("off its side")
        expected = sorted("K" + (ORDER[:put] if phase == "put" else ""))
        if sorted(pieces.values()) != expected:
            raise Refused("pieces")
        left = frozenset(self.left) if phase == "tile" else frozenset[int]()
        if not self.laid(seat, kings[0], 8 - len(left), frozenset(range(1, 9)) - left):
            raise Refused("tiles")
        if seat == self.seat:
            self.king = kings[0]


def number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or str(int(text)) != text:
        raise Refused(text)
    return int(text)
