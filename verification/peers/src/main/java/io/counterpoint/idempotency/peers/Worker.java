package io.counterpoint.idempotency.peers;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A process of the service. It reads orders from standard input: {@code book CALL KEY REQUEST MILLIS} starts a call
 * whose work pauses for a time after its insert, {@code go} ends all pauses, and {@code job} runs the background job.
 * It exits at the end of the input. It prints {@code ready}, {@code reached KEY}, {@code done} for a job, and
 * {@code answer CALL KIND TEXT}.
 */
final class Worker {

    static final int POOL = 60;
    static final int CONNECTION_WAIT_MILLIS = 30_000;

    private final PrintStream out = new PrintStream(System.out, true, UTF_8);
    private final Work work = new Work();
    private final Map<String, CountDownLatch> pauses = new ConcurrentHashMap<>();
    private final ExecutorService calls = Executors.newCachedThreadPool();

    public static void main(String[] arguments) throws IOException {
        new Worker().run(Peer.valueOf(arguments[0]), arguments[1], arguments[2]);
        // Its threads may be waiting for the database.
        Runtime.getRuntime().halt(0);
    }

    static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(POOL);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(CONNECTION_WAIT_MILLIS);
        return new HikariDataSource(config);
    }

    private void run(Peer peer, String url, String system) throws IOException {
        // Keeps the output of libraries out of the answers.
        System.setOut(System.err);
        UseCase useCase = peer.open(url, system, work);
        out.println("ready");
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = orders.readLine(); line != null; line = orders.readLine()) {
            String[] words = line.split(" ", 5);
            switch (words[0]) {
                case "book" -> book(useCase, words[1], words[2], words[3], Long.parseLong(words[4]));
                case "go" -> pauses.values().forEach(CountDownLatch::countDown);
                default ->
                    calls.execute(() -> {
                        useCase.runJob();
                        out.println("done");
                    });
            }
        }
    }

    private void book(UseCase useCase, String call, String key, String request, long millis) {
        if (millis > 0) {
            CountDownLatch go = pauses.computeIfAbsent(key, unused -> new CountDownLatch(1));
            work.pauseOnce(key, new Work.Pause(millis, () -> out.println("reached " + key), go));
        }
        calls.execute(() -> {
            Answer answer;
            try {
                answer = useCase.book(key, request);
            } catch (Exception | LinkageError e) {
                answer = Answer.failed(e.toString().replaceAll("\\s+", " "));
            }
            out.println("answer " + call + " " + answer.kind() + " " + answer.text());
        });
    }
}
