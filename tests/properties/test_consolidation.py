"""Laws of a merge, for any answer of a model about any of a few texts."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from dramaturg.workshop.consolidation.extraction import extraction_key
from dramaturg.workshop.consolidation.front import Answers, harvested
from dramaturg.workshop.consolidation.merge import Ledger, plan_merge
from dramaturg.workshop.consolidation.texts import pieces_of, scene_texts
from dramaturg.workshop.graph.predicates import PREDICATES
from dramaturg.workshop.graph.values import StoryGraph
from tests.workshop.consolidation.manuscripts import prose
from tests.workshop.graph.stories import read

SCENES = {
    "a": "Elena had green eyes. Ruth was 41, and Marcus owned the Meridian. “Ruth is dead,” said Marcus.",
    "b": "Elena had blue eyes. Ruth was 38. Will, the Hope of the docks, was in Milan in 1923.",
    "c": "Elena dreamed that Ruth had died. Ruth owned the Meridian. Ruth was her own mother.",
}
QUOTES = [part for text in SCENES.values() for part in text.split(". ")] + ["Nobody wrote this.", ""]
NAMES = ("Elena", "Ruth", "Marcus", "Will", "the Meridian", "Milan", "she", "I", "Zora", "")
CLAIM = st.fixed_dictionaries(
    {
        "subject": st.sampled_from(NAMES),
        "predicate": st.sampled_from([*sorted(PREDICATES), "unheard_of"]),
        "object": st.sampled_from((*NAMES, "green", "blue", "41", "1923-05-04")),
        "modality": st.sampled_from(("narrated", "narrated", "claimed", "dreamed", "believed", "planned", "odd")),
        "by": st.sampled_from(("", "Marcus", "Elena")),
        "time": st.sampled_from(("", "earlier", "1923", "2190")),
        "quote": st.sampled_from(QUOTES),
    }
)
ANSWER = st.lists(CLAIM, max_size=8).map(json.dumps) | st.text(max_size=80)


@settings(max_examples=60)
@given(st.lists(st.fixed_dictionaries(dict.fromkeys(SCENES, ANSWER)), min_size=1, max_size=2))
def test_no_fact_vanishes_and_every_new_one_stands_in_its_text(answers: list[dict[str, str]]) -> None:
    with TemporaryDirectory() as folder:
        project = Path(folder)
        for name, text in SCENES.items():
            prose(project, name, text, f"cast: [Elena, Ruth]\ntime: 1923-05-0{ord(name) - 96}")
        graph, ledger = read(project)[0], Ledger()
        for number, said in enumerate(answers, start=1):
            graph, ledger = merged(graph, ledger, project, said, float(number))


def merged(
    graph: StoryGraph, ledger: Ledger, project: Path, said: dict[str, str], at: float
) -> tuple[StoryGraph, Ledger]:
    texts = scene_texts(project, graph)
    known = {extraction_key(text, piece): said[text.scene] for text in texts for piece in pieces_of(text, 8000)}
    harvest = harvested(graph, ledger, texts, Answers(known, 8000), (), ())
    plan = plan_merge(graph, harvest, ledger, f"run-{at}", at)
    after = graph.changed(plan.change, at)
    assert {one.id for one in graph.facts} < {one.id for one in after.facts} | {0}
    bodies = {text.path: text.text for text in texts}
    facts = {one.id: one for one in after.facts}
    for number in plan.batch.added:
        assert facts[number].quote in bodies[facts[number].file]
    for conflict in plan.conflicts:
        old, new = facts[conflict.old], facts[conflict.new]
        assert old.modality == new.modality == "narrated"
        assert old.id != new.id
        assert new.id in plan.batch.aside or (new.set_aside and not new.holds)
    counts = plan.batch.counts
    refused = sum(counts.refused.values())
    assert counts.claims == refused + counts.repeated + len(plan.batch.added)
    batches = (*ledger.batches, plan.batch)
    return after, Ledger(batches, (*ledger.conflicts, *plan.conflicts), {one.path: one.digest for one in texts})
