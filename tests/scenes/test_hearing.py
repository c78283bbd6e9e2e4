"""Who hears a line, in which words: languages and their names, asides, and one's own lines."""

from __future__ import annotations

import pytest

from dramaturg.scenes.events import CastMember
from dramaturg.scenes.hearing import as_heard, as_spoken, heard_by, is_english, same_language, understands
from dramaturg.scenes.line import Line


def line(**more: object) -> Line:
    plain = {"number": 1, "beat": 0, "kind": "line", "speaker": "Anna", "content": "The key is glass."}
    return Line.model_validate({**plain, **more})


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("French", "fr", True),
        ("fr-CA", "French", True),
        ("pt-BR", "pt-PT", True),
        (" german ", "DE", True),
        ("Klingon", "klingon", True),
        ("fr-CA", "de-CA", False),
        ("French", "Frisian", False),
    ],
)
def test_a_language_is_the_same_under_all_its_names(one: str, other: str, same: bool) -> None:
    assert same_language(one, other) is same


def test_english_is_english_only_if_there_is_no_other() -> None:
    assert is_english(["English", "en-GB"])
    assert not is_english(["English", "French"])
    assert not is_english(["French"])


def test_a_speaker_hears_the_own_line_whole_whatever_others_hear() -> None:
    own = line(unheard_by=("Anna", "Bob"), foreign_to=("Anna",), language="French", gloss="Glass.")
    assert as_heard(own, "Anna") == own


def test_who_is_out_of_earshot_hears_nothing() -> None:
    assert as_heard(line(unheard_by=("Bob",)), "Bob") is None
    assert heard_by("Bob", [line(unheard_by=("Bob",)), line(number=2)]) == (line(number=2),)


def test_a_foreign_line_is_heard_as_a_language_and_the_gloss_is_for_readers_only() -> None:
    said = line(language="French", foreign_to=("Bob",), gloss="The key is glass.", interrupt_after="la clé")
    heard = as_heard(said, "Bob")
    assert heard is not None
    assert (heard.content, heard.gloss, heard.interrupt_after) == ("(speaks French)", None, "…")
    understood = as_heard(said, "Cora")
    assert understood is not None
    assert (understood.content, understood.gloss) == (said.content, None)


def test_understanding_goes_by_the_language_not_by_its_spelling() -> None:
    member = CastMember(name="bob", display_name="Bob", role="", model="m", tempo=1.0, languages=("English", "fr-CA"))
    assert understands(member, "French")
    assert not understands(member, "German")


def member(name: str, *languages: str) -> CastMember:
    tongues = languages or ("English",)
    return CastMember(name=name, display_name=name.title(), role="", model="m", tempo=1.0, languages=tongues)


CAST = (member("anna", "English", "French"), member("bob"), member("cora", "fr-CA"))
HERE = ("anna", "bob", "cora")


@pytest.mark.parametrize(
    ("said", "on_stage", "unheard", "foreign", "language"),
    [
        ({}, HERE, (), ("Cora",), "English"),
        ({"language": "French"}, HERE, (), ("Bob",), "French"),
        ({"language": "English"}, ("anna", "bob"), ("Cora",), (), "English"),
        ({"aside": True, "target": "bob"}, HERE, ("Cora",), (), None),
        ({"aside": True, "target": "Cora", "language": "fr"}, HERE, ("Bob",), (), "fr"),
        ({"aside": True, "target": "Cora"}, ("anna", "bob"), ("Bob", "Cora"), (), None),
        ({"content": ""}, HERE, (), (), None),
    ],
)
def test_a_line_says_who_could_not_hear_and_who_could_not_understand_it(
    said: dict[str, object],
    on_stage: tuple[str, ...],
    unheard: tuple[str, ...],
    foreign: tuple[str, ...],
    language: str | None,
) -> None:
    spoken = as_spoken(line(**said), CAST[0], CAST, on_stage)
    assert (spoken.unheard_by, spoken.foreign_to, spoken.language) == (unheard, foreign, language)


def test_where_all_are_here_and_speak_one_language_the_line_stays_as_it_is() -> None:
    cast = (member("anna"), member("bob", "en-GB"))
    assert as_spoken(line(), cast[0], cast, ("anna", "bob")) == line()


CREW = tuple(
    one.model_copy(update={"role": role})
    for one, role in zip(
        (*CAST[:2], member("cora")), ("first mate", "captain of the ship", "ship's doctor"), strict=True
    )
)


@pytest.mark.parametrize(
    ("target", "unheard", "aside"),
    [
        ("the captain", ("Cora",), True),
        ("our doctor", ("Bob",), True),
        ("Bob and Cora", (), True),
        ("herself", ("Bob", "Cora"), True),
        ("the audience", ("Bob", "Cora"), True),
        ("Delia", (), False),
        ("somebody on the ship", (), False),
        ("everyone", (), False),
    ],
)
def test_an_aside_goes_to_whom_it_describes_or_is_heard_by_all(
    target: str, unheard: tuple[str, ...], aside: bool
) -> None:
    spoken = as_spoken(line(aside=True, target=target), CREW[0], CREW, HERE)
    assert (spoken.unheard_by, spoken.aside) == (unheard, aside)
