"""Where a webhook may go: the parts of its address, and the machines that its name leads to at this moment."""

import re
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

PORTS = {"https": 443, "http": 80}
_PRINTABLE = re.compile(r"[!-\[\]-~]+")  # ASCII without spaces, nor the backslash, which is read in two ways
_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?")
# RFC 6052: an IPv4 address is in the last four bytes of what a NAT64 translates.
NAT64 = IPv6Network("64:ff9b::/96")
GLOBAL_UNICAST = IPv6Network("2000::/3")  # all that IANA has given out; the rest is special, old or unassigned
# Global by their number, or to this Python, and yet inside: the tunnels 6to4 and Teredo, which carry an IPv4
# address of anybody's choice; what IANA keeps for protocols and documents; Azure's services, for its machines.
INSIDE = (
    IPv4Network("192.0.0.0/24"),
    IPv6Network("3fff::/20"),
    IPv6Network("2002::/16"),
    IPv6Network("2001::/32"),
    IPv4Network("192.88.99.0/24"),
    IPv4Network("168.63.129.16/32"),
)


class Refused(ValueError):
    """The address is none that may be asked; the words say why, for admins."""


class Unresolved(OSError):
    """No address for this name, at least now."""


@dataclass(frozen=True)
class Target:
    """The parts of a webhook's address. `path` holds the query."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def named(self) -> str:
        """As the header Host has it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


@dataclass(frozen=True)
class Place:
    """A machine's address as `socket.connect` takes it, checked."""

    family: socket.AddressFamily
    sockaddr: Any


def parse(url: str) -> Target:
    """The address's parts; Refused where it is of no form that we ask, or names a machine inside by number."""
    if not _PRINTABLE.fullmatch(url):
        raise Refused(_("An address of ASCII characters without spaces: https://example.org/hook"))
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise Refused(_("This is no address.")) from None
    if parts.scheme not in PORTS:
        raise Refused(_("It begins with https://"))
    if parts.scheme == "http" and not allowed_inside():
        raise Refused(_("It begins with https://; plain http goes to private targets alone, and none is allowed."))
    if parts.username is not None or parts.password is not None or "#" in url:
        raise Refused(_("An address without a name or password in it, and without a fragment."))
    literal = _number(host)
    if literal is None and not _NAME.fullmatch(host):
        raise Refused(_("Its host is no name."))
    if port == 0:
        raise Refused(_("Its port is no port."))
    if literal is not None:
        refuse_inside(literal, parts.scheme)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, host, port or PORTS[parts.scheme], path)


def places(target: Target) -> list[Place]:
    """Every machine that the name leads to now, in the system's order. Refused where one of them is inside.

    The caller connects to these and asks for the name no second time, so that nothing changes in between.
    """
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError) as error:
        raise Unresolved(str(error)) from None
    for _family, _type, _proto, _name, sockaddr in found:
        number = _number(str(sockaddr[0]))
        if number is None:
            raise Refused(_("Its name leads to no address of the internet."))
        refuse_inside(number, target.scheme)
    if not found:
        raise Unresolved("no address")
    return [Place(socket.AddressFamily(family), sockaddr) for family, _type, _proto, _name, sockaddr in found]


def refuse_inside(number: IPv4Address | IPv6Address, scheme: str) -> None:
    """Refused for what is no global address, unless the settings allow it; plain http for all that they do not."""
    meant = _meant(number)
    if any(meant in network or number in network for network in allowed_inside()):
        return
    if not _is_outside(meant):
        raise Refused(_("It leads into a private network: FOLDBACK_WEBHOOK_PRIVATE_TARGETS does not allow that."))
    if scheme != "https":
        raise Refused(_("Plain http goes to private targets alone."))


def allowed_inside() -> list[IPv4Network | IPv6Network]:
    """The setting; what is no network (a system check names it) allows nothing."""
    found = []
    for given in settings.FOLDBACK_WEBHOOK_PRIVATE_TARGETS:
        try:
            found.append(ip_network(given.strip(), strict=False))
        except ValueError:
            continue
    return found


def _is_outside(number: IPv4Address | IPv6Address) -> bool:
    if any(number in network for network in INSIDE) or number.is_multicast:
        return False
    if isinstance(number, IPv6Address) and number not in GLOBAL_UNICAST:
        return False
    return number.is_global


def _meant(number: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that an IPv6 one stands for: mapped into it, or behind a NAT64."""
    if isinstance(number, IPv4Address):
        return number
    if number in NAT64:
        return IPv4Address(int(number) & 0xFFFF_FFFF)
    return number.ipv4_mapped or number


def _number(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host.partition("%")[0])
    except ValueError:
        return None
