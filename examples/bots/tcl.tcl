# A player for SCAT and SCOUT in Tcl. SCAT: knock with 25, else draw at random and keep the best three cards.
# SCOUT: the longest show, else anything legal.
# By hand: tclsh tcl.tcl    then type: act 0 phase=draw hand=KS,TS,4H legal=stock,pile,knock

proc value {hand {without ""}} {            ;# of the best suit, one card left out
    set best 0
    foreach card $hand {
        if {[string length $card] != 2 || $card eq $without} continue
        lassign [split $card ""] rank suit
        incr points($suit) [expr {$rank eq "A" ? 11 : [string is digit $rank] ? $rank : 10}]
        set best [expr {max($best, $points($suit))}]
    }
    return $best
}

proc worth {word phase hand} {              ;# what speaks for a legal word: the greatest is played
    if {$phase eq "discard"} {return [value $hand $word]}
    if {$word eq "knock"} {return [expr {[value $hand] >= 25 ? 1 : -1}]}
    if {![regexp {^show:(\d+)(?:-(\d+))?$} $word -> first last]} {return 0}
    return [expr {$last eq "" ? 1 : $last - $first + 1}]
}

fconfigure stdout -buffering line
while {[gets stdin line] >= 0} {
    set words [split [string trim $line]]
    array unset said
    array set said {phase - hand - legal - rng 1}
    foreach word $words {
        if {[regexp {^([^=]+)=(.*)$} $word -> key text]} {set said($key) $text}
    }
    switch -- [lindex $words 0] {
        referee {puts "ready games=scat,scout"}
        match {expr {srand([scan [string range $said(rng) 0 6] %x])}}
        bye exit
        act {
            set legal [split $said(legal) ,]
            set hand [split $said(hand) ,]
            set best [lindex $legal [expr {int(rand() * [llength $legal])}]]    ;# settles ties at random
            foreach word $legal {
                if {[worth $word $said(phase) $hand] > [worth $best $said(phase) $hand]} {set best $word}
            }
            puts "move [lindex $words 1] $best"
        }
    }
}
