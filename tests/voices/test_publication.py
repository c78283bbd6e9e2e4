"""Programmes as files: every format has the sound, the loudness and the chapters that the mix has, read back."""

from __future__ import annotations

import json
import math
import os
import re
import stat
import struct
import wave
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.store import Artifacts
from dramaturg.voices.export import ExportTarget, ProgrammeExport, export_programme
from dramaturg.voices.feed import Show, enclosure, write_feed
from dramaturg.voices.loudness import integrated
from dramaturg.voices.programme import Backdrop, Programme
from dramaturg.voices.providers.media import MEDIA_FORMATS, probe, read_sound
from dramaturg.voices.publication import (
    Publication,
    PublishRequest,
    default_name,
    publications,
    publish,
    read_media_formats,
    short,
)
from tests.voices.rss import faults
from tests.voices.tone_lines import passage, tone_line

DAY = 1_700_000_000.0
SHOW = Show(url="https://example.org/a show/".replace(" ", "%20"), title="Evenings", description="Six voices & a fire")


def mixed(
    root: Path, *, title: str = "What is courage?", run: str = "1aaaaaaaaaaaaaaaaa", backdrop: Backdrop | None = None
) -> ProgrammeExport:
    """Three lines in two chapters, mixed."""
    lines = tuple(
        passage(
            tone_line(root, f"{run}/{n}.wav", 1500, pitch=220.0 * n, words="one two three four"),
            n,
            chapter="Answers" if n < 3 else "Replies – <ü>",
        )
        for n in (1, 2, 3)
    )
    programme = Programme(title=title, passages=lines, backdrop=backdrop)
    target = ExportTarget(run=run, kind="ensemble", to=Artifacts(root / "mix" / run), name="programme")
    return export_programme(programme, target, root)


@pytest.fixture(scope="module")
def mix(tmp_path_factory: pytest.TempPathFactory) -> ProgrammeExport:
    """For the tests that only read it."""
    return mixed(tmp_path_factory.mktemp("mix"))


@pytest.mark.parametrize("form", MEDIA_FORMATS)
def test_every_format_has_the_length_the_loudness_and_the_chapters_of_the_mix(
    tmp_path: Path, mix: ProgrammeExport, form: str
) -> None:
    export = mix
    made = publish(export, PublishRequest(tmp_path / "out", DAY, read_media_formats(form)))
    (file,) = made.files
    path = tmp_path / "out" / file.file
    assert path.stat().st_size == file.bytes > 1000
    info = probe(path)
    assert abs(info.duration_ms - export.manifest.duration_ms) < 60
    assert (info.sample_rate, info.channels) == (48_000, 2)
    loud = integrated([read_sound(path).astype(np.float64)])
    assert loud is not None
    assert abs(loud - -16.0) < 0.5
    if form != "wav":
        assert info.title == "What is courage?"
        assert [one.title for one in info.chapters] == ["Answers", "Replies – <ü>"]
        told = [one.start_ms for one in export.manifest.chapters]
        assert all(abs(a.start_ms - b) <= 10 for a, b in zip(info.chapters, told, strict=True))


def test_captions_subtitles_and_word_times_lie_beside_the_sound(tmp_path: Path, mix: ProgrammeExport) -> None:
    made = publish(mix, PublishRequest(tmp_path / "out", DAY, ("wav",)))
    out = tmp_path / "out"
    assert (out / made.captions).read_text(encoding="utf-8").startswith("WEBVTT")
    times = re.findall(r"\d\d:\d\d:\d\d,\d{3} --> \d\d:\d\d:\d\d,\d{3}", (out / made.subtitles).read_text("utf-8"))
    words = json.loads((out / made.words).read_text(encoding="utf-8"))
    assert len(times) == len(words["passages"]) == 3
    assert {one["source"] for one in words["passages"]} == {"engine"}
    starts = [word["startMs"] for one in words["passages"] for word in one["words"]]
    assert starts == sorted(starts)
    assert len(starts) == 12


def test_publishing_again_replaces_the_files_and_keeps_the_date(tmp_path: Path, mix: ProgrammeExport) -> None:
    export, out = mix, tmp_path / "out"
    first = publish(export, PublishRequest(out, DAY, ("flac",)))
    again = publish(export, PublishRequest(out, DAY + 99, ("flac",)))
    assert again == first
    assert not list(out.glob(".*"))
    other = mixed(tmp_path, run="1bbbbbbbbbbbbbbbbb")
    with pytest.raises(InvalidConfig, match="another programme"):
        publish(other, PublishRequest(out, DAY, ("flac",), name=default_name("What is courage?", export.manifest.run)))


@pytest.mark.parametrize("name", ["../x", "a/b", ".hidden", "x" * 300])
def test_a_name_that_leaves_the_folder_is_refused(tmp_path: Path, mix: ProgrammeExport, name: str) -> None:
    with pytest.raises(InvalidConfig, match="cannot name a file"):
        publish(mix, PublishRequest(tmp_path / "out", DAY, ("wav",), name=name))


