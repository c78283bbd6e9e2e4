"""Finds the regular expressions of a module, and what is done with each: `search`, `match`, `sub`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.patterns import grows

METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
PLACEHOLDER = "x"
"""Stands for what a pattern takes from elsewhere through `re.escape`."""


@dataclass(frozen=True, slots=True)
class PatternUse:
    """A pattern of the source. `text` is None if it is put together while the program runs."""

    line: int
    text: str | None
    flags: int
    use: str


def refused(tree: ast.Module) -> Iterator[PatternUse]:
    """The uses of patterns whose work can grow faster than the text they read."""
    for one in uses(tree):
        if one.text is not None and grows(one.text, one.flags, one.use):
            yield one


def uses(tree: ast.Module) -> Iterator[PatternUse]:
    """Every pattern of a module with every use of it; one that is handed on counts as a search."""
    nodes = list(ast.walk(tree))
    calls = [node for node in nodes if isinstance(node, ast.Call) and _called(node)]
    if not calls:
        return
    constants = _constants(tree)
    named: dict[str, ast.Call] = {}
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target, value in _pairs(targets, node.value):
                if isinstance(target, ast.Name) and _called(value) == "compile":
                    named[target.id] = value  # type: ignore[assignment]
    done = _methods(nodes, set(named))
    known = {id(call): name for name, call in named.items()}
    for node in calls:
        method = _called(node)
        if not node.args:
            continue
        text, flags = _text(node.args[0], constants), _flags(node)
        kinds = (
            done[known[id(node)]] if id(node) in known else {_chained(nodes, node) if method == "compile" else method}
        )
        for kind in sorted(kinds):
            yield PatternUse(node.lineno, text, flags, kind)


def _pairs(targets: list[ast.expr], value: ast.expr | None) -> Iterator[tuple[ast.expr, ast.expr]]:
    for target in targets:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            yield from zip(target.elts, value.elts, strict=False)
        elif value is not None:
            yield target, value


def _called(node: ast.AST | None) -> str | None:
    """The function of `re` that a node calls."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
    return node.func.attr if of_re and node.func.attr in ("compile", *METHODS) else None


def _chained(nodes: list[ast.AST], call: ast.Call) -> str:
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.value is call and node.attr in METHODS:
            return node.attr
    return "search"


def _methods(nodes: list[ast.AST], names: set[str]) -> dict[str, set[str]]:
    """What is done with each named pattern."""
    done: dict[str, set[str]] = {name: set() for name in names}
    owned: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names:
            owned.add(id(node.value))
            if node.attr in METHODS:
                done[node.value.id].add(node.attr)
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load) and id(node) not in owned:
            done[node.id].add("search")
    return {name: kinds or {"search"} for name, kinds in done.items()}


def _constants(tree: ast.Module) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target, value in _pairs(targets, node.value):
                text = _text(value, found)
                if isinstance(target, ast.Name) and text is not None:
                    found[target.id] = text
    return found


def _text(node: ast.expr, constants: dict[str, str]) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    if isinstance(node, ast.JoinedStr):
        return _joined([_text(part, constants) for part in node.values])
    if isinstance(node, ast.FormattedValue):
        return _text(node.value, constants)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _joined([_text(node.left, constants), _text(node.right, constants)])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "escape":
        return PLACEHOLDER
    return None


def _joined(parts: list[str | None]) -> str | None:
    return None if None in parts else "".join(part or "" for part in parts)


def _flags(call: ast.Call) -> int:
    named = [word.value for word in call.keywords if word.arg == "flags"]
    given = {
        part.attr for node in (*call.args[1:], *named) for part in ast.walk(node) if isinstance(part, ast.Attribute)
    }
    return int(sum((getattr(re, name) for name in given if isinstance(getattr(re, name, None), re.RegexFlag)), 0))
