"""Laws of the phrase banks: whoever adds a passage is told at once what is wrong with it."""

from __future__ import annotations

import re

import pytest

from dramaturg.kernel.models.rehearsal.part import Part
from dramaturg.kernel.models.rehearsal.portrait import MANNERS, SITUATIONS
from dramaturg.scenes.rehearsal.banks import BankError, BankPassage, PassageLine, passages, read_passages, sheet
from dramaturg.scenes.rehearsal.gestures import mood_of
from dramaturg.scenes.rehearsal.playbook import HeardLine, Playbook
from dramaturg.scenes.rehearsal.verdicts import findings

EVERY = [passage for move in passages().values() for passage in move]
SLOTS = {
    *"APTU", *SITUATIONS, "any", "revealing", "stake", "do", "doing", "going", "job", "what", "object", "ddid", "did",
    "thing", "noun", "cost", "project", "fact", "measure", "measure2", "measure_of_yours", "detail", "trade",
    "trade2", "trade_of_yours", "task", "matter", "told", "price", "who", "who2",
}  # fmt: skip
GOALS = {
    "apologise": "Bob apologizes to Alice for breaking the clock",
    "accept": "Bob accepts",
    "forgive": "Bob forgives Alice",
    "agree": "Bob and Alice agree to sell the boat",
    "confess": "Bob confesses that he broke the clock",
    "reveal": "Bob reveals what he saw",
    "realise": "Bob understands the harm",
    "promise": "Bob promises to mend the clock",
    "decide": "Bob decides to go out in the storm",
    "refuse": "Bob refuses to sell the boat",
    "order": "Bob orders Alice to drop the bag",
    "thank": "Bob thanks Alice",
    "part": "Bob says goodbye",
    "warn": "Bob warns Alice about the ice",
    "accuse": "Bob accuses Alice of stealing the ring",
    "offer": "Bob offers a trade",
    "ask": "Bob asks Alice to stay",
    "give": "Bob gives Alice the key",
    "reconcile": "Bob and Alice reconcile",
    "stay": "Bob stays",
    "leave": "Bob leaves",
    "yield": "Alice persuades Bob to stay",
    "do": "Bob juggles seven oranges",
    "mediate": "Bob mediates",
    "confront": "Bob confronts Alice",
    "invite": "Bob invites Alice to dinner",
    "welcome": "Bob welcomes Alice",
    "price": "Bob names a price for the boat",
    "sell": "Bob sells the boat to Alice",
    "hire": "Bob hires Alice",
    "bet": "Bob bets Alice that it will rain",
    "breakup": "Bob breaks up with Alice",
    "lie": "Bob lies about where he was",
    "catch": "Bob catches Alice in the lie",
}
FILL = {
    "A": "Bob", "P": "Alice", "T": "Charlie", "do": "", "did": "broke the clock", "ddid": "broke the clock",
    "thing": "the clock", "noun": "clock", "object": "the key", "what": "what I saw", "trade": "my Thursdays",
    "trade2": "my Fridays", "trade_of_yours": "your Fridays", "measure": "write it down",
    "measure2": "tell you at once", "told": "I saw two men at the mill.", "price": "four hundred",
    "who": "you go first", "who2": "I'll go first",
    "measure_of_yours": "write it down", "task": "keep the list", "offering": "I'll give you my Thursdays.",
    "revealing": "I saw a man at the window.", "refusing": "No. I won't.", "planning": "We share it.",
}  # fmt: skip
SPECIAL = {
    ("reveal", "why"): "Bob explains why he left",
    ("reveal", "that"): "Bob reveals that he broke the clock",
    ("warn", "nothing"): "Bob warns Alice",
    ("ask", "nothing"): "Bob asks for help",
    ("ask", "object"): "Bob asks Alice for help with the key",
    ("decide", "pick"): "Bob chooses the key",
    ("bet", "mute"): "Bob bets Alice",
    ("invite", "nothing"): "Bob invites Alice",
    ("agree", "who"): "They agree on who goes first",
    ("decide", "bare"): "Bob decides",
    ("order", "bare"): "Bob takes command",
    ("promise", "bare"): "Bob promises",
    ("ask", "bare"): "Bob asks for help",
    ("yield", "bare"): "Bob relents",
}
DO = {
    "promise": "mend the clock", "decide": "go out in the storm", "refuse": "sell the boat", "order": "drop the bag",
    "ask": "stay", "give": "give you the key", "yield": "stay", "do": "juggle seven oranges", "agree": "sell the boat",
    "offer": "trade you a day",
}  # fmt: skip


OWN = {
    "warn": {"object": "the ice"},
    "invite": {"object": "dinner", "do": "stay"},
    "lie": {"told": "I was at the mill."},
}


def kinds(passage: BankPassage) -> list[str]:
    return [kind for kind in GOALS if kind in passage.tags]


