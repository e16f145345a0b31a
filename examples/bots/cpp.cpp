// A player for SCAT and SCOUT in C++. SCAT: knock with 25, else draw at random and keep the best three cards.
// SCOUT: the longest show, else anything legal.
// By hand: c++ -std=c++20 -o bot cpp.cpp && ./bot    then type: act 0 phase=draw hand=KS,TS,4H legal=stock,pile,knock
#include <algorithm>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>
using namespace std;
using Words = vector<string>;

Words split(const string &text, char at) {
    Words words;
    istringstream in(text);
    for (string word; getline(in, word, at);) words.push_back(word);
    return words;
}

int value(const Words &hand, const string &without = "") {  // of the best suit, one card left out
    map<char, int> points{{' ', 0}};
    for (auto &card : hand)
        if (card.size() == 2 && card != without)
            points[card[1]] += card[0] == 'A' ? 11 : isdigit(card[0]) ? card[0] - '0' : 10;
    return max_element(points.begin(), points.end(), [](auto &a, auto &b) { return a.second < b.second; })->second;
}

int worth(const string &word, const string &phase, const Words &hand) {  // what speaks for a legal word
    if (phase == "discard") return value(hand, word);
    if (word == "knock") return value(hand) >= 25 ? 1 : -1;
    if (word.rfind("show:", 0) != 0) return 0;
    Words ends = split(word.substr(5), '-');
    return stoi(ends.back()) - stoi(ends.front()) + 1;
}

int main() {
    mt19937_64 rng(1);
    for (string line, verb, id; getline(cin, line);) {
        istringstream in(line);
        map<string, string> said;
        in >> verb;
        if (verb == "bye") break;
        if (verb == "referee") cout << "ready games=scat,scout" << endl;  // endl flushes
        if (verb == "act") in >> id;
        for (string word; in >> word;) said[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
        if (verb == "match" && said.count("rng")) rng.seed(stoull(said["rng"], nullptr, 16));
        if (verb != "act") continue;
        Words legal = split(said["legal"], ','), hand = split(said["hand"], ',');
        rotate(legal.begin(), legal.begin() + rng() % legal.size(), legal.end());  // settles ties at random
        cout << "move " << id << ' ' << *max_element(legal.begin(), legal.end(), [&](auto &a, auto &b) {
            return worth(a, said["phase"], hand) < worth(b, said["phase"], hand);
        }) << endl;
    }
}
