"""What a draft is written from: scaffold, brief, performance, the scene before, the voice and the story bible."""

from __future__ import annotations

from pathlib import PurePosixPath

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.text.escape import one_line
from dramaturg.workshop.book.bible import StoryBible
from dramaturg.workshop.book.files import plain_lines
from dramaturg.workshop.book.manuscript import Manuscript, scene_numbers
from dramaturg.workshop.book.scaffold import Scaffold
from dramaturg.workshop.book.scaffolds import FOLDER as SCAFFOLDS
from dramaturg.workshop.book.scaffolds import Scaffolds
from dramaturg.workshop.book.snapshot import project_of
from dramaturg.workshop.book.voice_files import read_voice
from dramaturg.workshop.calibration.tournament.prompts import VoicePrompts
from dramaturg.workshop.drafts.events import DraftBegan, PlannedVariant
from dramaturg.workshop.drafts.request import DEFAULT_WORDS, FEWEST_WORDS, MOST_VARIANTS, MOST_WORDS, DraftRequest
from dramaturg.workshop.drafts.transcript import performed_lines
from dramaturg.workshop.sources import BookSources

STRATEGIES = ("ACTION", "CHARACTER", "BALANCED")
LETTERS = "ABCDEFGHIJKL"
LONGEST_VOICE = 2000
LONGEST_FIELD = 400
LONGEST_BIBLE = 3000
END_OF_BEFORE = 900


async def read_material(book: BookSources, request: DraftRequest) -> DraftBegan:
    """Everything that a draft of a scene would be written from. Raises InvalidConfig for what cannot be drafted."""
    manuscript = Manuscript(book.project)
    path = scene_path(manuscript, request.target) if request.target.strip() else next_scene(book, manuscript)
    file = Scaffolds(book.project).find(path)
    scaffold = Scaffolds(book.project).scaffold(path) if file else None
    base = await performed_lines(book.resources.runs, request.base) if request.base.strip() else ()
    pages = StoryBible(book.project).pages()
    named = project_of(book.project, book.resources.settings.workshop, pages)
    told = [f"{name.replace('_', ' ')}: {held[:LONGEST_FIELD]}" for page in pages for name, held in page.fields.items()]
    return DraftBegan(
        path=path,
        words=request.words or _target(scaffold),
        variants=await _planned(book, request),
        head=_head(scaffold),
        scaffold=plain_lines(Scaffolds(book.project).exact(file.path) or "") if file else "",
        scaffold_path=file.path if file else "",
        scaffold_digest=file.digest if file else "",
        brief=request.brief.strip(),
        base_run=request.base.strip() if base else "",
        base=base,
        before=_before(manuscript, path),
        voice=_voice(book),
        bible="" if scaffold else "\n".join(told)[:LONGEST_BIBLE],
        book=named.model_dump(),
    )


def scene_path(manuscript: Manuscript, target: str) -> str:
    """The scene that is meant by its name or by that of its scaffold. Raises InvalidConfig outside manuscript/."""
    named = target.strip().replace("\\", "/").removeprefix("./")
    return manuscript.path_of(named.removeprefix(f"{SCAFFOLDS}/") or target)


def next_scene(book: BookSources, manuscript: Manuscript) -> str:
    """The scene to draft where none is named: the first scaffold without one, else the one after the last."""
    drafted = {PurePosixPath(one.path).stem: one for one in manuscript.files()}
    for one in Scaffolds(book.project).files():
        if one.scaffold_id not in drafted or not drafted[one.scaffold_id].is_drafted:
            return scene_path(manuscript, one.scaffold_id)
    numbers = [found for found in map(scene_numbers, drafted) if found]
    chapter, scene = max(numbers, default=(1, 0))
    return manuscript.path_of(f"ch{chapter:02}-sc{scene + 1:02}")


def has_changed(book: BookSources, began: DraftBegan) -> bool:
    """Whether the scaffold of a draft is another one now."""
    now = Scaffolds(book.project).find(began.path)
    return (now.digest or "?" if now else "") != began.scaffold_digest


async def _planned(book: BookSources, request: DraftRequest) -> tuple[PlannedVariant, ...]:
    prompts = VoicePrompts(book.project)
    models = tuple(dict.fromkeys(one.strip() for one in request.models if one.strip()))
    models = models or ((await book.model_for("drafting")).name,)
    strategies = tuple(dict.fromkeys(prompts.strategy_named(one) for one in request.strategies)) or STRATEGIES
    pairs = [(model, strategy) for model in models for strategy in strategies]
    if len(pairs) > MOST_VARIANTS:
        raise InvalidConfig(
            f"{len(models)} models with {len(strategies)} strategies are {len(pairs)} variants; "
            f"{MOST_VARIANTS} are the most. Name fewer.",
            variants=len(pairs),
        )
    return tuple(
        PlannedVariant(letter=letter, model=model, strategy=strategy)
        for letter, (model, strategy) in zip(LETTERS, pairs, strict=False)
    )


def _target(scaffold: Scaffold | None) -> int:
    """The word target of a scaffold, within what can be drafted."""
    wanted = scaffold.word_target if scaffold and scaffold.word_target else DEFAULT_WORDS
    return min(max(wanted, FEWEST_WORDS), MOST_WORDS)


def _head(scaffold: Scaffold | None) -> dict[str, str]:
    """What the front matter of a new scene has from its scaffold."""
    told = {"title": scaffold.title, "beat": scaffold.beat_alignment} if scaffold else {}
    return {name: one_line(text)[:200] for name, text in told.items() if text}


def _before(manuscript: Manuscript, path: str) -> str:
    """How the scene before ends."""
    earlier = [one.path for one in manuscript.files() if one.path < path and one.is_drafted and not one.problem]
    prose = manuscript.prose(earlier[-1]).strip() if earlier else ""
    if len(prose) <= END_OF_BEFORE:
        return prose
    return prose[-END_OF_BEFORE:].partition(" ")[2]


def _voice(book: BookSources) -> str:
    _, bundle, _ = read_voice(book.project)
    return (bundle.gold_standard or bundle.summary)[:LONGEST_VOICE] if bundle else ""
