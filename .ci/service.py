"""The service as a user starts it, for checks from outside: the packaged jar, its embedded engine, one token."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("STATEHOUSE_CACHE") or Path.home() / ".cache" / "statehouse")
sys.path.insert(0, str(ROOT / "bench"))

from start import free_port, until_answered  # noqa: E402

# Whatever proxy leads to the package registries: it does not lead to the service.
for name in ("NO_PROXY", "no_proxy"):
    os.environ[name] = ",".join(filter(None, ["127.0.0.1,localhost", os.environ.get(name)]))


class Service(NamedTuple):
    """One that runs."""

    url: str
    token: str
    log: Path


def java() -> str:
    """Return a Java 25: the one of the environment, or one that is installed beside it."""
    candidates = [
        str(Path(os.environ.get("JAVA_HOME", "")) / "bin" / "java"),
        shutil.which("java") or "",
        *sorted(map(str, Path("/usr/lib/jvm").glob("*25*/bin/java"))),
    ]
    for candidate in candidates:
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            said = subprocess.run([candidate, "-version"], capture_output=True, text=True, check=True).stderr
            version = re.search(r'version "(\d+)', said)
            if version and int(version[1]) >= 25:  # noqa: PLR2004
                return candidate
    sys.exit("No Java 25 found: set JAVA_HOME")


def virtualenv(name: str, *packages: str) -> Path | None:
    """Make a virtual environment in the cache folder, once for these packages; None where they cannot be had."""
    folder = CACHE / f"{name}-{hashlib.sha256(' '.join(packages).encode()).hexdigest()[:8]}"
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(folder / "bin" / "pip"), "install", "-q", "--disable-pip-version-check", *packages]
        if subprocess.run(pip, check=False).returncode != 0:
            return None
        (folder / "done").touch()
    return folder / "bin"


def packages(*names: str) -> bool:
    """Install packages of Debian where that can be done."""
    if not shutil.which("apt-get") or os.geteuid() != 0:
        return False
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "--no-install-recommends", *names]
    return all(
        subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0
        for command in (["apt-get", "update"], install)
    )


def jar() -> Path:
    """Return what `mvn package` left last."""
    jars = sorted((ROOT / "target").glob("statehouse-*.jar"), key=lambda path: path.stat().st_mtime)
    return jars[-1] if jars else sys.exit("There is no target/statehouse-*.jar: build it by mvn package")


@contextlib.contextmanager
def service() -> Iterator[Service]:
    """Run it in an empty folder, until the end of the block. Its log is printed if the block fails."""
    built, port, token = jar(), free_port(), secrets.token_hex(16)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("CLICKHOUSE_", "STATE", "MELTANO_"))}
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "service.log").open("w+b") as log:
        tokens = Path(folder) / "tokens.yaml"
        tokens.write_text(f'tokens:\n  - {{name: checks, token: {token}, operator: ["*"]}}\n')
        settings = [
            f"--server.port={port}", "--server.address=127.0.0.1",
            f"--statehouse.auth.tokens.files={tokens}", f"--statehouse.embedded.data={folder}/data",
        ]  # fmt: skip
        process = subprocess.Popen(
            [java(), "-Xmx384m", "-jar", str(built), *settings],
            cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
        try:
            until_answered(port, "/actuator/health/readiness", process).close()
            yield Service(f"http://127.0.0.1:{port}", token, Path(log.name))
        except BaseException:
            print((Path(folder) / "service.log").read_text()[-3000:])
            raise
        finally:
            process.terminate()
            try:
                process.wait(40)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
