"""How many sign-ins may fail: by name and address together, by address, and by name, counted in the database.

Counted before the password is looked at, so that many at once get no further than one after the other,
and alike for names that there are and names that there are not.
"""

import ipaddress
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from generation.models import SignInCount

_OVER = "seen.began_at + make_interval(secs => %(window)s) <= excluded.began_at"
_COUNT = f"""
INSERT INTO {SignInCount._meta.db_table} AS seen (key, began_at, count)
VALUES (%(key)s, statement_timestamp(), 1)
ON CONFLICT (key) DO UPDATE SET
    count = CASE WHEN {_OVER} THEN 1 ELSE least(seen.count, %(limit)s) + 1 END,
    began_at = CASE WHEN {_OVER} THEN excluded.began_at ELSE seen.began_at END
RETURNING count, ceil(extract(epoch FROM began_at + make_interval(secs => %(window)s) - statement_timestamp()))
"""  # noqa: S608 the table's name is ours
IPV6_HOUSE = 64  # bits that one customer's addresses share


@dataclass(frozen=True)
class Attempt:
    """One try to sign in, counted. `wait`: seconds until the next one is looked at; 0: this one is."""

    keys: tuple[str, ...]
    wait: int

    def succeeded(self) -> None:
        """It was no failure: its name starts anew here, and the other counts go back by one."""
        together, *others = self.keys
        SignInCount.objects.filter(pk=together).delete()
        SignInCount.objects.filter(pk__in=others, count__gt=0).update(count=F("count") - 1)


def attempt(name: str, address: str) -> Attempt:
    """Count a try. The window of a name, of an address and of both together begins with the first try in it."""
    name, address = name.strip().casefold(), house(address)
    limits = settings.SIGN_IN_FAILURES
    return _counted(
        {_key("both", name, address): limits["both"], _key("address", address): limits["address"],
         _key("name", name): limits["name"]}
    )  # fmt: skip


def attempt_from(address: str) -> Attempt:
    """Count a try whose name another house asks for: by address alone, and apart from those with a password."""
    return _counted({_elsewhere(address): settings.SIGN_IN_FAILURES["address"]})


def attempt_from_succeeded(address: str) -> None:
    """The try of a request before this one led to a sign-in."""
    SignInCount.objects.filter(pk=_elsewhere(address), count__gt=0).update(count=F("count") - 1)


def _elsewhere(address: str) -> str:
    return _key("elsewhere", house(address))


def _counted(keyed: dict[str, int]) -> Attempt:
    window, wait = settings.SIGN_IN_WINDOW_SECONDS, 0
    with connection.cursor() as cursor:
        for key, limit in keyed.items():
            cursor.execute(_COUNT, {"key": key, "limit": limit, "window": window})
            count, seconds = cursor.fetchone()
            if count > limit:
                wait = max(wait, int(seconds), 1)
                break  # a try that is refused here says nothing about the address or the name elsewhere
    return Attempt(tuple(keyed), wait)


def house(address: str) -> str:
    """The address, of IPv6 its network: whoever has one of those addresses has all of them."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        return str(found.ipv4_mapped or ipaddress.ip_network((found, IPV6_HOUSE), strict=False))
    return str(found)


def forget_old() -> int:
    """Delete counts whose window is over; how many."""
    over = Now() - timedelta(seconds=settings.SIGN_IN_WINDOW_SECONDS)
    return SignInCount.objects.filter(began_at__lt=over).delete()[0]


def _key(kind: str, *parts: str) -> str:
    """Neither names nor addresses are stored: typing errors are often passwords."""
    return salted_hmac(f"foldback.sign_in.{kind}", "\0".join(parts), algorithm="sha256").hexdigest()
