"""An S3-compatible server on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from dramaturg.kernel.settings import Settings, StoreSettings

KEYS = {"AWS_ACCESS_KEY_ID": "house", "AWS_SECRET_ACCESS_KEY": "of-cards", "AWS_REGION": "us-east-1"}
_numbers = count(1)


@pytest.fixture(scope="session")
def s3_url() -> Iterator[str]:
    from moto.server import ThreadedMotoServer  # seconds to import, in every process that runs tests

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(s3_url: str) -> str:
    """The name of a new bucket."""
    import boto3

    name = f"stories-{next(_numbers)}"
    client = boto3.client(
        "s3", endpoint_url=s3_url, region_name="us-east-1", aws_access_key_id="house", aws_secret_access_key="of-cards"
    )
    client.create_bucket(Bucket=name)
    return name


def bucket_settings(project: Path, bucket: str, url: str) -> Settings:
    """The settings of a machine that keeps its files in a bucket."""
    store = StoreSettings(artifacts=f"s3://{bucket}/house", artifacts_endpoint=url)
    return Settings(project=project, store=store, env=KEYS, asks_first=False)
