import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.child import clean_environment
from tests.warm import program, python


def run(folder: Path, text: str, *words: str, keys: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    (folder / "one.py").write_text(text, encoding="utf-8")
    command = [*python(), "one.py", *words]
    return subprocess.run(
        command,
        cwd=folder,
        input=keys,
        capture_output=True,
        text=True,
        check=False,
        env=clean_environment(folder, **env),
    )


def test_a_program_has_the_words_the_folder_the_environment_and_the_streams_it_was_given(tmp_path: Path) -> None:
    text = (
        "import os, sys\n"
        "print(sys.argv, os.getcwd(), os.environ['MARK'], sorted(os.environ), sys.stdin.read())\n"
        "print('aside', file=sys.stderr)\n"
    )
    done = run(tmp_path, text, "a b", keys="typed", MARK="x")
    assert done.stdout.startswith(f"['one.py', 'a b'] {tmp_path} x ")
    assert done.stdout.endswith(" typed\n")
    assert "PYTEST_CURRENT_TEST" not in done.stdout
    assert done.stderr == "aside\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [("", 0), ("raise SystemExit(7)", 7), ("raise SystemExit('no')", 1), ("1/0", 1), ("import os; os.abort()", 134)],
)
def test_it_ends_as_the_program_ended(tmp_path: Path, text: str, code: int) -> None:
    assert run(tmp_path, text).returncode % 256 in (code, 250)  # a real interpreter that aborts ends with -6


def test_two_programs_know_nothing_of_each_other(tmp_path: Path) -> None:
    leave = "import os, random, dramaturg; dramaturg.left = 1; os.environ['LEFT'] = '1'; print(random.random())"
    first = run(tmp_path, leave).stdout
    look = "import os, random, dramaturg; print(hasattr(dramaturg, 'left'), 'LEFT' in os.environ, random.random())"
    assert run(tmp_path, look).stdout.startswith("False False ")
    assert run(tmp_path, leave).stdout != first


def test_the_program_itself_is_typed(tmp_path: Path) -> None:
    done = subprocess.run([*program(), "--version"], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.startswith("dramaturg ")


def test_an_interrupt_reaches_the_program_and_who_is_killed_leaves_none_behind(tmp_path: Path) -> None:
    wait = (
        "import os, sys, time\n"
        "try:\n  print(os.getpid(), flush=True)\n  time.sleep(120)\n"
        "except KeyboardInterrupt:\n  sys.exit(9)\n"
    )
    (tmp_path / "one.py").write_text(wait, encoding="utf-8")
    for number in (signal.SIGINT, signal.SIGKILL):
        process = subprocess.Popen([*python(), "one.py"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        played = int(process.stdout.readline())
        process.send_signal(number)
        assert process.wait() == (9 if number is signal.SIGINT else -9)
        process.stdout.close()
        while _is_alive(played):
            time.sleep(0.01)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
