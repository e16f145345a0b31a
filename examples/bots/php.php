<?php
// A player for SCAT and SCOUT in PHP. SCAT: knock with 25, else draw at random and keep the best three cards.
// SCOUT: the longest show, else anything legal.
// By hand: php php.php    then type: act 0 phase=draw hand=KS,TS,4H legal=stock,pile,knock

function value(array $hand): int            // of the best suit in the cards given
{
    $points = [0];
    foreach ($hand as $card) {
        $rank = $card[0] === 'A' ? 11 : (ctype_digit($card[0]) ? (int) $card[0] : 10);
        $points[$card[1]] = ($points[$card[1]] ?? 0) + $rank;
    }
    return max($points);
}

function worth(string $word, string $phase, array $hand): int       // what speaks for a legal word
{
    if ($phase === 'discard') {
        return value(array_diff($hand, [$word]));
    }
    if ($word === 'knock') {
        return value($hand) >= 25 ? 1 : -1;
    }
    if (!preg_match('/^show:(\d+)(?:-(\d+))?$/', $word, $place)) {
        return 0;
    }
    return ($place[2] ?? $place[1]) - $place[1] + 1;
}

while (($line = fgets(STDIN)) !== false) {
    $words = explode(' ', trim($line));
    $said = [];
    foreach ($words as $word) {
        [$key, $text] = explode('=', $word, 2) + [1 => ''];
        $said[$key] = $text;
    }
    if ($words[0] === 'referee') {
        fwrite(STDOUT, "ready games=scat,scout\n");                 // not buffered
    } elseif ($words[0] === 'match') {
        mt_srand(hexdec(substr($said['rng'] ?? '1', 0, 7)));
    } elseif ($words[0] === 'bye') {
        exit(0);
    } elseif ($words[0] === 'act') {
        $legal = explode(',', $said['legal']);
        $hand = array_filter(explode(',', $said['hand'] ?? '-'), fn($card) => strlen($card) === 2);
        $best = $legal[mt_rand(0, count($legal) - 1)];              // settles ties at random
        foreach ($legal as $word) {
            $better = worth($word, $said['phase'] ?? '', $hand) > worth($best, $said['phase'] ?? '', $hand);
            $best = $better ? $word : $best;
        }
        fwrite(STDOUT, "move {$words[1]} $best\n");
    }
}
