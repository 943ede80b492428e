package dev.statehouse.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.statehouse.testing.RunningService;
import dev.statehouse.testing.TestClickHouse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A service that asks nobody for a token is for its own machine, unless the operator said otherwise. */
class SafeAddressIT {

    private static RunningService start(String... arguments) {
        TestClickHouse clickHouse = TestClickHouse.shared();
        return RunningService.start(clickHouse.uri("default"),
                RunningService.shared().table().split("`", -1)[1], arguments);
    }

    /** This machine's addresses that are not the loopback; there may be none. */
    private static List<InetAddress> others() throws IOException {
        List<InetAddress> others = new ArrayList<>();
        NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
                .forEach(others::add);
        return others;
    }

    private static boolean isReachable(RunningService service, InetAddress address) throws IOException {
        try (Socket socket = new Socket(address, URI.create(service.base()).getPort())) {
            return socket.isConnected();
        } catch (ConnectException refused) {
            return false;
        }
    }

    @Test
    void withoutAWordItListensToThisMachineAlone() throws IOException {
        try (RunningService service = start()) {
            assertThat(isReachable(service, InetAddress.getLoopbackAddress())).isTrue();
            for (InetAddress other : others()) {
                assertThat(isReachable(service, other)).as(other.toString()).isFalse();
            }
        }
    }

    @Test
    void whoeverSaysNoneIsOpenToAll() throws IOException {
        try (RunningService service = start("--statehouse.auth.mode=none")) {
            for (InetAddress other : others()) {
                assertThat(isReachable(service, other)).as(other.toString()).isTrue();
            }
            service.client().get("/states").expect(200);
        }
    }

    @Test
    void withTokensItListensToAll(@TempDir Path folder) throws IOException {
        Path tokens = Files.writeString(folder.resolve("tokens.yaml"),
                "tokens: [{name: a, token: a-a-a-a-a-a-a-a-a-a-a, reader: '*'}]");
        try (RunningService service = start("--server.address=0.0.0.0", "--statehouse.auth.tokens.files=" + tokens)) {
            for (InetAddress other : others()) {
                assertThat(isReachable(service, other)).as(other.toString()).isTrue();
            }
            service.client().get("/states").expect(401, "unauthenticated");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--server.address=0.0.0.0", "--management.server.port=0",
            "--statehouse.auth.jwt.issuer=https://issuer.test", "--statehouse.auth.tokens.files=/nowhere/tokens.yaml"})
    void whatIsNotSafeEndsTheStart(String arguments) {
        assertThatThrownBy(() -> start(arguments.split(" ")).close())
                .satisfies(failure -> assertThat(failure).hasStackTraceContaining("statehouse.auth"));
    }
}
