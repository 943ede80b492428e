package dev.statehouse.auth;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.text.ParseException;
import java.time.Duration;
import java.util.Collection;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.RemoteKeySourceException;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.JSONObjectUtils;

/** The keys of an issuer: from a file, from an address, or from the address that its discovery document names. */
final class IssuerKeys implements JWKSetSource<SecurityContext> {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int MOST_BYTES = 512 * 1024;
    private static final long FILE_FOR_MILLIS = 5_000;
    private static final long OUTAGE_MILLIS = Duration.ofHours(4).toMillis();

    private final JwtProperties properties;

    private IssuerKeys(JwtProperties properties) {
        this.properties = properties;
    }

    /**
     * Keys that are kept for a while. One that is not among them has them fetched again, though not more than every 30
     * seconds (a file: every second); while they cannot be had, those known before are good for four hours more.
     */
    static JWKSource<SecurityContext> of(JwtProperties properties) {
        JWKSourceBuilder<SecurityContext> keys = JWKSourceBuilder.create(new IssuerKeys(properties))
                .refreshAheadCache(false)
                .outageTolerant(OUTAGE_MILLIS);
        return properties.jwksFile() == null
                ? keys.cache(properties.keysFor().toMillis(), 3 * PATIENCE.toMillis()).build()
                : keys.cache(FILE_FOR_MILLIS, 1_000).rateLimited(1_000).build();
    }

    @Override
    public JWKSet getJWKSet(JWKSetCacheRefreshEvaluator evaluator, long now, SecurityContext context)
            throws KeySourceException {
        try {
            return JWKSet.parse(text());
        } catch (IOException | ParseException | GeneralSecurityException e) {
            throw new RemoteKeySourceException("The keys cannot be had: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RemoteKeySourceException("Interrupted.", e);
        }
    }

    @Override
    public void close() {
        // nothing is open between two questions
    }

    private String text() throws IOException, InterruptedException, GeneralSecurityException, ParseException {
        Path file = properties.jwksFile();
        if (file != null) {
            return Files.readString(file);
        }
        HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(PATIENCE);
        Path ca = properties.caFile();
        if (ca != null) {
            builder.sslContext(trusting(ca));
        }
        try (HttpClient http = builder.build()) {
            URI keys = properties.jwksUri();
            return get(http, keys == null ? discovered(http) : keys);
        }
    }

    private URI discovered(HttpClient http) throws IOException, InterruptedException, ParseException {
        String issuer = String.valueOf(properties.issuer()).replaceAll("/+$", "");
        String document = get(http, URI.create(issuer + "/.well-known/openid-configuration"));
        return JSONObjectUtils.getURI(JSONObjectUtils.parse(document), "jwks_uri");
    }

    private String get(HttpClient http, URI uri) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .timeout(PATIENCE)
                .header("Accept", "application/json");
        Path bearer = properties.bearerFile();
        if (bearer != null) {
            request.header("Authorization", "Bearer " + Files.readString(bearer).strip());
        }
        HttpResponse<InputStream> response = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = response.body()) {
            if (response.statusCode() != 200) {
                throw new IOException(uri + " answers " + response.statusCode());
            }
            byte[] bytes = body.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new IOException(uri + " answers more than " + MOST_BYTES + " bytes");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    private static SSLContext trusting(Path ca) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(ca)) {
            Collection<? extends Certificate> all = CertificateFactory.getInstance("X.509").generateCertificates(in);
            int n = 0;
            for (Certificate one : all) {
                store.setCertificateEntry("ca" + n++, one);
            }
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
