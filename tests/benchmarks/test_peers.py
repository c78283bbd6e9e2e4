"""The scripts of other frameworks: each parses, asks what it should, and is one sentence where it is missing."""

from __future__ import annotations

import ast
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.peers import PEERS, Peer, named
from benchmarks.peers.__main__ import main
from benchmarks.peers.conversation import CAST, Conversation, requests_of
from benchmarks.table import players

FOLDER = Path(__file__).parents[2] / "benchmarks" / "peers"
SCRIPTS = sorted(FOLDER.glob("*.py"))
OWN = {"bare", "ours"}


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_a_peer_has_a_script_that_parses_and_requirements_with_limits(peer: Peer) -> None:
    tree = ast.parse((FOLDER / f"{peer.name}.py").read_text(encoding="utf-8"))
    assert any(isinstance(node, ast.FunctionDef) and node.name == "load" for node in tree.body)
    wanted = peer.requirements.read_text(encoding="utf-8").split()
    assert wanted
    assert all(">=" in line and "<" in line for line in wanted)


@pytest.mark.parametrize("script", [one for one in SCRIPTS if one.stem not in OWN], ids=lambda one: one.stem)
def test_a_script_for_another_interpreter_imports_nothing_of_ours_but_the_conversation(script: Path) -> None:
    tree = ast.parse(script.read_text(encoding="utf-8"))
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    modules += [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
    ours = [name for name in modules if name.split(".")[0] in ("benchmarks", "dramaturg", "tests")]
    assert all(name.startswith("benchmarks.peers") for name in ours), ours


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_a_peer_that_is_not_installed_is_one_sentence_and_no_player(peer: Peer, tmp_path: Path) -> None:
    missing = replace(peer, folder=tmp_path)
    assert not missing.is_installed
    assert missing.skipped == f"{peer.title} is not installed: python -m benchmarks.peers install {peer.name}"
    assert [one.title for one in players([missing])] == ["bare client", "dramaturg"]


def test_an_installed_peer_is_played_by_its_own_interpreter(tmp_path: Path) -> None:
    there = replace(PEERS[0], folder=tmp_path)
    (tmp_path / there.name).mkdir()
    (tmp_path / there.name / "installed").touch()
    last = players([there])[-1]
    assert (last.title, last.module) == (there.title, there.name)
    assert last.python.startswith(str(tmp_path))
    assert last.python != sys.executable


def test_an_unknown_peer_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SystemExit, match=r"No peer is called 'autogpt'.*langgraph, autogen, crewai, concordia"):
        named(["autogpt"])


@pytest.mark.parametrize("words", [["remove"], ["--help"], [""]])
def test_an_unknown_word_is_answered_with_the_usage(words: list[str]) -> None:
    with pytest.raises(SystemExit, match=r"Usage: python -m benchmarks\.peers"):
        main(words)


def test_a_list_of_peers_has_a_line_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    main([])
    assert len(capsys.readouterr().out.splitlines()) == len(PEERS)


@pytest.mark.parametrize(("beats", "scenes", "asked"), [(1, 1, 2), (3, 1, 10), (20, 1, 78), (3, 200, 2000)])
def test_a_conversation_has_so_many_questions(beats: int, scenes: int, asked: int) -> None:
    told = Conversation()
    assert scenes * sum(len(told.on_stage(beat)) + 1 for beat in range(beats)) == requests_of(beats, scenes) == asked


def test_a_cue_repeats_the_end_of_what_was_said_and_the_judge_hears_all() -> None:
    told = Conversation()
    for number in range(100):
        told.hear(CAST[number % 3], f"line {number}")
    assert "line 99" in told.cue(5)
    assert "line 1\n" not in told.cue(5)
    assert "line 1\n" in told.question()
    assert told.system("bob").count("Bob") > 1
