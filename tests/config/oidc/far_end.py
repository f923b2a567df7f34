"""An OpenID Connect provider in a thread, over real HTTP: discovery, keys, authorize, token, userinfo, and faults.

It holds its client to the protocol: exact redirect address, state, nonce and S256 present, the verifier that
fits, the secret, a code used once.
"""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

CLIENT_ID, CLIENT_SECRET = "foldback", "the client's own secret, long enough for an HMAC"
KID = "k1"
KEY, OTHER_KEY = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
MIA = {"sub": "248289761001", "preferred_username": "mia", "given_name": "Mia", "family_name": "Koch"}

# What an id_token says otherwise; None: a claim left out.
WRONG_CLAIMS: dict[str, dict[str, Any]] = {
    "another nonce": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "expired": {"exp": int(time.time()) - 3600},
    "no end": {"exp": None},
    "from tomorrow": {"iat": int(time.time()) + 86_400},
    "for another client": {"aud": "another"},
    "for several, another's": {"aud": [CLIENT_ID, "another"], "azp": "another"},
    "for several, nobody's": {"aud": [CLIENT_ID, "another"]},
    "from another issuer": {"iss": "https://login.example.org"},
    "no subject": {"sub": None},
    "empty subject": {"sub": ""},
    "a subject that cannot be stored": {"sub": "a\0b"},
    "a subject that is too long": {"sub": "a" * 192},
}
SIGNATURES = ("another key", "an unknown key", "no signature", "our own secret", "no kid", "cut")


class FarEnd:
    """`person`: whose claims it gives; `in_userinfo`: what only userinfo tells; `fault`: what goes wrong."""

    def __init__(self) -> None:
        self.person: dict[str, Any] = dict(MIA)
        self.in_userinfo: dict[str, Any] = {}
        self.fault = ""
        self.asked: list[str] = []
        self.codes: dict[str, dict[str, str]] = {}
        self.server: ThreadingHTTPServer | None = None
        self.port = 0
        self.start()

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        far_end = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                far_end.answer(self, "")

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                far_end.answer(self, self.rfile.read(length).decode())

            def log_message(self, *args: Any) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()
            self.server = None

    def answer(self, handler: BaseHTTPRequestHandler, body: str) -> None:
        path = urlsplit(handler.path).path
        self.asked.append(path)
        query = {name: values[0] for name, values in parse_qs(body or urlsplit(handler.path).query).items()}
        if self.fault == f"500 {path}":
            return _send(handler, {"error": "server_error"}, 500)
        if self.fault == f"html {path}":
            return _send(handler, "<html>Bad gateway</html>", kind="text/html")
        if self.fault == f"list {path}":
            return _send(handler, [])
        if self.fault == f"slow {path}":
            time.sleep(7)
        pages: dict[str, Callable[[], Any]] = {
            "/.well-known/openid-configuration": self.discovery,
            "/jwks": self.keys,
            "/token": lambda: self.token(query),
            "/userinfo": lambda: self.userinfo(handler.headers["Authorization"]),
        }
        if path == "/authorize":
            handler.send_response(302)
            handler.send_header("Location", self.authorize(query))
            handler.end_headers()
            return None
        return _send(handler, pages[path]())

    def discovery(self) -> dict[str, Any]:
        found = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        }
        if self.fault == "discovery of another issuer":
            found["issuer"] = "https://login.example.org"
        if self.fault == "discovery without endpoints":
            del found["authorization_endpoint"]
        if self.fault == "no userinfo":
            del found["userinfo_endpoint"]
        return found

    def keys(self) -> dict[str, Any]:
        public = json.loads(RSAAlgorithm.to_jwk(KEY.public_key()))
        return {"keys": [public | {"kid": KID, "use": "sig", "alg": "RS256"}]}

    def authorize(self, asked: dict[str, str]) -> str:
        assert asked["client_id"] == CLIENT_ID and asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256" and len(asked["code_challenge"]) == 43
        assert len(asked["state"]) >= 16 and len(asked["nonce"]) >= 16 and "openid" in asked["scope"].split()
        back: dict[str, str] = {"state": asked["state"]}
        if self.fault == "cancelled":
            back |= {"error": "access_denied", "error_description": "<b>no</b>"}
        elif self.fault == "not allowed":
            back |= {"error": "unauthorized_client"}
        else:
            code = secrets.token_urlsafe(16)
            self.codes[code] = asked
            back["code"] = code
        return f"{asked['redirect_uri']}?{urlencode(back)}"

    def token(self, asked: dict[str, str]) -> dict[str, Any]:
        begun = self.codes.pop(asked["code"])
        verifier = hashlib.sha256(asked["code_verifier"].encode()).digest()
        assert base64.urlsafe_b64encode(verifier).rstrip(b"=").decode() == begun["code_challenge"]
        assert asked["redirect_uri"] == begun["redirect_uri"]
        assert (asked["client_id"], asked["client_secret"]) == (CLIENT_ID, CLIENT_SECRET)
        answer = {"access_token": "at-secret", "token_type": "Bearer", "id_token": self.id_token(begun["nonce"])}
        if self.fault == "no id_token":
            del answer["id_token"]
        return answer

    def id_token(self, nonce: str) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            **self.person,
        }
        claims |= WRONG_CLAIMS.get(self.fault, {})
        claims = {name: value for name, value in claims.items() if value is not None}
        key: Any = OTHER_KEY if self.fault == "another key" else KEY
        algorithm, headers = "RS256", {"kid": "k2" if self.fault == "an unknown key" else KID}
        if self.fault == "no signature":
            key, algorithm = None, "none"
        if self.fault == "our own secret":
            key, algorithm = CLIENT_SECRET, "HS256"
        made = jwt.encode(claims, key, algorithm, headers=None if self.fault == "no kid" else headers)
        return made[:-20] if self.fault == "cut" else made

    def userinfo(self, authorization: str) -> dict[str, Any]:
        assert authorization == "Bearer at-secret"
        sub = "another" if self.fault == "userinfo of another" else self.person["sub"]
        return {"sub": sub, **self.in_userinfo}


def _send(handler: BaseHTTPRequestHandler, body: Any, status: int = 200, kind: str = "application/json") -> None:
    sent = (body if isinstance(body, str) else json.dumps(body)).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(sent)))
    handler.end_headers()
    handler.wfile.write(sent)
