"""What only looks as if it rested on a fact is left alone: names within names, lists of a cast, other relations."""

from __future__ import annotations

from pathlib import Path

from tests.workshop.thread.books import write_book
from tests.workshop.workroom import at_work

PEOPLE = """---
kind: character
name: Tobias Renn
aliases: [Tobias, Renn]
facts:
  - {subject: Tobias Renn, predicate: works_for, object: Ines Calder}
  - {subject: Marit Renn, predicate: sibling_of, object: Tobias Renn}
---
"""
SCENE = """---
cast: [Ines Calder, Tobias Renn, Marit Renn]
facts:
  - {subject: Ines Calder, predicate: eye_colour, object: grey}
  - {subject: Marit Renn, predicate: eye_colour, object: green}
---
Ines Calder looked at Tobias. Marit Renn had her brother's way of looking at the sky.

Everybody knew that Tobias worked for Ines Calder. Marit Renn said that she was the sister of Tobias, his only sibling.

The pass lay green and empty. At noon the grey eyes of Ines Calder were on Marit Renn.
"""
BOOK = {"story-bible/people.md": PEOPLE, "manuscript/ch01-sc01.md": SCENE}


async def found(folder: Path, fact: str) -> set[str]:
    write_book(folder, BOOK)
    async with at_work(folder) as foreman:
        return {one.quote for one in (await foreman.thread.pull(fact)).strands}


async def test_a_sentence_that_names_both_rests_on_what_they_are_only_if_it_says_so(tmp_path: Path) -> None:
    assert await found(tmp_path, "Tobias works for Ines") == {
        "- {subject: Tobias Renn, predicate: works_for, object: Ines Calder}",
        "Everybody knew that Tobias worked for Ines Calder.",
    }


async def test_a_part_of_another_name_is_not_the_name(tmp_path: Path) -> None:
    strands = await found(tmp_path, "Marit sibling Tobias")
    assert strands == {
        "- {subject: Marit Renn, predicate: sibling_of, object: Tobias Renn}",
        "Marit Renn said that she was the sister of Tobias, his only sibling.",
    }
    async with at_work(tmp_path) as foreman:
        request = {"fact": "Marit sibling Tobias", "value": "Joost", "rewords": False}
        run = await foreman.works.start("retcon", foreman.works.read("retcon", request))
        await foreman.works.wait(run.id)
        patches = (await foreman.patches.patches()).patches
    assert {(one.file, one.old, one.new) for one in patches} == {
        ("story-bible/people.md", "Tobias Renn", "Joost"), ("manuscript/ch01-sc01.md", "Tobias", "Joost"),
    }  # fmt: skip


async def test_the_line_of_another_fact_in_the_same_front_matter_is_left_alone(tmp_path: Path) -> None:
    assert await found(tmp_path, "Ines Calder eye colour grey") == {
        "- {subject: Ines Calder, predicate: eye_colour, object: grey}",
        "At noon the grey eyes of Ines Calder were on Marit Renn.",
    }
