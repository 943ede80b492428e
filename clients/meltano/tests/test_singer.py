"""The recipe for a Singer pipeline without Meltano, with the tap and the target of the other tests."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conftest import PROJECT, ROOT, unignored
from test_manager import break_lock, until

if TYPE_CHECKING:
    import httpx

SYNC = ROOT / "examples" / "singer" / "sync.sh"


class Pipeline:
    """The recipe in a folder of its own."""

    def __init__(self, folder: Path, service: str, state_id: str) -> None:
        self.folder, self.service, self.state_id = folder, service, state_id

    def start(self, shell: str = "sh", target: str = "", **config: object) -> subprocess.Popen[str]:
        # The recipe runs itself again with `sh`, so that has to be the shell to try.
        programs = self.folder / "bin dir"
        programs.mkdir(exist_ok=True)
        (programs / "sh").unlink(missing_ok=True)
        (programs / "sh").symlink_to(shutil.which(shell) or shell)
        temporary = self.folder / "temporary files"
        temporary.mkdir(exist_ok=True)
        (self.folder / "tap.json").write_text(json.dumps(config))
        (self.folder / "target.json").write_text(json.dumps({"output": str(self.folder / "records.jsonl")}))
        return subprocess.Popen(
            ["sh", str(SYNC), self.state_id],
            cwd=self.folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=unignored,  # noqa: PLW1509
            env={
                **os.environ,
                "PATH": os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]]),
                "STATEHOUSE_URL": self.service,
                "TAP": f"{PROJECT}/tap.py --config tap.json",
                "TARGET": target or f"{PROJECT}/target.py --config target.json",
                "TMPDIR": str(temporary),
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
    assert list((pipeline.folder / "temporary files").iterdir()) == []


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


@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_ended_leaves_a_partial_state(
    pipeline: Pipeline, http: httpx.Client, shell: str, number: signal.Signals
) -> None:
    path = pipeline.state_id.replace("/", "%2F")
    with pipeline.start(shell, count=1000, pause=0.2) as process:
        until(lambda: (pipeline.folder / "records.jsonl").exists() and len(pipeline.numbers()) >= 3, 20)
        process.send_signal(number)
        process.communicate(timeout=60)
    assert process.returncode == 128 + number
    done = pipeline.numbers()
    record = http.get(f"/states/{path}").json()
    assert record["completed_state"] is None
    assert record["partial_state"] in [seen(n) for n in (done[-1], done[-1] - 1)]
    assert http.get(f"/locks/{path}").status_code == 404
    assert list((pipeline.folder / "temporary files").iterdir()) == []
    assert pipeline.run(shell, count=1)[0] == 0
    assert pipeline.numbers()[len(done) :] == [
        record["partial_state"]["singer_state"]["bookmarks"]["numbers"]["seen"] + 1
    ]


def test_a_state_that_others_have_laid_out_is_read(pipeline: Pipeline, http: httpx.Client) -> None:
    url = "/states/" + pipeline.state_id.replace("/", "%2F")
    text = '{"completed_state": { "singer_state" :\n { "bookmarks": {"numbers": {"seen": 7}}, "x": "}}" }\n }\n}'
    assert http.put(url, content=text, headers={"Content-Type": "application/json"}).is_success
    assert pipeline.run(count=1) == (0, "")
    assert pipeline.numbers() == [8]


@pytest.mark.parametrize("state", [{"other": {}}, {"other": {}, "singer_state": {"a": 1}}, {"singer_state": [1]}])
def test_a_state_of_another_kind_is_refused(pipeline: Pipeline, http: httpx.Client, state: object) -> None:
    url = "/states/" + pipeline.state_id.replace("/", "%2F")
    assert http.put(url, json={"completed_state": state}).is_success
    code, err = pipeline.run(count=2)
    assert code == 1
    assert "is not as Meltano keeps it" in err
    assert http.get(url).json()["completed_state"] == state
    assert not (pipeline.folder / "records.jsonl").exists()


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
