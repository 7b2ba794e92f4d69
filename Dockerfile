# docker build -t deepmt . && docker run --rm -v "$PWD/results:/deepmt/results" deepmt
FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates g++ git make python3 python3-venv \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /deepmt
COPY . .
RUN make .venv/.ready
CMD ["make"]