@pytest.mark.parametrize("text", ["", "ogg", "mp3,wma", ","])
def test_an_unknown_format_is_refused_and_the_known_ones_are_named(text: str) -> None:
    with pytest.raises(InvalidConfig, match="known are wav, flac, mp3, opus, m4b"):
        read_media_formats(text)


def test_a_name_is_made_of_any_title() -> None:
    assert default_name("Was ist Mut? – Übung", "1xxxxxxabcdef") == "was-ist-mut-ubung-abcdef"
    assert default_name("مرحبا 🙂", "1xxxxxxabcdef") == "programme-abcdef"
    assert len(short("why? " * 20_000)) <= 120


def test_a_feed_is_what_a_validator_accepts_and_its_enclosures_are_the_files(tmp_path: Path) -> None:
    out = tmp_path / "out"
    titles = ("What is <courage> & why?", "سؤال 🙂\x00\x1b", "why? " * 2000)
    for number, title in enumerate(titles):
        export = mixed(tmp_path, title=title, run=f"1{number}aaaaaaaaaaaaaaa{number}")
        publish(export, PublishRequest(out, DAY + 86_400 * number, ("mp3", "flac") if number else ("m4b",)))
    feed = write_feed(out, replace(SHOW, email="me@example.org"))
    text = feed.path.read_text(encoding="utf-8")
    assert faults(text) == []
    assert [one.published_at for one in feed.items] == sorted((one.published_at for one in feed.items), reverse=True)
    for one in feed.items:
        sound = enclosure(one)
        assert f'length="{(out / sound.file).stat().st_size}" type="{sound.type}"' in text
        assert probe(out / sound.file).duration_ms > 4000
    chapters = json.loads(next(out.glob("*.chapters.json")).read_text(encoding="utf-8"))
    assert chapters["version"] == "1.2.0"
    assert [one["title"] for one in chapters["chapters"]] == ["Answers", "Replies – <ü>"]


def test_a_run_that_is_published_under_two_names_is_two_items(tmp_path: Path, mix: ProgrammeExport) -> None:
    export, out = mix, tmp_path / "out"
    for name in ("short", "long"):
        publish(export, PublishRequest(out, DAY, ("mp3",), name=name))
    feed = write_feed(out, SHOW)
    assert len(feed.items) == 2
    assert faults(feed.path.read_text(encoding="utf-8")) == []


@pytest.fixture(scope="module")
def feed_text(tmp_path_factory: pytest.TempPathFactory, mix: ProgrammeExport) -> str:
    out = tmp_path_factory.mktemp("feed")
    publish(mix, PublishRequest(out, DAY, ("mp3",)))
    return write_feed(out, SHOW).path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        ('version="2.0"', 'version="0.91"', "RSS 2.0"),
        ("<title>Evenings</title>", "", "no title"),
        ("+0000</pubDate>", "</pubDate>", "RFC 822"),
        ('type="audio/mpeg"', 'type="audio/x-nothing"', "no type of sound"),
        ('isPermaLink="false"', "", "is none"),
        ('text="Fiction"', 'text="Nonsense"', "no category"),
        ("https://example.org/a%20show/feed.xml", "feed.xml", "no address"),
        ("<item>", "<item><colour>red</colour>", "unknown"),
        ("</channel>", "", "well-formed"),
    ],
)
def test_the_checker_finds_what_is_wrong(feed_text: str, good: str, bad: str, said: str) -> None:
    assert good in feed_text
    assert any(said in fault for fault in faults(feed_text.replace(good, bad)))


@pytest.mark.parametrize("url", ["", "example.org/show", "ftp://example.org/", "https://", "https://x.org/?a=b"])
def test_a_feed_needs_the_address_of_a_folder_on_the_web(tmp_path: Path, url: str) -> None:
    with pytest.raises(InvalidConfig, match="--url"):
        write_feed(tmp_path, replace(SHOW, url=url))


def test_a_folder_without_programmes_or_with_changed_ones_is_refused(tmp_path: Path, mix: ProgrammeExport) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(InvalidConfig, match="programme make"):
        write_feed(out, SHOW)
    made = publish(mix, PublishRequest(out, DAY, ("wav",)))
    with pytest.raises(InvalidConfig, match="no picture"):
        write_feed(out, replace(SHOW, image="cover.png"))
    (out / made.files[0].file).write_bytes(b"cut")
    with pytest.raises(InvalidConfig, match="was changed"):
        write_feed(out, SHOW)
    assert publications(out)[0][1] == made
    assert isinstance(made, Publication)


