"""One gateway for all tests: the one whose program TIDEGATE names, with a server of example data and a model."""

import os
from collections.abc import Iterator

import pytest
from gateway import Gateway
from model import Model

from tidegate import Tidegate

CONFIG = """
[servers.data]
command = "TIDEGATE"
args = ["example-server", "data"]
trusted = true

[[policy.rules]]
name = "devices"
tools = "data.get_devices"
action = "ask"
"""


@pytest.fixture(scope="session")
def gateway() -> Iterator[Gateway]:
    with Model() as model, Gateway(os.environ["TIDEGATE"], CONFIG + model.config, ["--durable", "true"]) as one:
        yield one.ready()


@pytest.fixture(scope="session")
def token(gateway: Gateway) -> str:
    return str(gateway.token("tester", "execute,read,approve,admin"))


@pytest.fixture
def gate(gateway: Gateway, token: str) -> Iterator[Tidegate]:
    with Tidegate(gateway.url, token=token) as one:
        yield one
