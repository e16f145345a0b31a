/* A player for SCAT and SCOUT in C. SCAT: knock with 25, else draw at random and keep the best three cards.
   SCOUT: the longest show, else anything legal.
   By hand: cc -o bot c.c && ./bot    then type: act 0 phase=draw hand=KS,TS,4H legal=stock,pile,knock */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[20000], hand[2000], legal[16000], phase[20], *words[4000];
static uint64_t rng = 1;

static unsigned below(unsigned n) { /* xorshift64 */
    rng ^= rng << 13, rng ^= rng >> 7, rng ^= rng << 17;
    return (unsigned)((rng >> 33) % n);
}
static void get(const char *key, char *to, size_t size) { /* " key=": copy its value from the line */
    const char *at = strstr(line, key);
    at = at ? at + strlen(key) : "-";
    snprintf(to, size, "%.*s", (int)strcspn(at, " \r\n"), at);
}
static int value(const char *without) { /* of the best suit in hand, one card left out */
    int points[128] = {0}, best = 0;
    for (const char *c = hand; c[0] && c[1]; c += c[2] ? 3 : 2) {
        if (!strncmp(c, without, 2)) continue;
        int *suit = &points[c[1] & 127];
        *suit += *c == 'A' ? 11 : strchr("TJQK", *c) ? 10 : *c - '0';
        if (*suit > best) best = *suit;
    }
    return best;
}
static int worth(const char *word) { /* what speaks for a legal word: the greatest is played */
    int first, last;
    if (!strcmp(phase, "discard")) return value(word);
    if (!strcmp(word, "knock")) return value("") >= 25 ? 1 : -1;
    int numbers = sscanf(word, "show:%d-%d", &first, &last);
    return numbers == 2 ? last - first + 1 : numbers == 1;
}
int main(void) {
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "referee ", 8)) puts("ready games=scat,scout");
        if (!strncmp(line, "match ", 6) && strstr(line, " rng=")) rng = strtoull(strstr(line, " rng=") + 5, 0, 16) | 1;
        if (!strncmp(line, "bye", 3) && strspn(line + 3, " \r\n")) return 0;
        if (!strncmp(line, "act ", 4)) {
            get(" phase=", phase, sizeof phase), get(" hand=", hand, sizeof hand), get(" legal=", legal, sizeof legal);
            int n = 0, start;
            for (char *w = strtok(legal, ","); w; w = strtok(0, ",")) words[n++] = w;
            int best = start = (int)below((unsigned)n); /* a random start settles ties at random */
            for (int i = 0; i < n; i++) if (worth(words[i]) > worth(words[best])) best = i;
            printf("move %lld %s\n", atoll(line + 4), words[best]);
        }
        fflush(stdout);
    }
}
