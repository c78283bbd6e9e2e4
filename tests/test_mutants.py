"""The mutation runner: what it changes, and that its table points at what is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutants import GUARDS, PACKAGE, ROOT, Guarded, drawn, mutants_of, table

HERE = Guarded("test", "nowhere.py", ())


def changed(source: str) -> list[str]:
    return [mutant.applied(source) for mutant in mutants_of(HERE, source)]


@pytest.mark.parametrize(
    ("source", "becomes"),
    [
        ("x = a < b\n", ["x = (a <= b)\n"]),
        ("x = a and b\n", ["x = (b)\n", "x = (a)\n"]),
        ("x = not a\n", ["x = (a)\n"]),
        ("x = 'ü', 1\n", ["x = 'ü', 2\n"]),
        ("x = a - b\n", ["x = (a + b)\n"]),
        ("admit(who)\n", ["pass\n"]),
        ("def f(a: int = 60) -> None:\n    if a:\n        return\n    g()\n", None),
        ('"""Words."""\nfrom a import b\nassert b == 1\n', []),
    ],
)
def test_each_change_is_one_change(source: str, becomes: list[str] | None) -> None:
    if becomes is None:
        kept = "def f(a: int = 60) -> None:\n    "
        assert sorted(changed(source)) == [kept + "if a:\n        return\n    pass\n", kept + "pass\n    g()\n"]
    else:
        assert sorted(changed(source)) == sorted(becomes)


@pytest.mark.parametrize("guarded", GUARDS, ids=lambda guarded: guarded.module)
def test_every_module_and_test_of_the_table_is_there_and_can_be_changed(guarded: Guarded) -> None:
    source = ROOT / PACKAGE / guarded.module
    assert len(mutants_of(guarded, source.read_text(encoding="utf-8"))) > 5
    assert guarded.tests
    assert all(Path(ROOT / path).exists() for path in guarded.tests)


def test_the_same_seed_draws_the_same_sample_from_every_module() -> None:
    every = [mutants_of(one, (ROOT / PACKAGE / one.module).read_text(encoding="utf-8")) for one in GUARDS]
    sample = drawn(every, 40, seed=1)
    assert sample == drawn(every, 40, seed=1) != drawn(every, 40, seed=2)
    assert {mutant.guarded for mutant in sample} == set(GUARDS)


def test_the_table_has_a_row_per_module_and_names_what_survived() -> None:
    one, other = mutants_of(HERE, "x = a < b\ny = not a\n")
    told = table([(one, "killed"), (other, "survived")])
    assert "| test | `nowhere.py` | 2 | 1 | 50% |" in told
    assert f"- `{other}`" in told
