"""The product's two applications as tests start them: its own, but that the demo takes its time, to be watched.

`celery --app tests.browser.paced worker` and `uvicorn tests.browser.paced:application`; see `product.py`. In
runs of this provider the agent program is the one that the settings name.
"""

import os
import time

from config.asgi import application
from config.celery import app
from generation import providers
from generation.providers.base import Answer, Request

__all__ = ["app", "application"]

providers.PROVIDERS["paced"] = "tests.browser.paced"


class Paced:
    name = "paced"

    @property
    def label(self) -> str:
        return providers.provider("demo").label

    def answer(self, request: Request) -> Answer:
        time.sleep(float(os.environ["PACED_SECONDS"]))
        return providers.provider("demo").answer(request)


PROVIDER = Paced()
