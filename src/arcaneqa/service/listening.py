"""The address a service listens on, taken before anything slow is imported or loaded."""

from __future__ import annotations

import socket
import threading
import webbrowser
from ipaddress import ip_address

from arcaneqa.errors import InputError


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections, or a sentence that says why not."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise InputError(f"--host {host} is no address of this machine ({error}).") from None
    found = socket.socket(family, kind, protocol)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind(address)
        found.listen(socket.SOMAXCONN)
    except OSError as error:
        found.close()
        raise InputError(
            f"Nothing can listen on port {port} of {host} ({error.strerror}); give another --port or --host."
        ) from None
    found.set_inheritable(False)
    return found


def address_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def show_when_ready(listening: socket.socket) -> None:
    """Open the page in the user's browser, which waits by itself: the socket takes connections already."""
    host, port = listening.getsockname()[:2]
    is_any = ip_address(host.partition("%")[0]).is_unspecified
    address = f"http://localhost:{port}" if is_any else address_of(listening)
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def is_open_to_others(listening: socket.socket) -> bool:
    return not ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback


def names_of(listening: socket.socket) -> list[str]:
    """What requests may call it by: the address it listens on; where that is all of the machine's, theirs."""
    host = listening.getsockname()[0].partition("%")[0]
    if not ip_address(host).is_unspecified:
        return [host]
    own = socket.gethostname()
    try:
        found = {str(place[4][0]).partition("%")[0] for place in socket.getaddrinfo(own, None)}
    except OSError:
        found = set()
    return [own, *sorted(found)]
