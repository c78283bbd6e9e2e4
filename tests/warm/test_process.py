"""A fork is a process like any other: it is read, typed into, killed, stopped and continued."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import time
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from pathlib import Path

import pytest

from tests import warm
from tests.child import clean_environment, uncounted
from tests.warm.process import Fork

WAIT = "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(600)"
ENDS = {
    "pass": 0,
    "raise SystemExit(7)": 7,
    "raise SystemExit('no')": 1,
    "1/0": 1,
    "import os; os.abort()": -signal.SIGABRT,
    "import os; os.kill(os.getpid(), 9)": -signal.SIGKILL,
    "import os; os._exit(9)": 9,
}


@pytest.mark.parametrize(("text", "code"), ENDS.items())
async def test_it_ends_as_a_real_one_ends(text: str, code: int) -> None:
    real = await asyncio.to_thread(subprocess.run, [sys.executable, "-c", text], capture_output=True, check=False)
    process = await warm.start("-c", text, stdout=PIPE, stderr=PIPE)
    out, err = await process.communicate()
    assert (process.returncode, out) == (real.returncode, real.stdout) == (code, b"")
    assert err.splitlines()[-1:] == real.stderr.splitlines()[-1:]


async def test_its_number_is_its_own_and_it_is_gone_when_it_was_killed() -> None:
    process = await warm.start("-c", WAIT, stdout=PIPE)
    assert process.stdout
    assert int(await process.stdout.readline()) == process.pid
    process.kill()
    assert await process.wait() == -signal.SIGKILL
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


async def test_it_stands_still_while_it_is_stopped_and_goes_on_afterwards() -> None:
    echo = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
    process = await warm.start("-c", echo, stdin=PIPE, stdout=PIPE)
    assert process.stdin
    assert process.stdout
    process.stdin.write(b"one\n")
    assert await process.stdout.readline() == b"one\n"
    process.send_signal(signal.SIGSTOP)
    while _state(process.pid) != "T":
        await asyncio.sleep(0.01)
    process.stdin.write(b"two\n")
    await process.stdin.drain()
    assert _state(process.pid) == "T"
    assert process.returncode is None
    process.send_signal(signal.SIGCONT)
    assert await process.stdout.readline() == b"two\n"
    process.stdin.close()
    assert await process.wait() == 0


def _state(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]


async def test_what_it_says_aside_is_heard_at_once_and_may_go_the_same_way() -> None:
    text = "import sys\nprint('aside', file=sys.stderr)\nsys.stdin.read()\nprint('aloud')"
    process = await warm.start("-c", text, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    assert process.stderr
    assert await process.stderr.readline() == b"aside\n"
    assert await process.communicate(b"") == (b"aloud\n", b"")
    process = await warm.start("-c", text, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT)
    assert (await process.communicate())[0] == b"aside\naloud\n"


async def test_much_is_typed_and_read_at_once() -> None:
    process = await warm.start("-c", "import sys; print(sys.stdin.read())", stdin=PIPE, stdout=PIPE)
    out, _ = await process.communicate(b"x" * 2**22)
    assert out == b"x" * 2**22 + b"\n"


async def test_it_knows_the_words_the_folder_the_environment_and_the_time_zone(tmp_path: Path) -> None:
    text = "import os, sys, time; print(sys.argv, os.getcwd(), sorted(os.environ), time.tzname[0])"
    process = await warm.start("-c", text, "a b", cwd=tmp_path, env={"TZ": "XXX-3", "MARK": "1"}, stdout=PIPE)
    out, _ = await process.communicate()
    assert out.decode() == f"['-c', 'a b'] {tmp_path} ['MARK', 'TZ'] XXX\n"


async def test_at_a_terminal_keys_interrupt_it_and_it_knows_the_size() -> None:
    text = (
        "import os, sys, time\nprint(sys.stdin.isatty(), os.get_terminal_size().columns, os.getsid(0) == os.getpid())\n"
        "try:\n  print('ready', flush=True)\n  time.sleep(600)\nexcept KeyboardInterrupt:\n  sys.exit(9)"
    )
    leader, follower = pty.openpty()
    fcntl.ioctl(leader, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 123, 0, 0))
    process = await warm.start("-c", text, stdin=follower, stdout=follower, stderr=follower, terminal=True)
    os.close(follower)
    with open(leader, "rb", buffering=0) as screen:
        shown = b""
        while b"ready" not in shown:
            shown += await asyncio.to_thread(screen.read, 1000)
        assert b"True 123 True" in shown
        os.write(leader, b"\x03")
        assert await process.wait() == 9


async def test_many_at_once_are_forks_of_one_interpreter() -> None:
    told = "import os; print(os.stat(f'/proc/{os.getppid()}').st_uid, open(f'/proc/{os.getppid()}/stat').read())"
    processes = await asyncio.gather(*(warm.start("-c", told, stdout=PIPE) for _ in range(12)))
    said = await asyncio.gather(*(process.communicate() for process in processes))
    assert len({out.decode().rpartition(")")[2].split()[1] for out, _ in said}) == 1
    assert len({process.pid for process in processes}) == 12


def test_it_ends_when_whoever_started_it_is_gone(tmp_path: Path) -> None:
    asked = {"words": ["-c", WAIT], "folder": str(tmp_path), "environment": {}}
    fork = Fork(warm._interpreter(), asked, DEVNULL, PIPE, None)
    assert fork.stdout
    assert int(fork.stdout.read(100)) == fork.pid
    fork.line.close()
    assert fork.stdout.read(1) == b""  # nobody writes there any more
    fork.stdout.close()
    while Path(f"/proc/{fork.pid}").exists():
        time.sleep(0.01)


async def test_lines_are_counted_where_coverage_is_measured(tmp_path: Path) -> None:
    (tmp_path / "counted.ini").write_text(
        f"[run]\nparallel = true\nsource = dramaturg\ndata_file = {tmp_path / 'lines'}\n", encoding="utf-8"
    )
    env = uncounted(clean_environment(tmp_path)) | {"COVERAGE_PROCESS_START": str(tmp_path / "counted.ini")}
    process = await warm.start("-m", "dramaturg", "--version", env=env, stdout=PIPE)
    await process.communicate()
    assert len(list(tmp_path.glob("lines.*"))) == 1
