"""The HTTP service: where it is, how it is called, and what is done when it does not answer.

Nothing here knows Meltano, so that `statehouse lock` starts at once.
"""

from __future__ import annotations

import json
import math
import random
import re
import ssl
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# The versions of the contract that this client can speak: from the first, up to but not including the second.
OLDEST_CONTRACT = (0, 1)
UNKNOWN_CONTRACT = (2, 0)

NOTHING_STORED = frozenset({"clickhouse-unavailable", "overloaded"})

# Seconds. A service that was never reached is more likely a wrong address than one that is restarting.
PATIENCE = 30.0
PATIENCE_AT_FIRST = 8.0
CONNECT_TIMEOUT = 5.0
READ_TIMEOUT = 30.0
FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0
SHORTEST_TRY = 0.05


def now() -> float:
    """Seconds of a clock that also runs while the machine sleeps, as a lease does."""
    if sys.platform == "linux":
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


@dataclass(frozen=True)
class Address:
    """Where the service is."""

    host: str
    port: int
    secure: bool = False
    path: str = ""
    """What stands in front of `/states`; empty where nothing does."""
    token: str | None = field(default=None, repr=False)
    verify: bool | str = True
    """Whether to check the certificate, or the file of the authorities to trust."""

    def __post_init__(self) -> None:
        if not 0 < self.port < 65536:  # noqa: PLR2004
            raise ValueError(f"The port of Statehouse is from 1 to 65535, not {self.port}")

    @property
    def url(self) -> str:
        """The address for people and for httpx, without the token."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        path = "/".join(filter(None, self.path.split("/")))
        return f"http{'s' if self.secure else ''}://{host}:{self.port}{'/' + path if path else ''}"

    @classmethod
    def from_url(cls, url: str, token: str | None = None) -> Address:
        """Read `http(s)://host[:port][/path]`.

        Raises:
            ValueError: it is no such URL.
        """
        shown = re.sub(r"^(.*//)?.*@", r"\1***@", url)
        try:
            parts = httpx.URL(url)
        except httpx.InvalidURL as err:
            raise ValueError(f"'{shown}' is no URL") from err
        if parts.scheme not in {"http", "https"} or not parts.host:
            raise ValueError(f"'{shown}' is no URL of the kind http://HOST:PORT")
        secure = parts.scheme == "https"
        return cls(
            host=parts.host,
            port=parts.port or (443 if secure else 80),
            secure=secure,
            path=parts.raw_path.split(b"?")[0].decode("ascii"),
            token=token or parts.password or parts.username or None,
        )


class ServiceError(Exception):
    """The service did not do what it was asked; the text says what, why, and at which address."""


class UnreachableError(ServiceError):
    """The service did not answer, or not as Statehouse does."""


class UnconfirmedError(UnreachableError):
    """The connection broke after a request was sent that must not be sent twice: it may count, once or never."""


class Problem(ServiceError):  # noqa: N818
    """The service answered with an error."""

    def __init__(self, url: str, response: httpx.Response, *, unsure: bool) -> None:
        """Read the answer.

        Args:
            url: the address, for the text.
            response: the answer, a problem document or what else a proxy makes of it.
            unsure: an earlier sending of the same request was not answered, and may have counted.
        """
        self.status = response.status_code
        self.unsure = unsure
        self.body = _object(response)
        self.code = str(self.body.get("code", ""))
        self.waiting = _waiting(response)
        detail = str(self.body.get("detail") or response.text[:200] or response.reason_phrase)
        for bad in self.body.get("errors", [])[:10]:
            detail += f" {bad.get('at')}: {bad.get('detail')}"
        if self.status in {401, 403}:
            detail = f"The token is missing, wrong, or not enough: {detail}"
        super().__init__(f"{detail.rstrip()} (Statehouse at {url}, HTTP {self.status} {self.code}".rstrip() + ")")

    @property
    def refuses(self) -> bool:
        """Whether what was sent is wrong, and always will be."""
        return self.status in {400, 413, 422}

    @property
    def holders(self) -> list[dict[str, Any]]:
        """Who holds the locks that stood in the way; empty if it was something else."""
        if "holders" in self.body:
            return list(self.body["holders"])
        return [self.body["holder"]] if "holder" in self.body else []


@dataclass(frozen=True)
class Answer:
    """A good answer."""

    response: httpx.Response
    unsure: bool
    """Whether the request was sent more than once and an earlier one may have counted too."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.response.status_code

    @property
    def body(self) -> Any:
        """The JSON in the body.

        Raises:
            UnreachableError: it is no JSON, so it did not come from Statehouse.
        """
        try:
            return self.response.json()
        except ValueError as err:
            raise UnreachableError(
                f"{self.response.url.copy_with(query=None)} does not answer as Statehouse does: "
                f"{self.response.text[:200]!r} is no JSON"
            ) from err

    @property
    def waiting(self) -> int:
        """How many wait for the lock in whose name the call was made."""
        return _waiting(self.response)


