"""The budget of the studio's pages refuses what it is there for. Each build here is a few bytes made by the test."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"
PAGE = (
    '<!doctype html><html lang="en"><head><title>dramaturg</title>'
    '<meta name="viewport" content="width=device-width" />'
    '<script type="module" src="/studio/index.js"></script>'
    '<link rel="stylesheet" href="/studio/index.css" /></head></html>'
)


@pytest.fixture
def problems(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], list[str]]:
    monkeypatch.setattr(sys, "path", [str(WEB), *sys.path])
    import budget

    return lambda built: list(budget.problems(built))


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "studio").mkdir()
    write(tmp_path, "index.html", PAGE)
    write(tmp_path, "studio/index.js", 'import"./shared.js";const later=()=>import("./editor.js");')
    write(tmp_path, "studio/shared.js", "export const one=1;")
    write(tmp_path, "studio/editor.js", 'import{one}from"./shared.js";')
    write(tmp_path, "studio/index.css", "body{margin:0}")
    return tmp_path


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")


def noise(size: int) -> str:
    """Text that no compression makes much smaller."""
    return "//" + "".join(
        random.Random(7).choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", k=size)
    )


def test_a_small_build_is_within_its_budget(built: Path, problems: Callable[[Path], list[str]]) -> None:
    assert problems(built) == []


def test_what_is_imported_at_once_counts_for_the_first_page(built: Path, problems: Callable[[Path], list[str]]) -> None:
    write(built, "studio/shared.js", noise(100_000))
    (told,) = problems(built)
    assert told.startswith("index.html loads ")


def test_the_words_of_the_longest_language_count_for_the_first_page(
    built: Path, problems: Callable[[Path], list[str]]
) -> None:
    write(built, "studio/en-Ab12.js", noise(1_000))
    write(built, "studio/de-Cd-3.js", noise(100_000))
    (told,) = problems(built)
    assert told.startswith("index.html loads ")


def test_what_is_loaded_later_has_its_own_budget(built: Path, problems: Callable[[Path], list[str]]) -> None:
    write(built, "studio/editor.js", noise(100_000))
    assert problems(built) == []
    write(built, "studio/editor.js", noise(300_000))
    (told,) = problems(built)
    assert told.startswith("editor.js loads ")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('<html lang="en">', "<html>", "a language"),
        ("<title>dramaturg</title>", "<title></title>", "a title"),
        ("width=device-width", "width=device-width, user-scalable=no", "zoomed"),
        ("</head>", "<style>b{}</style></head>", "inline"),
        ("</head>", "<script>alert(1)</script></head>", "inline"),
        ("</head>", '<script src="https://cdn.example/x.js"></script></head>', "elsewhere"),
        ("</head>", '<link rel="stylesheet" href="//fonts.example/x" /></head>', "elsewhere"),
    ],
)
def test_a_page_that_breaks_its_own_rules_is_named(
    built: Path, problems: Callable[[Path], list[str]], old: str, new: str, words: str
) -> None:
    write(built, "index.html", PAGE.replace(old, new))
    assert [words in told for told in problems(built)] == [True]


def test_a_style_sheet_loads_nothing_from_elsewhere(built: Path, problems: Callable[[Path], list[str]]) -> None:
    write(built, "studio/index.css", "@import url(https://fonts.example/x.css);")
    assert problems(built) == ["index.css loads something from elsewhere."]
    write(built, "studio/index.css", "b{background:url(/studio/x.svg)}")
    assert problems(built) == []
