#!/usr/bin/env python3
"""Builds both images and runs them, without a Docker engine: python3 image/test.py

1. buildah builds the Dockerfile. The base is a Debian made by debootstrap, kept in a cache folder (STATEHOUSE_CACHE,
   else ~/.cache/statehouse); the stages that compile are replaced by what `mvn package` left, and the JDK is the one of
   the machine. So neither a registry of images nor the network is asked.
2. What the images say of themselves: user, health check, entry point, labels, volumes.
3. `standalone` runs as its user on a root file system that is read-only: ready, its health check, a state put and read,
   an orderly end by SIGTERM, the state still there after another start.
4. `service` does so on a ClickHouse, and without one stops with a message that says what is missing.

It needs root and Debian's buildah and debootstrap, which it installs where it can; else it says that it was skipped.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from start import clickhouse, free_port  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

CACHE = Path(os.environ.get("STATEHOUSE_CACHE") or Path.home() / ".cache" / "statehouse")
WORK = ROOT / "target" / "image"
USER = "10001:10001"
BODY = '{"completed_state":{"singer_state":{"bookmarks":{"a":{"n":9007199254740993}}}}}'
START_SECONDS = 60
OK, CREATED = 200, 201

# The root file system, read-only; of what is writable, what the documentation asks for.
RUN = """
set -e
root=$1 data=$2; shift 2
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
[ "$data" = none ] || mount --bind "$data" "$root/data"
mount -o remount,bind,ro "$root"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
cd "$root"
exec chroot --userspec=10001:10001 "$root" /usr/bin/env -i -C /opt/statehouse PATH=/usr/bin:/bin "$@"
"""


def run(*command: str, **options: Any) -> str:  # noqa: ANN401
    """Run a program; what it wrote to standard output. All that it wrote is shown if it fails."""
    done = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\n{done.stderr}\n{' '.join(command)} ended with {done.returncode}")
    return done.stdout.strip()


def buildah(*arguments: str) -> str:
    """Run buildah on a storage of its own."""
    storage = ["--storage-driver", "vfs", "--root", str(WORK / "storage"), "--runroot", str(WORK / "run")]
    return run("buildah", *storage, *arguments)


def tools_are_there() -> bool:
    """Install what is missing, where that can be done."""
    tools = ["buildah", "debootstrap"]
    if os.geteuid() != 0:
        print("SKIPPED: the images are not built, that needs root here")
        return False
    if not all(map(shutil.which, tools)) and shutil.which("apt-get"):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": False}
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update"], **quiet)
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", *tools], env=environment, **quiet)
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        print(f"SKIPPED: the images are not built, {' and '.join(missing)} cannot be installed here")
    return not missing


def debian() -> Path | None:
    """Make a Debian in the cache folder, once; None where its packages cannot be had."""
    codename = run("sh", "-c", '. /etc/os-release; echo "$VERSION_CODENAME"')
    archive = CACHE / f"base-{codename}.tar"
    if not archive.exists():
        print(f"debootstrap of {codename}, once", flush=True)
        CACHE.mkdir(parents=True, exist_ok=True)
        folder = WORK / "debian"
        made = subprocess.run(
            ["debootstrap", "--variant=minbase", codename, str(folder)],
            check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        if made.returncode != 0:
            print(f"{made.stdout[-2000:]}\nSKIPPED: the images are not built, debootstrap failed")
            return None
        run("tar", "-C", str(folder), "--exclude=./var/cache/apt/*", "--exclude=./dev/*", "-cf", f"{archive}.new", ".")
        Path(f"{archive}.new").rename(archive)
        shutil.rmtree(folder)
    return archive


def base(archive: Path) -> None:
    """Make the base image from that Debian."""
    container = buildah("from", "scratch")
    buildah("add", "-q", container, str(archive), "/")
    buildah("commit", "-q", "--rm", container, "localhost/base")


def jdk() -> None:
    """Copy the JDK that the image gets its runtime from, with what Debian has linked into it from elsewhere."""
    for release in [Path(os.environ.get("JAVA_HOME", "/none")) / "release", *Path("/usr/lib/jvm").glob("*/release")]:
        if release.exists() and 'JAVA_VERSION="25' in release.read_text():
            run("cp", "-rL", "--preserve=mode", str(release.parent.resolve()), str(WORK / "jdk"))
            return
    sys.exit("No JDK 25 found: set JAVA_HOME")


def contexts() -> list[str]:
    """Put what the build made where the Dockerfile would find it in its own stages."""
    options = [f"--build-context=build={WORK / 'build'}", f"--build-context=engine={WORK / 'engine'}"]
    target = WORK / "build" / "source" / "target"
    if target.exists():
        return options
    target.mkdir(parents=True)
    jars = sorted((ROOT / "target").glob("statehouse-*.jar"), key=lambda path: path.stat().st_mtime)
    if not jars:
        sys.exit("There is no target/statehouse-*.jar: build it by mvn package")
    shutil.copy2(jars[-1], target)
    engine = WORK / "engine" / "source" / "engine"
    engine.mkdir(parents=True)
    run("cp", "-al", str(ROOT / "engine" / "node_modules"), str(engine))
    return options


def build(target: str, options: list[str]) -> str:
    """Build one stage of the Dockerfile; where its files are."""
    begin = time.monotonic()
    arguments = [f"--build-arg={name}=localhost/base" for name in ("BASE", "MAVEN", "NODE")]
    buildah(
        "bud", "--isolation", "chroot", "--format", "docker", "--layers=false", *arguments, *options,
        "--volume", f"{WORK / 'jdk'}:/usr/lib/jvm/jdk-25:ro", "--target", target, "--tag", f"localhost/{target}", str(ROOT),
    )  # fmt: skip
    print(f"{target}: built in {time.monotonic() - begin:.0f} s", flush=True)
    return buildah("mount", buildah("from", "--pull-never", f"localhost/{target}"))


def config(target: str) -> dict[str, Any]:
    """Return what an image says of itself, after a look at it."""
    found: dict[str, Any] = json.loads(buildah("inspect", "--type", "image", f"localhost/{target}"))["Docker"]["config"]
    assert found["User"] == USER, found
    assert found["Entrypoint"] == ["/opt/statehouse/bin/statehouse"], found
    assert found["Healthcheck"]["Test"] == ["CMD", "/opt/statehouse/bin/healthy"], found
    assert found["Labels"]["org.opencontainers.image.title"] == "Statehouse", found
    assert found["Labels"]["org.opencontainers.image.licenses"] == "Apache-2.0", found
    return found


def started(root: str, data: str, *what: str) -> subprocess.Popen[str]:
    """Run something in the image, as its user."""
    return subprocess.Popen(
        ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", RUN, "run", root, data, *what],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def answer(port: int, method: str, path: str, body: str | None = None) -> tuple[int, str]:
    """Send one request."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
    response = connection.getresponse()
    return response.status, response.read().decode()


