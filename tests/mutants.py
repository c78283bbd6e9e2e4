"""Breaks the guards, one change at a time, and sees whether a test fails. Run by `make mutants`.

The code is changed in a copy, never in the working tree. A change that no test notices has survived: either a test is
missing, or the change makes no difference (such a one may be listed in EQUAL, with the reason).
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "testing.md"
PACKAGE = "src/dramaturg"


@dataclass(frozen=True)
class Guarded:
    """A module that hides, fences, limits or gates, and the tests that hold it to that, the quickest first."""

    guard: str
    module: str
    tests: tuple[str, ...]


GUARDS = (
    Guarded(
        "streaming",
        "episodes/answer_stream.py",
        (
            "tests/episodes/test_answer_stream.py",
            "tests/episodes/test_hidden_keys.py",
            "tests/properties/test_episodes.py",
        ),
    ),
    Guarded(
        "streaming",
        "workshop/foreman/message_stream.py",
        ("tests/workshop/foreman/test_message_tags.py", "tests/workshop/foreman/test_message_stream.py"),
    ),
    Guarded(
        "hearing",
        "scenes/hearing.py",
        ("tests/scenes/test_hearing.py", "tests/rehearsals", "tests/properties/test_memory.py", "tests/scenes/memory"),
    ),
    Guarded(
        "hearing", "scenes/cut.py", ("tests/scenes/test_cut.py", "tests/scenes/test_misquotes.py", "tests/rehearsals")
    ),
    Guarded(
        "hearing",
        "scenes/resolve.py",
        ("tests/rehearsals", "tests/scenes/test_missed_cuts.py", "tests/properties/test_scenes.py"),
    ),
    Guarded(
        "fencing",
        "kernel/runs/run.py",
        ("tests/kernel/runs/test_run.py", "tests/kernel/runs", "tests/properties/test_runs.py"),
    ),
    Guarded("fencing", "kernel/store/journal.py", ("tests/contracts/test_store.py", "tests/kernel/store")),
    Guarded(
        "budget",
        "kernel/models/budget.py",
        ("tests/kernel/models/test_budget.py", "tests/kernel/models/test_budget_edges.py"),
    ),
    Guarded(
        "gates",
        "workshop/book/modes/gates.py",
        ("tests/workshop/book/test_modes.py", "tests/workshop/book/test_bible.py", "tests/workshop/test_consult.py"),
    ),
    Guarded(
        "players",
        "server/http/callers.py",
        ("tests/server/http/test_players.py", "tests/server/test_address_limit.py", "tests/server/pages"),
    ),
    Guarded("players", "server/http/limits.py", ("tests/server/test_limits.py", "tests/server/test_address_limit.py")),
)

EQUAL = {
    "episodes/answer_stream.py: len(self._word) < HEAD_LIMIT becomes len(self._word) <= HEAD_LIMIT": (
        "no key is that long"
    ),
    "scenes/hearing.py: without 'if everybody_here and (not line.aside) and (not line.languag…'": "a shortcut",
    "scenes/hearing.py: spoken in member.languages or understands(member, spoken) without spoken in member.languages": (
        "a shortcut: what is in the list is understood"
    ),
    "kernel/runs/run.py: without self._known.add(type(event))": "it is only checked again",
    "server/http/player_tokens.py: 16 becomes 17": "one more byte of chance, or of a secret",
    "kernel/store/journal.py: without 'if self._closed'": "the database below says the same",
}
"""Changes that make no difference, as 'module: what', and why; they are not drawn."""

SMALL = 50
"""Numbers from here on are sizes, and one more or less of them is no fault."""

FLIPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


@dataclass(frozen=True)
class Mutant:
    """One change of one module: what stands from `start` to `end` becomes `text`."""

    guarded: Guarded
    line: int
    start: int
    end: int
    text: str
    what: str

    def __str__(self) -> str:
        return f"{self.guarded.module}:{self.line}: {self.what}"

    def applied(self, source: str) -> str:
        return source[: self.start] + self.text + source[self.end :]


Fate = Literal["killed", "survived"]


def mutants_of(guarded: Guarded, source: str) -> list[Mutant]:
    """Every change we know of one module, in the order of the source."""
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def place(line: int, column: int) -> int:
        """Columns of the syntax tree count bytes."""
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    found: list[Mutant] = []
    for node in _interesting(ast.parse(source)):
        for text, what in _changes(node):
            start = place(node.lineno, node.col_offset)
            end = place(node.end_lineno or node.lineno, node.end_col_offset or 0)
            mutant = Mutant(guarded, node.lineno, start, end, text, what)
            if f"{guarded.module}: {what}" not in EQUAL and _compiles(mutant.applied(source)):
                found.append(mutant)
    return found


def _compiles(source: str) -> bool:
    try:
        compile(source, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def _interesting(tree: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Statements and expressions that do something: no annotations, decorators, docstrings or imports."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Assert | ast.JoinedStr):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.expr | ast.stmt):
            yield node
        skipped = {"annotation", "returns", "decorator_list", "type_params", "bases"}
        for name, value in ast.iter_fields(node):
            if name not in skipped:
                todo.extend(one for one in (value if isinstance(value, list) else [value]) if isinstance(one, ast.AST))


def _changes(node: ast.expr | ast.stmt) -> Iterator[tuple[str, str]]:
    """What the node could become, and how that is said."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in FLIPS:
        other = ast.Compare(node.left, [FLIPS[type(node.ops[0])]()], node.comparators)
        yield _in_brackets(other), f"{_short(node)} becomes {_short(other)}"
    elif isinstance(node, ast.BoolOp):
        for dropped in range(len(node.values)):
            left = [value for place, value in enumerate(node.values) if place != dropped]
            rest = left[0] if len(left) == 1 else ast.BoolOp(node.op, left)
            yield _in_brackets(rest), f"{_short(node)} without {_short(node.values[dropped])}"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield _in_brackets(node.operand), f"{_short(node)} without its not"
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        other_op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        if not any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in ast.walk(node)):
            other = ast.BinOp(node.left, other_op, node.right)
            yield _in_brackets(other), f"{_short(node)} becomes {_short(other)}"
    elif isinstance(node, ast.Constant):
        yield from _other_constants(node.value)
    elif isinstance(node, ast.stmt):
        yield from _left_out(node)


