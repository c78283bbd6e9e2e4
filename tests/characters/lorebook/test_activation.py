"""When lore is told: one rule, one test."""

from __future__ import annotations

from typing import Any

import pytest

from dramaturg.characters.lorebook import Lorebook, LoreEntry, book_from
from dramaturg.characters.lorebook.activation import activate
from dramaturg.characters.lorebook.keys import KeySearch, SearchedText
from dramaturg.characters.lorebook.scan import LoreMessage, LoreScan, LoreSettings, LoreState, LoreSurroundings
from dramaturg.characters.lorebook.work import StepBudget
from dramaturg.characters.tavern.macros import MacroContext
from tests.characters.foreign import refuse

TALK = ("We take the ferry.", "It rains.")


def book(*entries: dict[str, Any], **head: Any) -> Lorebook:
    """A World Info book; an entry is named by its comment."""
    listed = {
        str(place): {"uid": place, "key": ["ferry"], "content": f"Lore {place}.", **entry}
        for place, entry in enumerate(entries)
    }
    return book_from({**head, "entries": listed}, refuse)


def talk(*texts: str) -> list[LoreMessage]:
    return [LoreMessage(text=text, name="Ann", is_user=place % 2 == 0) for place, text in enumerate(texts)]


def scan(
    *entries: dict[str, Any],
    said: tuple[str, ...] = TALK,
    state: LoreState = LoreState(),  # noqa: B008
    around: LoreSurroundings = LoreSurroundings(seed="chat", char="Mara", user="Ann"),  # noqa: B008
    head: dict[str, Any] | None = None,
    **settings: Any,
) -> LoreScan:
    return activate([book(*entries, **(head or {}))], talk(*said), state, LoreSettings(**settings), around)


def told(*entries: dict[str, Any], **options: Any) -> list[str]:
    return [one.text for one in scan(*entries, **options).told]


def test_a_key_in_the_talk_tells_its_entry_and_says_why() -> None:
    result = scan({}, {"key": ["mountain"]})
    assert [one.text for one in result.told] == ["Lore 0."]
    assert result.told[0].reason == "key 'ferry' in the last 2 messages"


def test_a_disabled_entry_is_never_told() -> None:
    assert told({"disable": True, "constant": True}, {"disable": True, "content": "@@activate\nx"}) == []


def test_a_constant_entry_is_always_told() -> None:
    result = scan({"key": [], "constant": True}, said=())
    assert result.told[0].reason == "constant"


def test_only_the_newest_messages_are_scanned_and_an_entry_or_a_book_may_look_further() -> None:
    said = ("The ferry.", "a", "b")
    assert told({}, said=said) == []
    assert told({}, said=said, scan_depth=3) == ["Lore 0."]
    assert told({"scanDepth": 3}, said=said) == ["Lore 0."]
    assert told({}, said=said, head={"scan_depth": 3}) == ["Lore 0."]
    assert told({"scanDepth": 0}, said=("ferry",)) == []


def test_case_counts_only_where_it_is_said() -> None:
    assert told({"key": ["FERRY"]}) == ["Lore 0."]
    assert told({"key": ["FERRY"], "caseSensitive": True}) == []
    assert told({"key": ["FERRY"]}, case_sensitive=True) == []
    assert told({"key": ["FERRY"], "caseSensitive": False}, case_sensitive=True) == ["Lore 0."]


def test_whole_words_count_only_where_it_is_said_and_for_single_words() -> None:
    assert told({"key": ["fer"]}) == ["Lore 0."]
    assert told({"key": ["fer"], "matchWholeWords": True}) == []
    assert told({"key": ["ferry"]}, whole_words=True) == ["Lore 0."]
    assert told({"key": ["take the fer"]}, whole_words=True) == ["Lore 0."]


