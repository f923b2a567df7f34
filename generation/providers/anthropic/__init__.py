"""The Anthropic Messages API as a provider. Its SDK is imported at the first call: it takes two seconds."""

from django.conf import settings

from generation.providers.base import Answer, ProviderError, Request


class AnthropicProvider:
    name = "anthropic"
    label = "Anthropic"

    def answer(self, request: Request) -> Answer:
        key = settings.ANTHROPIC_API_KEY.strip()
        if not key:
            raise ProviderError("not_configured", "ANTHROPIC_API_KEY is empty; set it, or FOLDBACK_PROVIDER=demo")
        from generation.providers.anthropic.conversation import converse

        return converse(request, key=key, base_url=settings.ANTHROPIC_BASE_URL, retries=settings.CALL_RETRIES)


PROVIDER = AnthropicProvider()
