"""The narrative voice as a writer types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dramaturg.cli.app import app
from tests.workshop.works.cases import copy_book


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return copy_book(tmp_path)


def typed(book: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["foreman", *words, "--project", str(book)], catch_exceptions=False)


def test_a_voice_is_found_blind_written_and_locked(book: Path) -> None:
    assert "stand-ins" in typed(book, "voice", "tournament", "Elena counts the crates", "--yes").stdout
    shown = typed(book, "voice", "lineup")
    assert "rehearsal" not in shown.stdout
    assert "ACTION" not in shown.stdout
    closed = typed(book, "voice", "report")
    assert closed.exit_code == 2
    assert "labels stay closed" in closed.stderr
    opened = typed(book, "voice", "select", "c", "--notes", "The dry counting.", "--dislike", "gulls")
    assert "Chosen: C, rehearsal by " in opened.stdout
    assert "too short to tell" in opened.stderr
    assert "Wrote the voice bundle" in typed(book, "voice", "bundle").stdout
    assert typed(book, "voice", "lock").stdout == "The voice is locked.\n"
    assert typed(book, "voice", "lock").exit_code == 2
    assert typed(book, "voice", "unlock").stdout == "The voice is unlocked.\n"
    assert "voice_notes" in typed(book, "decisions").stdout


def test_pairs_are_shown_one_after_the_other_until_all_are_chosen(book: Path) -> None:
    typed(book, "voice", "tournament", "--strategy", "action", "--strategy", "dialogue", "--yes")
    first = json.loads(typed(book, "voice", "lineup", "--pairs", "--json").stdout)
    assert [pair["number"] for pair in first["pairs"]] == [1, 2]
    second = typed(book, "voice", "choose", "A", "--pair", "1")
    assert "Pair 2 of 2, 1 left" in second.stderr
    done = typed(book, "voice", "choose", "A", "--pair", "2")
    assert "A was preferred most often." in done.stderr
    assert "Of 1 pairs that came again you chose alike in 1" in typed(book, "voice", "select", "A").stdout


def test_json_has_no_label_before_the_choice_and_all_of_them_after(book: Path) -> None:
    typed(book, "voice", "tournament", "--yes", "--json")
    blind = typed(book, "voice", "lineup", "--json").stdout
    assert "rehearsal" not in blind
    assert "BALANCED" not in blind
    log = json.loads(typed(book, "works", "--json").stdout.splitlines()[0])["run"]
    whole = CliRunner().invoke(app, ["runs", "show", log, "--debug", "--json", "--project", str(book)]).stdout
    assert all(passage["text"][:40] not in whole for passage in json.loads(blind)["passages"])
    opened = json.loads(typed(book, "voice", "select", "A", "--json").stdout)
    assert {one["strategy"] for one in opened["passages"]} == {"ACTION", "CHARACTER", "DIALOGUE", "BALANCED"}


def test_a_ban_is_shown_against_the_writers_own_pages_first_and_can_be_lifted(book: Path) -> None:
    (book / "manuscript").mkdir(exist_ok=True)
    (book / "manuscript/ch01-sc01.md").write_text("The orbs rolled. She saw orbs.\n")
    banned = typed(book, "ban", "orbs")
    assert "It stands 2 times in 6 words of your own." in banned.stdout
    assert "  The orbs rolled." in banned.stdout
    assert "ban-orbs: “orbs” [zero_tolerance]" in typed(book, "voice", "rules").stdout
    assert "ban-orbs: 2" in typed(book, "voice", "check", "manuscript/ch01-sc01.md").stdout
    assert typed(book, "voice", "waive", "ban-orbs", "--quote", "She saw orbs.").exit_code == 0
    assert "ban-orbs: 1" in typed(book, "voice", "check").stdout
    assert "No longer banned" in typed(book, "ban", "orbs", "--lift").stdout
    assert "Taken back: No longer banned" in typed(book, "undo").stdout


RULES = """# Mine, since 2019
bans:   # never
  # my mother says it
  - ban: orbs
    severity: deduction   # once is enough

  - {ban: "plötzlich"}
# The end.
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_writers_own_lines_stay_in_the_file_of_rules(book: Path, newline: str) -> None:
    place = book / "voice/rules.yaml"
    place.parent.mkdir(exist_ok=True)
    before = RULES.replace("\n", newline).encode()
    place.write_bytes(before)

    def held() -> str:
        assert (b"\r\n" in place.read_bytes()) == (newline == "\r\n")
        return place.read_bytes().decode().replace("\r\n", "\n")

    assert typed(book, "ban", "auf einmal").exit_code == 0
    banned = RULES.replace('"plötzlich"}\n', '"plötzlich"}\n  - ban: "auf einmal"\n')
    assert held() == banned
    assert typed(book, "ban", "plötzlich").exit_code == 0
    assert held() == banned
    assert typed(book, "voice", "waive", "similes", "--reason", "the drowning").exit_code == 0
    waived = 'waivers:\n  - rule: "similes"\n    reason: "the drowning"\n'
    assert held() == banned + waived
    for words in ("orbs", "plötzlich", "auf einmal"):
        assert typed(book, "ban", words, "--lift").exit_code == 0
    assert held() == "# Mine, since 2019\nbans: []   # never\n  # my mother says it\n\n# The end.\n" + waived
    for _ in range(5 + 1):
        typed(book, "undo")
    assert place.read_bytes() == before


@pytest.mark.parametrize(
    "text",
    [
        'bans: [{ban: "orbs"}]\n',
        "bans:\n- ban: orbs\n",
        '{"bans": []}\n',
        "waivers: []\n",
        "bans: []",
        "bans:\n",
        "# none\n",
        "",
    ],
)
def test_a_ban_is_written_into_a_file_of_any_layout(book: Path, text: str) -> None:
    (book / "voice").mkdir(exist_ok=True)
    (book / "voice/rules.yaml").write_text(text)
    assert typed(book, "ban", "auf einmal").exit_code == 0
    rules = typed(book, "voice", "rules").stdout
    assert "ban-auf-einmal" in rules
    assert ("ban-orbs" in rules) == ("orbs" in text)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("ban", "/(?=a)b/"), "cannot be searched"),
        (("ban", "..."), "has no words"),
        (("ban", "orbs", "--scope", "footnotes"), "'scope'"),
        (("ban", "orbs", "--lift"), "no ban of 'orbs'"),
        (("voice", "waive", "nothing"), "no rule 'nothing'"),
        (("voice", "check", "none.md"), "no none.md"),
        (("voice", "profile", "../elsewhere.md"), "outside"),
        (("voice", "lineup"), "no tournament yet"),
        (("voice", "choose", "A"), "no line-up yet"),
        (("voice", "select"), "Say which passage"),
        (("voice", "lock"), "no Voice Bundle"),
        (("voice", "tournament", "--strategy", "SLAPSTICK", "--yes"), "no strategy"),
    ],
)
def test_what_cannot_be_done_says_why_and_exits_with_2(book: Path, words: tuple[str, ...], says: str) -> None:
    done = typed(book, *words)
    assert done.exit_code == 2, done.output
    assert says in " ".join(done.stderr.split())


def test_a_profile_shows_bands_and_says_what_it_cannot_tell(book: Path) -> None:
    (book / "page.md").write_text("The ferry left at six. Ruth counted the crates again.\n\nIt rained.\n" * 20)
    shown = typed(book, "voice", "profile", "page.md")
    assert "words a sentence: " in shown.stdout
    assert " to " in shown.stdout
    assert "Whose voice it is: too short to tell" in shown.stdout
