package dev.statehouse.embedded;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The configuration files of the engine, which close its port to other users of the machine.
 *
 * <p>
 * clickhouse-local itself logs in as {@code default} without a password, and any user who may run a bare SELECT can read
 * files by the function {@code file()}. So {@code default} is closed three times over: its one allowed session is the
 * one inside the process, open before the port is; its quota is what the start needs; and so are its grants.
 */
final class EngineConfig {

    /** Create the table over standard input, listen, wait for the end of the input. */
    private static final int QUERIES_OF_THE_START = 3;

    private EngineConfig() {}

    static String randomPassword() {
        byte[] bytes = new byte[24];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /**
     * Small caches: states are small, and the machine is shared with the pipeline. Backups go into a folder beside the data, as
     * in the configuration that a ClickHouse server comes with.
     */
    static String server(Path users, Path log) {
        return """
                <clickhouse>
                  <users_config>%s</users_config>
                  <backups><allowed_path>backups</allowed_path></backups>
                  <logger><log>%s</log><size>5M</size><count>2</count></logger>
                  <mark_cache_size>67108864</mark_cache_size>
                  <index_mark_cache_size>67108864</index_mark_cache_size>
                  <primary_index_cache_size>67108864</primary_index_cache_size>
                </clickhouse>
                """.formatted(xml(users.toString()), xml(log.toString()));
    }

    static String users(EngineUser service, List<EngineUser> more) {
        StringBuilder text = new StringBuilder("""
                <clickhouse>
                  <profiles>
                    <default/>
                    <start><max_sessions_for_user>1</max_sessions_for_user></start>
                  </profiles>
                  <quotas>
                    <default/>
                    <start><interval><duration>1500000000</duration><queries>%d</queries></interval></start>
                  </quotas>
                  <users>
                    <default>
                      <no_password/><networks><ip>127.0.0.1</ip></networks><profile>start</profile><quota>start</quota>
                      <grants>
                        <query>GRANT SYSTEM LISTEN ON *.*</query>
                        <query>GRANT CREATE ARBITRARY TEMPORARY TABLE ON *.*</query>
                        <query>GRANT TABLE ENGINE ON File</query>
                      </grants>
                    </default>
                """.formatted(QUERIES_OF_THE_START));
        text.append(user(service));
        more.forEach(user -> text.append(user(user)));
        return text.append("  </users>\n</clickhouse>\n").toString();
    }

    private static String user(EngineUser user) {
        StringBuilder grants = new StringBuilder();
        user.grants().forEach(grant -> grants.append("<query>").append(xml(grant)).append("</query>"));
        return """
                    <%1$s>
                      <password_sha256_hex>%2$s</password_sha256_hex><networks><ip>127.0.0.1</ip></networks>
                      <profile>default</profile><quota>default</quota><grants>%3$s</grants>
                    </%1$s>
                """.formatted(user.name(), sha256(user.password()), grants);
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String xml(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
