"""The changes in an answer are found however a model wraps them, and reasoning is not among them."""

from __future__ import annotations

import pytest

from dramaturg.workshop.revision.patch_answer import AskedChange, read_patches
from tests.workshop.revision_cases import patch

ONE = AskedChange("a b", "c", "shorter", "flat")


@pytest.mark.parametrize(
    "text",
    [
        patch("a b", "c"),
        f"Sure!\n```xml\n{patch('a b', 'c')}\n```\nDone.",
        f"<thinking>{patch('x y', 'z')}</thinking>{patch('a b', 'c')}",
        f"<patches>{patch('a b', 'c').replace('patch>', 'PATCH>')}</patches>",
        patch("a b", "c") * 3,
        '<patch id="1"><issue>flat</issue><old>a b</old><new>c</new><reason>shorter</reason>',
        '[{"old": "a b", "new": "c", "reason": "shorter", "issue": "flat"}]',
        'Here: {"patches": [{"old": "a b", "new": "c", "reason": "shorter", "issue": "flat"}]}',
    ],
)
def test_a_change_is_read_from_many_forms(text: str) -> None:
    assert read_patches(text).changes == (ONE,)


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("Nothing to change.", 0),
        ("<patch><old>a b</old><new>c", 1),
        ("<patch><old>a b</old></patch>", 1),
        ("<patch><old> </old><new>c</new></patch>", 1),
        ("<patch><old>a</old><new>a</new></patch>", 1),
        (f"<thinking>{patch('a b', 'c')}", 0),
        ('{"old": 3, "new": ["x"]}', 1),
        ("</patch></old><new>", 0),
    ],
)
def test_what_is_no_change_is_not_one(text: str, broken: int) -> None:
    found = read_patches(text)
    assert (found.changes, found.broken) == ((), broken)
