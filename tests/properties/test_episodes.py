"""Laws of episodes: however an answer is cut into pieces it reads the same, what is hidden stays hidden, and the
director's state is always that of the messages which remain."""

from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st

from dramaturg.episodes.answer import StructuredAnswer
from dramaturg.episodes.answer_stream import AnswerReader, read_answer, shown_text
from dramaturg.episodes.director import direct, observe
from dramaturg.episodes.events import (
    AnswerAsked,
    CharacterAnswered,
    Findings,
    FindingsExtracted,
    MessageChosen,
    MessageDeleted,
    MessageEdited,
    Persona,
    PlayerSpoke,
    QuotedFinding,
    SessionBranched,
    SessionOpened,
    TurnObserved,
)
from dramaturg.episodes.state import EPISODE_FOLD, EpisodeState, episode_state
from dramaturg.episodes.template import template_from
from dramaturg.kernel.runs.events import Entry, Event
from tests.laws import examples

SECRET = "QZXJ"
words = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=40)
pieces = [
    "a",
    " ",
    '"',
    "'",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "*",
    "<",
    ">",
    "\n",
    "😀",
    "“",
    "`",
    "internal",
    "dialogue",
    "<think>",
]
tricky = st.lists(st.sampled_from(pieces), max_size=30).map("".join)
plain_words = st.text(st.sampled_from("abcdefgh ,.!?'é😀"), min_size=1, max_size=30).filter(str.strip)


def cut_at(text: str, places: list[int]) -> tuple[str, StructuredAnswer]:
    """The text fed in pieces that end at these places."""
    reader, shown, start = AnswerReader(), "", 0
    for place in sorted(place % (len(text) + 1) for place in places):
        shown += reader.feed(text[start:place])
        start = place
    shown += reader.feed(text[start:]) + reader.close()
    return shown, reader.answer


@given(st.one_of(words, tricky), st.lists(st.integers(0, 500), max_size=8))
def test_any_text_reads_the_same_however_it_is_cut(text: str, places: list[int]) -> None:
    assert cut_at(text, places) == cut_at(text, [])


@given(
    st.dictionaries(st.sampled_from(["dialogue", "action", "internal", "mood"]), words), st.lists(st.integers(0, 999))
)
def test_any_form_reads_the_same_however_it_is_cut(form: dict[str, str], places: list[int]) -> None:
    for text in (
        json.dumps(form),
        json.dumps(form, ensure_ascii=False, indent=1),
        f"Sure:\n```json\n{json.dumps(form)}\n```",
    ):
        assert cut_at(text, places) == cut_at(text, [])


@given(words.filter(str.strip), words, st.permutations(["dialogue", "action", "internal", "mood", "tension_shift"]))
def test_a_form_gives_back_its_words_in_any_order(dialogue: str, action: str, order: list[str]) -> None:
    values = {"dialogue": dialogue, "action": action, "internal": SECRET, "mood": "calm", "tension_shift": 0.25}
    answer = read_answer(json.dumps({key: values[key] for key in order}))
    assert answer.dialogue == dialogue.replace("\x7f", "").strip()
    assert answer.action == " ".join(action.replace("\x7f", "").split())
    assert (answer.internal, answer.mood, answer.tension_shift) == (SECRET, "calm", 0.25)


@given(plain_words, plain_words, st.booleans())
def test_what_is_shown_is_what_stands_in_the_conversation(dialogue: str, action: str, escaped: bool) -> None:
    text = json.dumps({"action": action, "dialogue": dialogue, "internal": SECRET}, ensure_ascii=escaped)
    assert shown_text(text) == read_answer(text).content


@given(
    st.dictionaries(st.sampled_from(["dialogue", "action", "mood"]), plain_words),
    st.permutations(["dialogue", "action", "internal", "mood"]),
    st.integers(0, 400),
    st.sampled_from(["{}", "```json\n{}\n```", "Here you are: {}", "<think>x</think>{}", "[{}]", '{{"answer": {}}}']),
)
def test_what_is_thought_is_never_shown_even_where_the_form_breaks_off(
    form: dict[str, str], order: list[str], end: int, frame: str
) -> None:
    values = {**form, "internal": f"{SECRET} {SECRET}"}
    text = (
        frame.replace("{{", "{")
        .replace("}}", "}")
        .replace("{}", json.dumps({key: values[key] for key in order if key in values}))
    )
    for part in (text, text[:end]):
        assert SECRET not in shown_text(part)


