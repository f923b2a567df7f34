"""The provider `command`: an agent program that the settings name, in a folder of its own; off until they do."""

from django.utils.translation import gettext

from generation.providers.command.program import AgentProvider, configured

PROVIDER = AgentProvider("command", lambda: gettext("Agent program"), configured)
