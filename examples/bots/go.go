// A player for SCAT and SCOUT in Go. SCAT: knock with 25, else draw at random and keep the best three cards.
// SCOUT: the longest show, else anything legal.
// By hand: go run go.go    then type: act 0 phase=draw hand=KS,TS,4H legal=stock,pile,knock
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"strings"
)

func value(hand, without string) int { // of the best suit, one card left out
	sums := make([]int, 128)
	for _, card := range strings.Split(hand, ",") {
		if len(card) == 2 && card != without {
			sums[card[1]] += []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 11}[strings.IndexByte("23456789TJQKA", card[0])]
		}
	}
	sort.Ints(sums)
	return sums[127]
}

func worth(word string, said map[string]string) int { // what speaks for a legal word: the greatest is played
	if said["phase"] == "discard" {
		return value(said["hand"], word)
	} else if word == "knock" {
		return 2*value(said["hand"], "") - 49 // above nothing from 25 on
	}
	first, last := 1, 0 // what is no show counts 0
	if n, _ := fmt.Sscanf(word, "show:%d-%d", &first, &last); n == 1 {
		last = first
	}
	return last - first + 1
}

func main() {
	rng := rand.New(rand.NewSource(1))
	for in := bufio.NewScanner(os.Stdin); in.Scan() && in.Text() != "bye"; { // takes lines up to 64 KiB
		words, said := strings.Fields(in.Text()+" -"), map[string]string{}
		for _, word := range words {
			key, text, _ := strings.Cut(word, "=")
			said[key] = text
		}
		if words[0] == "referee" {
			fmt.Println("ready games=scat,scout") // not buffered
		} else if words[0] == "match" {
			seed := uint64(1)
			fmt.Sscanf(said["rng"], "%x", &seed)
			rng.Seed(int64(seed))
		} else if words[0] == "act" {
			legal := strings.Split(said["legal"], ",")
			rng.Shuffle(len(legal), func(i, j int) { legal[i], legal[j] = legal[j], legal[i] }) // settles ties
			sort.SliceStable(legal, func(i, j int) bool { return worth(legal[i], said) > worth(legal[j], said) })
			fmt.Println("move", words[1], legal[0])
		}
	}
}