@pytest.mark.parametrize(
    ("logic", "secondary", "expected"),
    [
        (0, ["rain", "snow"], True),
        (0, ["snow"], False),
        (1, ["rain", "snow"], True),
        (1, ["rain"], False),
        (2, ["snow"], True),
        (2, ["rain", "snow"], False),
        (3, ["rain", "take"], True),
        (3, ["rain", "snow"], False),
        (2, [], True),
    ],
)
def test_secondary_keys_follow_their_logic(logic: int, secondary: list[str], expected: bool) -> None:
    entry = {"selective": True, "selectiveLogic": logic, "keysecondary": secondary}
    assert bool(told(entry)) is expected


def test_secondary_keys_do_nothing_where_an_entry_is_not_selective() -> None:
    assert told({"selective": False, "keysecondary": ["snow"]}) == ["Lore 0."]


def test_a_key_between_slashes_is_a_pattern() -> None:
    assert told({"key": [r"/fer{2}y\b/"]}) == ["Lore 0."]
    assert told({"key": ["/FERRY/"]}) == []
    assert told({"key": ["/FERRY/i"]}) == ["Lore 0."]
    assert told({"key": ["/ferry"]}, said=("a /ferry b",)) == ["Lore 0."]


def test_a_pattern_that_cannot_be_used_matches_nothing_and_is_reported() -> None:
    result = scan({"key": ["/(?<=a)ferry/"]}, {"key": ["/(/", "ferry"]})
    assert [one.text for one in result.told] == ["Lore 1."]
    assert [(one.label, "cannot be used: it looks ahead or behind" in one.reason) for one in result.untold] == [
        ("/(?<=a)ferry/", True)
    ]


def test_a_pattern_that_would_hang_other_engines_is_over_at_once() -> None:
    assert told({"key": ["/(a+)+$/", "/(a|aa)*b/", "/(.*)*x/"]}, said=("a" * 50_000 + "!",)) == []


def test_patterns_stop_when_their_work_is_spent_and_say_so() -> None:
    entry = LoreEntry(uid="0", keys=("/x+y/",))
    search = KeySearch(LoreSettings(), MacroContext("Mara"), StepBudget(left=50))
    assert search.match(entry, SearchedText("x" * 100 + "y")) is None
    assert search.faults == {"0": "the keys of this scan took too long"}


def test_in_a_v3_book_bare_keys_are_patterns_where_it_says_so_and_not_in_one_from_sillytavern() -> None:
    entry = {
        "keys": ["f.rry"],
        "content": "x",
        "extensions": {},
        "enabled": True,
        "insertion_order": 1,
        "use_regex": True,
    }
    v3 = book_from({"entries": [entry]}, refuse)
    tavern = book_from({"entries": [{**entry, "extensions": {"selectiveLogic": 0}}]}, refuse)
    assert len(activate([v3], talk(*TALK)).told) == 1
    assert len(activate([tavern], talk(*TALK)).told) == 0


def test_macros_in_keys_and_contents_are_spoken_and_hidden_keys_are_found() -> None:
    assert told({"key": ["{{user}}"], "content": "{{char}} knows {{user}}."}, said=("Ann!",)) == ["Mara knows Ann."]
    assert told({}, said=("x {{hidden_key:ferry}}",)) == ["Lore 0."]


def test_the_names_of_speakers_are_keys_unless_they_are_left_out() -> None:
    assert told({"key": ["ann"]}, said=("x",)) == ["Lore 0."]
    assert told({"key": ["ann"]}, said=("x",), names=False) == []


def test_an_entry_may_look_at_the_description_too() -> None:
    around = LoreSurroundings(description="A ferrywoman.")
    assert told({"matchCharacterDescription": True}, said=("x",), around=around) == ["Lore 0."]
    assert told({}, said=("x",), around=around) == []


