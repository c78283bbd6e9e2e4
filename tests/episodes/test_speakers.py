"""Who of a group answers: by name, by question, or by the draw; the same talk always gives the same choice."""

from __future__ import annotations

import pytest

from dramaturg.episodes.answer import StructuredAnswer
from dramaturg.episodes.events import CharacterAnswered, GroupMember, Persona, PlayerSpoke, SessionOpened
from dramaturg.episodes.speakers import addressed, member_called, mentioned, next_speaker, split_whisper
from dramaturg.episodes.state import EpisodeState, episode_state
from dramaturg.episodes.template import template_from
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.runs.events import Entry, Event

NAMES = {
    "ada": "Ada",
    "old-bo": "Old Bo",
    "cleo": "Cleo Marsh",
    "strauss": "Jörg Strauß",
    "yuki": "雪",
}
CAST = tuple(GroupMember(character=key, display_name=name, model="m") for key, name in NAMES.items())


@pytest.mark.parametrize(
    ("text", "whom"),
    [
        ("Ada, what do you say?", ("ada",)),
        ("What do you say, Ada?", ("ada",)),
        ("ada?", ("ada",)),
        ("@cleo look at this", ("cleo",)),
        ("@cleo: look at this", ("cleo",)),
        ("Cleo and Ada, come here.", ("cleo", "ada")),
        ("Cleo, Old Bo and Ada: listen.", ("cleo", "old-bo", "ada")),
        ("Hey Cleo!", ("cleo",)),
        ("Nobody believes you, Cleo Marsh.", ("cleo",)),
        ("I met Ada yesterday.", ()),
        ("Cleo's brush is dry.", ()),
        ("Adam, sit down.", ()),
        ("The marshes are flooded.", ()),
        ("Strauß, komm her.", ("strauss",)),
        ('"Old Bo," I say, "row."', ("old-bo",)),
        ("雪、どう思う？", ("yuki",)),
        ("What do you think of Old Bo, Ada?", ("ada",)),
        ("Ada, Cleo is late.", ("ada",)),
        ("I saw Ada, Cleo and Old Bo.", ()),
        ("They talked, Cleo and\nAda, come here.", ("ada",)),
        ("İpek, İrem and İlay were late. Ada, did you see them?", ("ada",)),
    ],
)
def test_a_name_set_off_by_punctuation_is_spoken_to(text: str, whom: tuple[str, ...]) -> None:
    assert addressed(text, CAST) == whom


@pytest.mark.parametrize(
    ("text", "whom"),
    [
        ("I met Ada and old Bo yesterday.", ("ada", "old-bo")),
        ("Cleo's brush is dry.", ("cleo",)),
        ("Adam and the marshes.", ()),
        ("Marsh, they call her.", ("cleo",)),
        ("雪はどこ？", ("yuki",)),
        ("The old house.", ()),
    ],
)
def test_names_are_found_as_whole_words(text: str, whom: tuple[str, ...]) -> None:
    assert mentioned(text, CAST) == whom


def test_a_whisper_begins_with_any_form_of_a_name() -> None:
    said = [split_whisper(text, CAST) for text in ("Cleo Marsh Come.", "cleo: come.", "OLD BO, come.", "雪 come.")]
    assert [(member.character, text.casefold()) for member, text in said] == [
        ("cleo", "come."),
        ("cleo", "come."),
        ("old-bo", "come."),
        ("yuki", "come."),
    ]
    assert member_called("  old   bo ", CAST).character == "old-bo"
    with pytest.raises(NotFound):
        split_whisper("Cleopatra come.", CAST)


def talk(*lines: tuple[str, str], seed: int = 1, **template: object) -> EpisodeState:
    """A session with these lines, each a speaker (nobody for the player) and their words."""
    wanted = template_from({"name": "x", "characters": list(NAMES), **template})
    opened = SessionOpened(
        root="r",
        template=wanted,
        player=Persona(id="p"),
        character="ada",
        display_name="all",
        model="m",
        director="m",
        seed=seed,
        cast=CAST,
    )
    events: list[Event] = [opened]
    for number, (who, text) in enumerate(lines, start=1):
        parent = f"m{number - 1}" if number > 1 else None
        if not who:
            events.append(PlayerSpoke(message_id=f"m{number}", client_id=f"c{number}", parent=parent, text=text))
        else:
            events.append(
                CharacterAnswered(
                    message_id=f"m{number}",
                    parent=parent,
                    content=text,
                    structured=StructuredAnswer(dialogue=text),
                    speaker=who,
                )
            )
    return episode_state(Entry(seq=number, at=0.0, event=event) for number, event in enumerate(events, start=1))


def chosen(state: EpisodeState) -> tuple[str, str] | None:
    found = next_speaker(state)
    return (found.speaker, found.why) if found is not None else None


def test_names_and_questions_decide_before_the_draw() -> None:
    assert chosen(talk(("", "Cleo, and you?"))) == ("cleo", "addressed")
    assert chosen(talk(("", "Where is Cleo"))) == ("cleo", "mentioned")
    assert chosen(talk(("", "Cleo, Ada: well?"), ("cleo", "Yes."))) == ("ada", "addressed")
    assert chosen(talk(("", "Cleo?"), ("cleo", "Bo knows. Old Bo, tell them."))) == ("old-bo", "asked by cleo")
    assert chosen(talk(("", "Hm."), ("yuki", "Do you row?"), ("", "A little."))) == ("yuki", "had asked")


def test_at_most_three_answer_and_nobody_twice() -> None:
    state = talk(("", "All of you: speak!"))
    said: list[str] = []
    while (found := next_speaker(state)) is not None:
        said.append(found.speaker)
        state = talk(("", "All of you: speak!"), *((who, "Yes.") for who in said))
    assert len(said) == len(set(said)) == 3


def test_the_draw_is_seeded_and_gives_everybody_a_turn() -> None:
    firsts = [next_speaker(talk(("", "Hm."), seed=seed)) for seed in range(200)]
    again = [next_speaker(talk(("", "Hm."), seed=seed)) for seed in range(200)]
    assert firsts == again
    assert {one.speaker for one in firsts if one is not None} == set(NAMES)
    rounds = [talk(("", "Hm."), ("ada", "Yes."), seed=seed) for seed in range(200)]
    silent = sum(next_speaker(one) is None for one in rounds)
    assert 60 < silent < 190
    assert all(
        next_speaker(talk(("", "Hm."), ("ada", "Yes."), seed=seed, most_answers=1)) is None for seed in range(40)
    )