def text_of(turn: PassageLine, at: int, kind: str) -> str:
    wording = turn.wordings[min(at, len(turn.wordings) - 1)]
    do = DO.get(kind, "stay")
    done = {"ddid": "stole the ring"} if kind == "accuse" else OWN.get(kind, {})
    values = FILL | done | {"do": do, "going": "going out in the storm" if do.startswith("go ") else f"going to {do}"}
    filled = re.sub(r"\{(\w+)\}", lambda slot: values.get(slot[1], "Well."), wording.text)
    return filled.replace(" ^ ", " ")


def test_every_slot_is_one_the_company_can_fill() -> None:
    unknown = {
        slot for passage in EVERY for turn in passage.lines for one in turn.wordings for slot in one.slots
    } - SLOTS
    assert not unknown


def test_every_tone_has_a_mood_and_every_manner_is_known() -> None:
    for passage in EVERY:
        for turn in passage.lines:
            for one in turn.wordings:
                assert set(one.manners) <= set(MANNERS), one
                assert all(mood_of(tone) != "even" or tone in sheet("lists")["mood"][-1] for tone in one.tones), one


def test_a_line_is_cut_where_it_says_so_and_only_there() -> None:
    for passage in EVERY:
        for before, turn in zip((None, *passage.lines), passage.lines, strict=False):
            for one in turn.wordings:
                following = passage.lines[passage.lines.index(turn) + 1 :]
                cut_next = bool(following) and following[0].cuts
                assert ("^" in one.text) == cut_next, one.text
                if "^" in one.text:
                    head, _, rest = one.text.partition("^")
                    assert len(head.split()) >= 3, one.text
                    assert len(rest.split()) >= 2, one.text
            assert not turn.cuts or before is not None


def test_every_line_is_fit_to_be_printed() -> None:
    for passage in EVERY:
        for turn in passage.lines:
            for one in turn.wordings:
                assert one.text[-1] in ".!?}", one.text
                assert '"' not in one.text, one.text
                assert "  " not in one.text.replace(" ^ ", " "), one.text
                assert "—" not in one.text, "a dash at the end means a cut"


def test_no_wording_stands_in_the_banks_twice() -> None:
    texts = [
        (passage.move, one.text)
        for passage in EVERY
        for turn in passage.lines
        for one in turn.wordings
        if len(one.text.split()) > 5
    ]
    assert sorted({text for text in texts if texts.count(text) > 1}) == []


@pytest.mark.parametrize("kind", GOALS)
def test_every_wording_of_a_deed_is_known_to_the_judge_as_that_deed(kind: str) -> None:
    cast = (Part("Alice"), Part("Bob", sections=(("Secrets", ("I saw a man at the window.",)),)), Part("Charlie"))
    tried = 0
    for passage in passages()["deed"]:
        if kind not in passage.tags:
            continue
        special = next((SPECIAL[kind, tag] for tag in passage.tags if (kind, tag) in SPECIAL), GOALS[kind])
        book = Playbook("bank", "", (special,), cast, "Alice")
        for at in range(max(len(turn.wordings) for turn in passage.lines)):
            lines = []
            for turn in passage.lines:
                lines.append(HeardLine(len(lines), "line", FILL[turn.part], "speak", text_of(turn, at, kind)))
                if turn.deed:
                    break
            tried += 1
            if any("{do}" in turn.wordings[0].text for turn in passage.lines) and kind == "invite":
                book = Playbook("bank", "", ("Bob invites Alice to stay",), cast, "Alice")
            assert findings(book, tuple(lines)), f"{passage.key}: {[line.content for line in lines]}"
    assert tried >= 2


def test_a_passage_that_cannot_be_read_is_named() -> None:
    with pytest.raises(BankError, match="cannot read"):
        read_passages("## open fault\nQ angry: What?\n", "mine")
    with pytest.raises(BankError, match="twice in a row"):
        read_passages("## open fault\nA low: One.\nA low: Two.\n", "mine")
    with pytest.raises(BankError, match="before the first heading"):
        read_passages("A low: One.\n", "mine")


def test_a_passage_is_read_with_its_marks_manners_tones_and_gestures() -> None:
    text = (
        "## resist fault office\nA>T (nervous) wary/tense *looks up*: I can explain, ^ it was late.\n"
        "/ (dry): Well.\nP!= angry: No.\n"
    )
    (passage,) = read_passages(text, "mine")
    first, second = passage.lines
    assert passage.move == "resist"
    assert passage.tags == {"fault", "office"}
    assert (first.part, first.to) == ("A", "T")
    assert first.wordings[0].tones == ("wary", "tense")
    assert first.wordings[0].manners == ("nervous",)
    assert first.wordings[0].gesture == "looks up"
    assert first.wordings[1].tones == ("wary", "tense")
    assert second.cuts
    assert second.deed
