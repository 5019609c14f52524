/* Prints what the rules of a search template say, for tests: the games of standard input, an action a line.
 *
 * `start SEATS` begins a game and `perft DEPTH` counts; after each other line come the actor and the legal actions.
 */
#include "rules.h"

static Action lists[32][MAX_ACTIONS];
static int weights[32][MAX_ACTIONS];

static long long perft(const Position *p, int depth)
{
    int count = list_actions(p, lists[depth], weights[depth]);
    long long total = 0;
    if (depth <= 1)
        return p->over ? depth == 0 : depth == 0 ? 1 : count;
    for (int k = 0; k < count; k++) {
        Position after = *p;
        play(&after, lists[depth][k]);
        total += perft(&after, depth - 1);
    }
    return total;
}

int main(void)
{
    char line[256], text[32];
    Position p;
    start(&p, 2);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "perft ", 6) == 0) {
            printf("%lld\n", perft(&p, atoi(line + 6)));
            continue;
        }
        if (strncmp(line, "start ", 6) == 0) {
            start(&p, atoi(line + 6));
        } else {
            int count = list_actions(&p, lists[0], weights[0]), played = 0;
            for (int k = 0; k < count && !played; k++) {
                action_text(lists[0][k], text);
                if (strcmp(text, line) == 0) {
                    play(&p, lists[0][k]);
                    played = 1;
                }
            }
            if (!played) {
                printf("unknown %s\n", line);
                return 1;
            }
        }
        int count = list_actions(&p, lists[0], weights[0]);
        printf("%d", actor(&p));
        for (int k = 0; k < count; k++) {
            action_text(lists[0][k], text);
            printf(" %s", text);
            if (actor(&p) == 0)
                printf("=%d", weights[0][k]);
        }
        if (p.over)
            for (int seat = 1; seat <= p.seats; seat++)
                printf(" %.3f", result(&p, seat));
        printf("\n");
    }
    return 0;
}
