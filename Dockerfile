# docker build -t arcaneqa . && docker run --rm -p 127.0.0.1:8000:8000 arcaneqa
# Your own: docker run --rm -p 127.0.0.1:8000:8000 -v "$PWD/my-kb:/kb:ro" arcaneqa serve --kb /kb --host 0.0.0.0
FROM python:3.13-slim AS build
WORKDIR /build
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
RUN python -m venv /opt/arcaneqa \
 && /opt/arcaneqa/bin/pip install --no-cache-dir -c constraints.txt '.[serve,mcp,tables]'

FROM python:3.13-slim
COPY --from=build /opt/arcaneqa /opt/arcaneqa
RUN useradd --create-home --uid 10001 arcaneqa
USER 10001
ENV PATH=/opt/arcaneqa/bin:$PATH \
    PYTHONUNBUFFERED=1
# The bundled knowledge base is indexed and the encoder compiled here, so that the first question finds both.
RUN arcaneqa doctor
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
ENTRYPOINT ["arcaneqa"]
CMD ["serve", "--host", "0.0.0.0"]
