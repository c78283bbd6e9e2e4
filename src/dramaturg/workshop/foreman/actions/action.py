"""The actions of the Foreman: each is declared once; schema, permissions and the list in the prompt follow from it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, Protocol, TypeVar

from pydantic import BeforeValidator, ConfigDict, Field, JsonValue, ValidationError
from pydantic.fields import FieldInfo

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.problems import first_problem
from dramaturg.kernel.values import Value
from dramaturg.model_notes.loose_json import load_json
from dramaturg.workshop.book.bible import BiblePage, PageStatus, TemplateName
from dramaturg.workshop.book.book import Book
from dramaturg.workshop.book.decisions import Decision, NewDecision
from dramaturg.workshop.book.files import FileChange
from dramaturg.workshop.book.modes import Gate, Mode
from dramaturg.workshop.foreman.parameters import params_of
from dramaturg.workshop.foreman.tags import plain_name
from dramaturg.workshop.voice.selection import VoiceChoice


class Params(Value):
    """The parameters of an action. A model's text is read strictly as the declared type; what is no parameter is
    ignored, and names are compared without case, hyphens and spaces."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True, str_strip_whitespace=True)


P = TypeVar("P", bound=Params)


class Outcome(Value):
    """The result of an action: a sentence for writer and model, the text it brought, and what is needed to undo it.

    If it `awaits_yes`, nothing was done: the writer confirms it first.
    """

    said: str
    brought: str = ""
    written: FileChange | None = None
    further: tuple[FileChange, ...] = Field(
        (), description="the other files, of an action that changed several", exclude_if=lambda further: not further
    )
    decided: int | None = None
    decisions: tuple[int, ...] = Field(
        (), description="the decisions of an action that made several", exclude_if=lambda decisions: not decisions
    )
    chose_voice: bool = Field(False, exclude_if=lambda chose: not chose)
    advanced: Mode | None = None
    forced: tuple[str, ...] = ()
    awaits_yes: bool = Field(False, exclude_if=lambda awaits: not awaits)
    patch: int | None = Field(None, description="the patch that was accepted", exclude_if=lambda patch: patch is None)
    proposed: tuple[int, ...] = Field(
        (), description="the patches that wait for the writer", exclude_if=lambda proposed: not proposed
    )
    run: str | None = Field(
        None, description="the long work that it started; the conversation goes on", exclude_if=lambda run: run is None
    )

    @classmethod
    def of_files(cls, said: str, changes: Sequence[FileChange]) -> Outcome:
        """The outcome of an action that changed these files."""
        return cls(said=said, written=changes[0] if changes else None, further=tuple(changes[1:]))

    @property
    def files(self) -> tuple[FileChange, ...]:
        """Every file that was changed; undo takes back all of them or none."""
        return (self.written, *self.further) if self.written is not None else self.further

    @property
    def is_undoable(self) -> bool:
        changed = bool(self.files) or self.decided is not None or self.advanced is not None
        return changed or bool(self.decisions) or self.chose_voice


class Workbench(Protocol):
    """What an action may touch."""

    @property
    def mode(self) -> Mode: ...

    @property
    def is_writers(self) -> bool:
        """Whether the writer asks for the action, and not the Foreman."""
        ...

    def page(self, template: TemplateName) -> BiblePage: ...

    async def write_page(self, template: TemplateName, fields: Mapping[str, str]) -> FileChange: ...

    async def set_status(self, template: TemplateName, status: PageStatus) -> FileChange: ...

    async def decide(self, decision: NewDecision) -> Decision: ...

    async def ask_notebook(self, notebook: str, question: str) -> str: ...

    def read_scene(self, target: str, first: int, last: int | None) -> str: ...

    async def edit_manuscript(self, target: str, find: str, replace: str) -> FileChange: ...

    async def write_files(self, texts: Mapping[str, str]) -> tuple[FileChange, ...]:
        """Writes several files of the book at once, by their paths: all of them, or none."""
        ...

    async def gate(self) -> Gate: ...

    @property
    def voice(self) -> VoiceChoice:
        """Where the book's voice is found."""
        ...

    async def begin(self, work: str, request: Mapping[str, JsonValue]) -> Outcome:
        """Starts a long work of the book; what asks more than one question waits for the writer's yes."""
        ...


@dataclass(frozen=True, slots=True)
class ForemanAction(Generic[P]):
    """One action of the Foreman and the modes that allow it."""

    name: str
    description: str
    modes: frozenset[Mode]
    params: type[P]
    example: Mapping[str, str]
    do: Callable[[Workbench, P], Awaitable[Outcome]]
    offered: Callable[[Book], bool] = lambda book: True
    """Whether it can succeed in a book as it stands; what cannot is not offered."""
    values: Callable[[Book], Mapping[str, str]] = lambda book: {}
    """What a parameter may be in a book as it stands, where its type does not tell."""

    @property
    def parameters(self) -> Mapping[str, FieldInfo]:
        """The parameters by the names that models use."""
        return {field.alias or name: field for name, field in self.params.model_fields.items()}

    def read(self, given: Mapping[str, JsonValue]) -> P:
        """The typed parameters. Raises InvalidConfig that says which one is wrong and what is expected."""
        names = {plain_name(name): name for name in self.parameters}
        named = {names.get(plain_name(name), name): held for name, held in given.items()}
        try:
            return self.params.model_validate(named)
        except ValidationError as error:
            problem = first_problem(error, named, "the parameters")
            raise InvalidConfig(f"{self.name}: {problem}.", action=self.name) from error

    @property
    def example_call(self) -> str:
        """The example as a model would write it."""
        rows = "".join(f"<{name}>{held}</{name}>" for name, held in self.example.items())
        return f'<action type="{self.name}">{rows}</action>'


def _word(value: object) -> object:
    """'Beat Sheet' is beat_sheet."""
    return re.sub(r"[\s-]+", "_", value.strip().lower()) if isinstance(value, str) else value


def _capitals(value: object) -> object:
    return re.sub(r"[\s-]+", "_", value.strip().upper()) if isinstance(value, str) else value


def _listed(value: object) -> object:
    """A JSON list, or items by comma or by line."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text.startswith("["):
        if (listed := load_json(text)) is not None:
            return listed
        text = text.strip("[]")
    parts = (part.strip().lstrip("-*• ").strip("\"' ") for part in re.split(r"[,\n]", text))
    return [part for part in parts if part]


def _fields(value: object) -> object:
    """A JSON object, tags, or 'field: text' lines; text under each name."""
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("{"):
            value = load_json(text)
            if value is None:
                return text
        else:
            value = params_of(text, {}).params or _by_line(text)
    if isinstance(value, dict):
        return {str(_word(name)): _text(held) for name, held in value.items()}
    return value


def _by_line(text: str) -> dict[str, JsonValue]:
    found = re.findall(r"^[ \t]*+(?:[-*][ \t]*+)?\**+([A-Za-z][\w ]{0,40}?)\**+[ \t]*+:\**+\s++(.+)$", text, re.M)
    return {str(_word(name)): held.rstrip() for name, held in found}


def _text(held: object) -> str:
    if isinstance(held, list):
        return "\n".join(f"- {_text(item)}" for item in held)
    if isinstance(held, dict):
        return "\n".join(f"- {name}: {_text(item)}" for name, item in held.items())
    return str(held).strip()


Word = BeforeValidator(_word)
Capitals = BeforeValidator(_capitals)
Items = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Fields = Annotated[Mapping[str, str], BeforeValidator(_fields)]
EVERY_MODE = frozenset(Mode)
