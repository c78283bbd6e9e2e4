"""Nothing of a later book reaches an earlier one, whatever its files say."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from dramaturg.kernel.settings import Settings, WorkshopSettings
from dramaturg.workshop.graph.entries import scene_entries, series_entries
from dramaturg.workshop.graph.intake import take_in
from dramaturg.workshop.graph.network import StoryNetwork
from dramaturg.workshop.graph.values import StoryGraph
from dramaturg.workshop.series.overrides import differences
from dramaturg.workshop.series.reader import SeriesReader
from tests.workshop.series.shelf import write

WHO = ("Elena", "Marcus", "Will", "Hope", "May")
SAYS = ("eye_colour", "occupation", "knows", "owns", "loves", "has_trait", "described_as")


@st.composite
def shelves(draw: st.DrawFn) -> list[list[tuple[str, str, str]]]:
    """For each book, who is what to which word; the words tell the book."""
    count = draw(st.integers(2, 4))
    return [
        [
            (draw(st.sampled_from(WHO)), draw(st.sampled_from(SAYS)), f"secret{number}x{place}")
            for place in range(draw(st.integers(1, 4)))
        ]
        for number in range(1, count + 1)
    ]


def scene(facts: list[tuple[str, str, str]]) -> str:
    rows = "".join(f"  - {{subject: {who}, predicate: {says}, object: {what}}}\n" for who, says, what in facts)
    cast = ", ".join(dict.fromkeys(who for who, _, _ in facts))
    said = " ".join(f"{who} spoke of {what}." for who, _, what in facts)
    return f"---\ncast: [{cast}]\nfacts:\n{rows}---\n{said}\n"


@given(shelves(), st.data())
@settings(max_examples=40, deadline=None)
def test_a_book_is_told_nothing_of_a_later_one(shelf: list[list[tuple[str, str, str]]], data: st.DataObject) -> None:
    with TemporaryDirectory() as made:
        folder = Path(made)
        order = data.draw(st.permutations(range(1, len(shelf) + 1)))
        rows = "".join(f"  - {{folder: book{number}, number: {number}}}\n" for number in order)
        write(folder / "series" / "series.yaml", f"books:\n{rows}")
        for number, facts in enumerate(shelf, start=1):
            write(folder / f"book{number}" / "manuscript" / "ch01-sc01.md", scene(facts))
            page = f"---\nkind: character\nname: Elena\nbook: book{number}\nfacts:\n"
            page += f"  - {{subject: Elena, predicate: has_trait, object: secret{number}xpage}}\n---\n"
            write(folder / "series" / f"page{number}.md", page)
        for number in range(1, len(shelf) + 1):
            project = folder / f"book{number}"
            reader = SeriesReader(Settings(project=project, workshop=WorkshopSettings(series=Path("../series"))), float)
            own = StoryGraph().changed(take_in(StoryGraph(), project).change, 0.0)
            graph = reader.earlier(own)
            told = [one.value for one in (*series_entries(graph), *_near(graph))]
            told += [one.said for one in differences(graph, project)]
            told += [f"{one.value} {one.quote}" for one in graph.facts]
            told += [name for one in graph.entities for name in one.names]
            for later in range(number + 1, len(shelf) + 1):
                assert not any(f"secret{later}x" in one for one in told)
            for earlier in range(1, number + 1):
                assert any(f"secret{earlier}x" in one for one in told)


def _near(graph: StoryGraph) -> list[object]:
    return list(scene_entries(StoryNetwork(graph))("manuscript/ch01-sc01.md"))
