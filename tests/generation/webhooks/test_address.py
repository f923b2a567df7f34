"""Where a webhook may go: no name and no number leads into the private network, however it is written."""

import socket
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from pytest_django.fixtures import Settings

from generation.models import WebhookEndpoint
from generation.webhooks import address
from generation.webhooks.sending import send
from tests.receiver import Receiver

INSIDE = [
    "0.0.0.0", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "168.63.129.16",
    "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.168.0.1",
    "192.88.99.1", "198.18.0.1", "203.0.113.5", "224.0.0.1", "224.0.1.1", "239.255.255.250", "240.0.0.1",
    "255.255.255.255",
    "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
    "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b:1::8.8.8.8", "100::1",
    "2001::1", "2001:db8::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2002:7f00:1::", "2002:a00:1::1",
    "2002:808:808::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::5efe:7f00:1", "fec0::1",
    "ff02::1", "ff0e::1",
]  # fmt: skip
OUTSIDE = ["1.1.1.1", "93.184.216.34", "172.32.0.1", "192.0.1.1", "2606:4700::1111", "2a00:1450:4001::200e",
           "::ffff:1.1.1.1", "64:ff9b::101:101"]  # fmt: skip


def literal(number: str) -> str:
    return f"https://[{number}]/hook" if ":" in number else f"https://{number}/hook"


def answering(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """The resolver, the far end of every name: these numbers one after the other; what it was asked for."""
    left, asked = list(answers), []

    def getaddrinfo(host: str, port: int, *args: Any, **kwargs: Any) -> list[Any]:
        asked.append(host)
        numbers = left.pop(0) if len(left) > 1 else left[0]
        return [
            (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (number, port, 0, 0))
            if ":" in number
            else (socket.AF_INET, socket.SOCK_STREAM, 6, "", (number, port))
            for number in numbers
        ]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


@pytest.mark.parametrize("number", INSIDE)
def test_a_number_inside_is_refused_in_the_form_and_behind_a_name(
    number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(address.Refused):
        address.parse(literal(number))
    with pytest.raises(ValidationError):
        WebhookEndpoint(url=literal(number), types=["run.finished"]).full_clean(validate_unique=False)
    answering(monkeypatch, [number], ["1.1.1.1", number])
    for _ in range(2):
        with pytest.raises(address.Refused):
            address.places(address.parse("https://innocent.example/"))


@pytest.mark.parametrize("number", OUTSIDE)
def test_a_number_outside_is_asked(number: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert address.parse(literal(number)).host == number
    answering(monkeypatch, [number])
    [place] = address.places(address.parse("https://innocent.example/"))
    assert place.sockaddr[:2] == (number, 443)


@pytest.mark.parametrize(
    "host", ["2130706433", "0x7f.1", "0177.0.0.1", "127.1", "0", "localhost", "localhost.", "0x7f000001"]
)
def test_other_spellings_of_this_machine_lead_nowhere_else(host: str) -> None:
    with pytest.raises((address.Refused, address.Unresolved)):
        address.places(address.parse(f"https://{host}/"))


@pytest.mark.parametrize(
    "url",
    [
        "", "https://", "https:///x", "ftp://example.org/", "file:///etc/passwd", "gopher://example.org/",
        "//example.org/", "example.org", "javascript:alert(1)", "https://user@example.org/",
        "https://user:pass@example.org/", "https://example.org@127.0.0.1/", "https://example.org/#x",
        "https://example.org/#", "https://example.org:0/", "https://example.org:65536/", "https://example.org:x/",
        "https://exa mple.org/", "https://example.org/a b", "https://example.org/\r\nX: y", "https://example.org\\@x/",
        "https://127.0.0.1%2f@example.org/", "https://exämple.org/", "https://[::1/", "https://[x]/",
        "https://ex%61mple.org/", "https://.example.org/", "http://example.org/", "https://[fe80::1%25eth0]/",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_with_words(url: str) -> None:
    with pytest.raises(address.Refused, match=r"\w+"):
        address.parse(url)


@pytest.mark.parametrize(
    ("url", "named", "port", "path"),
    [
        ("https://example.org", "example.org", 443, "/"),
        ("https://Example.ORG:443/a?b=c&d", "example.org", 443, "/a?b=c&d"),
        ("https://example.org:8443/a", "example.org:8443", 8443, "/a"),
        ("https://[2606:4700::1111]:8443/", "[2606:4700::1111]:8443", 8443, "/"),
        ("https://my_host-1.example.org./", "my_host-1.example.org.", 443, "/"),
    ],
)
def test_an_address_in_parts(url: str, named: str, port: int, path: str) -> None:
    target = address.parse(url)
    assert (target.named, target.port, target.path) == (named, port, path)


@pytest.mark.parametrize(
    ("allowed", "url", "goes"),
    [
        (["10.0.0.0/8"], "https://10.1.2.3/", True),
        (["10.0.0.0/8"], "http://10.1.2.3/", True),
        (["10.0.0.0/8"], "http://[::ffff:10.1.2.3]/", True),
        (["10.0.0.0/8"], "https://127.0.0.1/", False),
        (["10.0.0.0/8"], "http://1.1.1.1/", False),  # in the clear, over the internet
        (["127.0.0.1"], "http://127.0.0.1:8000/", True),
        (["127.0.0.1"], "http://127.0.0.2:8000/", False),
        (["fd00::/8"], "http://[fd00::1]/", True),
        (["nonsense"], "https://10.1.2.3/", False),
    ],
)
def test_the_settings_allow_networks_inside(allowed: list[str], url: str, goes: bool, settings: Settings) -> None:
    settings.FOLDBACK_WEBHOOK_PRIVATE_TARGETS = allowed
    if goes:
        assert address.parse(url)
    else:
        with pytest.raises(address.Refused):
            address.parse(url)


def test_the_number_that_was_checked_is_the_one_that_is_connected_to(
    there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that changes between the check and the connection: it is asked for once, and each time anew."""
    url = there.url.replace("127.0.0.1", "rebinding.example")
    asked = answering(monkeypatch, ["127.0.0.1"], ["10.0.0.1"], ["::1"], ["169.254.169.254"])
    assert send(url, {}, "{}").status == 204
    assert asked == ["rebinding.example"]
    assert there.got[0].headers["host"].startswith("rebinding.example:")
    for _ in range(3):
        assert send(url, {}, "{}").error == "refused"
    assert len(there.got) == 1


def test_one_number_inside_among_others_refuses_the_name(there: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, ["127.0.0.1", "10.0.0.1"])
    assert send(there.url.replace("127.0.0.1", "two.example"), {}, "{}").error == "refused"
    assert there.got == []


def test_the_next_number_of_a_name_is_tried(there: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, ["127.0.0.3", "127.0.0.1"])  # nobody listens at the first
    assert send(there.url.replace("127.0.0.1", "two.example"), {}, "{}").status == 204


def test_a_name_that_there_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def getaddrinfo(*args: Any, **kwargs: Any) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    assert send("https://nowhere.example/", {}, "{}").error == "unresolved"
