#!/bin/sh
# Makes of the built jar a folder from which the service starts quickly and stays small, runtime included:
#
#     image/layout.sh target/statehouse-0.1.0-SNAPSHOT.jar OUT [OPTIONS_FILE]
#     OUT/bin/statehouse --server.port=8081
#
# 1. The jar is unpacked: its own classes in one jar, the libraries beside it.
# 2. jlink makes a Java runtime with what the service uses.
# 3. The service runs once, on the embedded engine, and answers some calls; what the JVM loaded, linked and learnt goes
#    into an AOT cache. The cache is bound to this runtime, these jars and these options, so it is made here and
#    nowhere else; if they do not fit at a start, the JVM goes on without it.
#
# Needs a JDK 25 (JAVA_HOME, the one on the path, or one in /usr/lib/jvm) and the library of the embedded engine, which
# the build installs in engine/node_modules; ENGINE_LIBRARY names another file. OPTIONS_FILE: options of the JVM instead
# of those in image/jvm.options.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
jar=${1:?usage: image/layout.sh JAR OUT [OPTIONS_FILE]}
out=${2:?usage: image/layout.sh JAR OUT [OPTIONS_FILE]}
options=${3:-$here/jvm.options}

find_jdk() {
    for home in "${JAVA_HOME-}" "$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")" /usr/lib/jvm/*; do
        if grep -qs '^JAVA_VERSION="25' "$home/release" && [ -x "$home/bin/jlink" ]; then
            echo "$home"
            return
        fi
    done
    echo "No JDK 25 found: set JAVA_HOME" >&2
    return 1
}

find_library() {
    for file in "${ENGINE_LIBRARY-}" "$here"/../engine/node_modules/@chdb/*/libchdb.*; do
        if [ -f "$file" ]; then
            readlink -f "$file"
            return
        fi
    done
    echo "The embedded engine is missing: the build installs it, with npm, in engine/node_modules" >&2
    return 1
}

[ -f "$jar" ] || { echo "There is no $jar: build it by mvn package" >&2; exit 1; }
[ ! -e "$out" ] || { echo "$out is there already" >&2; exit 1; }
jdk=$(find_jdk)
library=$(find_library)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 143' TERM INT

mkdir -p "$out/bin"
out=$(cd "$out" && pwd)
"$jdk/bin/java" -Djarmode=tools -jar "$jar" extract --destination "$out" --application-filename statehouse.jar --force
cp "$here/statehouse" "$out/bin/statehouse"
cp "$options" "$out/jvm.options"

# Reflection and service loading hide what a Spring application uses, so this is all of Java SE, and of the JDK's own
# modules what Spring, Tomcat, Micrometer and the driver ask for.
"$jdk/bin/jlink" --output "$out/runtime" --strip-java-debug-attributes --no-header-files --no-man-pages \
    --generate-cds-archive \
    --add-modules java.se,jdk.charsets,jdk.jfr,jdk.management,jdk.naming.dns,jdk.net,jdk.unsupported,jdk.zipfs

# Trained by the first compiler alone: with the profiles of both in the cache, the second compiler is busy from the first
# moment on, and a start takes half as much CPU time again (measured). At work, both compile as ever.
"$jdk/bin/java" "$here/Training.java" "$work/data" "$out/runtime/bin/java" "@$out/jvm.options" \
    -XX:TieredStopAtLevel=1 "-XX:AOTCacheOutput=$out/statehouse.aot" -jar "$out/statehouse.jar" "--statehouse.embedded.library=$library"
[ -s "$out/statehouse.aot" ] || { echo "The JVM wrote no AOT cache" >&2; exit 1; }
chmod -R a+rX "$out"
