#!/usr/bin/env python3
"""Plays the pod of helm/sidecar.yaml with real processes, without a cluster: python3 helm/sidecar.py

The file is held against the schemas of Kubernetes and against the text of helm/sidecar.md. Then this plays the kubelet: it
starts the sidecar (the jar of `mvn package`) in front of a ClickHouse, asks its startup probe, starts the container of the
pipeline with its own command, and ends the sidecar after it. A stand-in for `meltano` notes what it sees and writes a state.

1. A run: the sidecar is ready before the pipeline starts and ended after it, and the pipeline has the lock.
2. A pod that is deleted: SIGTERM to the pipeline, and the lock is free at once.
3. A pod that is killed: SIGKILL to all of it, and the lock is free once the lease is over, not before.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

import kubernetes_validate
import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / ".ci")]

from service import jar, java  # noqa: E402
from start import clickhouse, free_port  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = ROOT / "helm" / "sidecar.yaml"
KUBERNETES = ("1.29", "1.33")
LOCK = "run:nightly-load"
SHORT_TTL = 9
# What a slow machine may be late by.
LATE = 10

STATEHOUSE = """#!/bin/sh
PYTHONPATH={source} exec {python} -m meltano_state_backend_statehouse.cli "$@"
"""
# Notes who holds the lock, writes under it, and goes on until it is told to end, if $WORK/wait is there.
MELTANO = """#!{python}
import json, os, pathlib, signal, sys, time, urllib.request
work = pathlib.Path(os.environ["WORK"])
url = os.environ["STATEHOUSE_URL"]
held = json.load(urllib.request.urlopen(url + "/locks/run:nightly-load", timeout=10))
body = json.dumps({{"completed_state": {{"arguments": sys.argv[1:]}}}}).encode()
headers = {{"Content-Type": "application/json"}}
urllib.request.urlopen(urllib.request.Request(url + "/states/loaded", body, headers, method="PUT"), timeout=10).close()
(work / "seen.new").write_text(json.dumps({{"token": held["fencing_token"], "own": os.environ["STATEHOUSE_FENCING_TOKEN"]}}))
(work / "seen.new").rename(work / "seen")
while (work / "wait").exists():
    time.sleep(0.02)
"""


def checked() -> dict[str, Any]:
    """Read the pod of the file, which has to be what the page shows and what Kubernetes knows."""
    text = FILE.read_text()
    assert f"```yaml\n{text}```" in FILE.with_suffix(".md").read_text(), "helm/sidecar.md shows another text"
    manifest = yaml.safe_load(text)
    for version in KUBERNETES:
        kubernetes_validate.validate(manifest, version, strict=True)
    pod: dict[str, Any] = manifest["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    return pod


class Pod:
    """The processes of one pod, as the kubelet treats them."""

    def __init__(self, spec: dict[str, Any], work: Path, uri: str, ttl: str | None = None) -> None:
        self.spec = spec
        self.work = work
        self.uri = uri
        self.ttl = ttl
        self.port = free_port()
        (self.sidecar_spec,) = spec["initContainers"]
        (self.pipeline_spec,) = spec["containers"]
        self.grace = spec["terminationGracePeriodSeconds"]
        self.sidecar: subprocess.Popen[bytes] | None = None
        self.pipeline: subprocess.Popen[bytes] | None = None

    def environment(self, container: dict[str, Any]) -> dict[str, str]:
        """The variables of a container; the port is one that is free here."""
        found = {"PATH": f"{self.work}:/usr/bin:/bin", "HOME": str(self.work), "WORK": str(self.work)}
        for one in container["env"]:
            secret = one.get("valueFrom", {}).get("secretKeyRef")
            assert secret in (None, {"name": "clickhouse", "key": "uri"}), secret
            found[one["name"]] = self.uri if secret else one["value"].replace("8080", str(self.port))
        return found

    def start_sidecar(self) -> None:
        """Start it, and wait as long as the startup probe says."""
        assert self.sidecar_spec["restartPolicy"] == "Always"
        environment = self.environment(self.sidecar_spec)
        with (self.work / "sidecar.log").open("ab") as log:
            self.sidecar = subprocess.Popen([java(), "-Xmx256m", "-jar", str(jar())], env=environment, cwd=self.work, stdout=log, stderr=log)
        probe = self.sidecar_spec["startupProbe"]
        command = [part.replace("/opt/statehouse/bin/healthy", str(ROOT / "image" / "healthy")) for part in probe["exec"]["command"]]
        for _ in range(probe["failureThreshold"]):
            time.sleep(probe["periodSeconds"])
            with contextlib.suppress(subprocess.TimeoutExpired):
                asked = subprocess.run(command, env=environment, timeout=probe["timeoutSeconds"], check=False, stderr=subprocess.DEVNULL)
                if asked.returncode == 0:
                    assert self.answer("/actuator/health/readiness") == 200, "the probe says so too early"  # noqa: PLR2004
                    return
            assert self.sidecar.poll() is None, "the sidecar has ended"
        raise AssertionError("the sidecar does not get ready")

    def start_pipeline(self) -> None:
        """Start the container of the job, with its own command."""
        command = self.pipeline_spec["command"] + self.pipeline_spec["args"]
        if self.ttl:
            command[command.index("--ttl") + 1] = self.ttl
        (self.work / "seen").unlink(missing_ok=True)
        self.pipeline = subprocess.Popen(command, env=self.environment(self.pipeline_spec), cwd=self.work, start_new_session=True)

    def await_seen(self) -> dict[str, Any]:
        """Wait until the pipeline is at work."""
        end = time.monotonic() + 60
        while not (self.work / "seen").exists():
            assert self.pipeline, "not started"
            assert self.pipeline.poll() is None, f"the pipeline has ended: {self.pipeline.returncode}"
            assert time.monotonic() < end, "the pipeline does nothing"
            time.sleep(0.02)
        found: dict[str, Any] = json.loads((self.work / "seen").read_text())
        return found

    def end_sidecar(self) -> None:
        """SIGTERM, once the pipeline has ended; it has to end within the time that the pod has."""
        assert self.sidecar
        self.sidecar.send_signal(signal.SIGTERM)
        assert self.sidecar.wait(self.grace) == 128 + signal.SIGTERM, self.sidecar.returncode

    def kill(self) -> None:
        """All of it, at once. The pipeline's own processes are in a session of their own, as it starts them."""
        for process in (self.pipeline, self.sidecar):
            if process and process.poll() is None:
                for child in children(process.pid):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(child, signal.SIGKILL)
                process.kill()
                process.wait()

    def answer(self, path: str) -> int:
        """Ask the sidecar; the status."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code


def children(pid: int) -> list[int]:
    """Return the children of a process."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@contextlib.contextmanager
