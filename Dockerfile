# Two images. `service`, the last and so the default, needs a ClickHouse; `standalone` brings the embedded engine:
#
#     docker build -t statehouse .
#     docker build -t statehouse:standalone --target standalone .
#
# BASE needs glibc, sh, bash and coreutils; Java is in the layout. All three images may be replaced by build arguments.
ARG BASE=docker.io/library/debian:13-slim
ARG MAVEN=docker.io/library/maven:3.9-eclipse-temurin-25
ARG NODE=docker.io/library/node:22-slim

# --- The embedded engine, for the training and for `standalone` -------------------------------------------------------
FROM ${NODE} AS engine
WORKDIR /source/engine
COPY engine/package.json engine/package-lock.json ./
RUN npm ci

# --- The jar ----------------------------------------------------------------------------------------------------------
FROM ${MAVEN} AS build
WORKDIR /source
COPY pom.xml openapi.yaml ./
COPY src/main src/main
RUN mvn --batch-mode --no-transfer-progress -Dengine.skip -Dmaven.test.skip package

# --- Unpacked, with a runtime and a trained AOT cache -----------------------------------------------------------------
FROM ${MAVEN} AS layout
WORKDIR /source
COPY image image
COPY --from=engine /source/engine/node_modules engine/node_modules
COPY --from=build /source/target/statehouse-*.jar target/
RUN rm -f target/*-sources.jar target/*-javadoc.jar && image/layout.sh target/statehouse-*.jar /opt/statehouse

# --- What both images have in common ----------------------------------------------------------------------------------
FROM ${BASE} AS common
ARG VERSION=0.1.0-SNAPSHOT
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Statehouse" \
      org.opencontainers.image.description="State-as-a-service for data pipelines, kept in ClickHouse" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# What changes seldom comes first, so that a new version is a small layer. Files keep their times: the cache knows them.
COPY --from=layout /opt/statehouse/runtime /opt/statehouse/runtime
COPY --from=layout /opt/statehouse/lib /opt/statehouse/lib
COPY --from=layout /opt/statehouse/bin /opt/statehouse/bin
COPY --from=layout /opt/statehouse/jvm.options /opt/statehouse/statehouse.jar /opt/statehouse/statehouse.aot /opt/statehouse/
COPY image/healthy /opt/statehouse/bin/healthy
# An application.yaml of yours goes to /opt/statehouse/config. Only /tmp has to be writable, and /data in `standalone`.
WORKDIR /opt/statehouse
USER 10001:10001
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["/opt/statehouse/bin/healthy"]
ENTRYPOINT ["/opt/statehouse/bin/statehouse"]

# --- With the embedded engine: for one instance, data in /data --------------------------------------------------------
FROM common AS standalone
COPY --from=engine /source/engine/node_modules/@chdb /opt/statehouse/engine/node_modules/@chdb
USER 0:0
RUN install -d -o 10001 -g 10001 -m 0700 /data
USER 10001:10001
ENV STATEHOUSE_EMBEDDED_DATA=/data
VOLUME ["/data"]

# --- The service, in front of a ClickHouse ----------------------------------------------------------------------------
FROM common AS service
