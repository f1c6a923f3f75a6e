# An image with the command `tally` and git, which `compare`, `history` and `bisect` need:
#   docker build -t tally --build-arg COMMIT="$(git rev-parse HEAD)" .
#   docker run --rm -v "$PWD:/project" tally test
FROM rust:1.95-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends musl-tools \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
ARG COMMIT=
RUN target="$(uname -m)-unknown-linux-musl" \
    && rustup target add "$target" \
    && TALLY_COMMIT="$COMMIT" cargo build --release --locked -p tally --target "$target" \
    && cp "target/$target/release/tally" /tally

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    # A project that is mounted has another owner than the process.
    && git config --system --add safe.directory '*'
COPY --from=build /tally /usr/local/bin/tally
WORKDIR /project
ENTRYPOINT ["tally"]
CMD ["--help"]
