"""Each gate can fail: a gate that cannot is a wall with a door painted on it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import gates


def tree(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path = path if "." in path.name else path.with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def found(root: Path) -> list[str]:
    return [str(finding) for finding in gates.check(root).findings]


def function(lines: int) -> str:
    return "def long():\n" + "    pass\n" * (lines - 1)


def test_a_tidy_tree_passes_and_its_figures_are_told(tmp_path: Path) -> None:
    report = gates.check(tree(tmp_path, src__play=function(60), tests__test_play="x = 1\n"))
    assert report.findings == []
    assert str(report) == (
        "gates: 2 modules; largest 60 lines (src/play.py); longest function 60 lines (long, src/play.py); "
        "kernel 0 lines; 0 findings, 0 warnings"
    )


@pytest.mark.parametrize("folder", gates.FOLDERS)
def test_a_module_over_the_limit_fails_and_one_over_the_wish_is_warned_of(tmp_path: Path, folder: str) -> None:
    tree(tmp_path, **{f"{folder}__long": "x = 1\n" * 601, f"{folder}__longish": "x = 1\n" * 401})
    report = gates.check(tmp_path)
    assert [finding.where for finding in report.findings] == [f"{folder}/long.py"]
    assert [warning.where for warning in report.warnings] == [f"{folder}/longish.py"]
    assert f"{folder}/longish.py: 401 lines, and 400 is wanted. (a warning)" in str(report)


def test_a_function_over_the_limit_fails_and_its_docstring_does_not_count(tmp_path: Path) -> None:
    told = 'def told():\n    """One.\n\n    Two."""\n' + "    pass\n" * 59
    tree(tmp_path, src__a=f"\nasync {function(61)}", src__b=told)
    assert found(tmp_path) == ["src/a.py:2: long has 61 lines, and 60 is the limit. Take a step out and name it."]


@pytest.mark.parametrize("word", ["Service", "Manager", "Helper", "Handler", "Util", "Utils"])
def test_a_name_that_says_nothing_fails(tmp_path: Path, word: str) -> None:
    tree(tmp_path, **{f"src__scene_{word.lower()}": "x = 1\n", "src__a": f"class Scene{word}:\n    pass\n"})
    assert len(found(tmp_path)) == 2


def test_a_word_that_only_begins_like_one_passes(tmp_path: Path) -> None:
    assert found(tree(tmp_path, src__utility="class Utility:\n    pass\n", src__handlers_not="")) == [
        "src/handlers_not.py: 'handlers_not' says nothing. Name the module for the noun in it."
    ]


@pytest.mark.parametrize(
    "catch",
    [
        "except Exception:",
        "except BaseException as error:",
        "except (ValueError, Exception):",
        "except:",
        "except Exception:  # reason:",
    ],
)
def test_a_catch_of_everything_without_a_reason_fails_in_the_source_only(tmp_path: Path, catch: str) -> None:
    code = f"try:\n    pass\n{catch}\n    pass\n"
    tree(tmp_path, src__a=code, tests__a=code)
    assert [line.split(":")[:2] for line in found(tmp_path)] == [["src/a.py", "3"]]


def test_a_catch_of_everything_with_its_reason_passes(tmp_path: Path) -> None:
    tree(
        tmp_path,
        src__a="try:\n    pass\nexcept Exception:  # reason: a view must not stop the play\n    pass\n",
        src__b="try:\n    pass\nexcept ValueError:\n    pass\n",
    )
    assert found(tmp_path) == []


def test_suppressing_everything_counts_as_catching_it(tmp_path: Path) -> None:
    tree(tmp_path, src__a="import contextlib\nwith contextlib.suppress(Exception):\n    pass\n")
    assert len(found(tmp_path)) == 1
    tree(
        tmp_path,
        src__a="with suppress(OSError):\n    pass\nwith suppress(Exception):  # reason: bye\n    pass\n",
    )
    assert found(tmp_path) == []


@pytest.mark.parametrize("folder", ["home", "root", "Users", "work"])
def test_a_path_of_one_machine_fails_in_any_text_file(tmp_path: Path, folder: str) -> None:
    tree(
        tmp_path,
        **{"docs__a.md": f"fine\nsee '/{folder}/me/x'\n", "b.toml": f"x = 'https://a.example/{folder}/b'\n"},
    )
    assert found(tmp_path) == [f"docs/a.md:2: '/{folder}/' is a path of one machine. Make it relative."]


@pytest.mark.parametrize("text", ["{}-url = 'x'", "https://pypi.example/{}/x", "{}_url: x"])
def test_a_package_registry_fails_except_in_the_lock_file(tmp_path: Path, text: str) -> None:
    line = text.format("simp" + "le" if "https" in text else "ind" + "ex")
    tree(tmp_path, **{"a.toml": line, "uv.lock": line})
    assert len(found(tmp_path)) == 1
    assert found(tmp_path)[0].startswith("a.toml:1: ")


def test_what_git_ignores_and_what_is_no_text_is_not_read(tmp_path: Path) -> None:
    path = "/".join(("", "home", "me"))
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    tree(tmp_path, **{".gitignore": "data/\n", "data__a.txt": f"{path}/x", "b.txt": f"{path}/x"})
    (tmp_path / "c.bin").write_bytes(b"\0" + f"{path}/x".encode())
    assert [line.split(":")[0] for line in found(tmp_path)] == ["b.txt"]


def test_the_script_tells_what_it_found_and_stops_the_build(tmp_path: Path) -> None:
    tree(tmp_path, src__a=function(61))
    ran = subprocess.run([sys.executable, gates.__file__, str(tmp_path)], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stdout.startswith("src/a.py:1: long has 61 lines")
    assert gates.main([str(tree(tmp_path / "tidy", src__a="x = 1\n"))]) == 0


def test_a_class_over_the_limit_fails_unless_it_reads_what_models_write(tmp_path: Path) -> None:
    body = "    x = 1\n" * 300
    tree(tmp_path, src__a=f"class Long:\n{body}", src__b=f"class AnswerReader:\n{body}")
    assert found(tmp_path) == ["src/a.py:1: class Long has 301 lines, and 300 is the limit. Split it by what it holds."]


@pytest.mark.parametrize("asked", ["run.kind == X", "record.kind != X", "run.kind in (X, Y)", "run.kind not in X"])
def test_asking_which_kind_a_run_is_fails_outside_the_runs(tmp_path: Path, asked: str) -> None:
    tree(tmp_path, src__dramaturg__studio=f"def f(run, record, X, Y):\n    return {asked}\n")
    tree(tmp_path, src__dramaturg__kernel__runs__library=f"def f(run, record, X, Y):\n    return {asked}\n")
    assert found(tmp_path) == [
        "src/dramaturg/studio.py:2: asks which kind a run is. Give `Kind` a method, and call it."
    ]


def test_a_possessive_group_fails_and_possessive_characters_pass(tmp_path: Path) -> None:
    tree(tmp_path, src__dramaturg__a='import re\n\nX = re.compile(r"^(?:ab)*+>")\nY = re.compile(r"^[^<>]*+>")\n')
    assert found(tmp_path) == [
        "src/dramaturg/a.py:3: repeats a group possessively. Let single characters be possessive."
    ]


def test_the_kernel_has_a_limit_of_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "KERNEL_LIMIT", 4)
    tree(tmp_path, src__dramaturg__kernel__a='"""Words."""\n\n# A reason.\nx = 1\n')
    assert found(tmp_path) == []
    tree(tmp_path, src__dramaturg__kernel__b="z = 3\n")
    assert "5 lines, and 4 is the limit" in found(tmp_path)[0]


def test_the_studio_only_wires(tmp_path: Path) -> None:
    tree(tmp_path, src__dramaturg__studio="x = 1\n" * 251)
    assert "251 lines, and 250 is the limit" in found(tmp_path)[0]