def test_an_entry_may_be_for_some_characters_or_tags_only() -> None:
    only = {"characterFilter": {"names": ["Mara"], "tags": [], "isExclude": False}}
    never = {"characterFilter": {"names": ["Mara"], "tags": [], "isExclude": True}}
    tagged = {"characterFilter": {"names": [], "tags": ["sea"], "isExclude": False}}
    assert told(only, never, tagged) == ["Lore 0."]
    assert told(only, never, tagged, around=LoreSurroundings(char="Iris", tags=("sea",))) == ["Lore 1.", "Lore 2."]


def test_an_entry_may_be_for_some_kinds_of_answers_only() -> None:
    assert told({"triggers": ["swipe"]}) == []
    assert told({"triggers": ["swipe"]}, around=LoreSurroundings(trigger="swipe")) == ["Lore 0."]


def test_probability_is_rolled_by_the_seed_and_a_failed_roll_is_final() -> None:
    entries = [{"probability": 50, "useProbability": True} for _ in range(40)]
    first = scan(*entries, recursive=True)
    assert 5 < len(first.told) < 35
    assert scan(*entries, recursive=True) == first
    assert all("the dice" in one.reason for one in first.untold)
    other = scan(*entries, around=LoreSurroundings(seed="another chat"))
    assert [one.entry.uid for one in other.told] != [one.entry.uid for one in first.told]
    assert told({"probability": 0}) == []
    assert told({"probability": 0, "useProbability": False}) == ["Lore 0."]


def test_of_a_group_one_is_told_by_weight() -> None:
    entries = [{"group": "weather"}, {"group": "weather"}, {"group": "weather", "groupWeight": 0}]
    winners = set()
    for seed in range(40):
        result = scan(*entries, around=LoreSurroundings(seed=str(seed)))
        assert len(result.told) == 1
        assert len(result.untold) == 2
        winners.add(result.told[0].text)
    assert winners == {"Lore 0.", "Lore 1."}


def test_an_entry_that_overrides_wins_its_group_by_order() -> None:
    entries = [{"group": "g", "groupOverride": True, "order": 5}, {"group": "g", "groupOverride": True, "order": 9}]
    assert told(*entries, {"group": "g", "groupWeight": 10_000}) == ["Lore 1."]


def test_where_a_score_is_kept_the_entry_with_more_keys_found_wins_its_group() -> None:
    entries = [{"group": "g", "groupWeight": 10_000}, {"group": "g", "key": ["ferry", "rain"], "groupWeight": 1}]
    assert told(*entries, group_scoring=True) == ["Lore 1."]


def test_a_group_that_has_been_told_stays_with_that_entry() -> None:
    entries = [{"group": "g", "content": "The lantern."}, {"key": ["lantern"], "group": "g"}]
    result = scan(*entries, recursive=True)
    assert [one.text for one in result.told] == ["The lantern."]
    assert result.untold[0].reason == "group 'g' went to 'ferry'"


def test_a_sticky_entry_stays_for_its_messages() -> None:
    entry = {"sticky": 3}
    first = scan(entry, said=("ferry",))
    lengths = {
        length: [one.reason for one in scan(entry, said=("x",) * length, state=first.state).told]
        for length in (1, 2, 3, 4)
    }
    assert lengths == {1: [], 2: ["sticky until message 4"], 3: ["sticky until message 4"], 4: []}


def test_a_sticky_entry_needs_no_luck() -> None:
    entry = {"sticky": 5, "probability": 50}
    seed = next(s for s in range(50) if scan(entry, said=("ferry",), around=LoreSurroundings(seed=str(s))).told)
    around = LoreSurroundings(seed=str(seed))
    state = scan(entry, said=("ferry",), around=around).state
    for length in (2, 3, 4, 5):
        assert told(entry, said=("x",) * length, state=state, around=around) == ["Lore 0."]


def test_an_entry_cools_down_after_it_was_told() -> None:
    entry = {"cooldown": 2}
    first = scan(entry, said=("ferry",))
    assert told(entry, said=("ferry",) * 2, state=first.state) == []
    assert scan(entry, said=("ferry",) * 2, state=first.state).untold[0].reason == "cools down until message 3"
    assert told(entry, said=("ferry",) * 3, state=first.state) == ["Lore 0."]


