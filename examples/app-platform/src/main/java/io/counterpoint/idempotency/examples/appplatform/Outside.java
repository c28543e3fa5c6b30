package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.artifact.ArtifactFolder;
import io.counterpoint.idempotency.examples.appplatform.payment.PaymentClient;
import io.counterpoint.idempotency.examples.appplatform.payment.PaymentProvider;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.process.ChildProcess;
import io.counterpoint.idempotency.programs.process.JavaProgram;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What the platform uses outside its database.
 *
 * @param providerUrl the URL of the payment provider
 * @param artifactFolder the folder for artifacts
 * @param clock the clock
 * @param redis optionally, a server that distributes invalidations
 * @param end the resources to close with this
 */
record Outside(
        String providerUrl, PaymentClient payments, Path artifactFolder, Clock clock, Optional<URI> redis, Runnable end)
        implements AutoCloseable {

    private static final Duration PAYMENT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration TIME_TO_START = Duration.ofMinutes(1);

    /** The variable that passes the payment provider's URL to another process. */
    private static final String PROVIDER = "APP_PLATFORM_PROVIDER";

    /** The variable that passes the artifact folder to another process. */
    private static final String ARTIFACTS = "APP_PLATFORM_ARTIFACTS";

    /** Uses a payment provider and a folder whose lifetimes the caller manages. */
    static Outside at(String url, Supplier<Duration> timeout, Path artifacts, Clock clock) {
        return new Outside(url, new PaymentClient(url, timeout), artifacts, clock, Optional.empty(), () -> {});
    }

    static Outside at(String url, Path artifacts) {
        return at(url, () -> PAYMENT_TIMEOUT, artifacts, Clock.systemUTC());
    }

    /** The same, with an optional server that distributes invalidations. */
    Outside with(Optional<URI> server) {
        return new Outside(providerUrl, payments, artifactFolder, clock, server, end);
    }

    /** The same, but stops the provider and deletes the folder when this is closed. */
    Outside endingWith(Runnable provider, Path folder) {
        return new Outside(providerUrl, payments, artifactFolder, clock, redis, () -> {
            provider.run();
            delete(folder);
        });
    }

    /** For a program that neither pays, publishes nor resumes. An attempt to do so fails before it has any effect. */
    static Outside none() {
        return at("http://127.0.0.1:0", Path.of("no-artifacts"));
    }

    /**
     * Starts a payment provider in its own process. It stops when this is closed, or when this process exits for any
     * reason.
     */
    static Outside process() throws CannotRun, IOException, InterruptedException {
        Path folder = folder();
        JavaProgram program = new JavaProgram(
                "payment provider",
                PaymentProvider.class,
                PaymentProvider.READY,
                List.of("-Xmx64m"),
                List.of(payments(folder).toString()),
                Map.of());
        ChildProcess provider = ChildProcess.start(program, (process, line) -> {});
        try {
            return at(provider.awaitReady(TIME_TO_START), artifacts(folder)).endingWith(provider::kill, folder);
        } catch (CannotRun | InterruptedException e) {
            provider.kill();
            throw e;
        }
    }

    /** Adds the addresses to the environment of a process. */
    void into(Map<String, String> environment) {
        environment.put(PROVIDER, providerUrl);
        environment.put(ARTIFACTS, artifactFolder.toString());
        environment.put(RedisChannel.VARIABLE, redis.map(URI::toString).orElse(""));
    }

    /** Reads what {@link #into} wrote. */
    static Outside from(Map<String, String> environment) throws CannotRun {
        String url = Objects.requireNonNull(environment.get(PROVIDER));
        Path artifacts = Path.of(Objects.requireNonNull(environment.get(ARTIFACTS)));
        return at(url, artifacts).with(RedisChannel.address(environment.getOrDefault(RedisChannel.VARIABLE, "")));
    }

    private static Path folder() throws IOException {
        return Files.createTempDirectory("app-platform-");
    }

    private static Path payments(Path folder) throws IOException {
        return Files.createDirectories(folder.resolve("payments"));
    }

    private static Path artifacts(Path folder) throws IOException {
        return Files.createDirectories(folder.resolve("artifacts"));
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> {
                boolean unused = file.toFile().delete();
            });
        } catch (IOException left) {
            // The folder is a temporary one, so leaving it behind is acceptable.
        }
    }

    ArtifactFolder artifacts() {
        return new ArtifactFolder(artifactFolder);
    }

    @Override
    public void close() {
        end.run();
    }
}
