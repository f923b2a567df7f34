"""The provider as allauth speaks to it, with what it leaves out: nonce, signature, the issuer that was configured.

allauth discovers the endpoints, keeps state and PKCE verifier in the session, and changes the code for tokens.
"""

from typing import Any

import jwt
from allauth.socialaccount.internal import jwtkit
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.crypto import constant_time_compare

from config.oidc.errors import NotSignedIn

# Signed with a key that only the provider has; never "none", never one that our own secret could make.
ALGORITHMS = {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
LEEWAY_SECONDS = 60  # two machines' clocks
REQUIRED = ["iss", "sub", "aud", "exp", "iat"]


class Client(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    def get_provider(self) -> "Provider":
        return provider(self.request)

    def get_callback_url(self, request: HttpRequest, app: Any) -> str:
        return request.build_absolute_uri(reverse("oidc-callback"))

    @property
    def openid_config(self) -> dict[str, Any]:
        """The provider's own description, which has to be that of the configured issuer (Discovery 1.0, 4.3)."""
        found: dict[str, Any] = super().openid_config
        if found["issuer"] != settings.FOLDBACK_OIDC_ISSUER:
            raise NotSignedIn("unsound")
        return found

    def claims(self, tokens: dict[str, Any], nonce: str) -> dict[str, Any]:
        """Who it is, by the signed id_token, and what the userinfo endpoint adds. Errors: NotSignedIn, jwt's."""
        config = self.openid_config
        signed = self._signed(tokens["id_token"], config["jwks_uri"])
        if not constant_time_compare(str(signed.get("nonce", "")), nonce):
            raise NotSignedIn("unsound")
        if "userinfo_endpoint" not in config:
            return signed
        added = self._fetch_user_info(tokens["access_token"])
        if added["sub"] != signed["sub"]:  # Core 1.0, 5.3.2
            raise NotSignedIn("unsound")
        return {**added, **signed}

    def _signed(self, token: str, keys_url: str) -> dict[str, Any]:
        """Core 1.0, 3.1.3.7; the signature also where the token came over TLS, which allauth would let pass."""
        if jwt.get_unverified_header(token).get("alg") not in ALGORITHMS:
            raise NotSignedIn("unsound")
        algorithm, key = jwtkit.fetch_key(token, keys_url, jwtkit.lookup_kid_jwk)
        client_id = settings.FOLDBACK_OIDC_CLIENT_ID
        found: dict[str, Any] = jwt.decode(
            token,
            key=key,
            algorithms=[algorithm],
            issuer=settings.FOLDBACK_OIDC_ISSUER,
            audience=client_id,
            leeway=LEEWAY_SECONDS,
            options={"require": REQUIRED},
        )
        several = isinstance(found["aud"], list) and len(found["aud"]) > 1
        if found.get("azp", None if several else client_id) != client_id:
            raise NotSignedIn("unsound")
        return found


class Provider(OpenIDConnectProvider):  # type: ignore[misc]
    oauth2_adapter_class = Client


def provider(request: HttpRequest) -> Provider:
    """The one that the environment names. Its `provider_id` is the issuer: people are linked by (issuer, sub)."""
    app = SocialApp(
        provider=OpenIDConnectProvider.id,
        provider_id=settings.FOLDBACK_OIDC_ISSUER,
        name=settings.FOLDBACK_OIDC_NAME,
        client_id=settings.FOLDBACK_OIDC_CLIENT_ID,
        secret=settings.FOLDBACK_OIDC_CLIENT_SECRET,
        settings={
            "server_url": settings.FOLDBACK_OIDC_ISSUER.rstrip("/"),
            "oauth_pkce_enabled": True,
            "scope": settings.FOLDBACK_OIDC_SCOPES,
        },
    )
    return Provider(request, app=app)
