"""Asides to nobody: who hears them, and what the log says about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.scenes.events import ResponseGiven
from dramaturg.scenes.response import parse_response
from dramaturg.scenes.state import scene_state
from tests.rehearsals.script import read_rehearsal
from tests.stage import play_scripted

SCRIPT = """scene: asides        cast: alice, bob, charlie
max beats: 2
beat 0
  alice    @0  [ASIDE TO: {whom}, TONE: low] "The necklace is glass."
beat 1
  charlie  @1  [TONE: warm] "A lovely necklace."
"""


async def heard(
    whom: str, project: Path, cards: Mapping[str, str] | None = None
) -> tuple[bool, tuple[str, ...], tuple[str, ...]]:
    """Whether the line is an aside, who could not hear it, and the warnings in the log."""
    rehearsal = read_rehearsal(SCRIPT.format(whom=whom))
    run = await play_scripted(rehearsal.config(), ScriptedModel(rehearsal.answer), project, cards=cards)
    line = scene_state(run.entries).lines[0]
    given = [entry.event for entry in run.entries if isinstance(entry.event, ResponseGiven)]
    return line.aside, line.unheard_by, given[0].warnings


async def test_an_aside_to_an_unknown_name_is_heard_by_all_with_a_warning(tmp_path: Path) -> None:
    warning = "aside to Delia, who is nobody in this scene; heard by all"
    assert await heard("Delia", tmp_path) == (False, (), (warning,))


async def test_an_aside_to_two_is_heard_by_both_and_to_oneself_by_nobody(tmp_path: Path) -> None:
    assert await heard("Bob and Charlie", tmp_path) == (True, (), ())
    assert await heard("herself", tmp_path) == (True, ("Bob", "Charlie"), ())


async def test_an_aside_to_nobody_is_heard_by_nobody(tmp_path: Path) -> None:
    for whom in ("nobody", "no one", "No one in particular", "oneself"):
        assert await heard(whom, tmp_path / whom) == (True, ("Bob", "Charlie"), ())


async def test_an_aside_is_heard_by_whom_it_names_with_another_apostrophe(tmp_path: Path) -> None:
    cards = {"bob": "# Seán O’Brien - Priest\n"}
    assert await heard("Seán O'Brien", tmp_path / "one", cards) == (True, ("Charlie",), ())
    assert await heard("Sean O'Brien", tmp_path / "two", cards) == (True, ("Charlie",), ())


async def test_an_aside_of_one_anna_to_anna_is_for_the_others_of_that_name(tmp_path: Path) -> None:
    cards = {"alice": "# Anna Kay - Nurse\n", "bob": "# Anna Berg - Doctor\n"}
    assert await heard("Anna", tmp_path / "one", cards) == (True, ("Charlie",), ())
    three = cards | {"charlie": "# Anna Roth - Porter\n"}
    assert await heard("Anna", tmp_path / "two", three) == (True, (), ())


TO_BOB = (
    "ASIDE TO Bob|ASIDE_TO: Bob|ASIDE-TO: Bob|ASIDE  TO:  Bob|ASIDE\u00a0TO: Bob|AS\u200bIDE TO: Bob\u200b|"
    "ＡＳＩＤＥ ＴＯ：Bob|ASIDETO: Bob|ASDIE TO: Bob|ASID TO: Bob|ASSIDE TO Bob|A SIDE TO: Bob|A S I D E TO: Bob|"
    "ASIDE: Bob|ASIDE Bob|ASIDE -> Bob|ASIDE (TO: Bob)|ASIDE TO: Bob (her brother)|an aside to bob|"
    "to Bob, aside|TO: Bob, ASIDE|ASIDE, TO: Bob|TO: Bob (aside)|TO: Bob aside|TO ASIDE: Bob|TO: Bob, PRIVATELY|"
    "PRIVATELY TO: Bob|PRIVATE TO: Bob|WHISPER TO: Bob|SECRETLY TO: Bob|ASIDE TO: Bob, TO: Charlie|"
    "TO: Charlie, ASIDE TO: Bob|*aside to Bob*|TONE: aside to Bob|BEISEITE ZU: Bob|EN APARTÉ À : Bob|"
    "APARTE A: Bob|A PARTE A: Bob|傍白：Bob|私下对：Bob|방백: Bob"
).split("|")
TO_ONESELF = (
    "ASIDE|ASIDE TO:|ASIDE:|ASIDE TO: Alice|ASIDE TO: myself|ASIDE: whispering|TONE: aside|*aside*|BEISEITE|"
    "EN APARTÉ|В СТОРОНУ|傍白"
).split("|")
SECRET, OPEN = "The necklace is glass.", "A lovely necklace."
FORMS = [
    '[{mark}, TONE: low] "{secret}"',
    '[TONE: low, {mark}] "{secret}"',
    '**[{mark}, TONE: low]**\n"{secret}"',
    "### [{mark}]\n{secret}",
    '[{mark}]\n[TONE: low]\n"{secret}"',
    'Alice ({mark}): "{secret}"',
    '[TONE: low] "{secret}" [{mark}]',
    '{{"dialogue": "[{mark}] {secret}"}}',
]


def aside(raw: str) -> tuple[bool, str | None, str]:
    """Whether an answer of Alice's is an aside, to whom, and what it says."""
    parsed, _ = parse_response(raw, me="Alice", cast=("Alice", "Bob", "Charlie"))
    return parsed.aside, parsed.target and parsed.target.title(), parsed.content


