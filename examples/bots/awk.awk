# A player for SCAT and SCOUT in awk. SCAT: knock with 25, else draw at random and keep the best three cards.
# SCOUT: the longest show, else anything legal.
# By hand: gawk -f awk.awk (mawk -W interactive -f awk.awk)    then type: act 0 phase=draw hand=KS,TS,4H legal=stock,pile,knock

function value(without,    cards, points, best, i, n, suit) {     # of the best suit, one card left out
    n = split(said["hand"], cards, ",")
    for (i = 1; i <= n; i++) {
        if (cards[i] == without || length(cards[i]) != 2) continue
        suit = substr(cards[i], 2)
        points[suit] += substr(cards[i], 1, 1) == "A" ? 11 : cards[i] ~ /^[TJQK]/ ? 10 : substr(cards[i], 1, 1)
        if (points[suit] > best) best = points[suit]
    }
    return best + 0
}

function worth(word,    ends, n) {          # what speaks for a legal word: the greatest is played
    if (said["phase"] == "discard") return value(word)
    if (word == "knock") return value("") >= 25 ? 1 : -1
    if (word !~ /^show:/) return 0
    n = split(substr(word, 6), ends, "-")
    return ends[n] - ends[1] + 1
}

function seed(hex,    i, n) {
    for (i = 1; i <= 7 && i <= length(hex); i++) n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
    srand(n + 0)
}

{
    split("", said)
    for (i = 2; i <= NF; i++) if (at = index($i, "=")) said[substr($i, 1, at - 1)] = substr($i, at + 1)
}
$1 == "referee" { print "ready games=scat,scout" }
$1 == "match"   { seed(said["rng"]) }
$1 == "bye"     { exit }
$1 == "act" {
    n = split(said["legal"], legal, ",")
    best = legal[1 + int(rand() * n)]       # settles ties at random
    for (i = 1; i <= n; i++) if (worth(legal[i]) > worth(best)) best = legal[i]
    print "move", $2, best
}
{ fflush() }
