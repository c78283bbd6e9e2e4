"""Artifacts in a bucket: whole or not at all, the same for every machine, and nothing outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.cluster.object_store import ObjectArtifacts, open_artifacts, open_bucket
from dramaturg.kernel.errors import InvalidConfig, InvalidSettings, StoreUnavailable
from dramaturg.kernel.settings import Settings, StoreSettings
from dramaturg.kernel.store import Artifacts
from tests.cluster.conftest import bucket_settings


@pytest.fixture
def machines(tmp_path: Path, bucket: str, s3_url: str) -> tuple[Artifacts, Artifacts]:
    """Two machines with folders of their own and one bucket."""
    one, other = (bucket_settings(tmp_path / name, bucket, s3_url) for name in ("one", "other"))
    return open_artifacts(one), open_artifacts(other)


def test_what_one_machine_writes_another_reads_in_its_latest_version(machines: tuple[Artifacts, Artifacts]) -> None:
    one, other = machines
    one.write_text("scenes/tide/transcript.txt", "first")
    assert other.found("scenes/tide/transcript.txt").read_text() == "first"
    other.write_folder("scenes/tide", {"transcript.txt": "second", "debug.log": "…"})
    assert one.found("scenes/tide/transcript.txt").read_text() == "second"
    assert one.names("scenes/tide") == ["scenes/tide/debug.log", "scenes/tide/transcript.txt"]
    assert one.names("scenes/ti") == []
    assert not one.found("scenes/tide/nothing.txt").exists()


def test_large_files_and_files_in_pieces_come_back_to_the_byte(machines: tuple[Artifacts, Artifacts]) -> None:
    one, other = machines
    with one.writing("artifacts/long.wav") as file:
        for number in range(130):
            file.write(bytes([number]) * 100_000)
    found = other.found("artifacts/long.wav").read_bytes()
    assert len(found) == 13_000_000
    assert found[-1] == 129
    assert found[6_500_000] == 65


def test_a_write_that_fails_in_the_middle_changes_nothing_anywhere(machines: tuple[Artifacts, Artifacts]) -> None:
    one, other = machines
    one.write_text("a.txt", "before")

    def fail() -> None:
        with one.writing("a.txt") as file:
            file.write(b"half of it")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert one.found("a.txt").read_text() == "before"
    assert other.found("a.txt").read_text() == "before"
    assert [path.name for path in one.root.iterdir()] == ["a.txt"]


def test_a_bucket_that_refuses_leaves_the_file_as_it_was(tmp_path: Path, bucket: str, s3_url: str) -> None:
    settings = bucket_settings(tmp_path, bucket, s3_url)
    good = open_artifacts(settings)
    good.write_text("a.txt", "before")
    gone = settings.model_copy(
        update={"store": settings.store.model_copy(update={"artifacts": "s3://no-such-bucket/house"})}
    )
    with pytest.raises(StoreUnavailable, match=r"does not take or give a\.txt: there is no such bucket"):
        open_artifacts(gone).write_text("a.txt", "after")
    assert (tmp_path / "data" / "a.txt").read_text() == "before"
    assert not list((tmp_path / "data").glob(".*"))
    assert good.found("a.txt").read_text() == "before"


@pytest.mark.parametrize("name", ["../a.txt", "/etc/passwd", "scenes/../../a", "", "a\0b", "link/a.txt"])
def test_paths_that_lead_out_are_refused_as_in_a_folder(machines: tuple[Artifacts, Artifacts], name: str) -> None:
    one, _ = machines
    one.root.mkdir(parents=True, exist_ok=True)
    if not (one.root / "link").is_symlink():
        (one.root / "link").symlink_to("/tmp")
    for ask in (one.found, one.names, one.remove, lambda path: one.write_text(path, "x")):
        with pytest.raises(InvalidConfig, match="is not inside"):
            ask(name)


def test_folders_of_runs_are_taken_by_one_machine_only(machines: tuple[Artifacts, Artifacts]) -> None:
    one, other = machines
    folders = {machine.numbered("scenes/tide").name for machine in (one, other, one, other)}
    assert len(folders) == 4
    assert all(name.startswith("tide-") for name in folders)


def test_what_is_removed_is_gone_for_all(machines: tuple[Artifacts, Artifacts]) -> None:
    one, other = machines
    one.write_folder("scenes/tide", {"a.txt": "a", "b.txt": "b"})
    one.write_text("scenes/tides.txt", "stays")
    assert other.found("scenes/tide/a.txt").exists()
    assert other.remove("scenes/tide")
    assert not one.found("scenes/tide/a.txt").exists()
    assert one.names("scenes") == ["scenes/tides.txt"]
    assert one.remove("scenes/tides.txt")
    assert not one.remove("scenes/tides.txt")


@pytest.mark.parametrize("place", ["bucket/x", "s3://", "https://host/bucket", "s3://b?x=secret"])
def test_an_address_that_is_no_bucket_is_refused_and_never_quoted(tmp_path: Path, place: str) -> None:
    settings = Settings(project=tmp_path, store=StoreSettings(artifacts=place), asks_first=False)
    with pytest.raises(InvalidSettings, match="s3://bucket/prefix") as caught:
        open_bucket(settings)
    assert "secret" not in caught.value.message


def test_an_address_with_a_key_is_refused_and_never_quoted() -> None:
    with pytest.raises(ValueError, match="AWS_SECRET_ACCESS_KEY") as caught:
        StoreSettings(artifacts="s3://key:secret@bucket/x")
    assert "secret@" not in str(caught.value)


def test_files_that_are_older_than_the_bucket_stay_where_they_are(tmp_path: Path, bucket: str, s3_url: str) -> None:
    Artifacts(tmp_path / "data", private=True).write_text("a.txt", "long ago")
    assert open_artifacts(bucket_settings(tmp_path, bucket, s3_url)).found("a.txt").read_text() == "long ago"


def test_a_server_that_is_not_there_is_named_with_what_to_do(tmp_path: Path) -> None:
    settings = bucket_settings(tmp_path, "nowhere", "http://127.0.0.1:9")
    with pytest.raises(StoreUnavailable, match="Check its address and the keys"):
        open_artifacts(settings).write_text("a.txt", "x")
    assert not (tmp_path / "data" / "a.txt").exists()


def test_without_a_bucket_files_stay_in_the_folder(tmp_path: Path) -> None:
    found = open_artifacts(Settings(project=tmp_path, asks_first=False))
    assert not isinstance(found, ObjectArtifacts)
    assert found.root == tmp_path / "data"


def test_a_process_that_forgot_what_it_read_fetches_it_again(tmp_path: Path, bucket: str, s3_url: str) -> None:
    settings = bucket_settings(tmp_path, bucket, s3_url)
    open_artifacts(settings).write_text("a.txt", "first")
    (tmp_path / "data" / "a.txt").write_text("changed by hand")
    assert open_artifacts(settings).found("a.txt").read_text() == "first"
