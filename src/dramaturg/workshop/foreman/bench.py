"""The workbench: where actions change the book. A text is logged before it is replaced."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.bible import BiblePage, PageStatus, StoryBible, TemplateName, page_path
from dramaturg.workshop.book.decisions import Decision, NewDecision
from dramaturg.workshop.book.files import FileChange, PlannedChange, ProjectFiles, digest_of, rewritten
from dramaturg.workshop.book.manuscript import MOST_BYTES, Manuscript
from dramaturg.workshop.book.modes import Gate, Mode
from dramaturg.workshop.foreman.actions.action import Outcome
from dramaturg.workshop.foreman.scene_passage import paragraphs_from, paragraphs_of
from dramaturg.workshop.notebooks import NotebookPassage, NotebookShelf
from dramaturg.workshop.notebooks.shelf import told
from dramaturg.workshop.patches.patch import Patch
from dramaturg.workshop.patches.rewrite import rewrite_patches
from dramaturg.workshop.store import KnowledgeBase
from dramaturg.workshop.voice.selection import VoiceChoice

BOOK_FOLDERS = ("story-bible", "manuscript", "scaffolds", "Voice Bundle", "voice", "scenes", ".claude/agents")
"""Where an action may write several files at once."""
MOST_READ = 1500
"""How many tokens of a scene are read at once."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A new text for a file, as the patches that wait for the writer; none if it says what the file says."""

    path: str
    proposed: tuple[int, ...]


@dataclass(slots=True)
class BookBench:
    """One action's access to the book. `seen` has the digests of the files the Foreman knew, plus its own changes.

    `keep` logs a change before it is made, and `propose` keeps patches for the writer; `made` are the changes this
    action made before its process died; `start` starts a long work; `voice` finds the book's voice; `cited` is how many
    passages this turn had already brought; `is_writers` says that the writer asks for the action.
    """

    act: str
    mode: Mode
    files: ProjectFiles
    bible: StoryBible
    manuscript: Manuscript
    knowledge: KnowledgeBase
    notebooks: NotebookShelf
    clock: Clock
    look: Callable[[], Awaitable[Gate]]
    keep: Callable[[Sequence[PlannedChange]], Awaitable[None]]
    propose: Callable[[str, Sequence[Patch]], Awaitable[tuple[int, ...]]]
    start: Callable[[str, Mapping[str, JsonValue]], Awaitable[Outcome]]
    voice: VoiceChoice
    seen: dict[str, str]
    made: tuple[FileChange, ...] = ()
    cited: int = 0
    is_writers: bool = False
    brought: list[NotebookPassage] = field(default_factory=list)

    def page(self, template: TemplateName) -> BiblePage:
        return self.bible.page(template)

    async def write_page(self, template: TemplateName, fields: Mapping[str, str]) -> FileChange:
        seen = self.seen.get(page_path(template))
        return await self._save_one(lambda: self.bible.plan(template, fields, seen=seen))

    async def set_status(self, template: TemplateName, status: PageStatus) -> FileChange:
        seen = self.seen.get(page_path(template))
        return await self._save_one(lambda: self.bible.plan_status(template, status, seen=seen))

    async def decide(self, decision: NewDecision) -> Decision:
        return await self.knowledge.decide(decision, self.clock.now())

    async def ask_notebook(self, notebook: str, question: str) -> str:
        found = await self.notebooks.ask(notebook, question)
        self.brought.extend(found)
        return (
            told(found, self.cited + 1)
            if found
            else "Nothing in it fits the question. Ask in other words, or ask the writer."
        )

    def read_scene(self, target: str, first: int, last: int | None) -> str:
        """Paragraphs of a scene as they stand, up to a budget, with their numbers."""
        path = self.manuscript.path_of(target)
        paragraphs = paragraphs_of(self.manuscript.read(path))
        if first > len(paragraphs):
            raise InvalidConfig(f"{path} has {len(paragraphs)} paragraphs; there is no paragraph {first}.", path=path)
        passage = paragraphs_from(paragraphs, first, last, MOST_READ)
        place = f"paragraphs {first}-{first + len(passage) - 1} of {len(paragraphs)}"
        found = (NotebookPassage(file=path, place=place, text="\n\n".join(passage)),)
        self.brought.extend(found)
        return told(found, self.cited + 1)

    async def edit_manuscript(self, target: str, find: str, replace: str) -> FileChange:
        seen = self.seen.get(self.manuscript.path_of(target))
        return await self._save_one(lambda: self.manuscript.plan_edit(target, find, replace, seen=seen))

    async def write_manuscript(self, target: str, text: str) -> FileChange:
        """Saves a complete text to a file of the manuscript."""
        seen = self.seen.get(self.manuscript.path_of(target))
        return await self._save_one(lambda: self.manuscript.plan(target, text, seen=seen))

    async def rewrite_manuscript(self, target: str, text: str) -> Rewrite | None:
        """Proposes a new text for a file that has prose, as patches; None if it has none yet."""
        path = self.manuscript.path_of(target)
        exact = None if self.made else self.manuscript.drafted(target, seen=self.seen.get(path))
        if exact is None:
            return None
        patches = rewrite_patches(path, exact, text)
        return Rewrite(path, await self.propose(f"A new text for {path}", patches) if patches else ())

    def set_aside(self, text: str) -> str:
        """Saves a text that could not go where it belongs; returns its path."""
        path = f"data/foreman/{self.act}.md"
        self.files.put(PlannedChange(path=path, text=f"{text.strip()}\n"))
        return path

    async def gate(self) -> Gate:
        return await self.look()

    async def begin(self, work: str, request: Mapping[str, JsonValue]) -> Outcome:
        return await self.start(work, request)

    async def write_files(self, texts: Mapping[str, str]) -> tuple[FileChange, ...]:
        return self.made or await self._save([self._planned(path, text) for path, text in texts.items()])

    def _planned(self, path: str, text: str) -> PlannedChange:
        """A complete new text for a file of the book, with the line breaks that it has. Raises InvalidConfig if it lies
        elsewhere or has changed."""
        if not path.startswith(tuple(f"{folder}/" for folder in BOOK_FOLDERS)):
            raise InvalidConfig(f"'{path}' is no file of the book ({', '.join(BOOK_FOLDERS)}).", path=path)
        before = self.files.exact(path, MOST_BYTES)
        if before is not None and path in self.seen and self.seen[path] != digest_of(before):
            raise InvalidConfig(f"{path} was changed meanwhile and stays as it is; no file was changed.", path=path)
        return PlannedChange(path=path, before=before, text=rewritten(before, text))

    async def _save_one(self, planned: Callable[[], PlannedChange]) -> FileChange:
        made = self.made or await self._save([planned()])
        return made[0]

    async def _save(self, planned: Sequence[PlannedChange]) -> tuple[FileChange, ...]:
        """Logs what every file holds, then changes all of them or none."""
        await self.keep(planned)
        self.made = self.files.put_all(planned)
        self.seen.update((one.path, one.digest) for one in self.made)
        return self.made
