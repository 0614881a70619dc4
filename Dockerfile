# An image with stepsim. Docker and podman build it from a checkout:
#     docker build -t stepsim .
#     docker run --rm -v "$PWD:/work" stepsim replay TRACE
FROM debian:12 AS build
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git
COPY . /source
RUN cd /source && ./dev package

FROM debian:12-slim
COPY --from=build /source/build/packages/stepsim_*.deb /source/build/packages/stepsim-capture_*.deb /packages/
RUN apt-get update && apt-get install -y --no-install-recommends /packages/*.deb && rm -rf /packages /var/lib/apt/lists/*
USER nobody
WORKDIR /work
ENTRYPOINT ["stepsim"]
