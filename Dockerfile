# Cubicle on Debian, with the examples:
#
#     docker build -t cubicle . && docker run --rm cubicle cubicle brab 3 german.cub
#
# One static binary for any Linux, written to this folder, without a compiler or Rust on this machine:
#
#     docker build --target binary --output . .

# Z3 from source (it needs GCC 13, which Debian has since version 13), and no library that is loaded at run time.
FROM rust:1-slim-trixie AS static
RUN apt-get update && apt-get install -y --no-install-recommends cmake g++ make python3-venv
WORKDIR /cubicle
COPY . .
RUN .ci/release --features vendored

FROM scratch AS binary
COPY --from=static /cubicle/target/dist/ /

FROM rust:1-slim-bookworm AS build
WORKDIR /cubicle
COPY . .
RUN ./setup && cargo build --release --locked

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libz3-4 && rm -rf /var/lib/apt/lists/*
COPY --from=build /cubicle/target/release/cubicle /usr/local/bin/
COPY examples /models
WORKDIR /models
CMD ["cubicle", "brab", "3", "german.cub"]
