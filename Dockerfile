# Nobody has built an image of this yet; its commands were run by hand in a bare Debian 12.
# docker build -t deepmt . && mkdir -p data results .snakemake
# docker run --rm --user "$(id -u):$(id -g)" -v "$PWD/data:/deepmt/data" -v "$PWD/results:/deepmt/results" \
#   -v "$PWD/.snakemake:/deepmt/.snakemake" deepmt
# The three folders hold what is finished and what Snakemake knows of it: the next run goes on from there.
FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates g++ git make python3 python3-venv \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /deepmt
# torch for processors. With --build-arg TORCH_INDEX= pip takes the build for GPUs: several gigabytes more.
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
COPY Makefile requirements.lock ./
RUN PIP_EXTRA_INDEX_URL="$TORCH_INDEX" make .venv/.ready
COPY . .
# Any user may run it, also one without a name or a home, and git reads the commit of files of another owner.
ENV HOME=/tmp USER=deepmt
RUN mkdir -p data results logs .snakemake && chmod a+rwx . data results logs .snakemake records scales \
 && git config --system --add safe.directory /deepmt && touch .venv/.ready \
 && .venv/bin/python -m compileall -q workflow_scripts
CMD ["make"]
