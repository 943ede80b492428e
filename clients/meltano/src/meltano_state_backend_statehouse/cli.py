"""`statehouse lock ID -- COMMAND`: run any command while holding a lock."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from meltano_state_backend_statehouse.lease import (
    LONGEST_TTL,
    Lease,
    LeaseLostError,
    LockedError,
    acquire,
    owner_name,
    release,
    renew,
)
from meltano_state_backend_statehouse.service import Address, Service, ServiceError, now, state_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# What the shell and sysexits.h say.
UNAVAILABLE = 69
LOCKED = 75
LOST = 76
NOT_EXECUTABLE = 126
NOT_FOUND = 127

# Seconds that a command has to end by itself after the lease was lost.
GRACE = 10.0
# The command is ended before the lease is over, not after: it needs time to end.
LONGEST_MARGIN = 5.0

PASSED_ON = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGCONT")

DESCRIPTION = """\
Run a command while holding the lock of a state id. The lock is renewed while the command runs and given back when it
ends. Signals are passed on to the command, and its exit code comes back. If the lock is lost, the command is ended.

The command finds in its environment STATEHOUSE_LOCK_TOKEN (for the header Lock-Token of its writes),
STATEHOUSE_FENCING_TOKEN (grows with every holder; for other systems), STATEHOUSE_STATE_URL (where its state is) and
STATEHOUSE_URL.
"""

EPILOG = f"""\
exit codes: the command's own, or 128 + n if signal n ended it; {LOCKED}: somebody else holds the lock; {LOST}: the lock
was lost; {UNAVAILABLE}: the service does not answer; {NOT_EXECUTABLE}, {NOT_FOUND}: it cannot be run, or is missing.

The address is taken from STATEHOUSE_URL, a token from STATEHOUSE_TOKEN.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments; those of the process if None.

    Returns:
        The exit code.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    # What stands behind the first -- is the command's own, also another --.
    split = arguments.index("--") if "--" in arguments else len(arguments)
    parser = _parser()
    args = parser.parse_args(arguments[:split])
    args.command = arguments[split + 1 :]
    if not args.command:
        parser.error("the command is missing: statehouse lock ID -- COMMAND")
    try:
        address = Address.from_url(args.url, os.environ.get("STATEHOUSE_TOKEN"))
        service = Service(address)
    except (ValueError, OSError) as err:
        return _say(str(err), 2)
    try:
        return _lock(service, args)
    except LockedError as err:
        return _say(str(err), LOCKED)
    except ServiceError as err:
        return _say(str(err), UNAVAILABLE)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    finally:
        service.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="statehouse", description="Statehouse on the command line.")
    commands = parser.add_subparsers(dest="what", required=True, metavar="lock")
    lock = commands.add_parser(
        "lock",
        help="run a command while holding a lock",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="statehouse lock ID [--ttl 60] [--wait 300] [--owner TEXT] [--url URL] -- COMMAND [ARGUMENT ...]",
    )
    lock.add_argument("id", metavar="ID", help="the state id whose lock to take")
    lock.add_argument("--ttl", type=_between(1, LONGEST_TTL), default=60, help="seconds the lock lasts if we die (60)")
    lock.add_argument("--wait", type=_between(0, 7 * LONGEST_TTL), default=300, help="seconds to wait for it (300)")
    lock.add_argument("--owner", default=None, help="who to name as the holder")
    lock.add_argument(
        "--url",
        default=os.environ.get("STATEHOUSE_URL") or "http://localhost:8080",
        help="the service (STATEHOUSE_URL, or http://localhost:8080)",
    )
    return parser


def _between(least: int, most: int) -> Any:
    def number(text: str) -> int:
        value = int(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{value} is not from {least} to {most}")
        return value

    return number


def _lock(service: Service, args: argparse.Namespace) -> int:
    # A SIGTERM while we wait must leave the queue, as Ctrl-C does.
    with _handled(["SIGTERM", "SIGHUP"], _stop):
        lease = acquire(
            service, args.id, owner=args.owner or owner_name("statehouse lock"), ttl=args.ttl, wait=args.wait
        )
        environment = {
            **os.environ,
            "STATEHOUSE_URL": service.url,
            "STATEHOUSE_STATE_URL": service.url + state_path(args.id),
            "STATEHOUSE_LOCK_TOKEN": lease.lock_id,
            "STATEHOUSE_FENCING_TOKEN": str(lease.fencing_token),
        }
        try:
            return _run(service, lease, args.command, environment)
        finally:
            if not lease.over:
                release(service, lease)


def _run(service: Service, lease: Lease, command: list[str], environment: dict[str, str]) -> int:
    # At a terminal the command stays in our process group: Ctrl-C and Ctrl-Z reach both of us, as anybody expects.
    # Elsewhere it has a group of its own, so that a signal reaches all of a pipeline.
    terminal = _at_terminal()
    early: list[int] = []
    process: subprocess.Popen[bytes] | None = None

    def pass_on(number: int, _frame: object) -> None:
        if process is None:
            early.append(number)
        elif not (terminal and number in {signal.SIGINT, signal.SIGQUIT, signal.SIGWINCH, signal.SIGCONT}):
            _signal(process, number, group=not terminal)

    with _handled(PASSED_ON, pass_on):
        try:
            process = subprocess.Popen(command, env=environment, start_new_session=not terminal)  # noqa: S603
        except FileNotFoundError:
            return _say(f"{command[0]}: not found", NOT_FOUND)
        except OSError as err:
            return _say(f"{command[0]}: {err.strerror}", NOT_EXECUTABLE)
        for number in early:
            pass_on(number, None)
        lost = _watch(service, lease, process)
        if lost is None:
            code = process.returncode
            return code if code >= 0 else 128 - code
        _say(f"{lost}; ending the command", LOST)
        _signal(process, signal.SIGTERM, group=not terminal)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
        _signal(process, signal.SIGKILL, group=not terminal)
        process.wait()
        return LOST


def _watch(service: Service, lease: Lease, process: subprocess.Popen[bytes]) -> str | None:
    """Renew until the command has ended (None), or the lease is lost (why)."""
    why = f"The lock of {lease.state_id} could not be renewed in time"
    renew_at = lease.renew_at
    margin = min(LONGEST_MARGIN, lease.ttl / 6)
    while True:
        try:
            process.wait(max(0.05, min(renew_at, lease.ends - margin) - now()))
        except subprocess.TimeoutExpired:
            pass
        else:
            return None
        if now() >= lease.ends - margin:
            lease.over = True
            return why
        try:
            renew(service, lease, patience=1.0)
            renew_at = lease.renew_at
        except LeaseLostError as err:
            return str(err)
        except ServiceError as err:
            # Again soon, as long as there is time.
            why = str(err)
            renew_at = now() + min(1.0, lease.ttl / 10)


def _at_terminal() -> bool:
    try:
        return os.isatty(0) and os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def _signal(process: subprocess.Popen[bytes], number: int, *, group: bool) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if group:
            os.killpg(process.pid, number)
        elif process.poll() is None:
            os.kill(process.pid, number)


def _stop(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


@contextmanager
def _handled(names: Sequence[str], handler: Any) -> Iterator[None]:
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    # What nohup has had ignored stays ignored.
    numbers = [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def _say(text: str, code: int) -> int:
    print(f"statehouse: {text}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
