package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A process that is a node of the service. */
final class NodeProcess implements AutoCloseable {

    private final Process process;
    private final String url;

    private NodeProcess(Process process, String url) {
        this.process = process;
        this.url = url;
    }

    /** Starts a node on an existing database, and waits until it listens. */
    static NodeProcess start(
            DatabaseAddress database, Outside outside, String operatorToken, Duration abandonedAfter, boolean repairs)
            throws CannotRun {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        NodeMain.class.getName(),
                        Long.toString(abandonedAfter.toSeconds()),
                        Boolean.toString(repairs))
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        database.into(builder.environment(), DoomedNode.ENVIRONMENT);
        builder.environment().put(DoomedNode.PROVIDER, outside.providerUrl());
        builder.environment().put(DoomedNode.ARTIFACTS, outside.artifactFolder().toString());
        builder.environment().put(Options.OPERATOR_TOKEN, operatorToken);
        try {
            Process process = builder.start();
            // It says nothing more, so nobody has to read on.
            String said = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8)).readLine();
            if (said == null || !said.startsWith(DoomedNode.READY)) {
                Process unused = process.destroyForcibly();
                throw new CannotRun("A node did not start.");
            }
            return new NodeProcess(process, said.substring(DoomedNode.READY.length()));
        } catch (IOException e) {
            throw new CannotRun("A node cannot be started: " + CannotRun.rootMessage(e) + ".");
        }
    }

    Gateway.Node node() {
        return new Gateway.Node(url, process::isAlive);
    }

    long id() {
        return process.pid();
    }

    /** On Unix this is {@code kill -9}: nothing of the process runs any more. */
    void kill() throws InterruptedException {
        int unused = process.destroyForcibly().waitFor();
    }

    /** Lets it answer what it is at. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                Process unused = process.destroyForcibly();
            }
        } catch (IOException alreadyEnded) {
            Process unused = process.destroyForcibly();
        } catch (InterruptedException e) {
            Process unused = process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