def test_a_sticky_entry_cools_down_once_it_has_ceased_to_stick() -> None:
    entry = {"sticky": 2, "cooldown": 2}
    state = scan(entry, said=("ferry",)).state
    assert told(entry, said=("ferry",) * 2, state=state) == ["Lore 0."]
    ended = scan(entry, said=("ferry",) * 3, state=state)
    assert ended.told == ()
    assert told(entry, said=("ferry",) * 4, state=ended.state) == []
    assert told(entry, said=("ferry",) * 5, state=ended.state) == ["Lore 0."]


def test_what_was_timed_is_forgotten_where_the_talk_did_not_advance() -> None:
    entry = {"sticky": 9, "cooldown": 9}
    state = scan(entry, said=("a", "ferry")).state
    assert told(entry, said=("a", "x"), state=state) == []
    assert told(entry, said=("ferry",), state=state) == ["Lore 0."]


def test_a_delayed_entry_waits_for_its_message() -> None:
    assert told({"delay": 3}, said=("ferry",) * 2) == []
    assert told({"delay": 3}, said=("ferry",) * 3) == ["Lore 0."]


def test_lore_that_is_told_may_bring_up_other_lore() -> None:
    chain = [{"content": "The bell."}, {"key": ["bell"], "content": "The tower."}, {"key": ["tower"]}]
    assert told(*chain) == ["The bell."]
    result = scan(*chain, recursive=True)
    assert [one.text for one in result.told] == ["The bell.", "The tower.", "Lore 2."]
    assert result.told[2].reason == "key 'tower' in lore that was told"
    assert told(*chain, recursive=True, head={"recursive_scanning": False}) == ["The bell."]
    assert len(told(*chain, head={"recursive_scanning": True})) == 3


def test_lore_that_prevents_recursion_brings_up_nothing_and_one_that_is_excluded_is_not_brought_up() -> None:
    prevents = [{"content": "The bell.", "preventRecursion": True}, {"key": ["bell"]}]
    excluded = [{"content": "The bell."}, {"key": ["bell"], "excludeRecursion": True}]
    assert told(*prevents, recursive=True) == ["The bell."]
    assert told(*excluded, recursive=True) == ["The bell."]
    assert told({"excludeRecursion": True}, recursive=True) == ["Lore 0."]


def test_lore_delayed_until_recursion_comes_level_by_level() -> None:
    entries = [
        {"content": "The bell."},
        {"key": ["bell"], "content": "The tower.", "delayUntilRecursion": True},
        {"key": ["tower"], "delayUntilRecursion": 2},
    ]
    assert told(*entries, recursive=True) == ["The bell.", "The tower.", "Lore 2."]
    assert told(*entries[1:], said=("bell",)) == []
    assert told({"delayUntilRecursion": 1}, recursive=False) == []


def test_recursion_ends_where_lore_leads_in_a_circle() -> None:
    circle = [{"content": "The bell."}, {"key": ["bell"], "content": "The ferry."}]
    assert told(*circle, recursive=True) == ["The bell.", "The ferry."]


def test_what_is_told_stands_in_the_order_of_insertion() -> None:
    assert told({"order": 30}, {"order": 10}, {"order": 20}, {"order": 10}) == [
        "Lore 1.",
        "Lore 3.",
        "Lore 2.",
        "Lore 0.",
    ]


def test_positions_depths_and_roles_come_with_the_entry() -> None:
    result = scan({"position": 4, "depth": 7, "role": 2}, {"position": 1, "content": "@@position scenario\nx"})
    at_depth, scenario = (one.entry for one in result.told)
    assert (at_depth.position, at_depth.depth, at_depth.role) == ("at_depth", 7, "assistant")
    assert scenario.position == "scenario"


