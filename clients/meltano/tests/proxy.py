"""A proxy on 127.0.0.1 that writes down every request and can be told to spoil some of them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
from typing_extensions import Self

Spoilt = str | tuple[int, Any] | None
Plan = Callable[[str, str], Spoilt]


class Proxy:
    """Passes requests on, unless the plan for its method and path says otherwise.

    The plan answers None (pass on), `503` (say so without passing on), `cut` (break off without passing on), `drop`
    (pass on, then break off instead of answering), `late` (pass on, and answer 0.6 seconds later), `hang` (answer
    nothing, and do not break off either), or a status and a body (answer these without passing on).
    """

    def __init__(self, target: str) -> None:  # noqa: C901
        self.requests: list[tuple[str, str]] = []
        self.bodies: list[bytes] = []
        self.plan: Plan = lambda _method, _path: None
        proxy = self
        client = httpx.Client(base_url=target, timeout=330)
        self._client = client
        self._ended = threading.Event()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body are sent apart: the second would wait for the first to be acknowledged.
            disable_nagle_algorithm = True

            def log_message(self, *_: Any) -> None: ...

            def _serve(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                proxy.requests.append((self.command, self.path))
                proxy.bodies.append(body)
                what = proxy.plan(self.command, self.path)
                if what == "cut":
                    self.close_connection = True
                    return
                if what == "503":
                    self._answer(503, {"Retry-After": "0"}, b"{}")
                    return
                if what == "hang":
                    proxy._ended.wait()
                    self.close_connection = True
                    return
                if isinstance(what, tuple):
                    self._answer(what[0], {}, json.dumps(what[1]).encode())
                    return
                headers = {k: v for k, v in self.headers.items() if k.lower() not in {"host", "connection"}}
                answer = client.request(self.command, self.path, content=body or None, headers=headers)
                if what == "late":
                    time.sleep(0.6)
                if what == "drop":
                    self.close_connection = True
                    return
                self._answer(answer.status_code, dict(answer.headers), answer.content)

            def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
                self.send_response(status)
                for name, value in headers.items():
                    if name.lower() not in {"content-length", "transfer-encoding", "content-encoding", "connection"}:
                        self.send_header(name, value)
                if status not in {204, 304}:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if status not in {204, 304}:
                    self.wfile.write(body)

            do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = do_HEAD = _serve  # noqa: N815

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def once(self, what: Spoilt, method: str, path: str, times: int = 1) -> None:
        """Spoil the next requests of that method whose path begins so."""
        left = [times]

        def plan(a_method: str, a_path: str) -> Spoilt:
            if left[0] and a_method == method and a_path.startswith(path):
                left[0] -= 1
                return what
            return None

        self.plan = plan

    def calls(self, *without: str) -> list[tuple[str, str]]:
        """The requests so far, without those for the contract and those whose method and path begin so."""
        return [
            (method, path)
            for method, path in self.requests
            if path != "/openapi.yaml" and not f"{method} {path}".startswith(without or ("-",))
        ]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._client.close()
