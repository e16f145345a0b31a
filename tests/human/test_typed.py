"""Typed text: whatever is typed gets an answer, and Tab completes verbs and what follows them."""

from dataclasses import replace

import pytest
from human import grammar, play
from human.model import Model, Send
from human.screen import screen
from hypothesis import given
from hypothesis import strategies as st
from scenes import SCENES, pressed, scat_nine, scat_two_drop, scout_four, scout_orient, typed

# Words of the grammar among words of any kind: digits of other alphabets, huge numbers, lone surrogates.
WORDS = sorted(
    {*play.COMMON, *"show scout at flip then keep turn left right take draw knock drop of to king 9h".split()}
)
NUMBERS = ("0", "1", "3", "5-6", "-1", "1-", "1-2-3", "²", "٣", "½", "9" * 5000, "1" * 12, "\udcff", "00003")
ANY_WORD = st.one_of(st.sampled_from(WORDS), st.sampled_from(NUMBERS), st.text(max_size=6))


@given(st.sampled_from(sorted(SCENES)), st.lists(ANY_WORD, max_size=6))
def test_any_line_gets_an_answer_and_sends_nothing(scene: str, words: list[str]) -> None:
    model, effects = play.command(SCENES[scene](), " ".join(words))
    sends = [one for one in effects if isinstance(one, Send)]
    assert not sends or words[0] in ("yes", "y"), "only yes sends"
    assert all(len(sentence) < 1500 for sentence in model.said[-1:])
    line = "".join(letter for letter in " ".join(words)[:60] if letter.isprintable())
    screen(replace(SCENES[scene](), overlay="", line=line), 80, 24)


@given(st.sampled_from(sorted(SCENES)), st.lists(st.characters(), max_size=12))
def test_any_character_of_any_keyboard_is_a_key(scene: str, names: list[str]) -> None:
    model = SCENES[scene]()
    for name in names:
        before = model
        model, effects = play.key(model, name)
        assert not [one for one in effects if isinstance(one, Send)], before


def test_no_answers_for_itself_after_a_mistake() -> None:
    for start in (scat_nine, scout_four):
        mistaken, _ = play.command(start(), "nonsense")
        for verb in ("no", "undo"):
            after, _ = play.command(mistaken, verb)
            assert after.said[-1].startswith("Nothing to take back")


@pytest.mark.parametrize(
    ("start", "line", "after"),
    [
        (scat_nine, "kn", "knock "),
        (scat_nine, "take ", "take drop "),
        (scat_nine, "take drop 3", "take drop 3C "),
        (scat_nine, "take drop k", "take drop KH "),
        (scat_two_drop, "drop 9", "drop 9H "),
        (scat_nine, "rules sh", "rules showdown "),
        (scout_four, "show 1", "show 1-3 "),
        (scout_four, "scout r", "scout right "),
        (scout_four, "scout right f", "scout right flip "),
        (scout_four, "scout right flip ", "scout right flip at "),
        (scout_four, "scout right at 11 ", "scout right at 11 then "),
        (scout_four, "scout right at 11 then ", "scout right at 11 then show "),
        (scout_four, "scout right at 11 then show 11", "scout right at 11 then show 11-1"),
    ],
)
def test_tab_completes_what_may_follow(start, line: str, after: str) -> None:  # type: ignore[no-untyped-def]
    assert pressed(typed(start(), line), "tab").line == after


def test_tab_lists_the_choices_and_goes_as_far_as_they_agree() -> None:
    model = pressed(typed(scout_four(), "scout right at "), "tab")
    assert model.line == "scout right at " and model.note.startswith("Choices: 11 ")
    assert pressed(typed(scout_four(), "sho"), "tab").line == "show "
    agreed = grammar.completed("take drop 1", ("10H", "10C", "2S"))
    assert agreed.line == "take drop 10" and agreed.choices == ("10H", "10C")
    assert pressed(typed(scout_orient(), "show "), "tab").note == "Nothing to complete."


@given(st.sampled_from(sorted(SCENES)), st.lists(ANY_WORD, max_size=5))
def test_tab_never_fails_and_never_takes_a_word_away(scene: str, words: list[str]) -> None:
    line = "".join(letter for letter in " ".join(words)[:50] if letter.isprintable())
    model, effects = play.key(replace(SCENES[scene](), overlay="", review=None, line=line), "tab")
    assert not effects and (model.line or "").lower().startswith(line.lower())


def every_completion(model: Model, line: str, left: int) -> list[str]:
    """Return lines that Tab alone can lead to."""
    if not left:
        return [line]
    found = play.next_words(model, tuple(line.split()))
    return [line, *(one for word in found for one in every_completion(model, f"{line}{word} ", left - 1))]


@pytest.mark.parametrize("start", [scat_nine, scat_two_drop, scout_four, scout_orient])
def test_every_line_that_tab_builds_is_understood(start) -> None:  # type: ignore[no-untyped-def]
    model = start()
    for line in every_completion(model, "", 3):
        if line:
            after, _ = play.command(model, line)
            refused = ("There is no command", "may be", "is no place", "is no card", "No rule")
            assert not any(part in after.said[-1] for part in refused), (line, after.said[-1])
