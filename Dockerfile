# Two stages: packages are installed where pip is, and run where it is not needed.

FROM python:3.12-slim-bookworm AS packages
RUN python -m venv /venv
COPY requirements.txt .
# Every package at its locked version, its hash checked.
RUN /venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements.txt

FROM python:3.12-slim-bookworm
# For the flow change: agents work in worktrees of registered repositories.
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/*
RUN useradd --system --no-create-home --uid 10001 foldback
COPY --from=packages /venv /venv
WORKDIR /app
COPY manage.py ./
COPY config ./config
COPY generation ./generation
COPY review ./review
COPY learning ./learning
COPY templates ./templates
COPY static ./static
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    DJANGO_SETTINGS_MODULE=config.settings \
    FOLDBACK_DATA_DIR=/tmp/foldback \
    FOLDBACK_LOG_FORMAT=json \
    PYTHONWARNINGS=ignore
RUN python -m compileall -q /app
# Where exports lie: compose mounts a volume here, which takes over whose it is. Nothing else belongs to this user: the
# application writes to its database, to /tmp and here.
RUN install --directory --owner 10001 --mode 0700 /exports
USER 10001
EXPOSE 8000
CMD ["uvicorn", "config.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--no-access-log", \
     "--log-level", "warning", "--timeout-graceful-shutdown", "10"]
