"""Anti-patterns: one engine for phrases, patterns and predicates; scopes, allowances, waivers, bans."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

import dramaturg.workshop.voice.guardrail as guardrail
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.voice.antipatterns import RuleReport, check_prose
from dramaturg.workshop.voice.prose import read_prose
from dramaturg.workshop.voice.rule_files import RULE_FORM, Ban, RuleFile, house_rules, read_rule_file, rule_set
from dramaturg.workshop.voice.rules import Rule, Waiver

SPOKEN = "“We are orbs,” said Ruth. “Orbs!” Ben saw orbs.\n\n“Orbs,” said Ben."


def checked(text: str, *rules: Rule, waivers: tuple[Waiver, ...] = (), file: str = "") -> RuleReport:
    return check_prose(read_prose(text), rules or house_rules(), waivers, file=file)


def orbs(**more: object) -> Rule:
    return Rule.model_validate({"id": "orbs", "says": "orbs", "phrases": ("orbs",)} | more)


@pytest.mark.parametrize(
    ("more", "hits"),
    [
        ({}, 4),
        ({"scope": "narration"}, 1),
        ({"scope": "dialogue"}, 3),
        ({"speaker": "Ruth"}, 2),
        ({"speaker": "Ben"}, 1),
        ({"speaker": "Mr Ben Hale"}, 1),
    ],
)
def test_a_rule_counts_where_its_scope_says(more: dict[str, object], hits: int) -> None:
    (count,) = checked(SPOKEN, orbs(**more)).counts
    assert count.hits == hits


def test_a_phrase_is_found_whatever_its_case_and_marks_and_not_inside_a_word() -> None:
    assert checked("ORBS, orbs… and forbs.", orbs()).hits == 2


def test_a_pattern_knows_letters_beyond_ascii() -> None:
    rule = Rule(id="cafe", says="café", pattern=r"/\bCafé\b/i")
    assert checked("Im café. Das Cafés. CAFÉ!", rule).hits == 2


@pytest.mark.parametrize("pattern", ["orbs", "/(?=a)b/", "/(a)\\1/", "/[/", f"/{'a' * 499}/", "/(a{200}){200}/"])
def test_a_pattern_that_cannot_be_searched_is_refused_with_the_reason(pattern: str) -> None:
    with pytest.raises(ValidationError, match=r"pattern|searched|most"):
        Rule(id="x", says="x", pattern=pattern)


def test_an_allowance_forgives_one_place_in_a_short_text_and_counts_in_a_long_one() -> None:
    rule = orbs(per_1000=2.0)
    assert not checked("Orbs.", rule).broken
    assert checked("Orbs. Orbs.", rule).counts[0].over == 1
    long = checked("Orbs rolled down the hill. " * 400, rule).counts[0]
    assert (long.hits, long.allowed, long.over) == (400, 4, 396)


def test_zero_tolerance_forgives_nothing_and_has_no_allowance() -> None:
    assert checked("Orbs.", orbs(severity="zero_tolerance")).broken
    with pytest.raises(ValidationError, match="allowance"):
        orbs(severity="zero_tolerance", per_1000=1)


@pytest.mark.parametrize(
    ("waiver", "hits"),
    [
        (Waiver(rule="orbs"), 0),
        (Waiver(rule="orbs", file="manuscript/a.md"), 0),
        (Waiver(rule="orbs", file="manuscript/b.md"), 4),
        (Waiver(rule="orbs", quote="Ben saw orbs"), 3),
        (Waiver(rule="other"), 4),
    ],
)
def test_a_waiver_holds_for_the_book_a_file_or_a_sentence(waiver: Waiver, hits: int) -> None:
    (count,) = checked(SPOKEN, orbs(), waivers=(waiver,), file="manuscript/a.md").counts
    assert (count.hits, count.waived) == (hits, 4 - hits)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("held-breath", "He let out a breath he didn’t know he had been holding."),
        ("stirred-within", "Something cold shifted inside her."),
        ("thick-air", "The silence between them was heavy."),
        ("smile-eyes", "His smile didn't quite reach his eyes."),
        ("denials", "It wasn't anger. It was grief."),
        ("adverb-tags", "“Go,” she said quietly. “Go,” said Tom coldly."),
        ("same-openers", "She ran.\n\nShe fell.\n\nShe rose."),
        ("drumbeat", "Silence.\n\nThen nothing.\n\nNot one word."),
        ("closing-maxims", "He locked the door. He counted the notes twice. Some debts are never paid."),
        ("even-sentences", "One two three four five six seven eight nine. " * 6),
    ],
)
def test_our_rules_find_what_they_were_written_for(rule: str, text: str) -> None:
    assert checked(text).count_of(rule)


PLAIN = """The ferry left at six. Ruth counted the crates, then counted them again, because the figure was not hers.

“Forty,” she said.

“Forty-one,” said the mate, and did not look up. He was tying the last of them down with a knot she had not seen before.

Her father would have let it go. She walked back along the quay in the rain and found the customs shed locked, and a
light on."""


def test_plain_prose_breaks_none_of_our_rules() -> None:
    assert not checked(PLAIN).broken


def test_rules_for_english_are_not_applied_to_german() -> None:
    german = (
        "Der Mann ging mit dem Hund durch den Wald, und die Frau sah ihm nach, bis er nicht mehr zu sehen war. " * 6
    )
    assert not [one for one in checked(f"{german} Suddenly. Suddenly. Suddenly.").counts if one.rule == "suddenly"]


def test_the_page_in_the_prompt_is_what_the_rules_say() -> None:
    page = Path(guardrail.__file__).parents[1] / guardrail.PAGE
    assert page.read_text(encoding="utf-8") == guardrail.guardrail_text(house_rules()), (
        "run: python -m dramaturg.workshop.voice.guardrail"
    )


@given(
    st.lists(
        st.builds(
            Ban,
            ban=st.text(alphabet="abc \"'\\:#-{}é", min_size=1, max_size=20).filter(
                lambda text: any(map(str.isalpha, text))
            ),
            speaker=st.sampled_from(["", "Ruth"]),
            severity=st.sampled_from(["zero_tolerance", "deduction"]),
        ),
        max_size=4,
    )
)
def test_a_file_of_bans_reads_back_as_it_was_written(bans: list[Ban]) -> None:
    file = RuleFile(bans=tuple(bans)).with_waiver(Waiver(rule="similes", quote='a: "b"', reason="# mine"))
    assert RULE_FORM.value(RULE_FORM.parse(file.render(), "rules.yaml"), where="rules.yaml") == file


def test_a_broken_file_of_rules_says_where_and_what(tmp_path: Path) -> None:
    (tmp_path / "voice").mkdir()
    (tmp_path / "voice/rules.yaml").write_text("bans:\n  - ban: /(?=a)/\n")
    with pytest.raises(InvalidConfig, match=r"voice/rules.yaml.*bans"):
        read_rule_file(tmp_path)


def test_the_writers_bans_come_before_our_rules(tmp_path: Path) -> None:
    (tmp_path / "voice").mkdir()
    (tmp_path / "voice/rules.yaml").write_text(RuleFile().with_ban(Ban(ban="orbs")).render())
    first = rule_set(tmp_path).rules[0]
    assert (first.id, first.by_writer, first.severity) == ("ban-orbs", True, "zero_tolerance")
