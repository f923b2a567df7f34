"""Signing in at an OpenID Connect provider: loaded only where FOLDBACK_OIDC_ISSUER and its client id are set."""
