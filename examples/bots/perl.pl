# A player for SCAT and SCOUT in Perl. SCAT: knock with 25, else draw at random and keep the best three cards.
# SCOUT: the longest show, else anything legal.
# By hand: perl perl.pl    then type: act 0 phase=draw hand=KS,TS,4H legal=stock,pile,knock
use strict;
use warnings;
use List::Util qw(max);

$| = 1;    # flush after every line
my %high = (A => 11, K => 10, Q => 10, J => 10, T => 10);

sub value {    # of the best suit in the cards given
    my %points = (none => 0);
    $points{ substr $_, 1 } += $high{ substr $_, 0, 1 } || substr $_, 0, 1 for @_;
    return max values %points;
}

sub worth {    # what speaks for a legal word: the greatest is played
    my ($word, $phase, @hand) = @_;
    return value(grep { $_ ne $word } @hand) if $phase eq 'discard';
    return value(@hand) >= 25 ? 1 : -1 if $word eq 'knock';
    return ($2 // $1) - $1 + 1 if $word =~ /^show:(\d+)(?:-(\d+))?$/;
    return 0;
}

while (my $line = <STDIN>) {
    my ($verb, @words) = split ' ', $line or next;
    my %said = map { /^([^=]+)=(.*)/ } @words;
    if    ($verb eq 'referee') { print "ready games=scat,scout\n" }
    elsif ($verb eq 'match')   { srand hex substr $said{rng} // 1, 0, 8 }
    elsif ($verb eq 'bye')     { last }
    elsif ($verb eq 'act') {
        my @legal = split /,/, $said{legal};
        my @asked = ($said{phase} // '', grep { length == 2 } split /,/, $said{hand} // '');
        my $best  = $legal[ rand @legal ];    # settles ties at random
        for (@legal) { $best = $_ if worth($_, @asked) > worth($best, @asked) }
        print "move $words[0] $best\n";
    }
}
