"""The prompts that a card brings along, as its author meant them: main prompt, instructions after the history, a
reminder at a depth, lore that always holds, and the style in which it is written.

`{{user}}` in them is "the other person": nothing of the player's reaches the system prompt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from pydantic import Field

from dramaturg.characters import Card
from dramaturg.characters.bookshelf import Bookshelf
from dramaturg.characters.lorebook import Lorebook
from dramaturg.characters.lorebook.activation import activate_aside
from dramaturg.characters.lorebook.eligibility import is_standing
from dramaturg.characters.lorebook.scan import LoreSettings, ToldEntry, UntoldLore, entries_told
from dramaturg.characters.tavern.macros import MacroContext, card_prompt, expand_macros
from dramaturg.characters.tavern.markdown import KEEP_IN_MIND
from dramaturg.kernel.text.escape import cleaned
from dramaturg.kernel.values import Value

AnswerStyle: TypeAlias = Literal["talk", "prose"]
LONG_WORDS, LONG_LETTERS = 70, 350
"""A first message of at least so many words, or letters where words are not spaced, is written as prose."""
_GESTURE = re.compile(r"\*[^*\n]{8,}\*")
_SPEECH = re.compile(r"[\"“”«»„「『]")


class CardPrompts(Value):
    """A card's own prompts, as they were when the session was opened. Macros are not expanded yet."""

    system_prompt: str = ""
    post_history: str = ""
    reminder: str = ""
    reminder_depth: int = Field(4, ge=0)
    style: AnswerStyle = "talk"
    is_imported: bool = False
    standing: tuple[ToldEntry, ...] = ()
    unfit: tuple[UntoldLore, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing of its own in them."""
        return self == CardPrompts()


PLAIN = CardPrompts()


async def prompts_of(card: Card, shelf: Bookshelf, style: AnswerStyle | None, budget: int) -> CardPrompts:
    """The prompts of a card and its books; `style` is the episode's, if it asks for one."""
    data = shelf.original.data if shelf.original is not None else None
    section = card.section(KEEP_IN_MIND)
    depth = data.depth_prompt if data is not None and data.depth_prompt.prompt.strip() else None
    always = [_only_standing(book) for book in shelf.books]
    around = shelf.facts.model_copy(update={"char": card.display_name, "seed": card.name})
    scan = await activate_aside(always, (), settings=LoreSettings(budget_tokens=budget), around=around)
    return CardPrompts(
        system_prompt=data.system_prompt.strip() if data is not None else "",
        post_history=data.post_history_instructions.strip() if data is not None else "",
        reminder=section.text.strip() if depth is not None and section is not None else "",
        reminder_depth=max(0, depth.depth) if depth is not None else 4,
        style=style or _named_style(card) or written_style(card.greetings),
        is_imported=data is not None,
        standing=entries_told(scan.told),
        unfit=scan.untold,
    )


def _only_standing(book: Lorebook) -> Lorebook:
    """The book with what can be told once for all: lore at a depth of the conversation moves with it."""
    kept = (entry for entry in book.entries if is_standing(entry) and entry.position not in ("at_depth", "outlet"))
    return book.model_copy(update={"entries": tuple(kept)})


def _named_style(card: Card) -> AnswerStyle | None:
    named = card.extra.get("style")
    return "prose" if named == "prose" else "talk" if named == "talk" else None


def written_style(greetings: Sequence[str]) -> AnswerStyle:
    """How a card is written, by its first message: long narration with gestures or paragraphs, or just talk."""
    first = next((text for text in greetings if text.strip()), "")
    if len(first.split()) < LONG_WORDS and len(first) < LONG_LETTERS:
        return "talk"
    narrated = _GESTURE.search(first) or ("\n\n" in first.strip() and _SPEECH.search(first))
    return "prose" if narrated or len(_SPEECH.split(first)) > 2 else "talk"


def main_prompt(prompts: CardPrompts, card: Card, own: str) -> str:
    """The card's main prompt; `own` is ours, which it replaces, or holds where it says `{{original}}`."""
    return cleaned(card_prompt(prompts.system_prompt, _context(card, own))).strip() or own


def instructions(prompts: CardPrompts, card: Card, own: str, turn: int) -> str:
    """What the card wants said after the history; empty if it wants nothing."""
    if not prompts.post_history:
        return ""
    return cleaned(expand_macros(prompts.post_history, _context(card, own, turn))).strip()


def reminder(prompts: CardPrompts, card: Card, turn: int) -> str:
    """The card's note at a depth of the conversation."""
    return cleaned(expand_macros(prompts.reminder, _context(card, "", turn))).strip()


def _context(card: Card, own: str, turn: int = 0) -> MacroContext:
    return MacroContext(card.display_name, seed=card.name, turn=turn, original=own)
