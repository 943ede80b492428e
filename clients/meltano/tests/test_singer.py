"""The recipe for a Singer pipeline without Meltano, with the tap and the target of the other tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conftest import PROJECT, ROOT
from test_manager import break_lock, until

if TYPE_CHECKING:
    import httpx

SYNC = ROOT / "examples" / "singer" / "sync.sh"


class Pipeline:
    """The recipe in a folder of its own."""

    def __init__(self, folder: Path, service: str, state_id: str) -> None:
        self.folder, self.service, self.state_id = folder, service, state_id

    def start(self, shell: str = "sh", target: str = "", **config: object) -> subprocess.Popen[str]:
        (self.folder / "tap.json").write_text(json.dumps(config))
        (self.folder / "target.json").write_text(json.dumps({"output": str(self.folder / "records.jsonl")}))
        return subprocess.Popen(
            [shell, str(SYNC), self.state_id],
            cwd=self.folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={
                **os.environ,
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                "STATEHOUSE_URL": self.service,
                "TAP": f"{PROJECT}/tap.py --config tap.json",
                "TARGET": target or f"{PROJECT}/target.py --config target.json",
                "TMPDIR": str(self.folder),
            },
        )

    def run(self, shell: str = "sh", target: str = "", **config: object) -> tuple[int, str]:
        with self.start(shell, target, **config) as process:
            _, err = process.communicate(timeout=60)
        return process.returncode, err

    def numbers(self) -> list[int]:
        return [json.loads(line)["n"] for line in (self.folder / "records.jsonl").read_text().splitlines()]


@pytest.fixture
def pipeline(tmp_path: Path, service: str, state_id: str) -> Pipeline:
    return Pipeline(tmp_path, service, f"{state_id}:a/b")


def seen(n: int) -> dict[str, object]:
    return {"singer_state": {"bookmarks": {"numbers": {"seen": n}}}}


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_it_is_incremental(pipeline: Pipeline, http: httpx.Client, shell: str) -> None:
    assert pipeline.run(shell, count=3) == (0, "")
    assert pipeline.run(shell, count=2) == (0, "")
    assert pipeline.numbers() == [1, 2, 3, 4, 5]
    url = "/states/" + pipeline.state_id.replace("/", "%2F")
    record = http.get(url).json()
    assert (record["completed_state"], record["partial_state"]) == (seen(5), None)
    assert http.get(url.replace("states", "locks")).status_code == 404
    assert [p.name for p in pipeline.folder.iterdir() if p.is_dir()] == []


def test_a_failure_leaves_a_partial_state_to_go_on_from(pipeline: Pipeline, http: httpx.Client) -> None:
    url = "/states/" + pipeline.state_id.replace("/", "%2F")
    assert pipeline.run(count=2)[0] == 0
    assert pipeline.run(count=5, fail_after=2)[0] == 1
    record = http.get(url).json()
    assert (record["completed_state"], record["partial_state"]) == (seen(2), seen(4))
    assert pipeline.run(count=1)[0] == 0
    assert pipeline.numbers() == [1, 2, 3, 4, 5]
    record = http.get(url).json()
    assert (record["completed_state"], record["partial_state"]) == (seen(5), None)


def test_a_target_that_fails_or_says_nothing(pipeline: Pipeline, http: httpx.Client) -> None:
    url = "/states/" + pipeline.state_id.replace("/", "%2F")
    assert pipeline.run(count=2, target="false")[0] == 1
    assert http.get(url).status_code == 404
    half = pipeline.folder / "half.sh"
    half.write_text('cat >/dev/null\necho \'{"bookmarks":{"numbers":{"seen":1}}}\'\nprintf \'{"bookmarks":{"num\'\n')
    assert pipeline.run(count=2, target=f"sh {half}")[0] == 0
    assert http.get(url).json()["completed_state"] == seen(1)


def test_two_at_once_take_turns(pipeline: Pipeline) -> None:
    with pipeline.start(count=3, pause=0.2) as first, pipeline.start(count=3, pause=0.2) as second:
        assert first.wait(60) == 0
        assert second.wait(60) == 0
    assert pipeline.numbers() == [1, 2, 3, 4, 5, 6]


def test_without_its_lock_it_writes_nothing(pipeline: Pipeline, http: httpx.Client) -> None:
    path = pipeline.state_id.replace("/", "%2F")
    with pipeline.start(count=3, pause=1) as process:
        until(lambda: http.get(f"/locks/{path}").is_success, 20)
        break_lock(http, path)
        _, err = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "lock-lost" in err or "was lost" in err
    assert http.get(f"/states/{path}").status_code == 404
