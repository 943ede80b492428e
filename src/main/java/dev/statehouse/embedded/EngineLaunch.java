package dev.statehouse.embedded;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** What every run of the child has in common. */
record EngineLaunch(EngineFolder folder, Path library, Path classes, Path config, String password) {

    private static final String USER = "statehouse";
    private static final int PORTS_TO_TRY = 3;

    static EngineLaunch prepare(EngineFolder folder, Path library, List<EngineUser> more) throws IOException {
        String password = EngineConfig.randomPassword();
        Path users = folder.write("users.xml",
                EngineConfig.users(new EngineUser(USER, password, List.of("GRANT ALL ON *.*")), more));
        Path config = folder.write("config.xml", EngineConfig.server(users, folder.serverLog()));
        return new EngineLaunch(folder, library, folder.copyOut(EngineMain.class), config, password);
    }

    /** The first run chooses the port; between the choice and its use another process may have taken it. */
    EngineProcess first(Duration limit) throws IOException, InterruptedException {
        for (int attempt = 1;; attempt++) {
            EngineProcess process = again(
                    new EngineAddress(EngineProcess.HOST, EngineProcess.freePort(), USER, password));
            try {
                process.awaitAnswer(limit);
                return process;
            } catch (EngineUnavailable e) {
                boolean ended = !process.isAlive();
                process.end();
                if (!ended || attempt == PORTS_TO_TRY) {
                    throw e;
                }
            } catch (InterruptedException e) {
                process.end();
                throw e;
            }
        }
    }

    EngineProcess again(EngineAddress address) throws IOException {
        return EngineProcess.spawn(this, address);
    }
}
