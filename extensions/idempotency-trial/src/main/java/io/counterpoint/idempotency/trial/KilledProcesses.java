package io.counterpoint.idempotency.trial;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.trial.FaultInjection.Call;
import io.counterpoint.idempotency.trial.FaultInjection.InAnotherProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Processes that are killed during a driver call. The next one starts while the previous one is evaluated. */
final class KilledProcesses implements AutoCloseable {

    /** The prefix of messages from a process to its killer. */
    private static final String SIGN = "fault injection: ";

    private static final long BOUND_S = 60;

    private final FaultInjection asked;
    private final List<Kill> kills = new ArrayList<>();
    private @Nullable Process next;

    /**
     * Where a process is killed. If it is not waiting for the database, killing it at the previous call would be
     * equivalent.
     */
    record Kill(int number, Place place, boolean after) {
        Wrong.Where where() {
            return Wrong.Where.of(number, place, "process killed", place.call().done(after ? "after" : "before"));
        }
    }

    KilledProcesses(FaultInjection asked, List<Place> places) {
        this.asked = asked;
        for (int i = 0; i < places.size(); i++) {
            Place place = places.get(i);
            if (place.call().isAnswered() || place.call().mayCommit()) {
                if (kills.isEmpty()) {
                    kills.add(new Kill(i + 1, place, false));
                }
                kills.add(new Kill(i + 1, place, true));
            }
        }
        Collections.shuffle(kills, new Random(asked.seed));
    }

    List<Kill> kills() {
        return kills;
    }

    /** Lets a process call once without a fault and kills it during its second call. */
    void kill(Kill kill, String firstKey, String key) throws Exception {
        Process process = next == null ? start() : next;
        next = start();
        try {
            process.getOutputStream()
                    .write("%s %d %s %s%n"
                            .formatted(firstKey, kill.number(), kill.after(), key)
                            .getBytes(UTF_8));
            process.getOutputStream().flush();
            String said = CompletableFuture.supplyAsync(() -> sign(process)).get(BOUND_S, TimeUnit.SECONDS);
            if (!said.equals("struck")) {
                throw new IllegalStateException("The process should have stopped at call " + kill.number() + " ("
                        + kill.place() + "), but it ended with " + said + ".");
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private Process start() throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String type = Objects.requireNonNull(asked.killed).getName();
        return new ProcessBuilder(
                        java,
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Victim.class.getName(),
                        type,
                        asked.database,
                        asked.host)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String sign(Process process) {
        BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        return lines.lines()
                .filter(line -> line.startsWith(SIGN))
                .findFirst()
                .map(line -> line.substring(SIGN.length()))
                .orElse("nothing said");
    }

    @Override
    public void close() {
        if (next != null) {
            next.destroyForcibly();
        }
    }

    /** The program of a process that is killed. */
    static final class Victim {

        private final BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, UTF_8));

        private Victim() {}

        public static void main(String[] arguments) throws Exception {
            new Victim().run(arguments[0], arguments[1], arguments[2]);
        }

        private void run(String type, String database, String host) throws Exception {
            InAnotherProcess useCase = Class.forName(type)
                    .asSubclass(InAnotherProcess.class)
                    .getConstructor()
                    .newInstance();
            DataSource source = useCase.dataSource(database);
            DisposableDatabase.require(source, database, host);
            FailingDriver driver = FailingDriver.before(source);
            Call call = useCase.open(driver.dataSource());
            String order = orders.readLine();
            if (order != null) {
                String[] words = order.split(" ", 4);
                call.call(words[0]);
                boolean after = Boolean.parseBoolean(words[2]);
                driver.arm(
                        null,
                        Integer.parseInt(words[1]),
                        after ? FailingDriver::nothing : this::stop,
                        after ? this::stop : FailingDriver::nothing);
                say(Answer.to(() -> call.call(words[3])).name());
            }
            Runtime.getRuntime().halt(0);
        }

        /** Waits to be killed. If the killer is gone, this process ends too. */
        private void stop() {
            say("struck");
            try {
                orders.readLine();
            } catch (IOException gone) {
                // Equivalent to the end of the stream.
            }
            Runtime.getRuntime().halt(1);
        }

        private static void say(String what) {
            System.out.println(SIGN + what);
            System.out.flush();
        }
    }
}
