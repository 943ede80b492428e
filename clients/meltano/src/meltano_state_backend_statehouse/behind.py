"""Writes that nobody waits for: of states that follow each other, the newest is sent, in the background.

A run of Meltano emits STATE messages one after the other, each of which replaces what the one before it said. To wait
for every one would stop the run for as long as a write takes, to store what is out of date when it is there.
"""

from __future__ import annotations

import logging
import threading
from http import HTTPStatus
from typing import TYPE_CHECKING

from meltano_state_backend_statehouse.service import Problem, ServiceError, UnreachableError, now

if TYPE_CHECKING:
    from collections.abc import Callable

    from meltano_state_backend_statehouse.lease import Lease

logger = logging.getLogger(__name__)

# Who writes is at most this far ahead of what is stored: then it waits, as it does when the service is away.
LONGEST_LAG = 1.0
# In a process that was forked from the one that writes.
ENDED = "What writes in the background has ended"
# The thread ends when nothing came for so long.
IDLE = 5.0


class Behind:
    """The writes under one lease that nobody waits for. Of what was put since one was sent, the last is sent."""

    def __init__(
        self,
        lease: Lease,
        *,
        pause: float,
        send: Callable[[str], None],
        busy: Callable[[bool], None],
        owner: object,
    ) -> None:
        """Start with nothing to write.

        Args:
            lease: under which they are made.
            pause: seconds from the answer to one write until the next is sent, up to `LONGEST_LAG`.
            send: writes a record, and returns when it is stored.
            busy: told true when there is something to write, and false when all is written or one has failed.
            owner: the manager, which is not closed as garbage as long as this is known.
        """
        self.lease = lease
        self.error: Exception | None = None
        """Why a write failed; nothing is sent any more."""
        self.perhaps: list[str] = []
        """Records that may have been stored: their answers were lost."""
        self._pause = min(pause, LONGEST_LAG)
        self._send = send
        self._busy = busy
        self._changed = threading.Condition()
        self._newest = ""
        self._put = 0
        self._stored = 0
        self._since = 0.0
        self._answered = 0.0
        self._in_a_hurry = 0
        self._thread: threading.Thread | None = None
        # Else it might be closed as garbage by the thread, and the end would not wait for that.
        self._owner = owner

    @property
    def unsent(self) -> str | None:
        """The newest record that is not known to be stored; None if all is."""
        return self._newest if self._stored < self._put else None

    def put(self, text: str) -> bool:
        """Take a record to be written, in the place of one that was taken before and is not sent yet.

        Returns:
            Whether it was taken. If not, it must be waited for.

        Raises:
            UnreachableError: the service was away for so long that this one waited for it in vain.
        """
        with self._changed:
            if self.unsent is not None and now() - self._since > LONGEST_LAG:
                self._wait(self._stored + 1)
                if isinstance(self.error, UnreachableError):
                    raise UnreachableError(str(self.error)) from self.error
            if self.error is not None or not self._has_a_thread():
                return False
            if self.unsent is None:
                self._busy(True)  # noqa: FBT003
                self._since = now()
            self._newest = text
            self._put += 1
            self._changed.notify_all()
        return True

    def settle(self) -> None:
        """Wait until what was put by now is stored, or has failed."""
        with self._changed:
            self._wait(self._put)

    def _has_a_thread(self) -> bool:
        if self._thread is not None and not self._thread.is_alive():
            self.error = ServiceError(ENDED)
            return False
        if self._thread is None:
            thread = threading.Thread(target=self._run, name="statehouse-writes", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                # There are too many, or the process is about to end.
                return False
            self._thread = thread
        return True

    def _wait(self, number: int) -> None:
        self._in_a_hurry += 1
        self._changed.notify_all()
        try:
            while self._stored < number and self.error is None:
                if self._thread is None or not self._thread.is_alive():
                    self.error = ServiceError(ENDED)
                    return
                self._changed.wait(1.0)
        finally:
            self._in_a_hurry -= 1

    def _run(self) -> None:
        text = None
        try:
            while True:
                with self._changed:
                    if not self._changed.wait_for(lambda: self.unsent is not None, IDLE):
                        self._thread = None
                        return
                    self._changed.wait_for(lambda: self._in_a_hurry > 0, max(0.0, self._answered + self._pause - now()))
                    text, number, started = self._newest, self._put, now()
                self._send(text)
                with self._changed:
                    self._stored, self._answered = number, now()
                    # What is waiting now came after this one was sent.
                    self._since = started
                    if self.unsent is None:
                        self._busy(False)  # noqa: FBT003
                    self._changed.notify_all()
        except Exception as err:
            # What an API says of a lost lease is not for who runs a pipeline: the lock is taken anew.
            lost = isinstance(err, Problem) and err.code == "lock-lost"
            logger.warning(
                "The newest state of %s is not written yet; it is tried again with the next message or at the end (%s)",
                self.lease.state_id,
                "its lock was lost" if lost else str(err),
            )
            if not isinstance(err, ServiceError):
                logger.exception("It should not have failed in this way")
            with self._changed:
                if text is not None and may_be_stored(err):
                    self.perhaps.append(text)
                self.error = err
                self._busy(False)  # noqa: FBT003
                self._changed.notify_all()


def may_be_stored(err: Exception) -> bool:
    """Whether what was sent may have been stored although this came of it."""
    return not isinstance(err, Problem) or err.unsure or err.status >= HTTPStatus.INTERNAL_SERVER_ERROR