def test_a_damaged_programme_is_named_and_not_left_out_of_the_feed(tmp_path: Path, mix: ProgrammeExport) -> None:
    publish(mix, PublishRequest(tmp_path, DAY, ("wav",)))
    (tmp_path / "broken.publication.json").write_text("{", encoding="utf-8")
    with pytest.raises(InvalidConfig, match=r"broken\.publication\.json is damaged"):
        write_feed(tmp_path, SHOW)
    assert not (tmp_path / "feed.xml").exists()


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("https://example.org/a b/ü/", "https://example.org/a%20b/%C3%BC/"),
        ("https://example.org/a%20b", "https://example.org/a%20b/"),
        ("https://münchen.example/show", "https://xn--mnchen-3ya.example/show/"),
    ],
)
def test_an_address_with_spaces_and_accents_is_encoded_throughout_the_feed(
    tmp_path: Path, mix: ProgrammeExport, url: str, base: str
) -> None:
    made = publish(mix, PublishRequest(tmp_path, DAY, ("wav",), "ein Stück"))
    text = write_feed(tmp_path, replace(SHOW, url=url)).path.read_text(encoding="utf-8")
    assert faults(text) == []
    assert text.count(base) == text.count("https://" + base.split("/")[2])
    assert f"{base}ein%20St%C3%BCck.wav" in text
    assert made.files[0].file == "ein Stück.wav"


def music(path: Path, rate: int, seconds: float, channels: int = 1) -> Path:
    """A chord at any rate."""
    frames = [
        int(6000 * (math.sin(2 * math.pi * 110 * n / rate) + math.sin(2 * math.pi * 165 * n / rate)))
        for n in range(int(rate * seconds))
    ]
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, 2, rate, 0, "NONE", ""))
        file.writeframes(b"".join(struct.pack("<h", frame) * channels for frame in frames))
    return path


@pytest.mark.parametrize(("rate", "channels"), [(8000, 1), (11_025, 2), (44_100, 2), (96_000, 1)])
def test_a_music_bed_of_any_rate_is_heard_from_the_start_to_the_end(tmp_path: Path, rate: int, channels: int) -> None:
    file = music(tmp_path / "bed.wav", rate, 1.7, channels)
    bed = Backdrop(room_tone_db=None, music=str(file), music_sha256="x")
    export = mixed(tmp_path, backdrop=bed)
    sound = read_sound(export.wav)
    assert export.manifest.lufs is not None
    assert abs(export.manifest.lufs - -16.0) < 0.2
    second = [float(np.sqrt(np.mean(sound[n * 4800 : (n + 1) * 4800] ** 2))) for n in range(len(sound) // 4800 - 2)]
    assert min(second[2:-2]) > 1e-3
    # Pitch is right: a chord of 110 and 165 Hz where nobody speaks yet.
    lead = sound[: 48 * 350, 0]
    spectrum = np.abs(np.fft.rfft(lead * np.hanning(len(lead)), 48_000))
    assert int(np.argmax(spectrum[50:400])) + 50 in {*range(106, 115), *range(161, 170)}


def test_a_play_list_that_calls_itself_music_opens_nothing_else(tmp_path: Path) -> None:
    secret = music(tmp_path / "secret.wav", 8000, 2)
    for text in (
        f"#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n{secret}\n",
        f"ffconcat version 1.0\nfile '{secret}'\n",
    ):
        (tmp_path / "bed.mp3").write_text(text, encoding="utf-8")
        with pytest.raises(InvalidConfig, match="cannot be read as sound"):
            read_sound(tmp_path / "bed.mp3")


@pytest.mark.parametrize("data", [b"", b"RIFF", b"no sound at all" * 100, b"\x89PNG\r\n\x1a\n" + bytes(100)])
def test_what_is_no_music_is_refused_before_anything_is_written(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "bed.wav"
    file.write_bytes(data)
    with pytest.raises(InvalidConfig, match=r"bed\.wav"):
        mixed(tmp_path, backdrop=Backdrop(music=str(file)))
    assert not list((tmp_path / "mix").rglob("programme*"))


def test_nothing_is_written_through_a_link_and_a_private_programme_is_its_owners_alone(
    tmp_path: Path, mix: ProgrammeExport
) -> None:
    (tmp_path / "profile").write_text("kept")
    (tmp_path / "out").mkdir()
    for name in (".tea.wav.part", "tea.wav", ".tea.vtt.part"):
        (tmp_path / "out" / name).symlink_to(tmp_path / "profile")
    before = os.umask(0)
    try:
        publish(mix, PublishRequest(tmp_path / "out", DAY, ("wav", "flac"), "tea", private=True))
    finally:
        os.umask(before)
    assert (tmp_path / "profile").read_text() == "kept"
    assert (tmp_path / "out" / "tea.wav").read_bytes() == mix.wav.read_bytes()
    written = [path for path in (tmp_path / "out").iterdir() if not path.is_symlink()]
    assert len(written) > 5
    assert {oct(stat.S_IMODE(path.stat().st_mode)) for path in written} == {"0o600"}
