"""The service as a user starts it: the packaged jar, its embedded engine, an empty folder, a free port."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from meltano_state_backend_statehouse import lease
from meltano_state_backend_statehouse.backend import StatehouseStateStoreManager
from proxy import Proxy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[3]
PROJECT = Path(__file__).parent / "project"

# Whatever proxy leads to the package registry: it does not lead to the services that the tests start.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"


def java() -> str:
    """A Java of at least 25: the one of the environment, or one that is installed beside it."""
    candidates = [
        os.environ.get("STATEHOUSE_JAVA", ""),
        str(Path(os.environ.get("JAVA_HOME", "")) / "bin" / "java"),
        shutil.which("java") or "",
        *sorted(map(str, Path("/usr/lib/jvm").glob("*25*/bin/java"))),
    ]
    for candidate in candidates:
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            said = subprocess.run([candidate, "-version"], capture_output=True, text=True, check=True).stderr
            version = re.search(r'version "(\d+)', said)
            if version and int(version[1]) >= 25:
                return candidate
    raise RuntimeError("No Java 25 found: set JAVA_HOME")


def jar() -> Path:
    found = [p for p in (ROOT / "target").glob("statehouse-*.jar") if not p.stem.endswith(("-sources", "-javadoc"))]
    if not found:
        subprocess.run(["mvn", "-B", "-ntp", "-q", "package", "-DskipTests"], cwd=ROOT, check=True)
        return jar()
    return max(found, key=lambda p: p.stat().st_mtime)


def free_port() -> int:
    """A free port below those that the system gives out, so that nobody gets it before it is used."""
    while True:
        with socket.socket() as s, contextlib.suppress(OSError):
            s.bind(("127.0.0.1", 10_000 + secrets.randbelow(10_000)))
            return int(s.getsockname()[1])


def unignored() -> None:
    # Signals that are ignored here (nohup) would be ignored in the command too.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


@contextlib.contextmanager
def running(folder: Path, port: int, *settings: str) -> Iterator[str]:
    """The service on this folder, until the end of the block."""
    folder.mkdir(exist_ok=True)
    url = f"http://127.0.0.1:{port}"
    command = [java(), "-Xmx384m", "-jar", str(jar()), f"--server.port={port}", "--server.address=127.0.0.1"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("CLICKHOUSE_", "STATE", "MELTANO_"))}
    with (folder / "service.log").open("ab") as log:
        process = subprocess.Popen(
            [*command, f"--statehouse.embedded.data={folder / 'data'}", *settings],
            cwd=ROOT,
            env=environment,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
        )
        try:
            end = time.monotonic() + 120
            while True:
                with contextlib.suppress(httpx.TransportError):
                    if httpx.get(f"{url}/actuator/health/readiness").is_success:
                        break
                if process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError((folder / "service.log").read_text()[-3000:])
                time.sleep(0.1)
            yield url
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("service"), free_port()) as url:
        yield url


@pytest.fixture
def http(service: str) -> Iterator[httpx.Client]:
    """A second way to look at the service, past the add-on."""
    with httpx.Client(base_url=service, timeout=30) as client:
        yield client


@pytest.fixture
def proxy(service: str) -> Iterator[Proxy]:
    """The service behind something that counts, refuses and breaks off."""
    with Proxy(service) as between:
        yield between


@pytest.fixture
def state_id() -> str:
    """An id that no other test has."""
    return f"dev:tap-{uuid.uuid4().hex[:12]}-to-target"


class Stub:
    """Something that answers every GET and POST with the same text, and remembers what authorization it was sent."""

    def __init__(self) -> None:
        self.text = b""
        self.seen: list[str | None] = []
        self._servers: list[ThreadingHTTPServer] = []

    def serve(self, text: str, status: int = 200) -> str:
        stub = self
        self.text = text.encode()

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None: ...

            def do_GET(self) -> None:
                stub.seen.append(self.headers.get("Authorization"))
                self.send_response(status)
                self.end_headers()
                self.wfile.write(stub.text)

            do_POST = do_GET  # noqa: N815

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        self._servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    def close(self) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()


@pytest.fixture
def stub() -> Iterator[Stub]:
    made = Stub()
    yield made
    made.close()


@pytest.fixture
def manager_at() -> Iterator[Callable[..., StatehouseStateStoreManager]]:
    """Makes managers, and closes them."""
    with contextlib.ExitStack() as stack:

        def make(url: str, **settings: object) -> StatehouseStateStoreManager:
            settings = {"lock_wait_seconds": 20, "lock_timeout_seconds": 10, "lock_retry_seconds": 0.2, **settings}
            return stack.enter_context(
                StatehouseStateStoreManager(uri=url.replace("http://", "statehouse://"), **settings)  # type: ignore[arg-type]
            )

        yield make


@pytest.fixture
def keep(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Says how long managers keep a lease after use; however long they have had it."""

    def set_to(seconds: float) -> None:
        monkeypatch.setattr(lease.Keeper.__init__, "__kwdefaults__", {"keep": seconds})
        monkeypatch.setattr(lease, "LONGEST_KEEP", 3600.0)

    return set_to


@pytest.fixture
def manager(service: str, manager_at: Callable[..., StatehouseStateStoreManager]) -> StatehouseStateStoreManager:
    return manager_at(service)


@pytest.fixture(scope="session")
def migrated_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose system database is there already, to be copied."""
    folder = tmp_path_factory.mktemp("project") / "p"
    shutil.copytree(PROJECT, folder)
    Meltano(folder, "systemdb").run("state", "list")
    return folder


class Meltano:
    """A Meltano project with a state backend."""

    def __init__(self, folder: Path, backend: str, **settings: str) -> None:
        self.folder = folder
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("MELTANO_", "STATE"))}
        self.environment = {
            **keep,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "MELTANO_STATE_BACKEND_URI": backend,
            "MELTANO_CLI_LOG_LEVEL": "info",
            "NO_COLOR": "1",
            **settings,
        }
        self.command = str(Path(sys.executable).parent / "meltano")

    def start(self, *arguments: str, **settings: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.command, *arguments],
            cwd=self.folder,
            env={**self.environment, **settings},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def attempt(self, *arguments: str, stdin: str = "", **settings: str) -> tuple[int, str, str]:
        with self.start(*arguments, **settings) as process:
            out, err = process.communicate(stdin, timeout=600)
        return process.returncode, out, err

    def shell(self, line: str) -> str:
        """Run a line of shell in the project; what it prints."""
        return subprocess.run(
            ["sh", "-c", line],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            timeout=600,
        ).stdout

    def run(self, *arguments: str, stdin: str = "", **settings: str) -> str:
        code, out, err = self.attempt(*arguments, stdin=stdin, **settings)
        assert code == 0, f"meltano {' '.join(arguments)}: {code}\n{out}\n{err}"
        return out


@pytest.fixture
def project(migrated_project: Path, tmp_path: Path) -> Callable[..., Meltano]:
    """Makes projects: `project("statehouse://…")`."""

    def make(backend: str, **settings: str) -> Meltano:
        folder = tmp_path / f"project-{uuid.uuid4().hex[:6]}"
        shutil.copytree(migrated_project, folder)
        return Meltano(folder, backend.replace("http://", "statehouse://"), **settings)

    return make
