"""The gates: size, names and manners, from the first commit. Run by `make check`.

Each finding is one line that says where, what and what to do; any of them stops the build. Warnings do not.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.pattern_uses import refused  # run as a program, this file is not in a package

FOLDERS = ("src", "tests", "benchmarks")
MODULE_LIMIT, MODULE_WISH, FUNCTION_LIMIT, CLASS_LIMIT = 600, 400, 60, 300
SMALLER = {"src/dramaturg/studio.py": 250}
"""Modules with a limit of their own."""
READERS = {"AnswerReader"}
"""Readers of model output may be long classes: one grammar, read in one place."""
KERNEL, KERNEL_LIMIT = "src/dramaturg/kernel/", 15_000
"""How many lines the kernel may have, blank ones and comments included."""
KIND_COMPARED = re.compile(r"\b(?:run|record|self\.run|performance\.run)\.kind\s*(?:==|!=|in\b|not in\b)")
RUNS = "src/dramaturg/kernel/runs/"
POSSESSIVE_GROUP = re.compile(r"""r["'].*\)(?:[*+?]|\{[\d,]+\})\+""")
LOCK_FILES = {"uv.lock"}

CLASS_NAME = re.compile(r"(?:Service|Manager|Helper|Handler|Util)s?(?![a-z])")
MODULE_NAME = re.compile(r"(?:^|_)(?:service|manager|helper|handler|util)s?(?:$|_)")
BROAD = {"Exception", "BaseException"}
REASON = re.compile(r"#\s*reason:\s*\S")

# Folders of one machine. Written in pieces, so that this file passes its own gate.
MACHINE_PATH = re.compile(r"(?<![\w.~:/-])/(?:" + "|".join(("home", "root", "Users", "work")) + r")/")
REGISTRY = re.compile(
    "|".join(
        (
            r"index[-_]" + r"url\s*[=:]",
            r"https?://[^\s\"']+/simp" + r"le\b",
            "jfr" + r"og\.io",
            "artifact" + "ory",
        )
    )
)


@dataclass(frozen=True)
class Finding:
    """One line of the report."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass
class Report:
    """What the gates found, and the two figures worth knowing."""

    findings: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)
    modules: int = 0
    kernel: int = 0
    largest: tuple[int, str] = (0, "none")
    longest: tuple[int, str] = (0, "none")

    def __str__(self) -> str:
        lines = [f"{finding}" for finding in self.findings] + [f"{warning} (a warning)" for warning in self.warnings]
        (size, module), (length, function) = self.largest, self.longest
        lines.append(
            f"gates: {self.modules} modules; largest {size} lines ({module}); "
            f"longest function {length} lines ({function}); kernel {self.kernel:,} lines; "
            f"{len(self.findings)} findings, {len(self.warnings)} warnings"
        )
        return "\n".join(lines)


def check(root: Path) -> Report:
    """Every gate over one tree."""
    report = Report()
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            _check_module(path, path.relative_to(root).as_posix(), report)
    if report.kernel > KERNEL_LIMIT:
        what = f"{report.kernel:,} lines, and {KERNEL_LIMIT:,} is the limit. Move what one capability uses."
        report.findings.append(Finding(KERNEL, what))
    for path in tracked(root):
        report.findings.extend(_text_findings(path, path.relative_to(root).as_posix()))
    return report


def _check_module(path: Path, where: str, report: Report) -> None:
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    report.modules += 1
    report.largest = max(report.largest, (len(lines), where))
    limit = SMALLER.get(where, MODULE_LIMIT)
    if len(lines) > limit:
        what = f"{len(lines)} lines, and {limit} is the limit. Give each noun a file of its own."
        report.findings.append(Finding(where, what))
    elif len(lines) > MODULE_WISH:
        report.warnings.append(Finding(where, f"{len(lines)} lines, and {MODULE_WISH} is wanted."))
    if MODULE_NAME.search(path.stem):
        report.findings.append(Finding(where, f"'{path.stem}' says nothing. Name the module for the noun in it."))
    tree = ast.parse(source, filename=where)
    nodes = list(ast.walk(tree))
    report.findings.extend(_class_names(nodes, where))
    for length, name, line in _functions(nodes):
        report.longest = max(report.longest, (length, f"{name}, {where}"))
        if length > FUNCTION_LIMIT:
            what = f"{name} has {length} lines, and {FUNCTION_LIMIT} is the limit. Take a step out and name it."
            report.findings.append(Finding(f"{where}:{line}", what))
    if where.startswith("src/"):
        report.findings.extend(_broad_excepts(nodes, lines, where))
        report.findings.extend(_long_classes(nodes, where))
        report.findings.extend(_kinds_compared(lines, where))
        report.findings.extend(_possessive_groups(lines, where))
        report.findings.extend(_patterns(tree, where))
    if where.startswith(KERNEL):
        report.kernel += len(lines)


def _class_names(nodes: list[ast.AST], where: str) -> Iterator[Finding]:
    for node in nodes:
        if isinstance(node, ast.ClassDef) and CLASS_NAME.search(node.name):
            yield Finding(f"{where}:{node.lineno}", f"class {node.name} says nothing. Use the writer's word for it.")


def _long_classes(nodes: list[ast.AST], where: str) -> Iterator[Finding]:
    for node in nodes:
        if isinstance(node, ast.ClassDef) and node.name not in READERS:
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > CLASS_LIMIT:
                what = (
                    f"class {node.name} has {length} lines, and {CLASS_LIMIT} is the limit. Split it by what it holds."
                )
                yield Finding(f"{where}:{node.lineno}", what)


def _kinds_compared(lines: list[str], where: str) -> Iterator[Finding]:
    """Only `kernel/runs` knows which kind a run is; everybody else asks its `Kind`."""
    if where.startswith(RUNS):
        return
    for number, line in enumerate(lines, start=1):
        if KIND_COMPARED.search(line):
            yield Finding(f"{where}:{number}", "asks which kind a run is. Give `Kind` a method, and call it.")


def _possessive_groups(lines: list[str], where: str) -> Iterator[Finding]:
    """Python 3.11 before 3.11.5 does not go back to where the last repetition of such a group ended."""
    for number, line in enumerate(lines, start=1):
        if POSSESSIVE_GROUP.search(line):
            yield Finding(f"{where}:{number}", "repeats a group possessively. Let single characters be possessive.")


def _patterns(tree: ast.Module, where: str) -> Iterator[Finding]:
    """No regular expression may need more than a constant for each character of a text, whatever the text is."""
    for one in refused(tree):
        what = (
            f"{one.use} with {one.text!r} can take time that grows faster than the text: two unbounded parts match "
            "the same characters. Make them disjoint, possessive or bounded, or let the match begin at a border."
        )
        yield Finding(f"{where}:{one.line}", what)


def _functions(nodes: list[ast.AST]) -> Iterator[tuple[int, str, int]]:
    """Length (signature and body, without the docstring), name and line of each function."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if ast.get_docstring(node, clean=False) is not None:
                docstring = node.body[0]
                length -= (docstring.end_lineno or docstring.lineno) - docstring.lineno + 1
            yield length, node.name, node.lineno


