"""Random positions that play rarely reaches; most are legal, some are refused."""

from __future__ import annotations

from tests.games.oracles import cyvasse as cy
from tests.games.oracles import element as el
from tests.games.oracles import seven_sages as ss
from tourney.games import RandBelow


def sages_tafl(draw: RandBelow) -> str:
    """Crowded or bare boards, sages anywhere, points and counters near their limits."""
    squares = [(x, y) for y in range(9) for x in range(8)]
    board: dict[tuple[int, int], str] = {}

    def lay(piece: str, often: int) -> None:
        square = (draw(8), 4) if draw(often) == 0 else squares[draw(len(squares))]
        board.setdefault(square, piece)

    points, towers = [0, 0], ""
    for seat, letters in ((0, "SAF"), (1, "saf")):
        apprentices = draw(9)
        for _ in range(apprentices):
            lay(letters[1], 3)
        for _ in range(draw(3)):
            lay(letters[2], 5)
        sage = draw(4)
        if sage < 2:
            lay(letters[0], 2)
        elif sage == 2:
            towers += "Tt"[seat]
        escaped = sage == 3 or (sage < 2 and letters[0] not in board.values())
        points[seat] = (3 if escaped else 0) + draw(min(4, 9 - apprentices))
    text = ""
    for y in reversed(range(9)):
        row = "".join(board.get((x, y), " ") for x in range(8))
        for run in range(8, 0, -1):
            row = row.replace(" " * run, str(run))
        text += row + "/"
    ply = (draw(60), 99 + draw(3), 398 + draw(4))[draw(3)]
    quiet = min(ply, (draw(20), 98 + draw(3))[draw(2)])
    return f"{text[:-1]} {1 + draw(2)} {towers or '-'} {points[0]}:{points[1]} {quiet} {ply}"


def sage_stones(seats: int, stones: int, play_on: bool, draw: RandBelow, single: bool = False) -> str:
    """Full columns, boards that a roll wipes, finished colours, and roll counts near the limit."""
    colours = 2 if single else 3 if seats == 3 else 4
    wipes = draw(3) == 0 and colours * (stones - 1) >= 18
    left = dict.fromkeys(range(1, colours + 1), stones - (1 if wipes else draw(2)))
    columns = [""] * 7
    # Column 6 and another that is full: those two come first, before the stones run out.
    full = [3, (0, 1, 2, 4, 5, 6)[draw(6)]] if wipes else []
    for number in [*full, *(k for k in range(7) if k not in full)]:
        crowd = draw(4)
        for _ in range(9):
            colour = 1 + draw(colours)
            if number in full and not left[colour]:
                colour = max(left, key=lambda each: left[each])
            if left[colour] and (number in full or crowd == 0 or draw(3) < crowd):
                left[colour] -= 1
                columns[number] += str(colour)
            else:
                columns[number] += "."
    laid = "".join(columns)
    hands, rank = [], 0
    for colour in left:
        if play_on and draw(3) == 0 and rank < seats:
            rank += 1
            hands.append(f"#{rank}")
        else:
            hands.append(str(stones - laid.count(str(colour))))
    phase = "roll" if wipes else ["roll", "roll", "over", "3+", "4", "5", "6", "6+", "7", "8", "9+"][draw(11)]
    rolls = (draw(200), 498 + draw(3))[draw(2)]
    options = (
        f"seats={seats},stones={stones},play-on={'yes' if play_on else 'no'}{',colours=1' if single else ''}"
    )
    return f"{'/'.join(columns)} {1 + draw(colours)} {phase} {','.join(hands)} {rolls} {options}"


def seven_sages(draw: RandBelow, actions: int = 120) -> str:
    """Sages close together around the fool and the cities, where reflections and the rule of three matter."""
    span = (15, 7)[draw(2)]
    low = 4 if span == 7 else 0
    squares: list[tuple[int, int]] = []
    while len(squares) < 15:
        square = (low + draw(span), low + draw(span)) if draw(4) else (5 + draw(5), (0, 14, 1, 13)[draw(4)])
        if square not in squares and (squares or (1 <= square[0] <= 13 and 1 <= square[1] <= 13)):
            squares.append(square)
    fool, red, blue = squares[0], sorted(squares[1:8]), sorted(squares[8:])
    ply = (draw(actions - 2), actions - 2, actions - 1)[draw(3)]
    starter = 1 + draw(2)
    seat = starter if ply % 2 == 0 else 3 - starter
    words = [",".join(map(ss.name, side)) for side in (red, blue)]
    option = "" if actions == 120 else f" round-actions={actions}"
    points = f"{draw(5)}:{draw(5)}"
    return f"{words[0]} {words[1]} {ss.name(fool)} {seat} {points} {1 + draw(12)} {ply} {starter}{option}"