class Service:
    """Calls the service, and calls again when it did not answer and that can do no harm."""

    def __init__(self, address: Address) -> None:
        self.url = address.url
        headers = {"User-Agent": "meltano-state-backend-statehouse"}
        if address.token:
            headers["Authorization"] = f"Bearer {address.token}"
        verify: bool | ssl.SSLContext = address.verify is True
        if isinstance(address.verify, str):
            verify = ssl.create_default_context(cafile=address.verify)
        self._settings: dict[str, Any] = {
            "headers": headers,
            # Without TLS there is nothing to verify, and reading all the authorities takes 20 ms.
            "verify": verify if address.secure else False,
            "timeout": httpx.Timeout(READ_TIMEOUT, connect=CONNECT_TIMEOUT),
        }
        self._client = httpx.Client(**self._settings)
        self._greeted = False

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str | int] | None = None,
        json_text: str | Callable[[], str] | None = None,
        tokens: Sequence[str] = (),
        repeatable: bool = True,
        patience: float = PATIENCE,
        read_timeout: float = READ_TIMEOUT,
        until: float = math.inf,
    ) -> Answer:
        """Ask, and ask again with growing pauses while the service is away.

        Args:
            method: GET, PUT, …
            path: the path behind the address, escaped.
            params: the query.
            json_text: the body; a function is asked anew for each sending.
            tokens: the `lock_id` of each lease in whose name the call is made.
            repeatable: doing it twice is the same as doing it once, also if somebody else writes in between.
            patience: seconds to go on trying.
            read_timeout: seconds to wait for one answer.
            until: when, by `now()`, to wait no longer for an answer. Only connecting may take as long again.

        Raises:
            Problem: the answer is an error.
            UnreachableError: there was no answer in time.
            UnconfirmedError: there was none, and it is not repeatable.
        """
        if not self._greeted:
            self._greet(min(patience, PATIENCE_AT_FIRST))
        headers = {"Content-Type": "application/json"} if json_text is not None else {}
        if tokens:
            headers["Lock-Token"] = ", ".join(tokens)
        request = {
            "params": params,
            "content": json_text,
            "headers": headers,
        }
        return self._ask(method, path, request, patience, repeatable=repeatable, read_timeout=read_timeout, until=until)

    def _ask(
        self,
        method: str,
        path: str,
        request: dict[str, Any],
        patience: float,
        *,
        repeatable: bool,
        read_timeout: float = READ_TIMEOUT,
        until: float = math.inf,
    ) -> Answer:
        end = min(now() + patience, until)
        pause = 0.0
        unsure = False
        while True:
            why, sent, least = "", True, 0.0
            tried = now()
            longest = min(read_timeout, max(SHORTEST_TRY, until - tried))
            request["timeout"] = httpx.Timeout(longest, connect=min(CONNECT_TIMEOUT, longest))
            try:
                response = self._send(method, path, request, fresh=not repeatable)
            except httpx.RequestError as err:
                # Without a connection nothing was sent; with one, nobody knows.
                sent = not isinstance(err, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
                why = str(err) or type(err).__name__
                # A try that took long was pause enough.
                pause = 0.0 if now() - tried > LONGEST_PAUSE else max(pause, 0.0 if sent else FIRST_PAUSE)
            else:
                if response.status_code not in {429, 502, 503, 504}:
                    if response.is_success:
                        return Answer(response, unsure)
                    raise Problem(self.url, response, unsure=unsure)
                problem = Problem(self.url, response, unsure=unsure)
                # Two of the service's own codes say that nothing was stored. Of a proxy's answer one cannot tell.
                sent = problem.status != 429 and problem.code not in NOTHING_STORED  # noqa: PLR2004
                why = str(problem)
                least = min(_seconds(response.headers.get("Retry-After")), LONGEST_PAUSE)
                pause = max(pause, FIRST_PAUSE)
            unsure = unsure or sent
            if sent and not repeatable:
                raise UnconfirmedError(
                    f"Statehouse at {self.url} broke off while it was writing ({why}): it may have written all, "
                    "a part, or nothing. Look at the states before you go on"
                )
            wait = max(least, pause * random.uniform(0.7, 1.3))  # noqa: S311
            if now() + wait > end:
                raise UnreachableError(f"Statehouse at {self.url} does not answer: {why}")
            time.sleep(wait)
            # A connection that was kept for long may just have been closed: the first try again costs no pause.
            pause = min(max(pause * 2, FIRST_PAUSE), LONGEST_PAUSE)

    def _send(self, method: str, path: str, request: dict[str, Any], *, fresh: bool) -> httpx.Response:
        if callable(request.get("content")):
            request = {**request, "content": request["content"]()}
        if not fresh:
            return self._client.request(method, self.url + path, **request)
        # On a kept connection that the other side has just closed one could not tell whether it was sent.
        with httpx.Client(**self._settings) as client:
            return client.request(method, self.url + path, **request)

    def _greet(self, patience: float) -> None:
        try:
            text = self._ask("GET", "/openapi.yaml", {}, patience, repeatable=True).response.text
        except Problem as err:
            if err.status in {401, 403}:
                raise
            text = ""
        found = re.search(r"^info:\n(?:[ ].*\n)*? {2}version: '?(\d+)\.(\d+)", text, re.MULTILINE)
        if not found or "title: Statehouse" not in text:
            raise UnreachableError(
                f"What answers at {self.url} is no Statehouse: it has no contract at {self.url}/openapi.yaml. "
                "Are host, port and path right?"
            )
        version = (int(found[1]), int(found[2]))
        spoken = f"contract {found[1]}.{found[2]}; this add-on speaks {_dots(OLDEST_CONTRACT)} up to"
        if version < OLDEST_CONTRACT:
            raise UnreachableError(
                f"Statehouse at {self.url} is too old ({spoken} {_dots(UNKNOWN_CONTRACT)}): update the service"
            )
        if version >= UNKNOWN_CONTRACT:
            raise UnreachableError(
                f"Statehouse at {self.url} is too new ({spoken} {_dots(UNKNOWN_CONTRACT)}): update the add-on"
            )
        self._greeted = True


def state_path(state_id: str) -> str:
    """The path of a state."""
    return f"/states/{_segment(state_id)}"


def lock_path(state_id: str) -> str:
    """The path of a lock."""
    return f"/locks/{_segment(state_id)}"


def _segment(state_id: str) -> str:
    # These three would be another path altogether, and never reach the service as an id.
    if state_id in {"", ".", ".."}:
        raise ServiceError(f"'{state_id}' is no state id")
    return quote(state_id, safe="")


def _object(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except (ValueError, UnicodeDecodeError):
        return {}
    return body if isinstance(body, dict) else {}


def _waiting(response: httpx.Response) -> int:
    return int(_seconds(response.headers.get("Lock-Waiting")))


def _seconds(text: str | None) -> float:
    return float(text) if text and text.isascii() and text.isdigit() else 0.0


def _dots(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


def dump(value: Any) -> str:
    """Write JSON, as people would read it in the table.

    Raises:
        ValueError: it holds NaN or an infinity, or something that JSON does not know.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        # Half a surrogate pair has no bytes in UTF-8; as an escape it has.
        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text
