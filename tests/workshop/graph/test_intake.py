"""A book is read into its graph without a model, again and again."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.workshop.graph.values import GraphChange
from tests.workshop.graph.stories import named, read, said, scene, the_book, write


def test_front_matter_bible_and_prose_become_facts(tmp_path: Path) -> None:
    graph, intake = read(the_book(tmp_path))
    assert intake.problems == ()
    assert {
        ("Elena", "fatal_flaw", "She trusts nobody."),
        ("Elena", "present_at", "ch01-sc01"),
        ("Elena", "point_of_view_of", "ch01-sc01"),
        ("ch01-sc01", "takes_place_at", "The Docks, pier 4"),
        ("ch01-sc01", "happens_at", "2190-05-04"),
        ("ch01-sc01", "serves_beat", "Catalyst"),
        ("ch01-sc01", "shows", "the photograph"),
        ("Marcus", "owns", "the Meridian"),
        ("Elena", "named_beside", "Marcus"),
        ("Elena", "mentioned_in", "ch02-sc01"),
        ("Ruth", "knows", "the berth is sold"),
    } <= said(graph)
    assert ("Elena", "present_at", "ch02-sc01") not in said(graph)


def test_every_quotation_stands_verbatim_at_its_place(tmp_path: Path) -> None:
    graph, _ = read(the_book(tmp_path))
    assert len(graph.facts) > 20
    for fact in graph.facts:
        text = (tmp_path / fact.file).read_text()
        assert fact.quote
        assert text[fact.start : fact.start + len(fact.quote)] == fact.quote


def test_reading_again_changes_nothing(tmp_path: Path) -> None:
    graph, _ = read(the_book(tmp_path))
    again, intake = read(tmp_path, graph, at=2.0)
    assert intake.change == GraphChange()
    assert intake.read == 0
    assert again == graph


def test_a_changed_file_retires_what_it_no_longer_says_and_keeps_the_rest(tmp_path: Path) -> None:
    graph, _ = read(the_book(tmp_path))
    scene(tmp_path, "ch02-sc01", "cast: [Marcus]\nplace: the berth\ntime: 2190-05-06", "New words.\n\nMarcus slept.")
    after, intake = read(tmp_path, graph, at=2.0)
    assert intake.read == 1
    assert ("Ruth", "present_at", "ch02-sc01") not in said(after)
    assert {one.id for one in graph.facts} <= {one.id for one in after.facts}
    gone = [one for one in after.facts if one.retired_at == 2.0]
    assert {one.file for one in gone} == {"manuscript/ch02-sc01.md"}


def test_words_that_moved_down_the_page_are_the_same_fact_at_a_new_place(tmp_path: Path) -> None:
    scene(tmp_path, "a", "cast: [Elena]", "Elena waited.")
    graph, _ = read(tmp_path)
    scene(tmp_path, "a", "cast: [Elena]", "It rained.\n\nElena waited.")
    after, intake = read(tmp_path, graph, at=2.0)
    assert intake.change.facts == ()
    assert intake.change.retired == ()
    (moved,) = intake.change.moved
    assert [one.paragraph for one in after.facts if one.id == moved.fact] == [2]


def test_a_name_that_becomes_known_is_looked_for_in_old_scenes(tmp_path: Path) -> None:
    scene(tmp_path, "a", "cast: [Elena]", "Elena saw Ruth.")
    graph, _ = read(tmp_path)
    assert ("Ruth", "mentioned_in", "a") not in said(graph)
    scene(tmp_path, "b", "cast: [Ruth]")
    after, _ = read(tmp_path, graph)
    assert ("Ruth", "mentioned_in", "a") in said(after)


def test_a_deleted_scene_takes_its_facts_out_of_force_and_an_unreadable_one_does_not(tmp_path: Path) -> None:
    graph, _ = read(the_book(tmp_path))
    (tmp_path / "manuscript/ch02-sc01.md").unlink()
    (tmp_path / "manuscript/ch01-sc01.md").write_bytes(b"---\ncast: [Elena\n---\n\xff")
    after, intake = read(tmp_path, graph, at=2.0)
    assert ("Ruth", "present_at", "ch02-sc01") not in said(after)
    assert ("Marcus", "owns", "the Meridian") in said(after)
    assert any("ch01-sc01.md" in problem for problem in intake.problems)
    assert len(after.facts) == len(graph.facts)


def test_chapters_are_read_by_their_numbers(tmp_path: Path) -> None:
    for name in ("ch10-sc01", "ch2-sc01", "ch02-sc02", "part/ch01-sc03"):
        scene(tmp_path, name, "cast: [Elena]")
    scene(tmp_path, "zz", "chapter: 2\nscene: 1\ncast: [Elena]")
    graph, _ = read(tmp_path)
    order = sorted(graph.positions, key=lambda path: graph.positions[path])
    assert [path.removeprefix("manuscript/").removesuffix(".md") for path in order] == [
        "part/ch01-sc03",
        "ch2-sc01",
        "zz",
        "ch02-sc02",
        "ch10-sc01",
    ]


@pytest.mark.parametrize(
    ("matter", "expected"),
    [
        ("facts:\n  - {subject: Elena, predicate: mother_of, object: Elena}", "nobody can be that to themselves"),
        ("facts:\n  - {subject: Elena, predicate: mother_of, object: Mrs Vance}", "nobody can be that to themselves"),
        ("facts:\n  - {subject: Elena, predicate: outranks, object: Ruth}", "There is no predicate 'outranks'"),
        ("facts:\n  - {subject: Elena, predicate: age, object: 40, quote: not there}", "do not stand in the text"),
        ("facts:\n  - {subject: Elena, predicate: age, object: 40, modality: believed}", "needs 'by'"),
        ("facts:\n  - Elena is forty", "not a fact"),
        ("facts: 7", "not a fact"),
        ("facts:\n  - {subject: Elena, predicate: age, object: 40, sure: no}", "'sure' is no field"),
        ("facts:\n  - {predicate: age}", "needs a subject"),
        ("after: nowhere", "names no scene"),
        ("cast: [Elena", "front matter cannot be read"),
    ],
)
def test_what_cannot_be_is_told_with_its_file_and_left_out(tmp_path: Path, matter: str, expected: str) -> None:
    the_book(tmp_path)
    scene(tmp_path, "odd", matter)
    graph, intake = read(tmp_path)
    assert any(expected in problem and "manuscript/odd.md" in problem for problem in intake.problems), intake.problems
    assert not [one for one in graph.facts if one.file == "manuscript/odd.md"]


def test_story_time_in_a_circle_is_reported_and_does_no_harm(tmp_path: Path) -> None:
    scene(tmp_path, "a", "cast: [Elena]\nafter: c")
    scene(tmp_path, "b", "after: a")
    scene(tmp_path, "c", "before: [x, a]\nafter: b")
    graph, intake = read(tmp_path)
    assert any("goes in a circle" in problem for problem in intake.problems)
    assert ("a", "after", "c") in said(graph)


def test_an_alias_of_two_people_proves_nothing_in_prose_and_is_reported_in_a_cast(tmp_path: Path) -> None:
    for name in ("Elena", "Ruth"):
        write(tmp_path, f"story-bible/{name}.md", f"---\nkind: character\nname: {name}\naliases: [the widow]\n---\n")
    scene(tmp_path, "a", "cast: [the widow]", "The widow wept. Elena left.")
    graph, intake = read(tmp_path)
    assert any("name of several: Elena (character), Ruth (character)" in problem for problem in intake.problems)
    assert {one for one in said(graph) if one[1] != "states"} == {("Elena", "mentioned_in", "a")}


def test_facts_in_other_languages_and_scripts_are_kept_as_they_are(tmp_path: Path) -> None:
    scene(tmp_path, "a", "cast: [エレナ, Ольга]\nplace: Горький", "彼女はエレナだった。\n\nОльга молчала.")
    graph, intake = read(tmp_path)
    assert intake.problems == ()
    quotes = {one.quote for one in graph.facts if one.predicate == "mentioned_in"}
    assert quotes == {"彼女はエレナだった。", "Ольга молчала."}


def test_a_paragraph_of_sixty_thousand_words_gives_short_exact_quotations(tmp_path: Path) -> None:
    prose = "and so on " * 15_000 + "then Elena met Marcus once " + "and so forth " * 10_000
    scene(tmp_path, "long", "cast: [Elena, Marcus]", prose)
    graph, _ = read(tmp_path)
    quotes = [one.quote for one in graph.facts if one.source == "prose"]
    assert len(quotes) == 3
    assert all(20 < len(quote) < 400 and quote in prose for quote in quotes)


def test_a_mention_counts_once_for_each_scene(tmp_path: Path) -> None:
    scene(tmp_path, "a", "cast: [Elena, Marcus]", "Elena and Marcus. " * 50 + "\n\n" + "Marcus saw Elena. " * 50)
    graph, _ = read(tmp_path)
    assert len([one for one in graph.facts if one.source == "prose"]) == 3
    assert named(graph, "Elena").kind == "character"
