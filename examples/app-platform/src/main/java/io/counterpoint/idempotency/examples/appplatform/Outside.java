package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.examples.appplatform.artifact.ArtifactFolder;
import io.counterpoint.idempotency.examples.appplatform.payment.PaymentClient;
import io.counterpoint.idempotency.examples.appplatform.payment.PaymentProvider;
import io.counterpoint.idempotency.examples.appplatform.process.JavaProgram;
import io.counterpoint.idempotency.programs.CannotRun;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What the platform uses outside its database: the payment provider, the folder of artifacts, the time of the day, and
 * perhaps a server of the Redis protocol.
 */
final class Outside implements AutoCloseable {

    private static final Duration PAYMENT_TIMEOUT = Duration.ofSeconds(5);

    private final String url;
    private final PaymentClient payments;
    private final Path folder;
    private final Clock clock;
    private final Runnable end;
    private final Optional<RedisAddress> redis;

    private Outside(String url, Supplier<Duration> timeout, Path folder, Clock clock, Runnable end) {
        this(url, new PaymentClient(url, timeout), folder, clock, end, Optional.empty());
    }

    private Outside(
            String url, PaymentClient payments, Path folder, Clock clock, Runnable end, Optional<RedisAddress> redis) {
        this.url = url;
        this.payments = payments;
        this.folder = folder;
        this.clock = clock;
        this.end = end;
        this.redis = redis;
    }

    /** The same, with a server for invalidations and the second level of the cache, if there is one. */
    Outside with(Optional<RedisAddress> server) {
        return new Outside(url, payments, folder, clock, end, server);
    }

    /** A payment provider that somebody else runs, and a folder that somebody else deletes. */
    static Outside at(String url, Path artifacts) {
        return at(url, () -> PAYMENT_TIMEOUT, artifacts, Clock.systemUTC());
    }

    static Outside at(String url, Supplier<Duration> timeout, Path artifacts, Clock clock) {
        return new Outside(url, timeout, artifacts, clock, () -> {});
    }

    /** A payment provider in this process, on a port of its own. */
    static Outside local() {
        try {
            Path folder = folder();
            PaymentProvider provider = new PaymentProvider(paymentsIn(folder), 0);
            return new Outside(provider.url(), () -> PAYMENT_TIMEOUT, artifactsIn(folder), Clock.systemUTC(), () -> {
                provider.close();
                delete(folder);
            });
        } catch (IOException e) {
            throw new UncheckedIOException("The payment provider cannot listen.", e);
        }
    }

    /** Nothing: for a program that neither pays, publishes nor resumes. Doing so would fail before anything is done. */
    static Outside none() {
        return at("http://127.0.0.1:0", Path.of("no-artifacts"));
    }

    /** A payment provider in a process of its own, which ends with this, or when this process ends however it does. */
    static Outside process() throws CannotRun {
        try {
            Path folder = folder();
            Process process = new JavaProgram(
                            "payment provider",
                            PaymentProvider.class,
                            PaymentProvider.READY,
                            List.of("-Xmx64m"),
                            List.of(paymentsIn(folder).toString()),
                            Map.of())
                    .builder()
                    .redirectErrorStream(false)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            Runnable end = () -> {
                Process unused = process.destroyForcibly();
                delete(folder);
            };
            // It says nothing more, so nobody has to read on.
            String said = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8)).readLine();
            if (said == null || !said.startsWith(PaymentProvider.READY)) {
                end.run();
                throw new CannotRun("The payment provider did not start.");
            }
            return new Outside(
                    said.substring(PaymentProvider.READY.length()),
                    () -> PAYMENT_TIMEOUT,
                    artifactsIn(folder),
                    Clock.systemUTC(),
                    end);
        } catch (IOException e) {
            throw new CannotRun("The payment provider cannot be started: " + CannotRun.rootMessage(e) + ".");
        }
    }

    private static Path folder() throws IOException {
        return Files.createTempDirectory("app-platform-");
    }

    private static Path paymentsIn(Path folder) throws IOException {
        return Files.createDirectories(folder.resolve("payments"));
    }

    private static Path artifactsIn(Path folder) throws IOException {
        return Files.createDirectories(folder.resolve("artifacts"));
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> {
                boolean unused = file.toFile().delete();
            });
        } catch (IOException left) {
            // In the folder for temporary files.
        }
    }

    /** Where the payment provider listens. */
    String providerUrl() {
        return url;
    }

    PaymentClient payments() {
        return payments;
    }

    /** Where artifacts are. */
    Path artifactFolder() {
        return folder;
    }

    ArtifactFolder artifacts() {
        return new ArtifactFolder(folder);
    }

    Optional<RedisAddress> redis() {
        return redis;
    }

    Clock clock() {
        return clock;
    }

    @Override
    public void close() {
        end.run();
    }
}
