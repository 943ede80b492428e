#!/usr/bin/env python3
"""How soon the service is ready against a running ClickHouse, and how much memory it has after 1,000 requests.

    python3 bench/start.py [--rounds 5] [--requests 1000] [--layouts FOLDER] [--markdown FILE]

Beside each other are the plain jar and what image/layout.sh makes of it, with and without its parts. In each round
every line has its turn, so that what else the machine does meets all of them; the table has medians. All lines run on
the Java runtime that image/layout.sh made. Ready is from the start of the process until readiness is answered 200. CPU
until ready depends less on what else the machine does. Memory is VmRSS: the heap, the code and the mapped files.

The ClickHouse is that of the embedded engine, in a process of its own. The jar is that of `mvn package`.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
ENGINE = """
import ctypes, sys
a = [x.encode() for x in sys.argv[1:]]
lib = ctypes.CDLL(a[0])
lib.chdb_set_signal_handlers_enabled(0)
lib.chdb_query_cmdline(len(a), (ctypes.c_char_p * len(a))(*a))
"""
TICKS = os.sysconf("SC_CLK_TCK")


class Measured(NamedTuple):
    """Of one start."""

    ready_s: float
    cpu_s: float
    rss_mb: float


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--layouts", type=Path, help="where to keep what image/layout.sh makes, and to find it again")
    parser.add_argument("--markdown", type=Path, help="where to write the table, too")
    return parser.parse_args()


def free_port() -> int:
    """Return a free port below those that the system gives out, so that nobody gets it before it is used."""
    while True:
        with socket.socket() as s, contextlib.suppress(OSError):
            s.bind(("127.0.0.1", 10_000 + secrets.randbelow(10_000)))
            return int(s.getsockname()[1])


@contextlib.contextmanager
def clickhouse(folder: Path) -> Iterator[int]:
    """ClickHouse itself, from the library of the embedded engine, in a process of its own; its HTTP port."""
    library = next((ROOT / "engine" / "node_modules").glob("@chdb/*/libchdb.*"), None)
    if library is None:
        sys.exit("The embedded engine is missing: mvn package installs it, with npm, in engine/node_modules")
    port = free_port()
    options = [
        "--path", str(folder), "--listen_host", "127.0.0.1", "--http_port", str(port),
        "--structure", "line String", "--input-format", "LineAsString",
        "--query", "SYSTEM START LISTEN HTTP; SELECT count() FROM table",
    ]  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-c", ENGINE, str(library), *options],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            until_answered(port, "/ping", process)
            yield port
        finally:
            assert process.stdin
            process.stdin.close()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def until_answered(port: int, path: str, process: subprocess.Popen[bytes]) -> http.client.HTTPConnection:
    """Ask until the answer is 200, for three minutes at the most; the connection stays open."""
    end = time.monotonic() + 180
    while process.poll() is None:
        if time.monotonic() > end:
            sys.exit(f"{path} is not answered")
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            if answer.status == 200:  # noqa: PLR2004
                return connection
        time.sleep(0.005)
    sys.exit(f"{process.args!r} has ended")


def cpu_seconds(pid: int) -> float:
    """Return what a process has used so far, of user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def rss_mb(pid: int) -> float:
    """Return the resident memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1]) / 1024


def measure(command: list[str], clickhouse_port: int, requests: int, schema: str) -> Measured:
    """Start the service, send requests, end it."""
    port = free_port()
    environment = {key: value for key, value in os.environ.items() if "CLICKHOUSE" not in key and "STATE" not in key}
    settings = [
        f"--server.port={port}", "--server.address=127.0.0.1", f"--statehouse.clickhouse.schema={schema}",
        f"--statehouse.clickhouse.uri=clickhouse://default:@127.0.0.1:{clickhouse_port}/default",
    ]  # fmt: skip
    begin = time.monotonic()
    with subprocess.Popen(
        [*command, *settings], stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, env=environment
    ) as process:
        try:
            connection = until_answered(port, "/actuator/health/readiness", process)
            ready, cpu = time.monotonic() - begin, cpu_seconds(process.pid)
            for number in range(requests):
                send(connection, number)
            return Measured(ready, cpu, rss_mb(process.pid))
        finally:
            process.terminate()
            process.wait(60)


def send(connection: http.client.HTTPConnection, number: int) -> None:
    """Send one request: 50 states, and of the rest one write for three reads."""
    path = f"/states/bench:tap-{number % 50}-to-target"
    if number < 50 or number % 4 == 0:  # noqa: PLR2004
        bookmarks = {"issues": {"since": "2026-11-01T00:00:00Z", "number": number}}
        body = json.dumps({"completed_state": {"singer_state": {"bookmarks": bookmarks}}})
        connection.request("PUT", path, body, {"Content-Type": "application/json"})
    else:
        connection.request("GET", path)
    answer = connection.getresponse()
    text = answer.read()
    if answer.status >= 300:  # noqa: PLR2004
        sys.exit(f"{path} was answered {answer.status}: {text!r}")


def layout(jar: Path, out: Path, options: Path) -> None:
    """Make the folder that an image has."""
    if not out.exists():
        subprocess.run([str(ROOT / "image" / "layout.sh"), str(jar), str(out), str(options)], check=True)


def commands(jar: Path, layouts: Path) -> dict[str, list[str]]:
    """Return what is compared, by name."""
    layouts.mkdir(parents=True, exist_ok=True)
    none = layouts / "no.options"
    none.write_text("")
    layout(jar, layouts / "bare", none)
    layout(jar, layouts / "image", ROOT / "image" / "jvm.options")
    java = str(layouts / "image" / "runtime" / "bin" / "java")
    unpacked = ["-jar", str(layouts / "image" / "statehouse.jar")]
    flags = f"@{layouts / 'image' / 'jvm.options'}"
    return {
        "plain jar": [java, "-jar", str(jar)],
        "unpacked": [java, *unpacked],
        "unpacked, options": [java, flags, *unpacked],
        "unpacked, AOT cache": [str(layouts / "bare" / "bin" / "statehouse")],
        "unpacked, AOT cache, options: the image": [str(layouts / "image" / "bin" / "statehouse")],
    }


def main() -> None:
    """Measure, and print the table."""
    asked = arguments()
    jars = sorted((ROOT / "target").glob("statehouse-*.jar"), key=lambda path: path.stat().st_mtime)
    if not jars:
        sys.exit("There is no target/statehouse-*.jar: build it by mvn package")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        compared = commands(jars[-1], asked.layouts or work / "layouts")
        found: dict[str, list[Measured]] = {name: [] for name in compared}
        with clickhouse(work / "clickhouse") as port:
            measure(compared["plain jar"], port, 50, "warm")  # the files are in memory for whoever comes first, too
            for turn in range(asked.rounds):
                for name, command in compared.items():
                    found[name].append(measure(command, port, asked.requests, f"round{turn}"))
                    print(f"{name}: {found[name][-1]}", file=sys.stderr)
    table = "\n".join(rows(found))
    print(table)
    if asked.markdown:
        asked.markdown.write_text(table + "\n")


def rows(found: dict[str, list[Measured]]) -> Iterator[str]:
    """Make the table, with the ratio to the first line."""
    medians = {name: Measured(*map(statistics.median, zip(*all_of, strict=True))) for name, all_of in found.items()}
    first = next(iter(medians.values()))
    yield "| | ready, s | CPU until ready, s | memory, MB | of the plain jar's time, CPU, memory |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for name, one in medians.items():
        ratios = ", ".join(f"{a / b:.0%}" for a, b in zip(one, first, strict=True))
        yield f"| {name} | {one.ready_s:.2f} | {one.cpu_s:.2f} | {one.rss_mb:.0f} | {ratios} |"


if __name__ == "__main__":
    main()
