"""Prompts are files: Jinja2 text below a header that declares every variable.

    ---
    variables: [name, goal]
    ---
    You are {{ name }}. The scene is over when {{ goal }}.

A missing file or variable is an error. Values are inserted as text and never executed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

from dramaturg.kernel.errors import PromptError
from dramaturg.kernel.files import read_file

if TYPE_CHECKING:
    import jinja2
    from jinja2 import nodes
    from jinja2.runtime import Context
    from jinja2.sandbox import SandboxedEnvironment

MAX_SOURCE = 250_000
_SUFFIXES = (".md", ".j2")
_HEADER = re.compile(r"\ufeff?---[ \t]*\n(?:(.*?)\n)??---[ \t]*(?:\n(?:[ \t]*\n)*|\Z)", re.DOTALL)
_HEADER_KEYS = {"variables", "description"}


@dataclass(frozen=True, slots=True)
class Template:
    """One prompt file, parsed and checked."""

    file: str
    variables: frozenset[str]
    _first_line: int = field(repr=False)
    _compiled: jinja2.Template = field(repr=False)

    def render(self, /, **values: object) -> str:
        """The prompt. Raises PromptError if a variable is missing or undeclared, or if the result is empty."""
        self._check_names(values)
        try:
            text = self._compiled.render(values)
        except Exception as error:  # reason: a template can fail in any way its values can
            raise self._failed(error) from error
        if not text.strip():
            raise PromptError(f"{self.file}: the prompt came out empty.", file=self.file)
        return text

    def _check_names(self, values: dict[str, object]) -> None:
        if values.keys() == self.variables:
            return
        for name in sorted(self.variables - values.keys()):
            raise PromptError(
                f"{self.file}: the variable '{name}' is declared and was not given.",
                file=self.file,
                variable=name,
            )
        for name in sorted(values.keys() - self.variables):
            raise PromptError(
                f"{self.file}: '{name}' was given and is not declared. Add it to 'variables' in the header.",
                file=self.file,
                variable=name,
            )

    def _failed(self, error: Exception) -> PromptError:
        line = _line_of(error, self.file)
        where = f"{self.file}, line {line + self._first_line - 1}" if line else self.file
        name = _variable_in(error, self.variables)
        return PromptError(f"{where}: {error}.", file=self.file, variable=name)


def load_template(folder: Traversable | Path, name: str) -> Template:
    """The template of that name, given with or without its suffix. Raises PromptError."""
    path, file = _find(folder, name)
    try:
        source = _source(path)
    except OSError as error:
        raise PromptError(f"The prompt file {file} cannot be read: {error.strerror or error}.", file=file) from error
    except UnicodeDecodeError as error:
        raise PromptError(f"The prompt file {file} cannot be read: {error}. Save it as UTF-8.", file=file) from error
    if len(source) > MAX_SOURCE:
        raise PromptError(f"The prompt file {file} is over {MAX_SOURCE // 1000} kB. Shorten it.", file=file)
    return _compile(file, source)


def _source(path: Traversable | Path) -> str:
    return read_file(path, 4 * MAX_SOURCE).decode() if isinstance(path, Path) else path.read_text(encoding="utf-8")


def _find(folder: Traversable | Path, name: str) -> tuple[Traversable | Path, str]:
    parts = name.split("/")
    if not all(parts) or any(part in (".", "..") or "\\" in part or "\0" in part for part in parts):
        raise PromptError(f"'{name}' is not the name of a prompt file.", file=name)
    files = [name] if name.endswith(_SUFFIXES) else [name + suffix for suffix in _SUFFIXES]
    found = [file for file in files if _inside(folder, file).is_file()]
    if len(found) == 1:
        return _inside(folder, found[0]), found[0]
    problem = f"Both {' and '.join(found)} are" if found else f"There is no {' or '.join(files)}"
    raise PromptError(f"{problem} in {folder}.", file=files[0])


def _inside(folder: Traversable | Path, file: str) -> Traversable | Path:
    for part in file.split("/"):
        folder = folder.joinpath(part)
    return folder


@lru_cache(maxsize=512)
def _compile(file: str, source: str) -> Template:
    """Cached by the file's content, so that a changed file gives a new template."""
    import jinja2

    source = source.replace("\r\n", "\n")
    header = _HEADER.match(source)
    if not header:
        raise PromptError(f"{file} has no header. Begin it with the lines ---, variables: [], ---.", file=file)
    variables = _declared(file, header[1] or "")
    body = source[header.end() :]
    if not body.strip():
        raise PromptError(f"{file} is empty below its header.", file=file)
    first_line = source.count("\n", 0, header.end()) + 1
    environment = _environment()
    try:
        tree = environment.parse(body, name=file, filename=file)
        _check_tree(file, tree, variables, first_line)
        code = environment.compile(tree, name=file, filename=file)
    except jinja2.TemplateSyntaxError as error:
        line = error.lineno + first_line - 1
        raise PromptError(f"{file}, line {line}: {error.message}.", file=file) from error
    except (RecursionError, MemoryError, SyntaxError) as error:
        raise PromptError(f"{file} has too many levels inside one another. Simplify it.", file=file) from error
    except (ArithmeticError, ValueError) as error:
        raise PromptError(f"{file} contains a value that makes no sense: {error}.", file=file) from error
    compiled = environment.template_class.from_code(environment, code, {})
    return Template(file, variables, first_line, compiled)


