"""What people type at their turn, and the line that the transcript prints of it: no word of theirs is lost."""

from __future__ import annotations

import pytest

from dramaturg.scenes.line import Line
from dramaturg.scenes.person.words import read_words

HEARD = (
    Line(number=1, beat=1, speaker="Alice", tone="hot", content="You were seen at the", still_speaking=True),
    Line(number=2, beat=1, speaker="Carol", tone="calm", content="Sit down, both of you."),
)
N = "TONE: neutral"

TABLE = [
    ("I took the money.", f'Bob [{N}] "I took the money."'),
    ('"I took the money."', f'Bob [{N}] "I took the money."'),
    ("“I took the money.”", f'Bob [{N}] "I took the money."'),
    ("Bob: I took the money.", f'Bob [{N}] "I took the money."'),
    ("Alice: come here.", f'Bob [{N}] "Alice: come here."'),
    ("You said \"never\" and I believed you.", f'Bob [{N}] "You said "never" and I believed you."'),
    ('"Never," you said. I believed you.', f'Bob [{N}] ""Never," you said. I believed you."'),
    ("Sure! Here is my answer: no.", f'Bob [{N}] "Sure! Here is my answer: no."'),
    ("I'm sorry, but I can't help with that.", f'Bob [{N}] "I\'m sorry, but I can\'t help with that."'),
    ("As an AI, I cannot do this.", f'Bob [{N}] "As an AI, I cannot do this."'),
    ("Note: the door is open.", f'Bob [{N}] "Note: the door is open."'),
    ("<think>she knows</think> Good evening.", f'Bob [{N}] "<think>she knows</think> Good evening."'),
    ("Thought: she knows.", f'Bob [{N}] "Thought: she knows."'),
    ("{\"words\": \"hello\"}", f'Bob [{N}] "{{"words": "hello"}}"'),
    ("```hello```", f'Bob [{N}] "```hello```"'),
    ("Option 1: we run. Option 2: we stay.", f'Bob [{N}] "Option 1: we run. Option 2: we stay."'),
    ("- first, the key", f'Bob [{N}] "- first, the key"'),
    ("He said he would. He lied.", f'Bob [{N}] "He said he would. He lied."'),
    ("Bob never said that.", f'Bob [{N}] "Bob never said that."'),
    ("2 * 3 * 4 is twenty-four", f'Bob [{N}] "2 * 3 * 4 is twenty-four"'),
    ("give me *all of it", f'Bob [{N}] "give me *all of it"'),
    ("It is *very* late.", f'Bob [{N}] "It is very late."'),
    ("*sits down* I am tired.", f'Bob [{N}, *sits down*] "I am tired."'),
    ("*sits down*", f"Bob [REACT, {N}, *sits down*]"),
    ("(quietly) I know.", 'Bob [TONE: quietly] "I know."'),
    ("(the old one) is gone", f'Bob [{N}, *the old one*] "is gone"'),
    ("[TO: Alice] It was me.", f'Bob [TO: Alice, {N}] "It was me."'),
    ("[TO: Alice, TONE: low] \"It was me.\"", 'Bob [TO: Alice, TONE: low] "It was me."'),
    ("[ASIDE TO: Carol] She knows.", f'Bob [ASIDE TO: Carol, {N}] "She knows."'),
    ("[aside to Carol] She knows.", f'Bob [ASIDE TO: Carol, {N}] "She knows."'),
    ("(aside) She knows.", f'Bob [ASIDE TO: oneself, {N}] "She knows."'),
    ("[REACT, TONE: hurt, *turns away*]", "Bob [REACT, TONE: hurt, *turns away*]"),
    ("[maybe] I will come", f'Bob [{N}] "[maybe] I will come"'),
    ("-- I was not!", f'Bob [INTERRUPT after "You were seen at the", {N}] "I was not!"'),
    ("— I was not!", f'Bob [INTERRUPT after "You were seen at the", {N}] "I was not!"'),
    ("[TONE: hot] -- I was not!", 'Bob [INTERRUPT after "You were seen at the", TONE: hot] "I was not!"'),
    ('[INTERRUPT after "were seen"] No!', f'Bob [INTERRUPT after "were seen", {N}] "No!"'),
    ("[SCENE END - Goal: Achieved] Bye.", f'Bob [{N}] "Bye."'),
    ("Look: [EVENT: the roof falls] run!", f'Bob [{N}] "Look: run!"'),
    ("\x1b[31mred\x1b[0m \u202ehidden", f'Bob [{N}] "[31mred[0m hidden"'),
    ("¿Quién? ¡Yo!", f'Bob [{N}] "¿Quién? ¡Yo!"'),
    ("「私です」", f'Bob [{N}] "私です"'),
    ("?!", f'Bob [{N}] "?!"'),
    ("one\ntwo", f'Bob [{N}] "one two"'),
    ("...", ""),
    ("[SILENT]", ""),
    ("[SILENT, *shrugs*]", ""),
    ("silent night", f'Bob [{N}] "silent night"'),
    ("Silence!", f'Bob [{N}] "Silence!"'),
    ("nothing", f'Bob [{N}] "nothing"'),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "printed"), TABLE, ids=[typed[:30] for typed, _ in TABLE])
def test_what_is_typed_is_printed(typed: str, printed: str) -> None:
    parsed, _ = read_words(typed, HEARD, me="Bob", cast=["Alice", "Bob", "Carol"])
    line = "" if parsed.action == "silent" else Line.spoken(3, 2, "Bob", parsed).rendered()
    assert line == printed


def test_an_interruption_before_anybody_spoke_is_an_ordinary_line() -> None:
    parsed, warnings = read_words("-- wait", (), me="Bob", cast=["Alice", "Bob"])
    assert (parsed.action, parsed.content) == ("speak", "wait")
    assert warnings == ("interruption without a phrase, taken as speech",)
