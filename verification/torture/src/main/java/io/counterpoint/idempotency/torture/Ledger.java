package io.counterpoint.idempotency.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The outcomes for all callers of a segment: totals, and the facts about each key that the {@link Checker} needs. */
final class Ledger {

    private static final Duration SLOW = Duration.ofSeconds(1);
    private static final long SHORTEST_STALL_MILLIS = 100;

    private final Map<String, KeyHistory> stories = new HashMap<>();
    private final Map<Answer, Long> answers = new EnumMap<>(Answer.class);
    private final List<Slow> slowCalls = new ArrayList<>();
    private final List<String> unexpected = new ArrayList<>();
    private final List<String> neverReturned = new ArrayList<>();
    private final BrokenWaits brokenWaits = new BrokenWaits();
    private long answered;
    private long unanswered;

    /** The outcomes for the callers of one key. */
    static final class KeyHistory {
        /** Results, each with the first call that returned it. */
        final Map<String, String> results = new HashMap<>();

        final Set<String> failures = new HashSet<>();

        /** The results that followers only read while waits were broken. */
        final Set<String> readResults = new HashSet<>();

        final Set<String> readFailures = new HashSet<>();

        /** The prefixes of results from calls whose outcome means that they have no effect, now or ever. */
        final Set<String> denied = new HashSet<>();

        int executed;
        boolean otherRequestsResult;

        /** Whether a call may have released the key because its work could not begin. */
        boolean mayHaveReleased;

        /** When the first caller got a result, and when the first one learned that the follow-up is owed. */
        long succeededAt = Long.MAX_VALUE;

        long owedAt = Long.MAX_VALUE;

        @Nullable
        Answer last;

        String lastDetail = "";
    }

    /**
     * A slow call.
     *
     * @param start in milliseconds of the machine's clock
     * @param stopped for how long its process was stopped meanwhile, or was starved by the machine
     */
    record SlowCall(String what, long start, Duration duration, Duration deadline, Duration stopped) {

        /** The time during which it could run. */
        Duration net() {
            return duration.minus(stopped);
        }
    }

    /** Returns the listener that records the outcomes of a process. */
    Listener listener(String process, FaultLog faults, boolean asksLast) {
        return new Listener(process, faults, asksLast);
    }

    Map<String, KeyHistory> stories() {
        return stories;
    }

    Map<Answer, Long> answers() {
        return answers;
    }

    /** Call this when the histories have been read: a beat may follow the end of the call that it concerns. */
    List<SlowCall> slowCalls() {
        return slowCalls.stream().map(Slow::call).toList();
    }

    List<String> unexpected() {
        return unexpected;
    }

    List<String> neverReturned() {
        return neverReturned;
    }

    BrokenWaits brokenWaits() {
        return brokenWaits;
    }

    /** Calls that returned. */
    long answered() {
        return answered;
    }

    /** Calls whose process was killed. */
    long unanswered() {
        return unanswered;
    }

    /** Follows the history of one process. */
    final class Listener implements HistoryReader.Events {
        private final String process;
        private final FaultLog faults;
        private final boolean asksLast;
        private final Map<Long, Open> open = new HashMap<>();
        private final List<Stop> stops = new ArrayList<>();
        private long beats;

        private Listener(String process, FaultLog faults, boolean asksLast) {
            this.process = process;
            this.faults = faults;
            this.asksLast = asksLast;
        }

        @Override
        public void started(long call, long millis, String key, String request, Duration deadline) {
            open.put(call, new Open(millis, key, request, deadline));
        }