def playing(pod: Pod) -> Iterator[Pod]:
    """Leave nothing behind; what the sidecar said is shown if something went wrong."""
    try:
        yield pod
    except BaseException:
        print((pod.work / "sidecar.log").read_text()[-4000:])
        raise
    finally:
        pod.kill()


def a_run(pod: Pod) -> None:
    """Ready before, ended after, and with the lock in between."""
    pod.start_sidecar()
    pod.start_pipeline()
    assert pod.pipeline
    assert pod.pipeline.wait(60) == 0
    seen = json.loads((pod.work / "seen").read_text())
    assert str(seen["token"]) == seen["own"], seen
    assert pod.answer(f"/locks/{LOCK}") == 404  # noqa: PLR2004
    assert pod.answer("/states/loaded") == 200  # noqa: PLR2004
    pod.end_sidecar()
    print("ok: ready before the pipeline, ended after it, the lock in between", flush=True)


def a_deletion(pod: Pod) -> None:
    """SIGTERM to the pipeline; the lock is free when it has ended, long before its lease is over."""
    pod.start_pipeline()
    pod.await_seen()
    assert pod.answer(f"/locks/{LOCK}") == 200  # noqa: PLR2004
    assert pod.pipeline
    pod.pipeline.send_signal(signal.SIGTERM)
    assert pod.pipeline.wait(pod.grace) == 128 + signal.SIGTERM, pod.pipeline.returncode
    assert pod.answer(f"/locks/{LOCK}") == 404  # noqa: PLR2004
    print("ok: deleted, and the lock is free at once", flush=True)


def a_death(pod: Pod, witness: Pod) -> None:
    """SIGKILL to all of it; another sidecar sees the lock held, and free once the lease is over."""
    pod.start_sidecar()
    pod.start_pipeline()
    pod.await_seen()
    killed = time.monotonic()
    pod.kill()
    assert witness.answer(f"/locks/{LOCK}") == 200  # noqa: PLR2004
    while witness.answer(f"/locks/{LOCK}") == 200:  # noqa: PLR2004
        assert time.monotonic() - killed < SHORT_TTL + LATE, "the lock stays"
        time.sleep(0.1)
    print(f"ok: killed, and the lock is free after {time.monotonic() - killed:.1f} s with a TTL of {SHORT_TTL} s", flush=True)


def main() -> None:
    """Play it."""
    spec = checked()
    print("ok: as the page shows it, and as the schemas of Kubernetes have it", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        programs = {
            "statehouse": STATEHOUSE.format(source=ROOT / "clients" / "meltano" / "src", python=sys.executable),
            "meltano": MELTANO.format(python=sys.executable),
        }
        for name, text in programs.items():
            (work / name).write_text(text)
            (work / name).chmod(0o755)
        with clickhouse(work / "clickhouse") as port:
            uri = f"clickhouse://default:@127.0.0.1:{port}/default"
            with playing(Pod(spec, work, uri)) as pod:
                a_run(pod)
            (work / "wait").touch()
            with playing(Pod(spec, work, uri)) as pod:
                pod.start_sidecar()
                a_deletion(pod)
                with playing(Pod(spec, work, uri, ttl=str(SHORT_TTL))) as another:
                    a_death(another, pod)


if __name__ == "__main__":
    main()
