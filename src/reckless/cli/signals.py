"""How a command ends when it is told to: by Ctrl-C, or by SIGTERM, as batch systems and containers do.

Only the command line listens to SIGTERM. A call of the library changes nothing about signals.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 128 + signal.SIGINT  # exit codes as a shell gives them
TERMINATED = 128 + signal.SIGTERM


@contextmanager
def terminable() -> Iterator[Callable[[], bool]]:
    """Turn SIGTERM into a KeyboardInterrupt inside the block; tell whether there was one.

    A SIGTERM that is ignored or handled already stays so.
    """
    n_signals = 0

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal n_signals
        n_signals += 1
        raise KeyboardInterrupt

    is_main = threading.current_thread() is threading.main_thread()
    is_free = is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if is_free:
        signal.signal(signal.SIGTERM, interrupt)
    try:
        yield lambda: n_signals > 0
    finally:
        if is_free:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
