"""The snapshot of a book: the one value, taken from files, decisions and conversation, that prompts are built from."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from dramaturg.kernel.files import shown_name
from dramaturg.kernel.settings import Settings, WorkshopSettings
from dramaturg.kernel.text.shortened import short_line
from dramaturg.workshop.book.bible import FOLDER, BiblePage, StoryBible, page_path
from dramaturg.workshop.book.book import NOWHERE, ActiveContext, Book, HealthAlert, Mishap, Project
from dramaturg.workshop.book.file_cache import FileCache, markdown_in
from dramaturg.workshop.book.knowledge import Disagreement, KnowledgeEntry
from dramaturg.workshop.book.known_book import KnownNow, Look, Moment
from dramaturg.workshop.book.manuscript import FOLDER as MANUSCRIPT
from dramaturg.workshop.book.manuscript import Manuscript, ManuscriptFile, scene_numbers
from dramaturg.workshop.book.modes import BookState, Gate, Mode, completion, gate_of
from dramaturg.workshop.book.scaffold import Scaffold
from dramaturg.workshop.book.scaffolds import FOLDER as PLANS
from dramaturg.workshop.book.scaffolds import ScaffoldFile, Scaffolds
from dramaturg.workshop.book.spoken_of import SceneProse, scenes_spoken_of
from dramaturg.workshop.book.voice_files import read_voice, voice_places
from dramaturg.workshop.meaning import open_meaning
from dramaturg.workshop.notebooks import NotebookShelf


@dataclass(frozen=True, slots=True)
class BookProgress:
    """What the conversation adds to a snapshot: the mode, the gates that were forced, what went wrong in the last
    answer, the words of the last exchange, which tell what a short message is about, and the long works that are
    over."""

    mode: Mode = Mode.ARCHITECT
    forced: tuple[Mode, ...] = ()
    mishaps: tuple[Mishap, ...] = ()
    last_exchange: tuple[str, ...] = ()
    works: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BookSnapshot:
    """A book, the facts its gates check, and the current digests of its files."""

    book: Book
    standing: BookState
    seen: Mapping[str, str]
    known: KnownNow

    @property
    def gate(self) -> Gate:
        return gate_of(self.book.mode, self.standing)

    def told_as(self, change: Callable[[KnowledgeEntry], KnowledgeEntry]) -> BookSnapshot:
        """The same, with every entry of what is known changed when it is read."""
        known = self.known.told_as(change)
        return replace(self, book=self.book.model_copy(update={"knowledge": known.ranked}), known=known)


def take_snapshot(
    settings: Settings,
    progress: BookProgress,
    look: Look,
    notebooks: NotebookShelf,
    *,
    message: str = "",
    active: ActiveContext = NOWHERE,
    around: Callable[[str], tuple[KnowledgeEntry, ...]] = lambda file: (),
    cache: FileCache | None = None,
) -> BookSnapshot:
    """The book in its current state, for the prompt of a turn; `around` knows the facts around a scene.

    Those without a distance are settled, as those of the story bible are: they come from the series.

    It reads files and is called in a thread of its own. What `cache` has of files that did not change is not read.
    """
    project, cache = settings.project, cache or FileCache(time.time)
    pages = StoryBible(project).pages(cache)
    scenes = Manuscript(project).files(cache)
    plans = Scaffolds(project).files(cache)
    voice, bundle, problems = cache.read("voice", voice_places(project), lambda: read_voice(project))
    mode = progress.mode
    here = _active(active, scenes, plans) if mode.rules.has_prose or active.file else active
    title = project_of(project, settings.workshop, pages)
    moment = Moment(
        about_of(message, here, progress.last_exchange), around(here.file), open_meaning(settings.workshop.by_meaning)
    )
    facts = look(pages, title.protagonist, moment)
    standing = BookState(
        pages=pages,
        bundle_made=bundle is not None,
        voice_locked=voice.locked,
        scenes_planned=len(plans),
        scenes_drafted=len({one.scaffold_id for one in plans} & _drafted(scenes)) if plans else 0,
        marked_complete=facts.is_finished,
    )
    problems = (*problems, *scenes.problems, *(one.problem for one in plans if one.problem), *_misnamed(project))
    book = Book(
        mode=mode,
        completion=completion(standing),
        project=title,
        active=here,
        prose=_prose(project, here.file, cache) if mode.rules.has_prose and here.file else "",
        scenes=len(scenes),
        spoken_of=_spoken_of(project, message, scenes, here.file, cache) if mode.rules.has_prose else (),
        scaffold=_scaffold(plans, here) if mode.rules.has_prose else None,
        scaffolds=tuple(one.scaffold for one in plans if one.scaffold is not None),
        pages=pages,
        voice=voice,
        bundle=bundle,
        knowledge=facts.ranked,
        disagreements=facts.disagreements,
        notebooks=notebooks.listings(),
        alerts=(*_alerts(project, progress.forced, standing, problems), *map(_disagreement, facts.disagreements)),
        mishaps=progress.mishaps,
        works=progress.works,
    )
    seen = {page_path(page.template): page.digest for page in pages}
    return BookSnapshot(book, standing, {**seen, **scenes.digests}, facts)


def about_of(message: str, active: ActiveContext, last_exchange: Iterable[str]) -> str:
    """The words that say what a moment is about."""
    return " ".join([message, *active.model_dump().values(), *last_exchange])


def _scaffold(plans: tuple[ScaffoldFile, ...], here: ActiveContext) -> Scaffold | None:
    stem = PurePosixPath(here.file).stem
    return next((one.scaffold for one in plans if stem and one.scaffold_id == stem), None)


def _prose(project: Path, path: str, cache: FileCache) -> str:
    """The text of the scene at hand; only the latest one is kept."""
    cache.keep_only([("prose", path)], "prose")
    return cache.read(("prose", path), [project / path], lambda: Manuscript(project).prose(path))


def _spoken_of(
    project: Path, message: str, scenes: tuple[ManuscriptFile, ...], at_hand: str, cache: FileCache
) -> tuple[SceneProse, ...]:
    """The other scenes that a message is about. The text of a scene is taken from its file once."""
    manuscript = Manuscript(project)

    def prose(path: str) -> str:
        return cache.made(("spoken of", path), [project / path], lambda: manuscript.prose(path, cache))

    cache.keep_only((("spoken of", one.path) for one in scenes), "spoken of")
    return scenes_spoken_of(message, scenes, prose, at_hand=at_hand)


def project_of(folder: Path, settings: WorkshopSettings, pages: tuple[BiblePage, ...]) -> Project:
    """Title, protagonist, genre and tone: as the settings say, else the story bible, else the folder's name."""
    matter = {name: value for page in pages for name, value in page.matter.items()}
    named = folder.resolve().name.replace("-", " ").replace("_", " ").strip()
    return Project(
        title=settings.title or matter.get("title", "") or named.title() or "Untitled",
        protagonist=next((page.matter.get("name", "") for page in pages if page.template == "protagonist"), ""),
        genre=settings.genre or matter.get("genre", ""),
        tone=settings.tone or matter.get("tone", ""),
    )


