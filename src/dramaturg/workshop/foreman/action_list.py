"""The list of actions in a prompt: as much of it as a tier has room for, and never without the values it accepts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from dramaturg.kernel.prompts.window import message_tokens
from dramaturg.workshop.book.book import Book
from dramaturg.workshop.foreman.actions.action import ForemanAction

Entry = Callable[[ForemanAction[Any], Book], str]


def action_list(actions: Sequence[ForemanAction[Any]], book: Book, room: int, *, in_full: bool) -> str:
    """The actions, one entry each: the richest form that fits. The names and values of what is required stay.

    Where not all can be told in full, the longest entries are brief.
    """
    forms: tuple[Entry, ...] = (_brief, _bare)
    for form in (_with_example, _whole, *forms) if in_full else forms:
        entries = [form(action, book) for action in actions]
        if form is _whole:
            entries = _mixed(actions, book, entries, room)
        told = _wrapped(entries)
        if message_tokens(told) <= room:
            break
    return told


def _mixed(actions: Sequence[ForemanAction[Any]], book: Book, whole: Sequence[str], room: int) -> list[str]:
    """Whole entries if all fit; else those whose values only a brief one tells are brief, then the longest."""
    entries, brief = [*whole], [_brief(action, book) for action in actions]
    if message_tokens(_wrapped(entries)) <= room:
        return entries
    entries = [brief[at] if action.values(book) else whole[at] for at, action in enumerate(actions)]
    for at in sorted(range(len(entries)), key=lambda at: len(whole[at]), reverse=True):
        if message_tokens(_wrapped(entries)) <= room:
            break
        entries[at] = brief[at]
    return entries


def _wrapped(entries: Sequence[str]) -> str:
    return "\n".join(["<available_actions>", *entries, "</available_actions>"])


def _with_example(action: ForemanAction[Any], book: Book) -> str:
    return f"{_whole(action, book)}\n<example>{action.example_call}</example>"


def _whole(action: ForemanAction[Any], book: Book) -> str:
    told = "; ".join(
        f"{_name(name, field)} ({form})"
        if (form := _literals(field, " | ") or field.description)
        else _name(name, field)
        for name, field in action.parameters.items()
    )
    return f'<action type="{action.name}">{action.description} Parameters: {told}.</action>'


def _brief(action: ForemanAction[Any], book: Book) -> str:
    return _line(action, book, [*action.parameters])


def _bare(action: ForemanAction[Any], book: Book) -> str:
    return _line(action, book, [name for name, field in action.parameters.items() if field.is_required()])


def _line(action: ForemanAction[Any], book: Book, names: Sequence[str]) -> str:
    values = action.values(book)
    told = []
    for name in names:
        field = action.parameters[name]
        form = values.get(name) or (_literals(field, "|") if field.is_required() else "")
        told.append(f"{_name(name, field)}: {form}" if form else _name(name, field))
    return f"- {action.name}({'; '.join(told) if any(':' in one for one in told) else ', '.join(told)})"


def _name(name: str, field: FieldInfo) -> str:
    return name if field.is_required() else f"{name}?"


def _literals(field: FieldInfo, between: str) -> str:
    """The words that a parameter may be; empty if any text will do."""
    is_closed = get_origin(field.annotation) is Literal
    return between.join(str(word) for word in get_args(field.annotation)) if is_closed else ""