@examples(300)
@given(
    st.permutations(["action", "dialogue", "internal", "mood", "tension_shift"]),
    st.sampled_from(["Hi there, friend.", 'You said: "no". Fine.', "Well: yes"]),
    st.integers(0, 400),
    st.sampled_from(["", *"\"{}:,\n'\\ a"]),
    st.booleans(),
    st.sampled_from([None, 1]),
)
def test_what_is_thought_is_never_shown_whatever_one_character_is_mistyped(
    order: list[str], line: str, place: int, typo: str, instead: bool, indent: int | None
) -> None:
    values = {"action": "She nods, once", "dialogue": line, "internal": SECRET, "mood": "dry", "tension_shift": 0.1}
    text = json.dumps({key: values[key] for key in order}, indent=indent)
    place %= len(text)
    typed = text[:place] + typo + text[place + (instead or not typo) :]
    assert SECRET not in shown_text(typed)


@given(
    st.sampled_from(['"', "'", ""]),
    st.sampled_from([",", "", " ,", ",\n"]),
    plain_words.map(lambda text: text.replace("'", "")),
    st.sampled_from(["internal", "Internal", "thoughts", "inner_thoughts", "reasoning"]),
)
def test_what_is_thought_is_never_shown_where_the_form_is_mistyped(mark: str, comma: str, line: str, key: str) -> None:
    said = line.replace(",", "").replace(".", "") or "x"
    text = f'{{{mark}dialogue{mark}: "{said}"{comma} {mark}{key}{mark}: "{SECRET}"}}'
    assert SECRET not in shown_text(text)


@given(
    st.sampled_from(["Internal: {}", "(thoughts: {})", "**Internal:** {}", "<think>{}</think>", "Mood: {}"]),
    plain_words,
)
def test_a_thought_in_prose_is_never_shown(label: str, line: str) -> None:
    safe = line.replace(":", "")
    text = f"{safe}\n{label.format(SECRET)}\n"
    assert SECRET not in shown_text(text)


TEMPLATE = template_from(
    {
        "name": "t",
        "character": "mina",
        "completion_mode": "objective",
        "turn_budget": 6,
        "completion_criteria": {"objective_key": "named", "keywords": ["bad hag"], "met_when": "the player names it"},
        "flags": {"kind": {"keywords": ["aha"]}},
        "beats": [{"beat": "escalation", "detection": "keyword", "keywords": ["gab"], "deadline": 5}],
        "beat_detection": "model",
    }
)
talk = st.sampled_from(["aha", "bad hag", "gab a bit", "maybe...", "I want it!", "haha", "good night", "why?"])
operations = st.lists(
    st.one_of(
        st.tuples(st.just("turn"), talk, talk),
        st.tuples(st.just("turn"), talk, talk),
        st.tuples(st.just("edit"), st.integers(0, 99), talk),
        st.tuples(st.just("delete"), st.integers(0, 99), st.just("")),
        st.tuples(st.just("swipe"), st.integers(0, 99), talk),
        st.tuples(st.just("choose"), st.integers(0, 99), st.just("")),
        st.tuples(st.just("branch"), st.integers(0, 99), st.just("")),
        st.tuples(st.just("extract"), st.integers(0, 99), st.sampled_from(["pivot", "complication", "named", "warm"])),
    ),
    max_size=25,
)