@pytest.mark.parametrize("mark", TO_BOB)
@pytest.mark.parametrize("form", FORMS)
def test_an_aside_is_for_its_addressee_however_its_mark_is_spelled(mark: str, form: str) -> None:
    assert aside(form.format(mark=mark, secret=SECRET)) == (True, "Bob", SECRET)


@pytest.mark.parametrize("mark", TO_ONESELF)
@pytest.mark.parametrize("form", FORMS)
def test_an_aside_that_names_nobody_else_is_to_oneself(mark: str, form: str) -> None:
    is_aside, whom, words = aside(form.format(mark=mark, secret=SECRET))
    assert (is_aside, whom in ("Oneself", "Myself"), words) == (True, True, SECRET)


@pytest.mark.parametrize("mark", [*TO_BOB, *TO_ONESELF])
def test_beside_a_line_for_all_an_aside_is_left_out_however_it_is_spelled(mark: str) -> None:
    assert aside(f'[{mark}, TONE: low] "{SECRET}"\n[TO: Charlie] "{OPEN}"') == (False, "Charlie", OPEN)
    assert aside(f'[TO: Charlie] "{OPEN}"\n[{mark}, TONE: low] "{SECRET}"') == (False, "Charlie", OPEN)


@pytest.mark.parametrize(
    "raw",
    [
        f'[TONE: low] "{SECRET}" (aside to Bob)\n[TO: Charlie] "{OPEN}"',
        f'[TO: Charlie] "{OPEN}"\n[TONE: low] "{SECRET}" *nods* [ASIDE TO: Bob] *nods*',
        f'[TONE: low] "{SECRET}" [ASIDE TO: Bob]\n[THOUGHT, TONE: sad] "{OPEN}"',
        f'[TONE: low] "{OPEN}" [ASIDE TO: Bob] "{SECRET}"',
        f'[TO: Bob]\n[ASIDE]\n"{SECRET}"\n[TO: Charlie] "{OPEN}"',
    ],
)
def test_words_before_or_behind_the_mark_of_an_aside_are_not_heard_by_all(raw: str) -> None:
    is_aside, _, words = aside(raw)
    assert is_aside or SECRET not in words