@contextlib.contextmanager
def service(root: str, data: str, *settings: str) -> Iterator[int]:
    """Run the image until the end of the block, which has to be an orderly one; its port."""
    port = free_port()
    process = started(
        root, data, f"SERVER_PORT={port}", "SERVER_ADDRESS=127.0.0.1", "JAVA_OPTS=-Xlog:aot:stdout", *settings,
        "/opt/statehouse/bin/statehouse",
    )  # fmt: skip
    output = ""
    try:
        end = time.monotonic() + START_SECONDS
        while process.poll() is None and time.monotonic() < end:
            with contextlib.suppress(OSError):
                if answer(port, "GET", "/actuator/health/readiness")[0] == OK:
                    break
            time.sleep(0.05)
        assert started(root, "none", f"SERVER_PORT={port}", "/opt/statehouse/bin/healthy").wait(10) == 0
        yield port
        child = int(run("pgrep", "-P", str(process.pid)))
        os.kill(child, signal.SIGTERM)
        output = process.communicate(timeout=40)[0]
        assert "Using AOT-linked classes: true" in output
        # Of the JVM: ended by a signal, after its orderly end
        assert process.returncode == 128 + signal.SIGTERM, process.returncode
    except BaseException:
        process.kill()
        print(output or process.communicate()[0])
        raise


def round_trip(port: int, wanted: int) -> None:
    """Put a state and read it."""
    path = "/states/dev:tap-a%2Fb"
    status, text = answer(port, "PUT", path, BODY)
    assert status == wanted, text
    status, text = answer(port, "GET", path)
    assert status == OK, text
    assert "9007199254740993" in text, text


def try_standalone(layout: str) -> None:
    """Build and run the image with the engine."""
    root = build("standalone", [f"--build-context=layout={layout}", *contexts()])
    says = config("standalone")
    assert says["Volumes"] == {"/data": {}}, says
    data = WORK / "data"
    data.mkdir()
    os.chown(data, 10001, 10001)
    with service(root, str(data), *says["Env"]) as port:
        round_trip(port, CREATED)
    with service(root, str(data), *says["Env"]) as port:
        round_trip(port, OK)
    print("standalone: round trip, end and second start on a read-only root file system", flush=True)


def try_service(layout: str) -> None:
    """Build and run the image without one."""
    root = build("service", [f"--build-context=layout={layout}", *contexts()])
    says = config("service")
    process = started(root, "none", *says["Env"], "/opt/statehouse/bin/statehouse")
    output = process.communicate(timeout=START_SECONDS)[0]
    assert process.returncode == 1, output
    assert "No ClickHouse is named" in output, output
    with clickhouse(WORK / "clickhouse") as engine:
        uri = f"STATE_BACKEND_URI=clickhouse://default:@127.0.0.1:{engine}/default"
        with service(root, "none", *says["Env"], uri) as port:
            round_trip(port, CREATED)
    print("service: round trip on a ClickHouse, and says what is missing without one", flush=True)


def main() -> None:
    """Build and try."""
    if not tools_are_there():
        return
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    try:
        archive = debian()
        if archive is None:
            return
        base(archive)
        jdk()
        # As one stage of its own, so that it runs once for both images; storage without layers copies all at each step.
        layout = build("layout", contexts())
        try_standalone(layout)
        try_service(layout)
    finally:
        with contextlib.suppress(subprocess.CalledProcessError):
            buildah("rm", "--all")
        shutil.rmtree(WORK, ignore_errors=True)


if __name__ == "__main__":
    main()
