/* Mason plays Sage Stones by rules of its own, looking one roll of the dice ahead.
 *
 * It needs nothing from the referee but the actions played. For each square that it may take it weighs all
 * rolls that can follow by their chances in 27, lets whoever rolls place what is best for its own seat, and
 * takes the square with the best mean. All in integers, the first of equals, so it plays the same everywhere.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { COLUMNS = 7, ROWS = 9, MAX_COLOURS = 4, WIN = 100000 };

typedef struct {
    signed char board[COLUMNS][ROWS]; /* 0 empty, else the colour, from 1 */
    int hand[MAX_COLOURS + 1];
    bool done[MAX_COLOURS + 1]; /* with play-on: has placed its last stone */
    int colour;                 /* whose turn it is */
    int column;                 /* to be placed in, from 0; -1 when the dice are next */
    bool again;                 /* another turn follows the placement */
    bool over;
} Position;

static int seats, seat, colours, stones;
static bool play_on;

/* The rolls by their faces, which give the column, and their chances in 27. */
static const struct {
    const char *faces;
    int sum, weight;
} ROLLS[] = {
    {"111", 3, 1}, {"112", 4, 3}, {"113", 5, 3}, {"122", 5, 3}, {"123", 0, 6},
    {"133", 7, 3}, {"222", 6, 1}, {"223", 7, 3}, {"233", 8, 3}, {"333", 9, 1},
};
enum { ROLL_COUNT = sizeof ROLLS / sizeof ROLLS[0] };

static int owner(int colour)
{
    return (colour - 1) % seats + 1;
}

static void next_colour(Position *p)
{
    do
        p->colour = p->colour % colours + 1;
    while (p->done[p->colour]);
}

static bool full(const Position *p, int column)
{
    for (int row = 0; row < ROWS; row++)
        if (p->board[column][row] == 0)
            return false;
    return true;
}

/* A stone leaves the board: back to its colour's hand, or out of the game if that colour is done. */
static void lift(Position *p, int column, int row)
{
    int colour = p->board[column][row];
    if (colour != 0 && !p->done[colour])
        p->hand[colour]++;
    p->board[column][row] = 0;
}

static void roll(Position *p, int number)
{
    int sum = ROLLS[number].sum;
    if (sum == 0) {
        next_colour(p);
        return;
    }
    int column = sum - 3;
    bool again = ROLLS[number].weight == 1;
    if (full(p, column)) {
        column = 6 - 3;
        again = false;
        if (full(p, column)) {
            for (int c = 0; c < COLUMNS; c++)
                for (int r = 0; r < ROWS; r++)
                    lift(p, c, r);
            p->colour = colours; /* the game starts over: the first colour that is not done is next */
            next_colour(p);
            return;
        }
    }
    p->column = column;
    p->again = again;
}

static void capture(Position *p, int column, int row)
{
    bool taken[COLUMNS][ROWS] = {{false}};
    int mover = p->board[column][row];
    for (int dc = -1; dc <= 1; dc++)
        for (int dr = -1; dr <= 1; dr++) {
            if (dc == 0 && dr == 0)
                continue;
            int c = column, r = row, length = 0;
            for (;;) {
                c += dc;
                r += dr;
                if (dc == 0)
                    r = (r + ROWS) % ROWS; /* a column is a ring */
                if (c < 0 || c >= COLUMNS || r < 0 || r >= ROWS || p->board[c][r] == 0 ||
                    (c == column && r == row)) {
                    length = 0;
                    break;
                }
                if (p->board[c][r] == mover)
                    break;
                length++;
            }
            for (c = column, r = row; length > 0; length--) {
                c += dc;
                r += dr;
                if (dc == 0)
                    r = (r + ROWS) % ROWS;
                taken[c][r] = true;
            }
        }
    for (int c = 0; c < COLUMNS; c++)
        for (int r = 0; r < ROWS; r++)
            if (taken[c][r])
                lift(p, c, r);
}

static void place(Position *p, int row)
{
    int column = p->column;
    p->board[column][row] = (signed char)p->colour;
    p->column = -1;
    if (--p->hand[p->colour] == 0) {
        p->done[p->colour] = true;
        int left = 0;
        for (int c = 1; c <= colours; c++)
            left += !p->done[c];
        if (!play_on || left == 1)
            p->over = true;
        else
            next_colour(p);
        return;
    }
    capture(p, column, row);
    if (!p->again)
        next_colour(p);
}

