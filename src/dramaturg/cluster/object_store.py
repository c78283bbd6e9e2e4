"""Artifacts in an S3-compatible bucket; the data folder is this machine's copy of what it wrote and read."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from dramaturg.kernel.errors import InvalidSettings, StoreUnavailable, install_extra
from dramaturg.kernel.files import part_of
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.store.private_files import private_opener

if TYPE_CHECKING:
    from obstore.store import S3Store

T = TypeVar("T")
NUMBER_BYTES = 4
KNOWN_VERSIONS = 10_000
"""How many files' versions a process remembers; one that is forgotten is fetched once more."""
_KEYS = {"AWS_ACCESS_KEY_ID": "access_key_id", "AWS_SECRET_ACCESS_KEY": "secret_access_key"}
_KEYS |= {"AWS_SESSION_TOKEN": "session_token", "AWS_REGION": "region", "AWS_DEFAULT_REGION": "region"}


def open_artifacts(settings: Settings) -> Artifacts:
    """Where files go: the bucket of `[store] artifacts`, else the data folder. Raises InvalidSettings."""
    if settings.store.artifacts is None:
        return Artifacts(settings.data, private=True)
    return ObjectArtifacts(settings.data, open_bucket(settings))


def open_bucket(settings: Settings) -> S3Store:
    """The bucket that the settings name; keys are those of the environment, else the machine's role."""
    try:
        from obstore.store import S3Store
    except ModuleNotFoundError as error:
        raise InvalidSettings(
            f"[store] artifacts needs {error.name}, which is not installed: {install_extra('cluster')}.",
            missing=error.name,
        ) from error
    place = urlsplit(settings.store.artifacts or "")
    if place.scheme != "s3" or not place.hostname or "@" in place.netloc or place.query or place.fragment:
        raise InvalidSettings(
            "[store] artifacts must be such as s3://bucket/prefix, without keys; those come from AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY."
        )
    endpoint = settings.store.artifacts_endpoint
    options = {option: settings.env[name] for name, option in _KEYS.items() if settings.env.get(name)}
    options.setdefault("region", "us-east-1")
    if endpoint:
        options["endpoint"] = endpoint
    plain = (endpoint or "").startswith("http://")
    prefix = place.path.strip("/") or None
    return S3Store(place.netloc, prefix=prefix, client_options={"allow_http": plain}, config=options)  # type: ignore[arg-type]


class ObjectArtifacts(Artifacts):
    """Writes to a bucket and to `root`; reads from `root` what is still the bucket's version, and fetches the rest.

    A file is in the bucket, whole, before it has its name here. If the bucket refuses, StoreUnavailable is raised and
    the file is unchanged in both. Names are checked as in a folder. Folders of runs are not numbered but named by
    chance: no machine needs to know what the others wrote.
    """

    def __init__(self, root: Path, bucket: S3Store) -> None:
        super().__init__(root, private=True)
        self._bucket = bucket
        self._versions: OrderedDict[str, str] = OrderedDict()

    def numbered(self, name: str | PurePath) -> Path:
        """Creates and returns a folder that no other machine has."""
        return super().numbered(f"{PurePath(name).as_posix()}-{secrets.token_hex(NUMBER_BYTES)}")

    def found(self, name: str | PurePath) -> Path:
        """The path of an artifact with the bucket's content; what was removed from the bucket is removed here."""
        path = self.path(name)
        key = self._key(path)
        meta = self._asked(lambda: self._bucket.head(key), key)
        if meta is None:
            # A file that never was in the bucket is older than it, and stays.
            if self._versions.pop(key, None) is not None:
                path.unlink(missing_ok=True)
        elif not (path.is_file() and self._versions.get(key) == meta["e_tag"]):
            self._fetch(key, path)
        return path

    def names(self, folder: str | PurePath) -> list[str]:
        """The files below a folder of the bucket, sorted; hidden ones are not among them."""
        prefix = self._key(self.path(folder))
        pages = self._asked(lambda: [*self._bucket.list(prefix)], prefix) or []
        found = sorted(one["path"] for page in pages for one in page)
        return [one for one in found if not PurePath(one).name.startswith(".")]

    def remove(self, name: str | PurePath) -> bool:
        """Removes a file, or a folder and everything in it, from the bucket and here."""
        names = self.names(name) or [self._key(self.path(name))]
        gone = self._asked(lambda: self._bucket.head(names[0]), names[0]) is not None
        self._asked(lambda: self._bucket.delete(names), names[0])
        for one in names:
            self._versions.pop(one, None)
        return super().remove(name) or gone

    def _publish(self, part: Path, path: Path) -> None:
        key = self._key(path)
        stored = self._asked(lambda: self._bucket.put(key, part), key)
        if stored is None:
            raise _refused(key, "there is no such bucket")
        self._remember(key, stored["e_tag"])

    def _fetch(self, key: str, path: Path) -> None:
        answer = self._asked(lambda: self._bucket.get(key), key)
        if answer is None:
            return
        part = part_of(path)
        self._make(path.parent)
        try:
            with open(part, "xb", opener=private_opener) as file:
                for piece in answer.stream():
                    file.write(piece)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        self._remember(key, answer.meta["e_tag"])

    def _remember(self, key: str, version: str | None) -> None:
        if version is not None:
            self._versions[key] = version
            self._versions.move_to_end(key)
        while len(self._versions) > KNOWN_VERSIONS:
            self._versions.popitem(last=False)

    def _key(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def _asked(self, ask: Callable[[], T], key: str) -> T | None:
        """What the bucket answers; None if it has no such file. Raises StoreUnavailable."""
        from obstore.exceptions import BaseError

        try:
            return ask()
        except FileNotFoundError:
            return None
        except (BaseError, OSError, ValueError) as error:
            raise _refused(key, _first_line(error)) from error


def _refused(key: str, why: str) -> StoreUnavailable:
    return StoreUnavailable(
        f"The bucket of [store] artifacts does not take or give {key}: {why}. "
        "Check its address and the keys, then try again."
    )


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
