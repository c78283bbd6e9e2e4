"""Laws of memory that hold for all inputs."""

import string

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.text.words import words
from dramaturg.scenes.director.goals import Goal
from dramaturg.scenes.events import CastMember, LineSpoken, SceneOpened
from dramaturg.scenes.hearing import as_spoken, heard_by
from dramaturg.scenes.line import Line
from dramaturg.scenes.memories import Bond, BondChange, Memory, Mood, Past, bonds_after, mood_after
from dramaturg.scenes.memory.aftermath import aftermath
from dramaturg.scenes.memory.recall import recall
from dramaturg.scenes.memory.recollection_text import memory_layer
from dramaturg.scenes.scene import scene_from

CAST = tuple(CastMember(name=name, display_name=name.title(), model="rehearsal") for name in ("ada", "ben", "cleo"))
FRENCH = CAST[2].model_copy(update={"languages": ("French",)})
TONES = st.sampled_from(["", "furious", "warm", "ashamed", "cold", "giddy", "like a heron"])
ACTS = st.sampled_from(
    ["I promise you", "I'm sorry", "You lied", "I forgive you", "Thank you", "Get out", "I love you", "I admit it"]
)
SIZES = st.floats(-1, 1, allow_nan=False)


@st.composite
def lines(draw: st.DrawFn) -> tuple[Line, ...]:
    """A scene in which every line holds a word that no other has."""
    spoken = []
    for number in range(1, draw(st.integers(1, 12)) + 1):
        speaker = draw(st.sampled_from(CAST))
        others = [member for member in CAST if member != speaker]
        target = draw(st.sampled_from([*others, None]))
        line = Line(
            number=number,
            beat=number,
            speaker=speaker.display_name,
            target=target.display_name if target else None,
            tone=draw(TONES),
            aside=target is not None and draw(st.booleans()),
            content=f"{draw(ACTS)}, the zq{string.ascii_lowercase[number]} is true.",
            language=draw(st.sampled_from([None, "French"])),
        )
        on_stage = draw(st.sets(st.sampled_from([member.name for member in CAST])))
        spoken.append(as_spoken(line, speaker, (*CAST[:2], FRENCH), on_stage))
    return tuple(spoken)


def log_of(spoken: tuple[Line, ...]) -> list[Entry[Event]]:
    config = scene_from({"name": "s", "prompt": "They talk.", "characters": ["ada", "ben", "cleo"]})
    goals = (Goal(id=1, text="They talk"),)
    opened = SceneOpened(
        config=config, cast=CAST, opener="ada", goals=goals, director="rehearsal", seed=1, folder="scenes/s"
    )
    events = [opened, *(LineSpoken(line=line) for line in spoken)]
    return [Entry[Event](seq=seq, at=float(seq), event=event) for seq, event in enumerate(events, start=1)]


@given(lines())
def test_a_character_never_keeps_what_it_did_not_hear(spoken: tuple[Line, ...]) -> None:
    left = aftermath("run", log_of(spoken))
    for member in CAST:
        heard = {word for line in heard_by(member.display_name, spoken) for word in words(line.content)}
        kept = [m.text + m.quote for m in left.memories if m.character == member.name]
        kept += [one.cause for one in (*left.shifts, *left.changes) if one.character == member.name]
        marks = {word for text in kept for word in words(text) if word.startswith("zq")}
        assert marks <= heard


@given(lines())
def test_the_same_log_leaves_the_same_and_everything_in_range(spoken: tuple[Line, ...]) -> None:
    left = aftermath("run", log_of(spoken))
    assert aftermath("run", log_of(spoken)) == left
    for member in CAST:
        for bond in bonds_after(member.name, tuple(c for c in left.changes if c.character == member.name)):
            assert bond.toward != member.name
            assert -1 <= bond.trust <= 1
            assert -1 <= bond.affection <= 1
            assert 0 <= bond.tension <= 1
        mood = mood_after(tuple(shift for shift in left.shifts if shift.character == member.name))
        assert -1 <= mood.valence <= 1
        assert 0 <= mood.arousal <= 1


@given(st.lists(st.tuples(SIZES, SIZES, SIZES), max_size=60))
def test_a_bond_stays_in_range_whatever_happens(changes: list[tuple[float, float, float]]) -> None:
    place = {"character": "ada", "scene": "s", "run": "r", "line": 1, "at": 0.0, "moment": "m", "toward": "ben"}
    bond = Bond(character="ada", toward="ben")
    for trust, affection, tension in changes:
        bond = bond.changed(
            BondChange.model_validate({**place, "trust": trust, "affection": affection, "tension": tension})
        )
    assert len(bond.history) == len(changes)
    assert -1 <= bond.trust <= 1
    assert -1 <= bond.affection <= 1
    assert 0 <= bond.tension <= 1


@given(SIZES, st.floats(0, 1), st.integers(0, 20), st.integers(0, 20))
def test_a_mood_fades_towards_nothing_and_never_past_it(valence: float, arousal: float, some: int, more: int) -> None:
    mood = Mood(valence=valence, arousal=arousal)
    sooner, later = mood.faded(some), mood.faded(some + more)
    assert abs(later.valence) <= abs(sooner.valence) <= abs(valence)
    assert later.arousal <= sooner.arousal <= arousal
    assert later.valence * valence >= 0


@given(
    st.lists(st.text(min_size=1, max_size=200).filter(str.strip), max_size=20),
    st.integers(0, 400),
    st.builds(Mood, valence=SIZES, arousal=st.floats(0, 1)),
    st.builds(lambda trust: Bond(character="ada", toward="ben", trust=trust), SIZES),
)
def test_recall_never_exceeds_its_budget_and_accounts_for_every_memory(
    texts: list[str], budget: int, mood: Mood, bond: Bond
) -> None:
    memories = tuple(
        Memory(
            character="ada", scene="s", run="r", line=n, at=1.0, moment=str(n), text=text, kind="heard", importance=0.5
        )
        for n, text in enumerate(texts)
    )
    past = Past(character="ada", memories=memories, mood=mood, bonds=(bond,))
    config = scene_from({"name": "s", "prompt": "Ada meets Ben.", "characters": ["ada", "ben"]})
    recalled = recall(past, config, {"ada": "Ada", "ben": "Ben"}, budget)
    layer = memory_layer(recalled, "Ada")
    assert (estimate_tokens(str(layer)) if layer else 0) == recalled.tokens <= budget
    assert sorted([m.id for m in recalled.memories] + list(recalled.left_out)) == sorted(m.id for m in memories)
