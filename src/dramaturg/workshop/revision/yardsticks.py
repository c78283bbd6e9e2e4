"""What a scene is judged by: the voice, the rules, its beat, the people in it, the facts and promises around it.

Where the book has no yardstick for a dimension, nobody is asked, and the reason is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.text.words import content
from dramaturg.kernel.values import WireValue
from dramaturg.workshop.book.bible import BEATS, BiblePage, StoryBible
from dramaturg.workshop.book.knowledge import KnowledgeEntry
from dramaturg.workshop.book.manuscript import Manuscript
from dramaturg.workshop.book.pages import read_page
from dramaturg.workshop.book.scaffold import Scaffold
from dramaturg.workshop.book.scaffolds import Scaffolds
from dramaturg.workshop.book.voice_files import read_voice
from dramaturg.workshop.foreman.scene_passage import paragraphs_of
from dramaturg.workshop.graph.entries import scene_entries
from dramaturg.workshop.graph.network import has_network
from dramaturg.workshop.patches.pages import PatchedFiles
from dramaturg.workshop.promises.standing import promise_parts, sentence_about
from dramaturg.workshop.revision.measures import counted, rules_of
from dramaturg.workshop.revision.verdict import Dimension
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.voice.antipatterns import RuleReport
from dramaturg.workshop.voice.prose import read_prose

NO_SCENE = "your manuscript: there is no scene in it yet"
LONGEST_GOLD = 4000
LONGEST_FIELD = 1200
MOST_FACTS = 40
MOST_PATTERNS = 30


class PromiseCheck(WireValue):
    """A callback or a foreshadowing that the scaffold asks for, and the words that keep it; none if none were found."""

    kind: str
    name: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Yardstick:
    """What a dimension is judged by; `missing` says why it cannot be."""

    text: str = ""
    missing: str = ""


@dataclass(frozen=True, slots=True)
class SceneYardsticks:
    """A scene as it stands, and what it is judged by."""

    path: str
    exact: str
    prose: str
    paragraphs: tuple[str, ...]
    report: RuleReport
    promises: tuple[PromiseCheck, ...]
    sticks: Mapping[Dimension, Yardstick]
    facts: tuple[KnowledgeEntry, ...] = ()


async def yardsticks(book: BookSources, scene: str) -> SceneYardsticks:
    """Everything that is known for judging a scene, or the one that was changed last if none is named.

    Raises InvalidConfig if there is no such scene.
    """
    manuscript = Manuscript(book.project)
    path = manuscript.path_of(scene) if scene.strip() else _last_changed(manuscript)
    prose = manuscript.read(path)
    plan = Scaffolds(book.project).find(path)
    scaffold = plan.scaffold if plan else None
    pages = {page.template: page for page in StoryBible(book.project).pages()}
    exact = PatchedFiles(book.project).exact(path) or ""
    report = counted(prose, rules_of(book.project), path)
    promises = tuple(_promises(scaffold, prose))
    facts = scene_entries(await book.network())(path)[:MOST_FACTS] if has_network() else ()
    beat = str(read_page(path, exact).matter.get("beat", ""))
    sticks: dict[Dimension, Yardstick] = {
        "voice_authenticity": _voice(book),
        "prose_quality": _prose(book, report),
        "beat_compliance": _beat(beat, scaffold, pages.get("beat_sheet")),
        "character_consistency": _characters(pages.get("protagonist"), scaffold, facts),
        "continuity": _continuity(pages.get("world_rules"), promises, facts),
    }
    return SceneYardsticks(path, exact, prose, tuple(paragraphs_of(prose)), report, promises, sticks, facts)


def has_scenes(book: BookSources) -> bool:
    """Whether there is anything to judge."""
    return bool(Manuscript(book.project).files())


def _last_changed(manuscript: Manuscript) -> str:
    scenes = [one for one in manuscript.files() if not one.problem]
    if not scenes:
        raise InvalidConfig("There is no scene in manuscript/ yet. Write one, then ask again.")
    return max(scenes, key=lambda one: (one.changed_at, one.path)).path


def _voice(book: BookSources) -> Yardstick:
    _, bundle, _ = read_voice(book.project)
    text = (bundle.gold_standard or bundle.summary)[:LONGEST_GOLD] if bundle else ""
    missing = "There is no gold standard to compare it with; the voice has not been found yet."
    return Yardstick(f"The gold standard:\n\n{text}") if text else Yardstick(missing=missing)


def _prose(book: BookSources, report: RuleReport) -> Yardstick:
    voice, _, _ = read_voice(book.project)
    own = [f"- {one.text} ({one.severity})" for one in voice.antipatterns[:MOST_PATTERNS]]
    found = [
        f"- {one.says}: {one.hits} in {report.words} words, {one.allowed} allowed"
        for one in report.broken[:MOST_PATTERNS]
    ]
    parts = ["The anti-patterns of this book:", *own] if own else []
    parts += (
        ["Counted in this scene already:", *found] if found else ["No anti-pattern is counted above its allowance."]
    )
    return Yardstick("\n".join(parts))


def _beat(beat: str, scaffold: Scaffold | None, sheet: BiblePage | None) -> Yardstick:
    named = beat or (scaffold.beat_alignment if scaffold else "")
    number = next((one.number for one in BEATS if named and one.name.casefold() in named.casefold()), None)
    planned = sheet.fields.get(f"beat_{number}", "") if sheet and number else ""
    goal = scaffold.scene_goal if scaffold else ""
    rows = [("The beat", named), ("The beat sheet says", planned), ("The goal of the scene", goal)]
    told = [f"{name}: {text[:LONGEST_FIELD]}" for name, text in rows if text]
    missing = "The scene names no beat in its front matter, and has no scaffold with a goal."
    return Yardstick("\n".join(told)) if told else Yardstick(missing=missing)


def _characters(page: BiblePage | None, scaffold: Scaffold | None, facts: tuple[KnowledgeEntry, ...]) -> Yardstick:
    held = page.fields if page else {}
    told = [f"- {name.replace('_', ' ')}: {text[:LONGEST_FIELD]}" for name, text in held.items()]
    if scaffold and (constraint := scaffold.protagonist_constraint):
        told.append(f"- in this scene: {constraint[:LONGEST_FIELD]}")
    told += [f"- {one.value}" for one in facts if one.category == "character"]
    missing = "The story bible says nothing of the protagonist, and the graph nothing of who is there."
    return Yardstick("\n".join(told)) if told else Yardstick(missing=missing)


def _continuity(
    rules: BiblePage | None, promises: tuple[PromiseCheck, ...], facts: tuple[KnowledgeEntry, ...]
) -> Yardstick:
    told = [f"- rule: {text[:LONGEST_FIELD]}" for text in (rules.fields.values() if rules else ())]
    told += [f"- {one.value}" for one in facts]
    told += [f"- {one.kind} that should be here: {one.name}" for one in promises]
    missing = "There are no facts, rules or promises to compare it with."
    return Yardstick("\n".join(told)) if told else Yardstick(missing=missing)


def _promises(scaffold: Scaffold | None, prose: str) -> list[PromiseCheck]:
    """Each promise with the first sentence that has all its words."""
    sentences = read_prose(prose).sentences
    asked = (("callback", scaffold.callbacks), ("foreshadowing", scaffold.foreshadowing)) if scaffold else ()
    return [
        PromiseCheck(kind=kind, name=name, quote=sentence_about(name, sentences))
        for kind, items in asked
        for name, _ in map(promise_parts, items)
        if content(name.replace("_", " "))
    ]