@cache
def _environment() -> SandboxedEnvironment:
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class PromptEnvironment(ImmutableSandboxedEnvironment):
        """Prompts count and compare. Powers, formats and texts multiplied can take all time and memory there is."""

        intercepted_binops = frozenset({"*", "**", "%"})

        def call_binop(self, context: Context, operator: str, left: object, right: object) -> object:
            numbers = isinstance(left, int | float) and isinstance(right, int | float)
            if operator == "**" or not numbers:
                raise ValueError(f"'{operator}' is not allowed here")
            return super().call_binop(context, operator, left, right)

    environment = PromptEnvironment(
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_something,
    )
    environment.globals.clear()
    return environment


def _something(value: object) -> object:
    if value is None:
        raise ValueError("a variable that is None would be printed")
    return value


def _declared(file: str, header: str) -> frozenset[str]:
    from dramaturg.kernel.text.yaml_json import MalformedTextError, parse_yaml

    try:
        read = parse_yaml(header, first_line=2)
    except MalformedTextError as error:
        problem = f"the header cannot be read: {error.problem}. Correct it there"
        raise PromptError(f"{file}, line {error.line}: {problem}.", file=file) from error
    fields: dict[object, object] = read if isinstance(read, dict) else {}
    names = fields.get("variables")
    if not isinstance(names, list) or not all(isinstance(name, str) and name.isidentifier() for name in names):
        raise PromptError(f"{file}: the header must declare its variables, for instance variables: [name].", file=file)
    unknown = sorted(str(key) for key in fields if key not in _HEADER_KEYS)
    if unknown:
        raise PromptError(
            f"{file}: '{unknown[0]}' is not known in a header (known: description, variables).", file=file
        )
    return frozenset(names)


def _check_tree(file: str, tree: nodes.Template, variables: frozenset[str], first_line: int) -> None:
    from jinja2 import meta, nodes

    for node in tree.find_all((nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)):
        line = node.lineno + first_line - 1
        raise PromptError(f"{file}, line {line}: a prompt file stands alone and takes in no other.", file=file)
    for name in sorted(meta.find_undeclared_variables(tree) - variables):
        lines = (node.lineno for node in tree.find_all(nodes.Name) if node.name == name)
        line = min(lines, default=1) + first_line - 1
        raise PromptError(
            f"{file}, line {line}: '{name}' is used and not declared. Add it to 'variables' in the header.",
            file=file,
            variable=name,
        )


def _line_of(error: BaseException, file: str) -> int | None:
    """The line of the template that failed, which Jinja2 puts into the traceback."""
    line, trace = None, error.__traceback__
    while trace:
        line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == file else line
        trace = trace.tb_next
    return line


def _variable_in(error: Exception, variables: frozenset[str]) -> str | None:
    quoted = re.findall(r"'(\w+)'", str(error))
    return next((name for name in quoted if name in variables), quoted[0] if quoted else None)
