"""Turns at a state: its lock, what was read and written under it, and what is written in the background."""

from __future__ import annotations

import logging
import threading
import weakref
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from meltano_state_backend_statehouse.behind import Behind
from meltano_state_backend_statehouse.lease import UNKNOWN, Keeper, Lease, LeaseLostError, LockedError, lost_text
from meltano_state_backend_statehouse.service import (
    Answer,
    Problem,
    Service,
    ServiceError,
    UnreachableError,
    state_path,
)

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

logger = logging.getLogger(__name__)

# So many writes under a lease are waited for before one is not: a command writes once, a run again and again.
WAITED_FOR = 2


@dataclass
class Turn:
    """The turns of one process at one state id: of its threads one at a time, and of one thread as deep as it likes."""

    state_id: str
    mutex: Any = field(default_factory=threading.RLock)
    thread: int | None = None
    depth: int = 0
    lease: Lease | None = None
    kept: bool = False
    """The lease is one that was kept, and no write of this turn has shown yet that it lives."""
    renewals: int = 0
    """How often the lease had been renewed when it was taken: a renewal since then shows that it lived in this turn."""
    read: bool = False
    """What is known of the record was handed out, so a write may build on it."""
    behind: Behind | None = None
    """What is written in the background, or could not be."""

    @property
    def held(self) -> Lease:
        """The lease of the turn that is taken."""
        assert self.lease is not None  # noqa: S101
        return self.lease


