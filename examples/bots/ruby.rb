# A player for SCAT and SCOUT in Ruby. SCAT: knock with 25, else draw at random and keep the best three cards.
# SCOUT: the longest show, else anything legal.
# By hand: ruby ruby.rb    then type: act 0 phase=draw hand=KS,TS,4H legal=stock,pile,knock

HIGH = { 'A' => 11, 'K' => 10, 'Q' => 10, 'J' => 10, 'T' => 10 }.freeze

def value(hand)
  hand.group_by { |card| card[1] }.values.map { |suit| suit.sum { |card| HIGH[card[0]] || card[0].to_i } }.max || 0
end

# What speaks for a legal word: the greatest is played.
def worth(word, phase, hand)
  return value(hand - [word]) if phase == 'discard'
  return value(hand) >= 25 ? 1 : -1 if word == 'knock'
  return 0 unless word.start_with?('show:')

  places = word.delete_prefix('show:').split('-').map(&:to_i)
  places.last - places.first + 1
end

$stdout.sync = true # flush after every line
rng = Random.new(1)
while (line = $stdin.gets)
  verb, *words = line.split
  said = words.to_h { |word| [word[/\A[^=]*/], word[/=(.*)/, 1]] }
  case verb
  when 'referee' then puts 'ready games=scat,scout'
  when 'match' then rng = Random.new(said.fetch('rng', '1').hex)
  when 'bye' then break
  when 'act'
    legal = said['legal'].split(',')
    hand = said.fetch('hand', '-').split(',').select { |card| card.size == 2 }
    best = legal.shuffle(random: rng).max_by { |word| worth(word, said['phase'], hand) }
    puts "move #{words[0]} #{best}"
  end
end