/* What a position is worth to a seat: its own best colour against the best of the others', a stone laid
 * late for more than one laid early. */
static int worth(const Position *p, int who)
{
    int mine = 0, theirs = 0, sum = 0;
    for (int c = 1; c <= colours; c++) {
        int laid = stones - p->hand[c];
        int value = p->hand[c] == 0 ? WIN : laid * laid;
        if (owner(c) == who) {
            mine = value > mine ? value : mine;
            sum += value / 4;
        } else {
            theirs = value > theirs ? value : theirs;
            sum -= value / 4;
        }
    }
    return 4 * (mine - theirs) + sum;
}

/* The worth to `who`, times 27, of a position in which the dice are next. */
static long expected(const Position *p, int who)
{
    if (p->over)
        return 27L * worth(p, who);
    long total = 0;
    for (int number = 0; number < ROLL_COUNT; number++) {
        Position rolled = *p;
        roll(&rolled, number);
        int best = worth(&rolled, who);
        if (rolled.column >= 0) {
            int mover = owner(rolled.colour);
            bool first = true;
            int reply = 0;
            for (int row = 0; row < ROWS; row++) {
                if (rolled.board[rolled.column][row] != 0)
                    continue;
                Position after = rolled;
                place(&after, row);
                int value = worth(&after, mover);
                if (first || value > reply) {
                    reply = value;
                    best = worth(&after, who);
                }
                first = false;
            }
        }
        total += (long)ROLLS[number].weight * best;
    }
    return total;
}

static int setting(const char *line, const char *key, int otherwise)
{
    char pattern[32];
    snprintf(pattern, sizeof pattern, " %s=", key);
    const char *found = strstr(line, pattern);
    return found ? atoi(found + strlen(pattern)) : otherwise;
}

static void begin(Position *p, const char *line)
{
    memset(p, 0, sizeof *p);
    seats = setting(line, "seats", 2);
    seat = setting(line, "seat", 1);
    stones = setting(line, "stones", 10);
    play_on = strstr(line, " play-on=yes") != NULL;
    colours = seats == 2 && setting(line, "colours", 2) == 2 ? 4 : seats;
    for (int c = 1; c <= colours; c++)
        p->hand[c] = stones;
    p->colour = 1;
    p->column = -1;
}

static void played(Position *p, const char *action)
{
    if (strncmp(action, "roll-", 5) == 0) {
        for (int number = 0; number < ROLL_COUNT; number++)
            if (strcmp(action + 5, ROLLS[number].faces) == 0)
                roll(p, number);
    } else if (p->column >= 0 && action[0] == '3' + p->column && action[1] >= 'a' && action[1] <= 'i') {
        place(p, action[1] - 'a');
    }
}

static void go(const Position *p)
{
    int chosen = -1;
    long best = 0;
    for (int row = 0; p->column >= 0 && row < ROWS; row++) {
        if (p->board[p->column][row] != 0)
            continue;
        Position after = *p;
        place(&after, row);
        long value = expected(&after, seat);
        if (chosen < 0 || value > best) {
            chosen = row;
            best = value;
        }
    }
    if (chosen < 0) {
        fprintf(stderr, "mason: asked for a move when none is to be made\n");
        exit(1);
    }
    printf("info score=%ld depth=2\nmove %d%c\n", best / 27, 3 + p->column, 'a' + chosen);
}

int main(void)
{
    Position position;
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    begin(&position, "");
    while ((length = getline(&line, &size, stdin)) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, "tourney ", 8) == 0) {
            puts("bot name=mason version=1.1");
        } else if (strncmp(line, "game ", 5) == 0) {
            if (strncmp(line + 5, "sage-stones ", 12) != 0) {
                fprintf(stderr, "mason plays sage-stones and nothing else\n");
                return 1;
            }
            begin(&position, line);
            puts("ready");
        } else if (strncmp(line, "play ", 5) == 0) {
            const char *action = strchr(line + 5, ' ');
            if (action != NULL)
                played(&position, action + 1);
        } else if (strcmp(line, "go") == 0 || strncmp(line, "go ", 3) == 0) {
            go(&position);
        } else if (strcmp(line, "quit") == 0) {
            break;
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
