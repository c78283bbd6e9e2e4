"""What a page of the studio may weigh and load; `python web/toolchain.py check` holds the build to it.

Standard library only.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

FIRST_PAGE = 64_000
"""Bytes, gzipped, until the first page of the studio or of the players' house is drawn: HTML, scripts and styles."""
ROUTE = 150_000
"""Bytes, gzipped, that a page, a plot, the graph or the editor may load besides."""
_WORDS = re.compile(r"(?:en|de)-[\w-]+\.js")
"""The words of a language; each reader loads those of one."""
_ASSET = re.compile(r'(?:src|href)="(/[^"]+\.(?:js|css))"')
_IMPORT = re.compile(r'(?:from|import)\s*"\./([^"]+\.js)"')
_ELSEWHERE = re.compile(r'(?:src|href|url\(|@import|fetch\()\s*=?\s*["\']?(https?:)?//[\w.-]+', re.IGNORECASE)
_INLINE = re.compile(r"<script(?![^>]*\bsrc=)[^>]*>|<style|\sstyle=|\son\w+=", re.IGNORECASE)
_WANTED = {
    "a language": re.compile(r'<html[^>]*\blang="\w'),
    "a title": re.compile(r"<title>[^<]+</title>"),
    "a viewport that can be zoomed": re.compile(r'name="viewport"(?![^>]*(?:user-scalable=no|maximum-scale))'),
}


def weight(file: Path) -> int:
    """The bytes of a file as they are sent."""
    return len(gzip.compress(file.read_bytes(), 9))


def problems(built: Path) -> Iterator[str]:
    """What is too heavy, comes from elsewhere or is missing in a build, one sentence each."""
    scripts = {file.name: file for file in (built / "studio").glob("*.js")}
    shell: set[str] = set()
    words = max((weight(file) for name, file in scripts.items() if _WORDS.fullmatch(name)), default=0)
    for page in sorted(built.glob("*.html")):
        html = page.read_text("utf-8")
        assets = [built / path.lstrip("/") for path in _ASSET.findall(html)]
        begun = _with_imports({one.name for one in assets if one.suffix == ".js"}, scripts)
        shell |= begun if page.name == "index.html" else set()
        styles = sum(weight(one) for one in assets if one.suffix == ".css")
        first = weight(page) + styles + words + sum(weight(scripts[name]) for name in begun)
        if first > FIRST_PAGE:
            yield f"{page.name} loads {first:,} bytes before it is drawn; {FIRST_PAGE:,} are allowed."
        yield from _faults(page.name, html)
    for name, file in sorted(scripts.items()):
        own = sum(weight(scripts[one]) for one in _with_imports({name}, scripts) - shell)
        if own > ROUTE:
            yield f"{name} loads {own:,} bytes; {ROUTE:,} are allowed for a page. Load a part of it when it is shown."
        if file.suffix == ".js" and "eval(" in file.read_text("utf-8").replace("retrieval(", ""):
            yield f"{name} evaluates text as a program, which the pages do not allow."
    for style in sorted((built / "studio").glob("*.css")):
        if _ELSEWHERE.search(style.read_text("utf-8")):
            yield f"{style.name} loads something from elsewhere."


def _faults(name: str, html: str) -> Iterator[str]:
    if _ELSEWHERE.search(html):
        yield f"{name} loads something from elsewhere."
    if found := _INLINE.search(html):
        yield f"{name} has an inline script or style ({found.group().strip()}), which its own policy refuses."
    yield from (f"{name} has not {what}." for what, pattern in _WANTED.items() if not pattern.search(html))


def _with_imports(names: set[str], scripts: dict[str, Path]) -> set[str]:
    """These scripts and what they import at once; what is loaded later is not among them."""
    found: set[str] = set()
    open_ = [name for name in names if name in scripts]
    while open_:
        name = open_.pop()
        if name not in found:
            found.add(name)
            open_ += [one for one in _IMPORT.findall(scripts[name].read_text("utf-8")) if one in scripts]
    return found
