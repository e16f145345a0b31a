/* A player that wants no legal list and needs none: SCAT draws from the stock and discards the first card, SCOUT scouts
   what it can and else shows its first card. */

#include <stdio.h>
#include <string.h>

int main(void) {
    static char line[16385];
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "referee ", 8)) {
            puts("ready legal=off");
        } else if (!strncmp(line, "act ", 4)) {
            char *hand = strstr(line, " hand="), *word = "stock";
            static char card[3];
            if (strstr(line, " phase=discard ")) {
                memcpy(card, hand + 6, 2);
                word = card;
            } else if (strstr(line, " phase=orient ")) {
                word = "keep";
            } else if (strstr(line, " phase=move ")) {
                word = strstr(line, " active=- ") ? "show:0" : "scout:L0";
            }
            printf("move %.*s %s\n", (int)strcspn(line + 4, " "), line + 4, word);
        } else if (!strncmp(line, "bye", 3)) {
            return 0;
        }
        fflush(stdout);
    }
    return 0;
}