        @Override
        public void ended(long call, long millis, long micros, Answer answer, String detail) {
            Open started = open.remove(call);
            if (started == null) {
                throw new IllegalStateException(process + " ended call " + call + ", which it never began");
            }
            answered++;
            answers.merge(answer, 1L, Long::sum);
            KeyHistory story = stories.computeIfAbsent(started.key, key -> new KeyHistory());
            String who = process + "." + call;
            boolean mayBeLost = answer.isRead(detail, WorkStep.origin(started.request, who) + ".")
                    && brokenWaits.meet(started.millis, millis);
            if (answer.isSuccess()) {
                if (mayBeLost) {
                    story.readResults.add(detail);
                } else {
                    story.results.putIfAbsent(detail, who);
                }
                story.otherRequestsResult |= !detail.startsWith(started.request);
                story.succeededAt = Math.min(story.succeededAt, millis);
                story.executed += answer == Answer.EXECUTED ? 1 : 0;
            } else if (answer.isFailure()) {
                (mayBeLost ? story.readFailures : story.failures).add(who + " " + answer + " " + detail);
            } else if (answer == Answer.FOLLOW_UP_OWED) {
                story.owedAt = Math.min(story.owedAt, millis);
            } else if (answer == Answer.UNEXPECTED) {
                unexpected.add(started.key + ", call " + who + ": " + detail);
            }
            story.mayHaveReleased |= answer == Answer.RELEASED || answer == Answer.UNKNOWN;
            if (answer.deniesOwnEffect()) {
                story.denied.add(WorkStep.origin(started.request, who) + ".");
            }
            if (asksLast) {
                story.last = answer;
                story.lastDetail = detail;
            }
            Duration duration = Duration.ofNanos(micros * 1_000);
            if (duration.compareTo(SLOW) > 0) {
                slowCalls.add(new Slow(
                        this,
                        started.key + ", call " + who + ", " + answer,
                        started.millis,
                        millis,
                        duration,
                        started.deadline));
            }
        }

        @Override
        public void noted(long millis, FaultType what, long count) {
            faults.add(millis, what, count, process);
        }

        @Override
        public void beat(long millis, long lateMillis) {
            beats++;
            if (lateMillis >= SHORTEST_STALL_MILLIS) {
                stopped(new Stop(millis - lateMillis, millis));
            }
        }

        /** The number of beats read. */
        long beats() {
            return beats;
        }

        /** Records that the process was stopped. */
        synchronized void stopped(Stop stop) {
            stops.add(stop);
        }

        /** A stopped process also misses beats, so time that is known twice counts once. */
        private synchronized Duration stopped(long from, long to) {
            long sum = 0;
            long counted = from;
            for (Stop stop :
                    stops.stream().sorted(Comparator.comparingLong(Stop::from)).toList()) {
                long begin = Math.max(counted, stop.from);
                long end = Math.min(to, stop.to);
                if (end > begin) {
                    sum += end - begin;
                    counted = end;
                }
            }
            return Duration.ofMillis(sum);
        }

        /** The process is gone. If it was killed, so were its open calls; otherwise they are broken promises. */
        void gone(OptionalLong killedAt) {
            for (Map.Entry<Long, Open> left : open.entrySet()) {
                Open call = left.getValue();
                String what = call.key + ", call " + process + "." + left.getKey();
                if (killedAt.isEmpty()) {
                    neverReturned.add(what + " has not come back");
                } else {
                    unanswered++;
                    stories.computeIfAbsent(call.key, key -> new KeyHistory()).mayHaveReleased = true;
                    long until = killedAt.getAsLong();
                    Duration duration = Duration.ofMillis(Math.max(0, until - call.millis));
                    if (duration.compareTo(SLOW) > 0) {
                        slowCalls.add(new Slow(this, what + ", killed", call.millis, until, duration, call.deadline));
                    }
                }
            }
            open.clear();
        }
    }

    /** A period in which a process was stopped, in milliseconds of the machine's clock. */
    record Stop(long from, long to) {}

    /** A slow call, some of whose stops may not be known yet. */
    private record Slow(Listener process, String what, long start, long end, Duration duration, Duration deadline) {
        SlowCall call() {
            return new SlowCall(what, start, duration, deadline, process.stopped(start, end));
        }
    }

    private record Open(long millis, String key, String request, Duration deadline) {}
}