def element(seats: int, draw: RandBelow) -> str:
    """Boards with many stones around the sages: rivers, ranges, whirlwinds and near captures."""
    board: dict[tuple[int, int], str] = {}
    kinds = [".FWEM1234"[1 + draw(8)] for _ in range(2)] + list("FWEM1234")
    bag = dict.fromkeys("AEFW", 30)
    thick = 1 + draw(9)
    for x in range(11):
        for y in range(11):
            what = kinds[draw(len(kinds))] if draw(2) else kinds[draw(2)]
            letter, count = ("A", int(what)) if what in "1234" else ("E", 2) if what == "M" else (what, 1)
            if draw(12) < thick and bag[letter] >= count:
                board[x, y] = what
                bag[letter] -= count
    sages: list[tuple[int, int]] = []
    while len(sages) < seats:
        square = (draw(11), draw(11))
        if square not in sages:
            sages.append(square)
            gone = board.pop(square, "")
            if gone:
                letter, count = ("A", int(gone)) if gone in "1234" else ("E", 2) if gone == "M" else (gone, 1)
                bag[letter] += count
    hand = ""
    for _ in range(draw(5)):
        letter = "AEFWW"[draw(5)]
        if bag[letter]:
            bag[letter] -= 1
            hand += letter
    steps = str(draw(6 - len(hand)))
    winds = sorted(square for square, what in board.items() if what in "1234")
    used = [square for square in winds if draw(6) == 0]
    phase = ("act", "act", "act", "act", "draw", f"chance-{1 + draw(4)}", "river", "flow")[draw(8)]
    if phase in ("river", "flow"):
        waters = sorted(square for square, what in board.items() if what == "W")
        square = waters[draw(len(waters))] if waters else (0, 0)
        path = "".join("nesw"[draw(4)] for _ in range(draw(3)))
        phase = (
            f"river-{el.name(square)}"
            if phase == "river"
            else f"flow-{el.name(square)}-{'nesw'[draw(4)]}-{path or '-'}"
        )
    if not phase.startswith(("act", "river", "flow")):
        for letter in hand:
            bag[letter] += 1
        hand, steps, used = "", "-", []
    turn = (draw(100), 199, 200)[draw(20) // 9]
    rows = ["".join(board.get((x, y), ".") for x in range(11)) for y in reversed(range(11))]
    fields = [
        "/".join(rows),
        ",".join(map(el.name, sages)),
        str(turn % seats + 1),
        phase,
        "".join(sorted(hand)) or "-",
        steps,
        ",".join(map(el.name, used)) or "-",
        ",".join(f"{letter}{bag[letter]}" for letter in "AEFW"),
        str(turn),
    ]
    return " ".join(fields)


def cyvasse(draw: RandBelow) -> str:
    """Armies thrown together: towers, spears and kings in contact, horses with room to ride on."""
    game = cy.Oracle()
    for seat in (1, 2):
        king = sorted(cy.KING_TILES)[draw(3)]
        for word in cy.KING_TILES[king].split():
            game.terrain[cy.own(seat, cy.NAMES[word])] = "."
        tiles = list(range(1, 9))
        for block in range(8):
            tile = tiles.pop(draw(len(tiles)))
            faces = cy.shown_faces(king, block, tile)
            shown = faces[draw(len(faces))][1]
            for square, what in zip(cy.block_squares(king, block), shown, strict=True):
                game.terrain[cy.own(seat, square)] = what
    low = draw(4)
    field = [
        square for square in cy.SQUARES if low <= square[0] <= 8 - draw(4) and game.terrain[square] != "M"
    ]
    for seat in (1, 2):
        for piece in "K" + cy.ORDER:
            if piece != "K" and draw(3) == 0:
                continue
            room = [square for square in field if square not in game.pieces]
            if piece == "W":
                room = [square for square in room if square in cy.side(seat)]
            if room:
                game.pieces[room[draw(len(room))]] = piece if seat == 1 else piece.lower()
    game.turn = (draw(60), 99 + draw(3), 398 + draw(3))[draw(3)]
    game.quiet = min(game.turn, (draw(10), 98 + draw(3))[draw(2)])
    game.seat = game.turn % 2 + 1
    rabbles = sorted(square for square, piece in game.pieces.items() if piece == "Rr"[game.seat - 1])
    game.phase = "play"
    if rabbles and draw(4) == 0:
        game.phase, game.rabble = "rabble", rabbles[draw(len(rabbles))]
    return game.position()
