#!/usr/bin/env python3
"""Runs a command beside a gateway with example data and a model, and ends as it does.

    with_gateway.py TIDEGATE COMMAND [ARGUMENT ...]

The command finds URL, TOKEN (of somebody who may do everything), AGENT_TOKEN (of somebody who may run programs) and
TIDEGATE in its environment.
"""

import os
import subprocess
import sys

sys.dont_write_bytecode = True

from gateway import Gateway  # noqa: E402
from model import Model  # noqa: E402

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


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: with_gateway.py TIDEGATE COMMAND [ARGUMENT ...]")
    with Model() as model, Gateway(sys.argv[1], CONFIG + model.config, ["--durable", "true"]) as gateway:
        gateway.ready()
        given = {
            "URL": gateway.url,
            "TOKEN": gateway.token("tester", "execute,read,approve,admin"),
            "AGENT_TOKEN": gateway.token("agent", "execute"),
            "TIDEGATE": gateway.binary,
        }
        done = subprocess.run(sys.argv[2:], env={**os.environ, **given}, check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
