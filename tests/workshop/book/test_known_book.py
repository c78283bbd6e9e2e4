"""What is kept of a book from turn to turn is what is known of it, whatever changes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.workshop.book.bible import BiblePage
from dramaturg.workshop.book.book import NOWHERE
from dramaturg.workshop.book.decisions import FINISHED, Decision
from dramaturg.workshop.book.knowledge import KnowledgeEntry, known_facts
from dramaturg.workshop.book.known_book import KnownBook, Moment
from tests.workshop.book.plain_ranking import plainly_ranked
from tests.workshop.books import decision

KEYS = ("protagonist", "ruth_flaw", "ivo_fatal_flaw", "flaw", "theme", "midpoint", "beat_3", "lamp", FINISHED)
SAID = st.lists(st.sampled_from(["Ruth", "Ivo", "lamp", "pride", "trust"]), min_size=1, max_size=3).map(" ".join)
DECISIONS = st.dictionaries(
    st.integers(1, 12),
    st.tuples(st.sampled_from(KEYS), SAID, st.sampled_from(["character", "world", "preference", "constraint"])),
    max_size=8,
)
PAGES = st.tuples(
    st.dictionaries(st.sampled_from(["fatal_flaw", "the_lie"]), SAID),
    st.dictionaries(st.sampled_from(["central_theme"]), SAID),
    st.dictionaries(st.just("fundamental_rules"), st.just("1. One.\n2. Two.")),
)
FOUND = st.lists(st.tuples(SAID, st.sampled_from([None, 1.0])), max_size=3)
STATES = st.lists(st.tuples(DECISIONS, PAGES, st.sampled_from(["", "Ruth"]), FOUND, SAID), min_size=1, max_size=5)


def decided(drawn: dict[int, tuple[str, str, str]]) -> list[Decision]:
    """Whatever has a number always says the same."""
    return [
        decision(hash((number, *said)) % 10_000, said[0], said[1], said[2]) for number, said in sorted(drawn.items())
    ]


@given(STATES)
def test_a_kept_book_knows_what_a_new_look_at_everything_finds(states) -> None:  # type: ignore[no-untyped-def]
    book, logged = KnownBook(), dict[str, KnowledgeEntry]()
    for drawn, fields, protagonist, found, about in states:
        decisions = sorted({one.id: one for one in decided(drawn)}.values(), key=lambda one: one.id)
        templates = ("protagonist", "theme", "world_rules")
        pages = tuple(
            BiblePage(template=template, status="in_progress", fields=held)  # type: ignore[arg-type]
            for template, held in zip(templates, fields, strict=True)
        )
        around = tuple(KnowledgeEntry(category="world", key="fact", value=one, distance=far) for one, far in found)
        facts = known_facts(pages, decisions, protagonist)
        shared = [one for one in around if one.distance is None]
        near = [one for one in around if one.distance is not None]
        wanted = (*plainly_ranked([*facts.entries, *shared], about), *near)

        now = book.look({one.mark: one for one in decisions}, pages, protagonist, Moment(about, around))
        assert tuple(now.ranked) == wanted
        assert now.disagreements == facts.disagreements
        assert now.decided == len(decisions)
        assert now.is_finished == (FINISHED in {one.key for one in decisions})

        change = now.change(frozenset(logged), wanted[:2], NOWHERE)
        logged = {name: one for name, one in logged.items() if name not in change.forgotten} | dict(change.learned)
        assert sorted(map(repr, logged.values())) == sorted(map(repr, wanted))
        assert change.untold == len([one for one in wanted if one not in wanted[:2]])
