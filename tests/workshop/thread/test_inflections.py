"""A word in another form is the same word for a thread: cases and plurals in German, plurals in English."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.workshop.thread.inflections import forms_in, is_form, is_german
from tests.workshop.thread.books import write_book
from tests.workshop.workroom import at_work

GERMAN = {
    "story-bible/ines.md": """---
kind: character
name: Ines
facts:
  - {subject: Ines, predicate: occupation, object: Wächterin des Leuchtturms}
  - {subject: Ines, predicate: eye_colour, object: grün}
  - {subject: Ines, predicate: has_trait, object: die Brücke}
---
""",
    "manuscript/ch01-sc01.md": """Das Licht war aus, und Ines stand auf dem Hof. Ihre grünen Augen sahen nichts.

Der Wind kam von der See, und es war schon spät. Ines mied die alten Brücken, wo sie nur konnte.

Das Boot war grün und lag im Hafen. Eine Brücke führte zu ihm.

In Ines' Schrank lag der Mantel einer Wächterin des Leuchtturmes.
""",
    "manuscript/ch01-sc02.md": "Der Herbst war da. Er sah in Ines grüne Augen und schwieg. Die Brüche blieben.\n",
}


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("Brücken", "Brücke"), ("Leuchtturms", "Leuchtturm"), ("Leuchtturmes", "Leuchtturm"),
        ("Leuchttürme", "Leuchtturm"), ("Leuchttürmen", "Leuchtturm"), ("grünen", "grün"), ("grüner", "grüne"),
        ("Mütter", "Mutter"), ("Schlüssels", "Schlüssel"), ("Häuser", "Haus"), ("Elenas", "Elena"),
        ("alten", "alte"), ("Wächterinnen", "Wächterinnen"),
    ],
)  # fmt: skip
def test_a_german_word_has_its_cases_and_its_plural(written: str, wanted: str) -> None:
    assert is_form(written, wanted, german=True)
    assert is_form(wanted, written, german=True)


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("schon", "schön"), ("fordern", "fördern"), ("brücken", "Brücke"), ("Brüche", "Brücke"), ("Bruch", "Brücke"),
        ("Land", "Länge"), ("Hand", "Hund"), ("das", "da"), ("Leuchte", "Leuchtturm"), ("rote", "Rot"),
    ],
)  # fmt: skip
def test_what_only_looks_alike_is_another_word(written: str, wanted: str) -> None:
    assert not is_form(written, wanted, german=True)


def test_an_english_word_has_its_plural_and_nothing_else() -> None:
    for written, wanted in (("keys", "key"), ("bridges", "bridge"), ("boxes", "box"), ("cities", "city")):
        assert is_form(written, wanted, german=False)
    for written, wanted in (("lighting", "light"), ("greenly", "green"), ("princess", "prince"), ("glass", "glas")):
        assert not is_form(written, wanted, german=False)


def test_a_phrase_is_found_in_any_form_without_its_article() -> None:
    text = "Er ging über die alten Brücken. Unter der Brücke, alten Freunden zum Trotz."
    (place,) = forms_in(text, "die alte Brücke", german=True)
    assert text[slice(*place)] == "alten Brücken"


def test_german_is_told_from_english_by_its_small_words() -> None:
    assert is_german("Der Mann und das Meer.")
    assert not is_german("The man and the sea, and die he must.")
    assert not is_german("Ines.")


async def test_a_thread_finds_german_sentences_in_which_the_words_are_inflected(tmp_path: Path) -> None:
    write_book(tmp_path, GERMAN)
    async with at_work(tmp_path) as foreman:
        found = {
            fact: {one.quote for one in (await foreman.thread.pull(fact)).strands if one.kind == "sentence"}
            for fact in ("Ines eye colour grün", "Ines trait", "Ines occupation")
        }
    assert found["Ines eye colour grün"] == {
        "Ihre grünen Augen sahen nichts.", "Er sah in Ines grüne Augen und schwieg.",
    }  # fmt: skip
    assert found["Ines trait"] == {"Ines mied die alten Brücken, wo sie nur konnte."}
    assert found["Ines occupation"] == {"In Ines' Schrank lag der Mantel einer Wächterin des Leuchtturmes."}


async def test_an_inflected_word_is_never_replaced_letter_for_letter(tmp_path: Path) -> None:
    write_book(tmp_path, GERMAN)
    async with at_work(tmp_path) as foreman:
        request = {"fact": "Ines trait", "value": "das Meer", "rewords": False}
        run = await foreman.works.start("retcon", foreman.works.read("retcon", request))
        await foreman.works.wait(run.id)
        found = foreman.works.kind("retcon").result(await foreman._resources.runs.open(run.id))
    assert {one.path for one in found.patches} == {"story-bible/ines.md"}  # type: ignore[union-attr]
    assert [one.quote for one in found.to_look_at] == [  # type: ignore[union-attr]
        "Ines mied die alten Brücken, wo sie nur konnte."
    ]