def _broad_excepts(nodes: list[ast.AST], lines: list[str], where: str) -> Iterator[Finding]:
    for node in nodes:
        first, last = 0, 0
        if isinstance(node, ast.ExceptHandler) and (node.type is None or _names_broad(node.type)):
            first, last = node.lineno, node.body[0].lineno
        elif isinstance(node, ast.Call) and _is_suppress(node.func) and any(map(_names_broad, node.args)):
            first, last = node.lineno, node.end_lineno or node.lineno
        if first and not any(REASON.search(line) for line in lines[first - 1 : max(last - 1, first)]):
            what = "catches everything. Name the errors, or add the comment '# reason: …' to that line."
            yield Finding(f"{where}:{first}", what)


def _names_broad(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Name) and part.id in BROAD for part in ast.walk(node))


def _is_suppress(func: ast.expr) -> bool:
    return getattr(func, "id", getattr(func, "attr", "")) == "suppress"


def tracked(root: Path) -> list[Path]:
    """The files git knows or would know; without git, every file that is not hidden."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split("\0")
        paths: Iterable[Path] = (root / name for name in listed if name)
    except (OSError, subprocess.CalledProcessError):
        paths = (path for path in root.rglob("*") if not any(part[0] == "." for part in path.relative_to(root).parts))
    return sorted(path for path in paths if path.is_file() and path.name not in LOCK_FILES)


def _text_findings(path: Path, where: str) -> Iterator[Finding]:
    data = path.read_bytes()
    if b"\0" in data[:8192]:
        return
    text = data.decode("utf-8", "replace")
    if not MACHINE_PATH.search(text) and not REGISTRY.search(text):
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if found := MACHINE_PATH.search(line):
            yield Finding(f"{where}:{number}", f"'{found[0]}' is a path of one machine. Make it relative.")
        if found := REGISTRY.search(line):
            yield Finding(f"{where}:{number}", f"'{found[0]}' names a package registry. Leave it to the installer.")


def main(arguments: list[str]) -> int:
    report = check(Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent)
    print(report)
    return 1 if report.findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