def _other_constants(value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, bool):
        yield str(not value), f"{value} becomes {not value}"
    elif isinstance(value, int) and value < SMALL:
        yield str(value + 1), f"{value} becomes {value + 1}"


def _left_out(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """A guard clause, or a call for its effect, that is not there."""
    leaves = ast.Raise | ast.Return | ast.Continue
    if isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], leaves):
        yield "pass", f"without 'if {_short(node.test)}'"
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await):
        yield "pass", f"without {_short(node)}"


def _in_brackets(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 60 else text[:57] + "…"


def drawn(all_mutants: Sequence[Sequence[Mutant]], number: int, seed: int) -> list[Mutant]:
    """A sample of so many in all, spread over the modules by the root of their size; the same for the same seed."""
    chance = random.Random(seed)
    weights = [len(mutants) ** 0.5 for mutants in all_mutants]
    sample: list[Mutant] = []
    for mutants, weight in zip(all_mutants, weights, strict=True):
        share = min(len(mutants), max(1, round(number * weight / sum(weights))))
        sample.extend(sorted(chance.sample(list(mutants), share), key=lambda one: one.start))
    return sample


class Workshop:
    """A copy of the code in which one module at a time is changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))

    def seconds(self, guarded: Guarded) -> float:
        """How long the tests of a module take while it is whole. Raises SystemExit where they fail."""
        begun = time.monotonic()
        code, output = self._test(guarded, None)
        if code != 0:
            raise SystemExit(f"The tests of {guarded.module} fail before anything is changed:\n{output[-2000:]}")
        return time.monotonic() - begun

    def fate(self, mutant: Mutant, limit: float) -> Fate:
        path = self._folder / PACKAGE / mutant.guarded.module
        whole = path.read_text(encoding="utf-8")
        path.write_text(mutant.applied(whole), encoding="utf-8")
        try:
            code, _ = self._test(mutant.guarded, limit)
        finally:
            path.write_text(whole, encoding="utf-8")
        return "survived" if code == 0 else "killed"

    def _test(self, guarded: Guarded, limit: float | None) -> tuple[int, str]:
        """The exit code of pytest and what it said; a run beyond its limit hangs, and that is noticed too."""
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--timeout=60"]
        environment = os.environ | {"PYTHONPATH": str(self._folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        process = subprocess.Popen(
            [*command, *guarded.tests],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            return 1, "it hangs"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        return process.returncode, output


def table(fates: Iterable[tuple[Mutant, Fate]]) -> str:
    """The result by module, as it stands in the documentation, with what survived below it."""
    fates = list(fates)
    rows = ["| guard | module | changes tried | noticed | rate |", "|---|---|--:|--:|--:|"]
    for guarded in dict.fromkeys(mutant.guarded for mutant, _ in fates):
        rows.append(_row(guarded.guard, f"`{guarded.module}`", [fate for one, fate in fates if one.guarded == guarded]))
    rows.append(_row("**all**", "", [fate for _, fate in fates]))
    survivors = [f"- `{mutant}`" for mutant, fate in fates if fate == "survived"]
    return "\n".join([*rows, "", "Survivors:" if survivors else "Nothing survived.", "", *survivors]).strip()


def _row(guard: str, module: str, fates: Sequence[Fate]) -> str:
    killed = fates.count("killed")
    return f"| {guard} | {module} | {len(fates)} | {killed} | {killed / len(fates):.0%} |"


def write_page(text: str, number: int, seed: int) -> None:
    page = PAGE.read_text(encoding="utf-8")
    begin, end = "<!-- mutants -->", "<!-- /mutants -->"
    how = f"A sample of {number} changes, drawn with seed {seed}:"
    block = f"{begin}\n{how}\n\n{text}\n{end}"
    PAGE.write_text(re.sub(f"{begin}.*{end}", lambda _: block, page, flags=re.DOTALL), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=40, help="how many changes are tried in all")
    parser.add_argument("--seed", type=int, default=1, help="another seed, another sample")
    parser.add_argument("--guard", default="", help="only this guard")
    parser.add_argument("--list", action="store_true", help="print the sample and try nothing")
    parser.add_argument("--write", action="store_true", help="write the table into docs/testing.md")
    asked = parser.parse_args()
    guards = [guarded for guarded in GUARDS if asked.guard in ("", guarded.guard)]
    sources = [(guarded, (ROOT / PACKAGE / guarded.module).read_text(encoding="utf-8")) for guarded in guards]
    sample = drawn([mutants_of(guarded, source) for guarded, source in sources], asked.number, asked.seed)
    if asked.list:
        print(*sample, sep="\n")
        return 0
    fates: list[tuple[Mutant, Fate]] = []
    with tempfile.TemporaryDirectory() as folder:
        workshop = Workshop(Path(folder))
        limits = {guarded: 60 + 4 * workshop.seconds(guarded) for guarded in guards}
        for mutant in sample:
            fates.append((mutant, workshop.fate(mutant, limits[mutant.guarded])))
            print(f"{fates[-1][1]:9}{mutant}", flush=True)
    told = table(fates)
    print(f"\n{told}")
    if asked.write:
        write_page(told, len(fates), asked.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