def _active(given: ActiveContext, scenes: tuple[ManuscriptFile, ...], plans: tuple[ScaffoldFile, ...]) -> ActiveContext:
    """What the writer is working on: the file they named, else the one changed most recently.

    A scene that is only planned so far is one, too.
    """
    wanted = given.file.replace("\\", "/").removeprefix("./").removeprefix("manuscript/").removesuffix(".md")
    known = {one.path: one for one in scenes}
    planned = [(one.scaffold, one.changed_at) for one in plans if one.scaffold is not None]
    there = [*scenes, *(_planned(plan, changed_at) for plan, changed_at in planned if plan.scene not in known)]
    named = [one for one in there if wanted and one.path == f"manuscript/{wanted}.md"]
    latest = sorted(there, key=lambda one: one.changed_at)[-1:]
    for one in named or ([] if wanted else latest):
        own = {"file": one.path, "beat": one.beat, "chapter": one.chapter, "scene": f"{one.scene} {one.title}".strip()}
        said = {name: value for name, value in given.model_dump(exclude={"file"}).items() if value}
        return ActiveContext.model_validate(own | said)
    return given


def _planned(plan: Scaffold, changed_at: float) -> ManuscriptFile:
    """A planned scene as if it were a file of the manuscript."""
    chapter, scene = scene_numbers(plan.scaffold_id) or ("", "")
    return ManuscriptFile(
        path=plan.scene,
        digest="",
        chapter=str(chapter),
        scene=str(scene),
        beat=plan.beat_alignment,
        title=plan.title,
        changed_at=changed_at,
    )


def _drafted(scenes: Iterable[ManuscriptFile]) -> set[str]:
    return {one.scene_id for one in scenes if one.is_drafted}


def _disagreement(one: Disagreement) -> HealthAlert:
    written, decided = short_line(one.written, 80), short_line(one.decided, 80)
    text = (
        f"{one.path} says of {one.field}: '{written}'; decided was {one.key}: '{decided}'. "
        f"The file holds. Settle it: dramaturg foreman settle {one.key} --keep file|decision"
    )
    return HealthAlert(severity="warning", check="decision_differs", text=text)


def _misnamed(project: Path) -> Iterable[str]:
    for folder in (FOLDER, PLANS, MANUSCRIPT):
        for path in markdown_in(project / folder).left_out:
            yield f"{shown_name(path)} in {folder}/ is left out: its name is not UTF-8 text. Give it another name."


def _alerts(
    project: Path, forced: tuple[Mode, ...], standing: BookState, problems: Iterable[str]
) -> Iterable[HealthAlert]:
    """Unreadable files, what forced gates still miss, and texts saved next to the file they were meant for."""
    broken = [page.problem for page in standing.pages if page.problem]
    for problem in [*broken, *problems]:
        yield HealthAlert(severity="critical", check="unreadable_file", text=problem)
    for mode in forced:
        for missing in gate_of(mode, standing).missing:
            yield HealthAlert(severity="warning", check=f"forced_{mode.lower()}", text=f"Still missing: {missing}")
    beside = [path for folder in (FOLDER, PLANS) for path in sorted((project / folder).glob("*.from-foreman-*.md"))]
    for path in beside:
        name = path.relative_to(project).as_posix()
        text = f"{name} has the Foreman's version of a page you changed meanwhile. Keep what you like of it."
        yield HealthAlert(severity="info", check="text_beside", text=text)
