"""What `docs/security.md` says was tried is what the tests try."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hostile import canaries, files, lorebooks, projects, providers, readers, texts
from tests.hostile import test_authored_files as authored
from tests.hostile import test_canary as canary
from tests.hostile import test_control_characters as control
from tests.hostile import test_damaged_logs as damaged
from tests.hostile import test_links_out as links
from tests.hostile import test_moved_runs as moved
from tests.hostile.attacks import callers
from tests.hostile.attacks import test_bodies_and_names as bodies
from tests.hostile.attacks import test_host_and_origin as origins
from tests.hostile.fuzz.targets import TARGETS
from tests.pattern_uses import uses

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
OUTCOMES_OF_THE_NETWORK = 3
"""No answer in time, connection refused, no TLS there."""


def patterns() -> tuple[int, int]:
    """The patterns of the source that can be read in it, and those that are put together: about how many."""
    known = [
        one.text is not None
        for path in (ROOT / "src").rglob("*.py")
        for one in uses(ast.parse(path.read_text(encoding="utf-8")))
    ]
    return known.count(True) // 100 * 100, round(known.count(False), -1)


COUNTS: dict[str, tuple[int, ...] | Callable[[], tuple[int, ...]]] = {
    "answers": (len(readers.READERS), len(texts.TEXTS), len(texts.SIZES), 2, 20, 200),
    "regular expressions": patterns,
    "misbehaving providers": (len(providers.ALL), 3),
    "hostile files": (len(files.HOSTILE_FILES), len(authored.READERS), len(authored.LISTS), len(authored.COMMANDS)),
    "hostile lorebooks": (len(lorebooks.HOSTILE_BOOKS),),
    "hostile projects": (len(projects.ASKING), len(projects.REFUSED), len(projects.HARMLESS)),
    "links out of a project": (len(links.READERS), 3),
    "routes and callers": (len(callers.OPERATIONS), len(callers.CALLERS)),
    "names and origins": (len(origins.FOREIGN_HOSTS), len(origins.FOREIGN_ORIGINS), 5),
    "bombs and traversals": (len(bodies.BOMBS), len(bodies.WITH_BODY), len(bodies.TRAVERSALS), len(bodies.WITH_PATH)),
    "terminal sequences": (len(control.SEQUENCES),),
    "fuzzing": (len(TARGETS), sum(one.short for one in TARGETS.values()), sum(one.long for one in TARGETS.values())),
    "canaries": (len(canaries.NAMES), len(canary.ECHOES) + OUTCOMES_OF_THE_NETWORK, len(canary.ECHOES)),
    "damaged logs": (len(damaged.HURTS),),
    "exports that were touched": (len(moved.TOUCHED), 120, len(moved.FORGED)),
}


@pytest.mark.parametrize("what", COUNTS)
def test_the_page_counts_what_the_tests_try(what: str) -> None:
    (tried,) = re.findall(rf"^\| {what} \| ([^|]+) \|", PAGE, re.MULTILINE)
    counted = COUNTS[what]
    told = tuple(int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", tried))
    assert told == (counted() if callable(counted) else counted)


def test_every_test_that_the_page_names_is_there() -> None:
    named = re.findall(r"`((?:attacks/)?test_\w+\.py)`", PAGE)
    assert len(named) > 15
    assert [name for name in named if not (ROOT / "tests" / "hostile" / name).exists()] == []
