"""Who speaks: by tags first, then by turns, else nobody; each with its reason."""

from __future__ import annotations

import pytest

from dramaturg.workshop.manuscripts.speech.attribution import attributed


def who(*paragraphs: str) -> list[tuple[str | None, str]]:
    return [(one.speaker, one.how) for one in attributed(paragraphs).lines]


@pytest.mark.parametrize(
    "text",
    [
        "“Four,” said Ruth.",
        '"Four," said Ruth.',
        "‘It’s four,’ said Ruth.",
        "'It's four,' said Ruth.",
        "„Vier“, sagte Ruth.",
        "»Vier«, sagte Ruth.",
        "« Quatre », dit Ruth.",
        "Ruth said, “Four.”",
        "“Four,” Ruth whispered.",
        "“Four,” replied Ruth, and went.",
    ],
)
def test_a_tag_names_the_speaker_in_every_style(text: str) -> None:
    assert who(text)[0] == ("Ruth", "tag")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("“I will,” said Will.", "Will"),
        ("“I may,” May said, “or I will not.”", "May"),
        ("Will asked: “Will you?”", "Will"),
        ("“It may rain,” said Uncle Will to May.", "Uncle Will"),
        ("“It may rain in May,” said Will Parry.", "Will Parry"),
    ],
)
def test_a_name_that_is_also_a_word_is_a_name_beside_a_verb_of_speech(text: str, name: str) -> None:
    assert who(text)[0] == (name, "tag")


def test_a_german_line_amid_english_ones_ends_where_it_is_closed() -> None:
    text = ["“Late,” said Ruth.", "„Na, endlich“, says Tomas, who is from Lübeck. “At last,” says Ruth."]
    assert [one.text for one in attributed(text).lines] == ["Late,", "Na, endlich", "At last,"]


def test_japanese_and_dashes_are_speech_too() -> None:
    assert [one.text for one in attributed(["「おはよう」と彼女は言った。"]).lines] == ["おはよう"]
    lines = attributed(["— Quatre, dit Ruth.", "— Cinq.", "— Non.", "— Si.", "Il partit."]).lines
    assert len(lines) == 4


@pytest.mark.parametrize(
    ("text", "said", "name"),
    [
        ("—Falta una —dijo Bastián.", ["Falta una"], "Bastián"),
        ("—Me voy —le dijo Ana a Luis—, y no vuelvo.", ["Me voy", "y no vuelvo."], "Ana"),
        ("—El «Gris» ha vuelto —se quejó Bastián.", ["El «Gris» ha vuelto"], "Bastián"),
        ("— Нет, — сказал Иван.", ["Нет,"], "Иван"),
        ("— Нет, — сказал Иван. — Не скажу.", ["Нет,", "Не скажу."], "Иван"),
        ("— Он — дурак! — крикнула Вера.", ["Он — дурак!"], "Вера"),
        ("— Bonjour, dit Odette.", ["Bonjour,"], "Odette"),
        ("— Jamais ! s’écria Odette.", ["Jamais !"], "Odette"),
        ("— Não — disse o João — e não volto.", ["Não", "e não volto."], "João"),
        ("– Ciao, disse Anna. – Vieni qui.", ["Ciao,", "Vieni qui."], "Anna"),
        ("– Nie – powiedział Łukasz. – Nie teraz.", ["Nie", "Nie teraz."], "Łukasz"),
        ("– Guten Tag, sagte Lena.", ["Guten Tag,"], "Lena"),
    ],
)
def test_in_dialogue_by_dashes_the_tag_names_the_speaker_and_is_not_said(text: str, said: list[str], name: str) -> None:
    lines = attributed([text]).lines
    assert [one.text for one in lines] == said
    assert {one.speaker for one in lines} == {name}
    assert lines[0].how == "tag"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("—No puede ser —murmuró él—. La conté yo.", ["No puede ser", "La conté yo."]),
        ("— Oui, répondit-elle.", ["Oui,"]),
        ("— Что? — спросил он.", ["Что?"]),
        ("— Я — капитан.", ["Я — капитан."]),
        ("—De 1914–1918 no hablo.", ["De 1914–1918 no hablo."]),
    ],
)
def test_a_pronoun_or_nothing_beside_a_dash_names_nobody(text: str, said: list[str]) -> None:
    lines = attributed([text]).lines
    assert [one.text for one in lines] == said
    assert {one.speaker for one in lines} == {None}


def test_two_who_speak_by_dashes_take_turns() -> None:
    assert who("—Vete.", "—¿Adónde? —preguntó Luis.", "—Lejos —contestó Amparo.") == [
        ("Amparo", "turn"), ("Luis", "tag"), ("Amparo", "tag"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", [["Bring:", "- bread", "- rope"], ["“No—” said Ruth.", "—and then she left."]])
def test_a_list_and_a_dash_among_quotation_marks_are_not_speech(text: list[str]) -> None:
    assert all("bread" not in one.text and "left" not in one.text for one in attributed(text).lines)


def test_a_pronoun_is_never_taken_for_a_name() -> None:
    (line,) = attributed(["“Four,” she said."]).lines
    assert (line.speaker, line.how, line.is_certain) == (None, "none", False)
    assert line.reason == "“she said” names nobody"


def test_two_who_take_turns_are_told_and_are_not_certain() -> None:
    talk = ("“Four,” said Ruth.", "“Five,” said Tomas.", "“Four.”", "“Five!” he cried.")
    assert who(*talk) == [("Ruth", "tag"), ("Tomas", "tag"), ("Ruth", "turn"), ("Tomas", "turn")]
    assert [one.is_certain for one in attributed(talk).lines] == [True, True, False, False]


def test_with_three_in_the_room_nobody_is_guessed() -> None:
    talk = ("“Four,” said Ruth.", "“Five,” said Tomas.", "“Six,” said Ada.", "“No.”")
    assert who(*talk)[3] == (None, "none")


def test_narration_between_ends_the_turns() -> None:
    talk = ("“Four,” said Ruth.", "“Five,” said Tomas.", "The rain came.", "“No.”")
    assert who(*talk)[2] == (None, "none")


def test_a_line_to_somebody_is_not_theirs() -> None:
    talk = ("“Four,” said Ruth.", "“Five,” said Tomas.", "“No, Ruth.”")
    assert who(*talk)[2] == (None, "none")


def test_lines_of_one_paragraph_have_one_speaker() -> None:
    assert who("“Four,” said Ruth. “There were five.”") == [("Ruth", "tag"), ("Ruth", "paragraph")]


def test_a_speech_of_two_paragraphs_goes_on() -> None:
    assert who("“Four,” said Ruth, “and then", "“there were five.”")[-1] == ("Ruth", "continued")


def test_one_person_under_two_names_is_one() -> None:
    talk = ["“A,” said Mr. Knightley.", "“B,” said Emma.", "“C,” said Emma Woodhouse.", "“D,” said Mrs. Knightley."]
    people = {one.name: one.aliases for one in attributed(talk).people}
    assert people == {"Emma": ("Emma Woodhouse",), "Mr. Knightley": (), "Mrs. Knightley": ()}


def test_a_known_alias_gives_the_name_of_the_card() -> None:
    lines = attributed(["“A,” said the Captain."], {"the Captain": "Ada Vane"}).lines
    assert lines[0].speaker == "Ada Vane"


def test_a_description_is_told_and_is_not_certain() -> None:
    (line,) = attributed(["“Four,” said the girl."]).lines
    assert (line.speaker, line.how, line.is_certain) == ("the girl", "tag", False)
