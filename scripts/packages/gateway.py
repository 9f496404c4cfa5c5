"""A `tidegate serve` of one's own, for as long as something is asked of it.

Used by the tests of the packages and by what generates them. Needs nothing but Python. TIDEGATE_CACHE is the
runtime that is used; everything else of the gateway lies in a folder that goes away with it.
"""

import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

PATIENCE = 300


class Gateway:
    """One gateway: `with Gateway(binary) as gateway: gateway.url`."""

    def __init__(self, binary, config="", options=()):
        self.binary = str(pathlib.Path(binary).resolve())
        self._config, self._options = config, options
        self._process = None

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="tidegate-")
        folder = pathlib.Path(self._folder.name)
        (folder / "tidegate.toml").write_text(self._config.replace("TIDEGATE", self.binary))
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("TIDEGATE_")},
            **{name: os.environ[name] for name in ("TIDEGATE_CACHE", "TIDEGATE_LOG") if name in os.environ},
            "TIDEGATE_DATA": str(folder / "data"),
            "TIDEGATE_CONFIG": str(folder / "tidegate.toml"),
        }
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self._log = folder / "log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [self.binary, "serve", "--port", str(port), *self._options],
                env=self._environment,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        return self

    def __exit__(self, *_):
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def get(self, path):
        """What the gateway answers, as bytes; waits until it answers with 200."""
        until = time.monotonic() + PATIENCE
        # The machine's proxies have no business between us.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        while True:
            try:
                with opener.open(self.url + path, timeout=10) as answer:
                    return answer.read()
            except (urllib.error.URLError, OSError) as error:
                if self._process.poll() is not None or time.monotonic() > until:
                    log = self._log.read_text(errors="replace")[-2000:]
                    raise RuntimeError(f"{path} of the gateway: {error}\n{log}") from error
                time.sleep(0.1)

    def ready(self):
        """Waits until programs can run."""
        self.get("/health/ready")
        return self

    def token(self, owner, scopes):
        """Makes a token."""
        done = subprocess.run(
            [self.binary, "token", "create", owner, "--scopes", scopes],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return done.stdout.strip()
