"""The page: well-formed, closed to the outside, and every word of the scene in it."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

from dramaturg.scenes.exports import render_html
from dramaturg.scenes.line import Line
from tests.scenes.exports.sample import SCRIPT, script_with

GOLDEN = Path(__file__).parent / "golden" / "pilot.html"
VOID = {"meta"}


class Page(HTMLParser):
    """What a browser would make of it; tags must be closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, str]] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append((tag, dict(attrs).get("class") or ""))
        if tag == "p":
            self.texts.append((self.open[-1][1], ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        if any(tag == "p" for tag, _ in self.open):
            kind, text = self.texts.pop()
            self.texts.append((kind, text + data))

    def of_class(self, wanted: str) -> list[str]:
        return [text for kind, text in self.texts if kind == wanted]


def test_the_article_is_written_as_it_stands_in_the_golden_file() -> None:
    article = re.search(r"<article>.*</article>", render_html(SCRIPT), re.DOTALL)
    assert article
    assert article[0] + "\n" == GOLDEN.read_text(encoding="utf-8")


def test_the_dialogue_is_found_again_in_order_with_its_translation() -> None:
    page = Page(render_html(SCRIPT))
    assert page.of_class("words") == [line.content for line in SCRIPT.lines if line.kind == "line" and line.content]
    assert page.of_class("gloss") == ["Thank you."]


def test_the_page_runs_and_loads_nothing() -> None:
    page = Page(render_html(SCRIPT))
    assert not {"script", "link", "img", "iframe", "form", "a"} & set(page.tags)
    names = {name for name, _ in page.attributes}
    assert not {"src", "href", "style"} & names
    assert not any(name.startswith("on") for name in names)


def test_the_policy_admits_the_one_style_and_nothing_else() -> None:
    text = render_html(SCRIPT)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    rules = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert f'<meta http-equiv="Content-Security-Policy" content="{rules}">' in text
    assert "url(" not in style[1]
    assert "@import" not in style[1]


def test_a_hostile_scene_stays_text() -> None:
    bad = "</p></li><script>alert(1)</script><img src=x onerror='x'>\" onclick=\""
    line = Line(number=1, beat=0, speaker=bad, content=bad, tone=bad, nonverbal=bad, gloss=bad)
    page = Page(render_html(script_with(line, title=bad, setting=bad, goal=bad, end=bad, played_by=bad)))
    assert page.of_class("words") == [bad]
    assert not {"script", "img"} & set(page.tags)
    assert not {"onclick", "onerror"} & {name for name, _ in page.attributes}


def test_a_dash_stays_with_the_word_it_broke_off() -> None:
    line = Line(number=1, beat=0, speaker="Nora", content="I never meant—", cut_by="Jonas")
    assert 'I never <span class="kept">meant—</span>' in render_html(script_with(line))
