package dev.statehouse.embedded;

/**
 * Where an engine answers over HTTP, and as whom. It stays the same for the life of the engine, also across restarts of
 * its process.
 *
 * @param host
 *            always a loopback address
 * @param password
 *            made anew at each start of the service, never written to disk
 */
public record EngineAddress(String host, int port, String user, String password) {

    /** Without the password, so that it can be logged. */
    @Override
    public String toString() {
        return user + "@" + host + ":" + port;
    }
}
