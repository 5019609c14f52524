/* Sage Stones without a thought: keeps the board, and places on the first free square from a drawn row on. */

#include "lines.h"

enum { COLUMNS = 7, ROWS = 9, SIX = 3 };

static int board[COLUMNS][ROWS], colours, colour, column, again;
static unsigned long long state;

static void next_colour(void) { colour = colour % colours + 1; }

static int full(int c) {
    for (int r = 0; r < ROWS; r++)
        if (!board[c][r]) return 0;
    return 1;
}

static void roll(const char *faces) {
    int x = faces[0] - '0', y = faces[1] - '0', z = faces[2] - '0';
    if (x != y && y != z) {
        next_colour();
        return;
    }
    column = x + y + z - 3;
    again = x == y && y == z;
    if (!full(column)) return;
    if (full(SIX)) {
        memset(board, 0, sizeof board);
        next_colour();
        return;
    }
    column = SIX;
    again = 0;
}

/* Take the runs between the new stone and another of its colour; a column is a ring. */
static void place(int c, int r) {
    int taken[128][2], count = 0;
    board[c][r] = colour;
    for (int dc = -1; dc <= 1; dc++)
        for (int dr = -1; dr <= 1; dr++) {
            if (!dc && !dr) continue;
            int start = count, x = c, y = r, closed = 0;
            for (;;) {
                x += dc;
                y += dr;
                if (!dc) y = (y + ROWS) % ROWS;
                if (x < 0 || x >= COLUMNS || y < 0 || y >= ROWS || !board[x][y]) break;
                if (board[x][y] == colour) {
                    closed = x != c || y != r;
                    break;
                }
                taken[count][0] = x;
                taken[count++][1] = y;
            }
            if (!closed) count = start;
        }
    while (count--) board[taken[count][0]][taken[count][1]] = 0;
    if (!again) next_colour();
}

static void answer(void) {
    char line[] = "move 3a\n";
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    int r = (int)((state >> 33) % ROWS);
    while (board[column][r]) r = (r + 1) % ROWS;
    line[5] = (char)('3' + column);
    line[6] = (char)('a' + r);
    say(line);
}

static void begin(const char *line) {
    const char *seed = strstr(line, "seed="), *seats = strstr(line, "seats=");
    state = seed ? strtoull(seed + 5, NULL, 10) : 0;
    colours = seats && seats[6] == '3' ? 3 : 4;
    colour = 1;
    memset(board, 0, sizeof board);
    say("ready\n");
}

static void hear(char *line) {
    if (!strncmp(line, "play ", 5)) {
        char *action = strchr(line + 5, ' ') + 1;
        if (!strncmp(action, "roll-", 5)) roll(action + 5);
        else place(action[0] - '3', action[1] - 'a');
    } else if (!strncmp(line, "go", 2)) answer();
    else if (!strncmp(line, "game ", 5)) begin(line);
    else if (!strncmp(line, "tourney ", 8)) say("bot name=stones\n");
    else if (!strcmp(line, "quit")) exit(0);
}

int main(void) { return serve(); }
