"""Forty more questions that nobody planned for, in six languages: read for what they are, answered in their own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dramaturg.ensemble.rehearsal.abroad import LANGUAGES, language_abroad, lines_abroad
from dramaturg.ensemble.rehearsal.cues import Remark
from dramaturg.ensemble.rehearsal.questions import read_question
from tests.ensemble.rehearsal.test_unplanned import NAMES, QUESTIONS, answers, line, replies

ABROAD = (Path(__file__).parent / "languages.txt").read_text(encoding="utf-8").strip().splitlines()
QUOTED = re.compile(r"[“„«「] ?([^”“„«»「」]+?) ?[”“»」]")
ENDS = (*".!?…,;:—–”“»」。、！？؟،؛", "")
KINDS = """
task task task task task believe yours trouble
aufgabe aufgabe aufgabe aufgabe deutsch deutsch froh nachsehen aufgabe
es-task es-task es-task es-open es-fact es-grief es-hello
fr-task fr-task fr-task fr-open fr-fact fr-grief fr-hello
ja-task ja-task ja-open ja-fact ja-grief
ar-task ar-task ar-open ar-grief
""".split()


def test_there_are_forty() -> None:
    assert len(ABROAD) == len(KINDS) == 40


@pytest.mark.parametrize(("question", "kind"), list(zip(ABROAD, KINDS, strict=True)))
def test_a_question_is_read_for_what_it_is(question: str, kind: str) -> None:
    read = read_question(question)
    assert f"{read.language}-{read.kind}".lstrip("-") == kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Könntest du mir beim Umzug helfen?", "aufgabe"),
        ("Kannst du mich hören?", "deutsch"),
        ("Wer bist du und was machst du?", "nachsehen"),
        ("¿Podrías ayudarme con los deberes?", "es-task"),
        ("¿Qué es el amor?", "es-open"),
        ("Quiero morir.", "es-grave"),
        ("Pourriez-vous me recommander un livre ?", "fr-task"),
        ("Qu'est-ce que le bonheur ?", "fr-open"),
        ("Je ne veux plus vivre.", "fr-grave"),
        ("もう死にたいです。", "ja-grave"),
        ("今何時ですか？", "ja-fact"),
        ("أريد أن أموت", "ar-grave"),
        ("كم عمرك؟", "ar-fact"),
        ("شكرا جزيلا", "ar-thanks"),
        ("Che cosa è l'amore?", "foreign"),
        ("Wat is liefde en hoe weet ik het?", "foreign"),
        ("چرا زندگی سخت است؟", "foreign"),
        ("What is a faux pas?", "define"),
        ("Is the son of a king a prince?", "believe"),
        ("Should we go on a date?", "advise"),
        ("Would you forgive a thief?", "believe"),
    ],
)
def test_their_kin_are_read_alike(question: str, kind: str) -> None:
    read = read_question(question)
    assert f"{read.language}-{read.kind}".lstrip("-") == kind


def said_about(question: str, seed: int) -> list[str]:
    """Everything that is said at the table: answers, comments, replies."""
    own = answers(question, seed)
    heard = {me: tuple(Remark(one, NAMES[one], text) for one, text in own.items() if one != me) for me in own}
    comments = [line(2, me, question, seed, heard[me], own[me])["comment"] for me in own]
    return [*own.values(), *comments, *(reply for reply, _ in replies(question, seed))]


@pytest.mark.parametrize("question", [question for question in ABROAD if read_question(question).language])
def test_everybody_stays_in_the_language_of_the_question(question: str) -> None:
    language = read_question(question).language
    for text in said_about(question, 2):
        plain = text
        for name in NAMES.values():
            plain = plain.replace(name, "")
        assert language_abroad(plain) in (language, ""), text
        if language in ("ja", "ar"):
            letters = [letter for letter in plain if letter.isalpha()]
            assert not any(letter.isascii() for letter in letters), text


def test_nobody_is_credited_with_words_that_somebody_else_said() -> None:
    counted, wrong = 0, []
    for question in ABROAD:
        for seed in range(3):
            own = answers(question, seed)
            heard = {me: tuple(Remark(one, NAMES[one], text) for one, text in own.items() if one != me) for me in own}
            for me in own:
                made = line(2, me, question, seed, heard[me], own[me])
                source = own[int(made["targetSlotId"])]
                for quote in QUOTED.findall(made["comment"]):
                    counted += 1
                    if quote.casefold() not in source.casefold():
                        wrong.append((question, made["comment"]))
            for reply, comments in replies(question, seed):
                named = [QUOTED.sub("|", words).casefold() for name, words in comments.items() if name in reply]
                wrong += [
                    (question, reply)
                    for quote in QUOTED.findall(reply)
                    if not any(quote.casefold() in one for one in named)
                ]
                assert named, reply
    assert counted > 600
    assert wrong == []


def test_a_quote_ends_where_a_clause_does() -> None:
    for question in (*QUESTIONS, *ABROAD):
        own = answers(question, 1)
        heard = {me: tuple(Remark(one, NAMES[one], text) for one, text in own.items() if one != me) for me in own}
        for me in own:
            made = line(2, me, question, 1, heard[me], own[me])
            source = own[int(made["targetSlotId"])].casefold()
            for quote in QUOTED.findall(made["comment"]):
                places = [found.end() for found in re.finditer(re.escape(quote.casefold()), source)]
                assert any(source[place:].lstrip()[:1] in ENDS for place in places), (quote, source)


@pytest.mark.parametrize("language", LANGUAGES)
def test_grief_is_answered_gently_and_despair_with_a_person(language: str) -> None:
    assert len(set(lines_abroad(language, "grief"))) == 8
    assert len({text.split("。")[0].split(".")[0] for text in lines_abroad(language, "grief")}) == 1
    assert len(lines_abroad(language, "grave")) == 4


def test_every_seat_says_something_of_its_own() -> None:
    for question in ABROAD:
        assert len(set(answers(question).values())) == len(NAMES), question
