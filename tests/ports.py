"""A port for a server that another process starts: bound and given back, and taken by nobody until then."""

import os
import socket
from itertools import count

# Below what Linux gives to whoever asks for any port (from 32768): no other test or connection comes upon it
# between the probe and the start of the server. Each process of a test run begins elsewhere.
FIRST, MOST = 15_000, 15_000
_next = count(os.getpid() * 97)


def free_port() -> int:
    for number in _next:
        port = FIRST + number % MOST
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError
