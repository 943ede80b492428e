package dev.statehouse.auth;

import dev.statehouse.id.Sha256;
import dev.statehouse.problem.SettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tokens of the files, by their hashes; the tokens themselves are nowhere in memory once a file is read. The files
 * are looked at again now and then, as tokens are asked for: a change counts without a restart. Files that cannot be
 * read any more change nothing.
 */
final class TokenFiles {

    private static final Logger LOG = LoggerFactory.getLogger(TokenFiles.class);

    private final List<Path> files;
    private final Duration reload;
    private final InstantSource clock;
    private final AtomicLong lookedAt;
    private volatile String content;
    private volatile Map<String, TokenFile.Entry> byHash;

    /**
     * @throws SettingException if a file cannot be read, or is none of tokens
     */
    TokenFiles(TokenProperties properties, InstantSource clock) {
        this.files = properties.paths();
        this.reload = properties.reload();
        this.clock = clock;
        this.lookedAt = new AtomicLong(clock.millis());
        List<byte[]> contents = read();
        this.content = hash(contents);
        this.byHash = parse(contents);
        LOG.info("{} tokens are known, from {}", byHash.size(), files);
    }

    /** The token with this text; null if there is none. It may have expired. */
    TokenFile.@Nullable Entry find(String token) {
        lookAgain();
        return byHash.get(Sha256.hex(token.getBytes(StandardCharsets.UTF_8)));
    }

    private void lookAgain() {
        long now = clock.millis();
        long before = lookedAt.get();
        if (now - before < reload.toMillis() || !lookedAt.compareAndSet(before, now)) {
            return;
        }
        try {
            List<byte[]> contents = read();
            String found = hash(contents);
            if (!found.equals(content)) {
                content = found;
                byHash = parse(contents);
                LOG.info("The tokens have changed; {} are known", byHash.size());
            }
        } catch (SettingException e) {
            LOG.error("{} The tokens known so far go on.", e.getMessage());
        }
    }

    private List<byte[]> read() {
        return files.stream().map(file -> {
            try {
                return Files.readAllBytes(file);
            } catch (IOException e) {
                throw new SettingException(
                        "The file of tokens " + file + " cannot be read: " + e.getClass().getSimpleName() + ".",
                        "Correct statehouse.auth.tokens.files, or let the service read the file.");
            }
        }).toList();
    }

    private static String hash(List<byte[]> contents) {
        return String.join(" ", contents.stream().map(Sha256::hex).toList());
    }

    private Map<String, TokenFile.Entry> parse(List<byte[]> contents) {
        Map<String, TokenFile.Entry> found = new HashMap<>();
        Set<String> names = new HashSet<>();
        for (int i = 0; i < contents.size(); i++) {
            try {
                for (TokenFile.Entry entry : TokenFile.parse(new String(contents.get(i), StandardCharsets.UTF_8))) {
                    if (!names.add(entry.caller().token()) || found.put(entry.hash(), entry) != null) {
                        throw new IllegalArgumentException("The token '" + entry.caller().token()
                                + "', or its name, is in the files twice.");
                    }
                }
            } catch (IllegalArgumentException e) {
                throw new SettingException("The file of tokens " + files.get(i) + " cannot be used: "
                        + e.getMessage(), "Correct it; the README shows how one looks.");
            }
        }
        return Map.copyOf(found);
    }
}