def test_lore_without_words_tells_nothing() -> None:
    assert told({"content": ""}, {"content": "@@depth 3\n"}, {"content": "{{// note}}"}) == []


def test_where_too_little_is_told_the_scan_looks_further_back() -> None:
    said = ("The ferry.", "The bell.", "a", "b")
    entries = ({}, {"key": ["bell"]})
    assert told(*entries, said=said) == []
    assert told(*entries, said=said, min_activations=1) == ["Lore 1."]
    assert told(*entries, said=said, min_activations=2) == ["Lore 0.", "Lore 1."]
    assert told(*entries, said=said, min_activations=2, deepest=3) == ["Lore 1."]


@pytest.mark.parametrize(
    ("content", "said", "expected"),
    [
        ("@@activate\nx", ("nothing",), True),
        ("@@dont_activate\nx", ("ferry",), False),
        ("@@activate\n@@dont_activate\nx", ("nothing",), True),
        ("@@activate_only_after 1\nx", ("ferry",), False),
        ("@@activate_only_after 1\nx", ("ferry", "ferry"), True),
        ("@@activate_only_every 2\nx", ("a", "b", "c", "ferry"), True),
        ("@@activate_only_every 2\nx", ("a", "ferry", "c"), False),
        ("@@additional_keys rain,snow\nx", ("ferry and rain",), True),
        ("@@additional_keys snow\n@@additional_keys rain\nx", ("ferry and rain",), False),
        ("@@exclude_keys rain\nx", ("ferry and rain",), False),
        ("@@exclude_keys snow\nx", ("ferry and rain",), True),
        ("@@scan_depth 3\nx", ("ferry", "a", "b"), True),
        ("@@nonsense\n@@@dont_activate\nx", ("ferry",), False),
        ("@@scan_depth 2\n@@@dont_activate\nx", ("ferry",), True),
        ("@@depth many\n@@@a\n@@@b\n@@@c\n@@@d\n@@@dont_activate\nx", ("ferry",), False),
        ("@@is_user_icon hat\nx", ("ferry",), False),
    ],
)  # fmt: skip
def test_decorators_say_when(content: str, said: tuple[str, ...], expected: bool) -> None:
    assert bool(told({"content": content}, said=said)) is expected


def test_decorators_ask_for_a_greeting_and_for_room() -> None:
    greeting = {"content": "@@is_greeting 1\nx"}
    assert told(greeting, around=LoreSurroundings(greeting=1)) == ["x"]
    assert told(greeting, around=LoreSurroundings(greeting=0)) == []
    assert told({"content": "@@ignore_on_max_context\nx"}, around=LoreSurroundings(is_full=True)) == []


def test_decorators_keep_an_entry_after_a_match_or_never_tell_it_again() -> None:
    keep, once = {"content": "@@keep_activate_after_match\nx"}, {"content": "@@dont_activate_after_match\nx"}
    kept, gone = scan(keep, said=("ferry",)).state, scan(once, said=("ferry",)).state
    assert told(keep, said=("ferry", *["x"] * 30), state=kept) == ["x"]
    assert told(once, said=("ferry", "a", "ferry"), state=gone) == []
    assert told(once, said=("ferry",), state=gone) == ["x"]


def test_books_stack_and_entries_of_the_same_number_do_not_mix() -> None:
    first, second = book({"sticky": 5}, name="One"), book({"key": ["rain"]}, name="One")
    result = activate([first, second], talk(*TALK))
    assert [one.entry.uid for one in result.told] == ["One/0", "One (2)/0"]
    assert [effect.uid for effect in result.state.effects] == ["One/0"]


def test_an_entry_is_named_for_people() -> None:
    assert LoreEntry(uid="1", comment="The ferry").label == "The ferry"
    assert LoreEntry(uid="1", keys=("a", "b")).label == "a, b"
    assert LoreEntry(uid="1").label == "1"
