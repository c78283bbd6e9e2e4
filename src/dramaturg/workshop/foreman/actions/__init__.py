"""Everything the Foreman can do. A new action is a module here with an `ACTION`, and an entry in this list.

A module has all of it: the schema, the modes, an example for the prompt, and what it does.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.book import Book
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions import (
    advance_mode,
    analyze_scene,
    apply_edit,
    enhance_scene,
    generate_bundle,
    generate_scaffold,
    query_notebook,
    read_scene,
    run_health_check,
    save_decision,
    select_winner,
    start_tournament,
    update_status,
    write_scene,
    write_template,
)
from dramaturg.workshop.foreman.actions.action import ForemanAction

_ALL: tuple[ForemanAction[Any], ...] = (
    query_notebook.ACTION,
    read_scene.ACTION,
    save_decision.ACTION,
    write_template.ACTION,
    update_status.ACTION,
    run_health_check.ACTION,
    start_tournament.ACTION,
    select_winner.ACTION,
    generate_bundle.ACTION,
    generate_scaffold.ACTION,
    write_scene.ACTION,
    analyze_scene.ACTION,
    enhance_scene.ACTION,
    apply_edit.ACTION,
    advance_mode.ACTION,
)
ACTIONS: Mapping[str, ForemanAction[Any]] = {action.name: action for action in _ALL}

KNOWN: Mapping[str, tuple[str, ...]] = {name: tuple(action.parameters) for name, action in ACTIONS.items()}
"""Every action with the names of its parameters, for readers of answers."""


def actions_of(mode: Mode) -> tuple[ForemanAction[Any], ...]:
    """The actions allowed in a mode."""
    return tuple(action for action in ACTIONS.values() if mode in action.modes)


def actions_offered(book: Book) -> tuple[ForemanAction[Any], ...]:
    """The actions that are allowed and can succeed in a book as it stands."""
    return tuple(action for action in actions_of(book.mode) if action.offered(book))


def action_named(name: str, mode: Mode) -> ForemanAction[Any]:
    """An action that is allowed now. Raises InvalidConfig with the nearest name, or with the modes that allow it."""
    action = ACTIONS.get(name)
    if action is None:
        near = get_close_matches(name, ACTIONS, n=1)
        meant = f" Did you mean '{near[0]}'?" if near else f" Known in {mode}: {', '.join(_names(mode))}."
        raise InvalidConfig(f"There is no action '{name}'.{meant}", action=name)
    if mode not in action.modes:
        where = ", ".join(one for one in Mode if one in action.modes)
        raise InvalidConfig(f"'{name}' is for {where}; the book is in {mode}.", action=name, mode=str(mode))
    return action


def _names(mode: Mode) -> list[str]:
    return [action.name for action in actions_of(mode)]
