// A player for SCAT and SCOUT in JavaScript. SCAT: knock with 25, else draw at random and keep the best three cards.
// SCOUT: the longest show, else anything legal.
// By hand: node javascript.js    then type: act 0 phase=draw hand=KS,TS,4H legal=stock,pile,knock

let seed = 1;

function below(n) {                         // mulberry32: Math.random takes no seed
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % n;
}

function value(hand) {
  const points = { C: 0, D: 0, H: 0, S: 0 };
  for (const [rank, suit] of hand) points[suit] += { A: 11, T: 10, J: 10, Q: 10, K: 10 }[rank] || Number(rank);
  return Math.max(...Object.values(points));
}

function worth(word, phase, hand) {         // what speaks for a legal word: the greatest is played
  if (phase === 'discard') return value(hand.filter((card) => card !== word));
  if (word === 'knock') return value(hand) >= 25 ? 1 : -1;
  const show = /^show:(\d+)(?:-(\d+))?$/.exec(word);
  return show ? (show[2] ?? show[1]) - show[1] + 1 : 0;
}

require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const words = line.trim().split(/ +/);
  const said = Object.fromEntries(words.map((word) => word.split('=')));
  if (words[0] === 'referee') console.log('ready games=scat,scout');
  if (words[0] === 'match') seed = parseInt((said.rng ?? '1').slice(-8), 16);
  if (words[0] === 'bye') process.exit(0);
  if (words[0] === 'act') {
    const legal = said.legal.split(',');
    const hand = (said.hand ?? '-').split(',').filter((card) => /^..$/.test(card));
    let best = legal[below(legal.length)];  // settles ties at random
    for (const word of legal) if (worth(word, said.phase, hand) > worth(best, said.phase, hand)) best = word;
    console.log('move ' + words[1] + ' ' + best);
  }
});
