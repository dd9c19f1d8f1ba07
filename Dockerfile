# `make digests` writes the digest behind it, and behind those in compose.yaml.
FROM python:3.11.14-slim

ENV PATH=/app/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    UV_PYTHON_DOWNLOADS=never \
    DATA=/app/var \
    HOST=0.0.0.0

RUN pip install --no-cache-dir uv==0.13.9 \
 && useradd --system --no-create-home --shell /usr/sbin/nologin evenhand
WORKDIR /app

# Dependencies first: they change less often than the code.
COPY pyproject.toml uv.lock ./
RUN uv sync --frozen --no-dev --no-cache

COPY . .
# Hashed and compressed once, here; needs neither a database nor a key.
RUN python manage.py collectstatic --no-input \
 && install -d -o evenhand -m 700 var/emails

USER evenhand
EXPOSE 8000
# Tables first, then the server in the shell's place, so that it gets the signal to stop.
CMD ["sh", "-c", "python manage.py migrate --no-input && python manage.py createcachetable && exec gunicorn -c python:config.gunicorn config.wsgi"]
