package dev.statehouse.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.UUID;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import org.jspecify.annotations.Nullable;

/** A key and a certificate that it signed itself, made by the JDK's keytool. */
public final class TestCertificate {

    private static final char[] PASSWORD = "password".toCharArray();
    private static final String ALIAS = "one";

    private final KeyStore store;

    private TestCertificate(KeyStore store) {
        this.store = store;
    }

    /** For 127.0.0.1 and localhost, for an hour or so. */
    public static TestCertificate make(Path folder, String name) throws Exception {
        Path file = folder.resolve(UUID.randomUUID() + ".p12");
        Process keytool = new ProcessBuilder(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-keystore", file.toString(), "-storetype", "PKCS12", "-storepass", new String(PASSWORD),
                "-alias", ALIAS, "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=" + name, "-validity", "1",
                "-ext", "san=ip:127.0.0.1,dns:localhost")).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (keytool.waitFor() != 0) {
            throw new IllegalStateException(said);
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        return new TestCertificate(store);
    }

    /** Puts both there as PEM, each in one step, as a renewal does. */
    public void writeTo(Path certificate, Path key) throws IOException, GeneralSecurityException {
        write(key, "PRIVATE KEY", store.getKey(ALIAS, PASSWORD).getEncoded());
        writeTo(certificate);
    }

    /** The certificate as PEM. */
    public void writeTo(Path certificate) throws IOException, GeneralSecurityException {
        write(certificate, "CERTIFICATE", store.getCertificate(ALIAS).getEncoded());
    }

    private static void write(Path file, String what, byte[] bytes) throws IOException {
        String text = "-----BEGIN " + what + "-----\n"
                + Base64.getMimeEncoder(64, new byte[]{'\n'}).encodeToString(bytes) + "\n-----END " + what + "-----\n";
        Path fresh = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), text);
        Files.move(fresh, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE,
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    /**
     * A client that trusts this certificate alone.
     *
     * @param own what it shows of itself; null for nothing
     */
    public SSLContext trustedBy(@Nullable TestCertificate own) throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry(ALIAS, store.getCertificate(ALIAS));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own == null ? null : own.store, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }
}
