package io.counterpoint.idempotency.peers;

import io.counterpoint.idempotency.programs.BarChart.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A client with one key. It retries the same request until it believes that the payment is booked. */
final class Client {

    /** The client's timeout, which is longer than a leader pauses. */
    static final int ANSWER_SECONDS = 20;

    private static final int PATIENCE_SECONDS = 8;
    private static final int PAUSE_MILLIS = 150;

    private final String key;
    private final String request;
    private final List<Answer> answers = new ArrayList<>();
    private boolean otherRequestAccepted;

    Client(String key, String request) {
        this.key = key;
        this.request = request;
    }

    String key() {
        return key;
    }

    /** Makes one call, whose work pauses for a time. */
    CompletableFuture<Answer> call(Node node, long millis) {
        return node.book(key, request, millis).whenComplete((answer, never) -> note(answer));
    }

    /** Retries until it believes that the payment is booked, or gives up. */
    void ask(Node node) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        try {
            while (!call(node, 0).join().isSuccess() && System.nanoTime() < deadline) {
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void askForAnother(Node node) {
        otherRequestAccepted = node.book(key, request + "-other", 0).join().isSuccess();
    }

    private synchronized void note(Answer answer) {
        answers.add(answer);
    }

    synchronized boolean believes() {
        return answers.stream().anyMatch(Answer::isSuccess);
    }

    /** Whether the last response contains the number of the only payment. */
    synchronized boolean knowsNumber(List<String> payments) {
        return payments.equals(List.of(answers.get(answers.size() - 1).text()));
    }

    /** The verdict, from the responses and the payments that exist for the key. */
    synchronized Verdict verdict(List<String> payments) {
        List<String> numbers = answers.stream()
                .filter(answer -> answer.kind() == Answer.Kind.BOOKED)
                .map(Answer::text)
                .distinct()
                .toList();
        if (payments.size() > 1) {
            return Verdict.DOUBLED;
        }
        if (otherRequestAccepted) {
            return Verdict.OTHER_ACCEPTED;
        }
        if (payments.isEmpty()) {
            return believes() ? Verdict.LOST : Verdict.NEVER;
        }
        return believes() && payments.containsAll(numbers) ? Verdict.RIGHT : Verdict.CONTRADICTED;
    }

    /** The last response, for somebody who investigates a verdict. */
    synchronized String lastAnswer() {
        return answers.get(answers.size() - 1).toString();
    }

    enum Verdict {
        RIGHT("right", "#2f74c0", "#4f97e8"),
        /** More than one payment. */
        DOUBLED("doubled", "#c62828", "#c62828"),
        /** A success, but no payment. */
        LOST("lost", "#6a1b1b", "#9d4b4b"),
        /** A number that is not the payment's, or no success although it is booked. */
        CONTRADICTED("contradicted", "#e08a1e", "#e08a1e"),
        /** A different request with the key was answered as a success. */
        OTHER_ACCEPTED("answered as the first", "#9aa4af", "#6b7681"),
        /** Nothing is booked, and no retry before the client gives up could change that. */
        NEVER("failed for good", "#f0c53e", "#f0c53e");

        private final String word;
        private final Kind kind;

        Verdict(String word, String light, String dark) {
            this.word = word;
            this.kind = new Kind(name().toLowerCase(Locale.ROOT), light, dark, word);
        }

        /** The kind of bar in the chart. */
        Kind kind() {
            return kind;
        }

        String word() {
            return word;
        }
    }
}