class Script:
    """A log that is written by hand, as the house would write it."""

    def __init__(self) -> None:
        self.entries: list[Entry[Event]] = []
        self.state = EpisodeState()
        self.write(
            SessionOpened(
                root="r", template=TEMPLATE, player=Persona(id="p"), character="mina", display_name="Mina",
                model="m", director="m", seed=1,
            )
        )  # fmt: skip

    def write(self, *events: Event) -> None:
        for event in events:
            self.entries.append(Entry[Event](seq=len(self.entries) + 1, at=0.0, event=event))
            self.state = EPISODE_FOLD.after(self.state, self.entries[-1:])

    def player(self, text: str) -> None:
        state = self.state
        self.write(PlayerSpoke(message_id=state.next_id, client_id=state.next_id, parent=state.tip or None, text=text))

    def character(self, parent: str | None, text: str, structured: StructuredAnswer | None = None) -> None:
        message_id = self.state.next_id
        parts = structured or StructuredAnswer(
            dialogue=text, mood="calm" if "a" in text else "angry", tension_shift=0.2
        )
        self.write(
            AnswerAsked(message_id=message_id, parent=parent, key=message_id),
            CharacterAnswered(message_id=message_id, parent=parent, content=text, structured=parts),
        )
        self.look()

    def look(self) -> None:
        for one in self.state.exchanges:
            if one.reading is None:
                reading = observe(TEMPLATE, one)
                self.write(TurnObserved(message_id=one.message_id, digest=one.digest, reading=reading))

    def do(self, what: str, first: object, second: str) -> None:
        state = self.state
        if what == "turn":
            self.player(str(first))
            self.character(self.state.tip, second)
            return
        assert isinstance(first, int)
        there = [one for one in state.messages.values() if not one.deleted]
        if what == "extract":
            self.extract(first, second)
        elif there:
            message = there[first % len(there)]
            if what == "edit":
                self.write(MessageEdited(message_id=message.id, text=second))
            elif what == "delete":
                self.write(MessageDeleted(message_ids=(message.id,)))
            elif what == "swipe" and message.role == "character":
                self.character(message.parent or None, second)
            elif what == "choose":
                self.write(MessageChosen(message_id=message.id))
            elif what == "branch":
                self.write(SessionBranched(message_id=message.id))
            self.look()

    def extract(self, place: int, name: str) -> None:
        found = self.state.exchanges
        if not found:
            return
        one = found[place % len(found)]
        findings = {
            "named": Findings(flags=(QuotedFinding(name="named", quote="x"),)),
            "warm": Findings(signals=(QuotedFinding(name="warm", quote="x"),)),
        }.get(name, Findings(beat=QuotedFinding(name=name, quote="x")))
        self.write(FindingsExtracted(message_id=one.message_id, digest=one.digest, findings=findings))


@examples(150)
@example([("turn", "aha", "gab a bit"), ("edit", 1, "gab a bit")])
@given(operations)
def test_the_directors_state_is_that_of_the_messages_which_remain(steps: list[tuple[str, object, str]]) -> None:
    script = Script()
    for step in steps:
        script.do(*step)
        # Looked at after every step, as the house does: what is kept of one look must not spoil the next.
        assert script.state.director == direct(TEMPLATE, script.state.exchanges)
    state = script.state
    fresh = Script()
    for message in state.conversation:
        if message.role == "player":
            fresh.player(message.text)
        else:
            parts = message.structured if not message.edited else StructuredAnswer()
            fresh.character(fresh.state.tip or None, message.text, parts)
    # What models found in these very words counts wherever the words stand.
    names = dict(zip((one.message_id for one in state.exchanges), fresh.state.exchanges, strict=True))
    for one in state.exchanges:
        if one.findings is not None:
            twin = names[one.message_id]
            fresh.write(FindingsExtracted(message_id=twin.message_id, digest=twin.digest, findings=one.findings))
    without_names = {"marks": {"__all__": {"message_id"}}}
    assert state.director.model_dump(exclude=without_names) == fresh.state.director.model_dump(exclude=without_names)
    assert state.director.turn_count == len(state.exchanges) <= len(state.conversation) / 2
    assert all(0 <= level <= 1 for level in state.director.tension_curve)


@given(operations)
def test_folding_in_two_steps_is_folding_at_once(steps: list[tuple[str, object, str]]) -> None:
    script = Script()
    for step in steps:
        script.do(*step)
    middle = len(script.entries) // 2
    assert EPISODE_FOLD.after(episode_state(script.entries[:middle]), script.entries[middle:]) == script.state
