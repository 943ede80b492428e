"""Writes that nobody waits for: of states that follow each other, the newest is sent, in the background.

A run of Meltano emits STATE messages one after the other, each of which replaces what the one before it said. To wait
for every one would stop the run for as long as a write takes, to store what is out of date when it is there.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from meltano_state_backend_statehouse.service import ServiceError, UnreachableError, now

if TYPE_CHECKING:
    from collections.abc import Callable

    from meltano_state_backend_statehouse.lease import Lease

logger = logging.getLogger(__name__)

# Who writes is at most this far ahead of what is stored: then it waits, as it does when the service is away.
LONGEST_LAG = 1.0
# The thread ends when nothing came for so long.
IDLE = 5.0


class Behind:
    """The writes under one lease that nobody waits for. Of what was put since one was sent, the last is sent."""

    def __init__(
        self, lease: Lease, *, pause: float, send: Callable[[str], None], busy: Callable[[bool], None]
    ) -> None:
        """Start with nothing to write.

        Args:
            lease: under which they are made.
            pause: seconds from the answer to one write until the next is sent.
            send: writes a record, and returns when it is stored.
            busy: told true when there is something to write, and false when all is written or failed.
        """
        self.lease = lease
        self.error: Exception | None = None
        """Why the last write failed; what was to be written is in `unsent`, and nothing is sent any more."""
        self._pause = pause
        self._send = send
        self._busy = busy
        self._changed = threading.Condition()
        self._unsent: str | None = None
        self._since = 0.0
        self._answered = 0.0
        self._sending = False
        self._in_a_hurry = 0
        self._thread: threading.Thread | None = None

    @property
    def unsent(self) -> str | None:
        """The newest record that is not stored; None if all is."""
        return self._unsent

    def put(self, text: str) -> bool:
        """Take a record to be written, and the one that was taken before it, if it was not sent yet, as done.

        Returns:
            Whether it was taken. If not, an earlier write has failed, and this one must be waited for.

        Raises:
            UnreachableError: the service was away for so long that this one waited for it in vain.
        """
        with self._changed:
            if self._idle:
                self._since = now()
            elif now() - self._since > LONGEST_LAG:
                self._wait()
                if isinstance(self.error, UnreachableError):
                    raise self.error
                self._since = now()
            if self.error is not None:
                return False
            if self._idle:
                self._busy(True)  # noqa: FBT003
            self._unsent = text
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="statehouse-writes", daemon=True)
                self._thread.start()
            self._changed.notify_all()
        return True

    def settle(self) -> None:
        """Wait until all is stored, or has failed."""
        with self._changed:
            self._wait()

    @property
    def _idle(self) -> bool:
        return self._unsent is None and not self._sending

    def _wait(self) -> None:
        self._in_a_hurry += 1
        self._changed.notify_all()
        try:
            self._changed.wait_for(lambda: self._idle or self.error is not None)
        finally:
            self._in_a_hurry -= 1

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._changed.wait_for(lambda: self._unsent is not None, IDLE):
                    self._thread = None
                    return
                self._changed.wait_for(lambda: self._in_a_hurry > 0, max(0.0, self._answered + self._pause - now()))
                text, self._unsent, self._sending = self._unsent, None, True
                started = now()
            error = self._try(text or "")
            with self._changed:
                self._sending, self._answered = False, now()
                if error is not None:
                    self.error = error
                    self._unsent = self._unsent or text
                else:
                    # What is waiting now came after this one was sent.
                    self._since = started
                ended = error is not None or self._idle
                if ended:
                    self._busy(False)  # noqa: FBT003
                self._changed.notify_all()
                if error is not None:
                    return

    def _try(self, text: str) -> Exception | None:
        try:
            self._send(text)
        except Exception as err:
            logger.warning("A state of %s is not written yet: %s", self.lease.state_id, err)
            if not isinstance(err, ServiceError):
                logger.exception("It should not have failed in this way")
            return err
        return None