class Turns:
    """The turns of one manager."""

    _everywhere: ClassVar[weakref.WeakSet[Turns]] = weakref.WeakSet()

    def __init__(self, service: Service, keeper: Keeper, *, wait: float, retry: float, linger: float) -> None:
        """Start with none.

        Args:
            service: where the states are.
            keeper: keeps the leases.
            wait: seconds to wait for a lock.
            retry: seconds between two calls for one, where a single one is not enough for the whole wait.
            linger: seconds between two writes in the background; 0: each write is waited for.
        """
        self._service = service
        self._keeper = keeper
        self._wait = wait
        self._retry = retry
        self._linger = linger
        self._turns: dict[str, Turn] = {}
        self._mutex = threading.Lock()
        self._everywhere.add(self)

    def own(self, state_id: str) -> Turn | None:
        """The turn that this thread has at an id."""
        turn = self._turns.get(state_id)
        return turn if turn is not None and turn.thread == threading.get_ident() else None

    def own_leases(self, ids: Container[str] | None) -> list[Lease]:
        """The leases that this thread holds, of these ids or of all."""
        turns = [self.own(state_id) for state_id in self._ids()]
        return [turn.lease for turn in turns if turn and turn.lease and (ids is None or turn.state_id in ids)]

    @classmethod
    def settle_everywhere(cls) -> None:
        """Wait until what this process writes in the background is stored, or has failed."""
        for turns in list(cls._everywhere):
            turns.settle()

    def settle(self) -> None:
        """Wait until what is written in the background is stored, or has failed."""
        for state_id in self._ids():
            if behind := self._turns[state_id].behind:
                behind.settle()

    def close(self) -> None:
        """Write what is left to be written. What cannot be is said in the log."""
        self._everywhere.discard(self)
        self.settle()
        for state_id in self._ids():
            behind = self._turns[state_id].behind
            if behind is None or behind.error is None:
                continue
            try:
                if isinstance(behind.error, UnreachableError):
                    raise behind.error
                with self.hold(state_id, wait=0.0, retry=self._retry):
                    pass
            except ServiceError as err:
                logger.error("The last state of %s was not written: %s", state_id, err)  # noqa: TRY400

    @contextmanager
    def hold(self, state_id: str, *, wait: float, retry: float) -> Iterator[Turn]:
        """Hold the lock of an id. A thread that holds it may take it again.

        Raises:
            LockedError: somebody else holds it, and did so until the wait was over.
            LeaseLostError: a write in the background met a lost lease, and somebody else has written since.
            ServiceError: the service could not be asked, or what was not written in the background is refused.
        """
        with self._mutex:
            turn = self._turns.setdefault(state_id, Turn(state_id))
        if not turn.mutex.acquire(timeout=max(0.0, wait)):
            raise LockedError(f"{state_id} is locked by another thread of this process")
        try:
            if turn.depth == 0:
                self._begin(turn, wait, retry)
            turn.depth += 1
            try:
                yield turn
            finally:
                turn.depth -= 1
                if turn.depth == 0:
                    self._end(turn)
        finally:
            turn.mutex.release()

    def read(self, state_id: str) -> tuple[str | None, str | None]:
        """Ask for a record: its JSON, None if there is none, and its ETag."""
        try:
            response = self._service.call("GET", state_path(state_id)).response
        except Problem as err:
            if err.code == "state-not-found":
                return None, None
            raise
        return response.text, response.headers.get("ETag")

    def record(self, turn: Turn) -> str | None:
        """The record under a lock that is held. It is read once; nobody else can change it meanwhile."""
        lease = turn.held
        if lease.record is UNKNOWN or not lease.live:
            self._give_up_on_what_is_behind(turn)
            lease.record, lease.version = self.read(turn.state_id)
        turn.read = True
        record: str | None = lease.record
        return record

    def write(self, state_id: str, method: str, text: str | None) -> None:
        """Write under the lease that this thread holds, or under one of its own.

        1. In a row of turns, from the third write on, it is left to the background, unless somebody waits for the lock.
        2. Else send it with the lease's token. Nobody else can write meanwhile, so it may be sent again.
        3. If the lease turns out to be lost, and is one that was only kept from an earlier use and has not been seen
           alive in this turn: take the lock anew, see that what this turn has read is still so, and write.
        4. In any other case what was done under the lock is no longer safe: LeaseLostError.
        """
        turn = self.own(state_id)
        if turn is None:
            with self.hold(state_id, wait=self._wait, retry=self._retry):
                self.write(state_id, method, text)
            return
        if method == "PUT" and text is not None and self._leave(turn, text):
            return
        if turn.behind:
            # This write says all that is to be said.
            turn.behind.settle()
            turn.behind = None
        lease = turn.held
        try:
            answer = self._send(turn, lease, method, text)
        except LeaseLostError:
            if not turn.kept or lease.renewals != turn.renewals:
                raise
            version = lease.version
            lease, turn.kept = self._keeper.take(state_id, wait=self._wait, retry=self._retry)
            turn.lease = lease
            if turn.read and self.read(state_id)[1] != version:
                raise
            answer = self._send(turn, lease, method, text)
        turn.kept = False
        _written(lease, answer)
        lease.record = text

    def _ids(self) -> list[str]:
        with self._mutex:
            return list(self._turns)

    def _begin(self, turn: Turn, wait: float, retry: float) -> None:
        if turn.behind and not turn.behind.lease.usable:
            turn.behind.settle()
        turn.lease, turn.kept = self._keeper.take(turn.state_id, wait=wait, retry=retry)
        turn.renewals, turn.read = turn.lease.renewals, False
        turn.thread = threading.get_ident()
        try:
            self._catch_up(turn)
        except BaseException:
            self._end(turn)
            raise

    def _end(self, turn: Turn) -> None:
        lease, turn.lease, turn.thread = turn.lease, None, None
        if lease is None:
            return
        if turn.behind and self._keeper.wanted(lease):
            turn.behind.settle()
        self._keeper.give_back(lease)

    def _leave(self, turn: Turn, text: str) -> bool:
        lease = turn.held
        if not (self._linger > 0 and turn.kept and lease.usable and lease.writes >= WAITED_FOR and not lease.waiting):
            return False
        if turn.behind is None:
            turn.behind = Behind(
                lease,
                pause=self._linger,
                send=partial(self._send_behind, lease),
                busy=partial(self._keeper.used_behind, lease),
            )
        if not turn.behind.put(text):
            return False
        lease.record = text
        return True

    def _send_behind(self, lease: Lease, text: str) -> None:
        try:
            _written(lease, self._call(lease, "PUT", text))
        except Problem as err:
            if err.code == "lock-lost":
                self._keeper.forget(lease)
            raise

    def _catch_up(self, turn: Turn) -> None:
        """Write what could not be written in the background, if nobody else has written since."""
        behind, lease = turn.behind, turn.held
        if behind is None or (behind.error is None and behind.lease is lease):
            return
        turn.behind = None
        if behind.unsent is None:
            return
        if behind.lease is not lease and self.read(turn.state_id)[1] != behind.lease.version:
            raise LeaseLostError(lost_text(self._service, turn.state_id)) from behind.error
        try:
            answer = self._send(turn, lease, "PUT", behind.unsent)
        except UnreachableError:
            turn.behind = behind
            raise
        turn.kept = False
        _written(lease, answer)
        lease.record = behind.unsent

    def _give_up_on_what_is_behind(self, turn: Turn) -> None:
        behind, turn.behind = turn.behind, None
        if behind:
            behind.settle()
            if behind.lease.over and behind.error:
                raise LeaseLostError(lost_text(self._service, turn.state_id)) from behind.error
            if behind.error:
                raise behind.error

    def _send(self, turn: Turn, lease: Lease, method: str, text: str | None) -> Answer:
        if lease.over:
            raise LeaseLostError(lost_text(self._service, lease.state_id))
        try:
            return self._call(lease, method, text)
        except ServiceError as err:
            # Whether it was written is not known.
            lease.record = UNKNOWN
            if not isinstance(err, Problem) or err.code != "lock-lost":
                raise
            self._keeper.forget(lease)
            if err.unsure:
                turn.kept = False
            raise LeaseLostError(lost_text(self._service, lease.state_id)) from err

    def _call(self, lease: Lease, method: str, text: str | None) -> Answer:
        return self._service.call(method, state_path(lease.state_id), json_text=text, tokens=[lease.lock_id])


def _written(lease: Lease, answer: Answer) -> None:
    lease.writes += 1
    lease.waiting = answer.waiting
    lease.version = answer.response.headers.get("ETag")