@pytest.mark.parametrize(
    "raw",
    [
        *(
            json.dumps({**fields, "dialogue": SECRET})
            for fields in (
                {"aside_to": "Bob"},
                {"asideTo": "Bob"},
                {"aside-to": "Bob"},
                {"asdie_to": "Bob"},
                {"whisper_to": "Bob"},
                {"aside_to": ["Bob"]},
                {"aside": "Bob"},
                {"aside": True, "to": "Bob"},
                {"is_aside": True, "to": "Bob"},
                {"private": True, "to": "Bob"},
                {"type": "aside", "to": "Bob"},
                {"action": "aside to Bob"},
                {"tone": "aside", "to": "Bob"},
                {"to": "Bob (aside)"},
                {"gesture": "aside to Bob"},
            )
        ),
        json.dumps({"aside_to": "Bob", "spoken_text": SECRET}),
        json.dumps({"aside_to": "Bob", "alice": SECRET}),
        json.dumps({"aside": {"to": "Bob", "text": SECRET}}),
        json.dumps([{"aside_to": "Bob", "text": SECRET}, {"text": OPEN}]),
        json.dumps({"dialogue": [{"aside_to": "Bob", "text": SECRET}, {"text": OPEN}]}),
        f'{{"aside": true, "to": "Bob", "dialogue": "{SECRET}',
        f'{{"aside to": "Bob", "dialogue": "{SECRET}',
        f'ASIDE TO Bob\n"{SECRET}"',
        f"ASIDE TO Bob: {SECRET}",
        f"Aside (to Bob): {SECRET}",
        f'TO: Bob\nASIDE: yes\n"{SECRET}"',
        f'<aside to="Bob">{SECRET}</aside>',
        f'{{ASIDE TO: Bob}} "{SECRET}"',
        f'[ASIDE] [TO: Bob] "{SECRET}"',
        f'[ASIDE]\n[TO: Bob]\n"{SECRET}"',
        f'"{SECRET}" *aside to Bob*',
    ],
)
def test_an_aside_in_another_form_is_for_its_addressee(raw: str) -> None:
    is_aside, whom, words = aside(raw)
    assert (is_aside, whom, words.strip(" :")) == (True, "Bob", SECRET)


@pytest.mark.parametrize(
    ("raw", "target", "said"),
    [
        (f'[TO: Bob] "{OPEN}"', "Bob", OPEN),
        ('[steps aside] "After you."', None, "After you."),
        ('[whispers to Bob] "After you."', None, "After you."),
        ('[side glance at Bob] "After you."', None, "After you."),
        ('[asida a la mesa] "No puedo más."', None, "No puedo más."),
        ('[aside from the lamp, nothing moves] "Hush."', None, "Hush."),
        ('*pulls Bob aside* "We should go."', None, "We should go."),
        ("Aside from the rope, we have nothing.", None, "Aside from the rope, we have nothing."),
        ("Speak to him privately: that is my advice.", None, "Speak to him privately: that is my advice."),
        ("Aside to the left stands a chair.", None, "Aside to the left stands a chair."),
        ('[TO: Bob] "There is a side to him I never saw."', "Bob", "There is a side to him I never saw."),
        ("[TO: Bob] He wrote (aside) that he would come.", "Bob", "He wrote (aside) that he would come."),
        ('[TONE: dry] "He wrote [ASIDE TO: Bob] on it."', None, "He wrote [ASIDE TO: Bob] on it."),
        ("« À part ça, tout va bien. »", None, "À part ça, tout va bien."),
        ('[смотрит в сторону] "Не знаю."', None, "Не знаю."),
        (json.dumps({"to": "Bob", "aside": False, "dialogue": OPEN}), "Bob", OPEN),
        (json.dumps({"to": "Bob", "aside": None, "dialogue": OPEN}), "Bob", OPEN),
        (json.dumps({"aside": "He lies, and he knows it.", "dialogue": OPEN}), None, OPEN),
        (f'[TONE: low] "{OPEN}" [ASIDE: He lies.]', None, OPEN),
    ],
)
def test_what_is_no_aside_is_heard_by_all(raw: str, target: str | None, said: str) -> None:
    assert aside(raw) == (False, target, said)


async def test_an_aside_to_the_speaker_by_name_is_heard_by_nobody_else(tmp_path: Path) -> None:
    assert await heard("Alice", tmp_path) == (True, ("Bob", "Charlie"), ())
