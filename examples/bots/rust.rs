// A player for SCAT and SCOUT in Rust. SCAT: knock with 25, else draw at random and keep the best three cards.
// SCOUT: the longest show, else anything legal.
// By hand: rustc -o bot rust.rs && ./bot    then type: act 0 phase=draw hand=KS,TS,4H legal=stock,pile,knock
use std::io::{self, BufRead, Write};

fn value(hand: &str, without: &str) -> u32 {
    let points = |suit| {
        hand.split(',').filter(|card| card.ends_with(suit) && *card != without).map(|card| match &card[..1] {
            "A" => 11,
            digit => digit.parse().unwrap_or(10),
        }).sum()
    };
    ['C', 'D', 'H', 'S'].into_iter().map(points).max().unwrap()
}

// What speaks for a legal word: the greatest is played.
fn worth(word: &str, phase: &str, hand: &str) -> i64 {
    if phase == "discard" {
        return value(hand, word).into();
    }
    if word == "knock" {
        return if value(hand, "") >= 25 { 1 } else { -1 };
    }
    let Some(places) = word.strip_prefix("show:") else { return 0 };
    let ends: Vec<i64> = places.split('-').filter_map(|place| place.parse().ok()).collect();
    ends[ends.len() - 1] - ends[0] + 1
}

fn main() {
    let mut rng: u64 = 1;
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let said = |key: &str| line.split_whitespace().find_map(|word| word.strip_prefix(key)).unwrap_or("-");
        match line.split_whitespace().next() {
            Some("referee") => println!("ready games=scat,scout"),
            Some("match") => rng = u64::from_str_radix(said("rng="), 16).unwrap_or(1) | 1,
            Some("act") => {
                let mut legal: Vec<&str> = said("legal=").split(',').collect();
                rng ^= rng << 13; // xorshift64
                rng ^= rng >> 7;
                rng ^= rng << 17;
                let n = legal.len();
                legal.rotate_left((rng >> 33) as usize % n); // settles ties at random
                let best = legal.iter().max_by_key(|word| worth(word, said("phase="), said("hand="))).unwrap();
                println!("move {} {}", line.split_whitespace().nth(1).unwrap_or("-"), best);
            }
            Some("bye") => return,
            _ => {}
        }
        io::stdout().flush().unwrap();
    }
}
