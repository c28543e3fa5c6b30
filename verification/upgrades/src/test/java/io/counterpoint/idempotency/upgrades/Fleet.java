package io.counterpoint.idempotency.upgrades;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/** Processes that call for the same keys, and what they have said. */
final class Fleet {

    private final String url;
    private final int keys;
    private final Deque<Member> running = new ArrayDeque<>();
    private final List<Member> all = new ArrayList<>();
    private final Map<Version, Semaphore> answered = new ConcurrentHashMap<>();
    private final Map<Integer, Set<String>> answers = new ConcurrentHashMap<>();
    private final Map<String, Long> crossings = new ConcurrentHashMap<>();
    private final Collection<String> unexpected = new ConcurrentLinkedQueue<>();
    private int kills;
    private long total;

    Fleet(String url, int keys) {
        this.url = url;
        this.keys = keys;
    }

    private record Member(Version version, Process process, Thread reader) {}

    void start(Version version) throws IOException {
        Process process = version.start(
                UpgradeWorker.class, version.name(), url, Integer.toString(all.size()), Integer.toString(keys));
        Thread reader = new Thread(() -> read(version, process));
        reader.start();
        Member member = new Member(version, process, reader);
        running.add(member);
        all.add(member);
    }

    private void read(Version version, Process process) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ", 3);
                if (words[0].equals("answer") && words.length == 3) {
                    note(version, Integer.parseInt(words[1]), words[2]);
                } else if (!words[0].equals("pending")) {
                    unexpected.add(version + ": " + line);
                }
            }
        } catch (IOException e) {
            // A pipe of a killed process may break.
            if (process.isAlive()) {
                throw new UncheckedIOException(e);
            }
        }
        // A process that has ended gives no more answers: nobody waits for it.
        answered(version).release(keys);
    }

    private void note(Version version, int key, String answer) {
        answers.computeIfAbsent(key, unused -> ConcurrentHashMap.newKeySet()).add(answer);
        crossings.merge(version + " " + answer.substring(0, 4), 1L, Long::sum);
        answered(version).release();
    }

    private Semaphore answered(Version version) {
        return answered.computeIfAbsent(version, unused -> new Semaphore(0));
    }

    /** Waits for so many more answers of a version. */
    void awaitAnswers(Version version, int number) throws InterruptedException {
        answered(version).acquire(number);
    }

    void killOldest() throws InterruptedException {
        kill(running.remove());
    }

    private void kill(Member member) throws InterruptedException {
        if (member.process().isAlive()) {
            kills++;
        }
        member.process().destroyForcibly().waitFor();
    }

    void killAllOf(Version version) throws InterruptedException {
        for (Member member : all) {
            if (member.version().equals(version) && running.remove(member)) {
                kill(member);
            }
        }
    }

    void awaitAll() throws InterruptedException {
        for (Member member : all) {
            int exitCode = member.process().waitFor();
            member.reader().join();
            if (running.contains(member) && exitCode != 0) {
                unexpected.add(member.version() + ": ended by itself with " + exitCode);
            }
        }
        total = crossings.values().stream().mapToLong(Long::longValue).sum();
    }

    Set<String> answers(int key) {
        return answers.getOrDefault(key, Set.of());
    }

    long answers() {
        return total;
    }

    int kills() {
        return kills;
    }

    Collection<String> unexpected() {
        return unexpected;
    }

    /** How many answers of one version had a result that another had made. */
    long crossed(String by, String result) {
        return crossings.getOrDefault(by + " " + result, 0L);
    }
}
