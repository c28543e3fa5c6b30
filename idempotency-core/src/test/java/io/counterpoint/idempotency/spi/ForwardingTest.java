package io.counterpoint.idempotency.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What forwards a store forwards everything: calls, arguments and what is returned. */
class ForwardingTest {

    private static final IdempotencyKey KEY =
            IdempotencyKey.inScope("user:1").operation("operation").value("key");
    private static final Pending RECORD = new Pending(
            KEY,
            Protocol.CLAIM_FIRST,
            UUID.randomUUID(),
            Fingerprint.ofParts("request"),
            Optional.empty(),
            Duration.ofSeconds(7));
    private static final Failure FAILURE = new Failure("code", "message");
    private static final Duration WAIT = Duration.ofMillis(3);

    private static final List<String> CALLS = new ArrayList<>();

    static Stream<IdempotencyStore<String>> forwarding() {
        IdempotencyStore<String> store = new RecordedStore();
        return Stream.of(
                store.mapped(Function.<String>identity()),
                new ForwardingStore<String>(store) {},
                new ForwardingStore<String>(store) {
                    @Override
                    protected Session<String> decorate(Session<String> session) {
                        return new ScopeForwardingSession(session);
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("forwarding")
    void everyMethodOfTheStoreIsForwarded(IdempotencyStore<String> store) {
        CALLS.clear();
        store.requireNotInside();
        assertThat(store.read(KEY)).contains(RECORD);
        store.awaitDurable(KEY);
        assertThat(store.classify(new IllegalStateException("one"))).isEqualTo(Fault.CANCELLED);
        assertThat(store.describe(new IllegalStateException("two"))).contains(FAILURE);
        assertThat(store.remedy(new IllegalStateException("three"))).contains("remedy");
        assertThat(store.keepsEveryInsert()).isTrue();
        assertThat(store.checkTable()).isSameAs(store);
        assertThat(store.purgeExpired(9)).isEqualTo(90);
        assertThat(store.isOneDatabase(List.of(KEY, KEY))).isFalse();
        assertThat(store.lockScope()).isEqualTo(LockScope.PRIMARY);
        assertThat(CALLS)
                .containsExactly(
                        "not inside",
                        "read " + KEY,
                        "await durable " + KEY,
                        "classify one",
                        "describe two",
                        "remedy three",
                        "keeps every insert",
                        "check",
                        "purge 9",
                        "one database 2",
                        "lock scope");
    }

    /** The compiler demands the others. */
    @Test
    void methodsWithADefaultAreForwardedToo() {
        forwardsDefaults(IdempotencyStore.class, ForwardingStore.class);
        forwardsDefaults(Session.class, ForwardingStore.ForwardingSession.class);
        forwardsDefaults(WorkScope.class, ForwardingStore.ForwardingScope.class);
    }

    private static void forwardsDefaults(Class<?> of, Class<?> forwarding) {
        assertThat(of.getMethods())
                .filteredOn(method -> method.isDefault() && !method.getName().equals("mapped"))
                .isNotEmpty()
                .allSatisfy(method -> assertThat(forwarding
                                .getMethod(method.getName(), method.getParameterTypes())
                                .getDeclaringClass())
                        .isEqualTo(forwarding));
    }

    @ParameterizedTest
    @MethodSource("forwarding")
    void everyMethodOfItsSessionsIsForwarded(IdempotencyStore<String> store) {
        CALLS.clear();
        try (Session<String> session = store.openForClaim(KEY, WAIT)) {
            assertThat(session.probablyClaimed()).isTrue();
            assertThat(session.hasTurn()).isFalse();
            assertThat(session.claimAndLock(RECORD, WAIT, WAIT, Durability.DURABLE))
                    .contains(RECORD);
            assertThat(session.afterCommitFailure()).get().isInstanceOf(IllegalStateException.class);
            assertThat(session.isOutlived()).isTrue();
            assertThat(session.commitMayBeSent()).isTrue();
            assertThat(session.<String>autoCommit(steps -> "step")).isEqualTo("step");
        }
        try (Session<String> session = store.open(KEY)) {
            assertThat(session.probablyClaimed()).isFalse();
            assertThat(session.hasTurn()).isTrue();
            assertThat(session.commitMayBeSent()).isFalse();
        }
        assertThat(CALLS)
                .containsExactly(
                        "open for claim " + KEY + " " + WAIT,
                        "claim and lock",
                        "auto-commit",
                        "close",
                        "open " + KEY,
                        "close");
    }

    @ParameterizedTest
    @MethodSource("forwarding")
    void everyEventOfTheWorksScopeIsForwarded(IdempotencyStore<String> store) {
        try (Session<String> session = store.open(KEY)) {
            CALLS.clear();
            String answer = session.inTransaction((steps, scope) -> {
                scope.beforeWork();
                scope.beforeEncoding();
                scope.beforeMark();
                scope.afterEnd(WorkScope.End.COMMITTED);
                return scope.handle();
            });
            assertThat(answer).isEqualTo("handle");
        }
        assertThat(CALLS)
                .containsExactly(
                        "in transaction", "before work", "before encoding", "before mark", "after COMMITTED", "close");
    }

    private static final class ScopeForwardingSession extends ForwardingStore.ForwardingSession<String> {
        ScopeForwardingSession(Session<String> session) {
            super(session);
        }

        @Override
        public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<String>, ? extends T> body) {
            return super.inTransaction(
                    (steps, scope) -> body.apply(steps, new ForwardingStore.ForwardingScope<>(scope) {}));
        }
    }

    private static final class RecordedStore implements IdempotencyStore<String> {
        @Override
        public Session<String> open(IdempotencyKey key) {
            CALLS.add("open " + key);
            return new RecordedSession(false);
        }

        @Override
        public Session<String> openForClaim(IdempotencyKey key, Duration maxWait) {
            CALLS.add("open for claim " + key + " " + maxWait);
            return new RecordedSession(true);
        }

        @Override
        public void requireNotInside() {
            CALLS.add("not inside");
        }

        @Override
        public Optional<IdempotencyRecord> read(IdempotencyKey key) {
            CALLS.add("read " + key);
            return Optional.of(RECORD);
        }

        @Override
        public void awaitDurable(IdempotencyKey key) {
            CALLS.add("await durable " + key);
        }

        @Override
        public Fault classify(Throwable thrown) {
            CALLS.add("classify " + thrown.getMessage());
            return Fault.CANCELLED;
        }

        @Override
        public Optional<Failure> describe(Throwable thrown) {
            CALLS.add("describe " + thrown.getMessage());
            return Optional.of(FAILURE);
        }

        @Override
        public Optional<String> remedy(Throwable thrown) {
            CALLS.add("remedy " + thrown.getMessage());
            return Optional.of("remedy");
        }

        @Override
        public boolean keepsEveryInsert() {
            CALLS.add("keeps every insert");
            return true;
        }

        @Override
        public IdempotencyStore<String> checkTable() {
            CALLS.add("check");
            return this;
        }

        @Override
        public int purgeExpired(int batch) {
            CALLS.add("purge " + batch);
            return 10 * batch;
        }

        @Override
        public boolean isOneDatabase(Collection<IdempotencyKey> keys) {
            CALLS.add("one database " + keys.size());
            return false;
        }

        @Override
        public LockScope lockScope() {
            CALLS.add("lock scope");
            return LockScope.PRIMARY;
        }
    }

    // No test asks for the steps.
    @SuppressWarnings("NullAway")
    private record RecordedSession(boolean probablyClaimed) implements Session<String> {
        @Override
        public boolean hasTurn() {
            return !probablyClaimed;
        }

        @Override
        public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
            CALLS.add("auto-commit");
            return step.apply(null);
        }

        @Override
        public Optional<IdempotencyRecord> claimAndLock(
                Pending pending, Duration retention, Duration lockWait, Durability durability) {
            CALLS.add("claim and lock");
            return Optional.of(pending);
        }

        @Override
        public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<String>, ? extends T> body) {
            CALLS.add("in transaction");
            return body.apply(null, new RecordedScope());
        }

        @Override
        public Optional<Throwable> afterCommitFailure() {
            return Optional.of(new IllegalStateException("after the commit"));
        }

        @Override
        public boolean commitMayBeSent() {
            return probablyClaimed;
        }

        @Override
        public boolean isOutlived() {
            return true;
        }

        @Override
        public void close() {
            CALLS.add("close");
        }
    }

    private static final class RecordedScope implements WorkScope<String> {
        @Override
        public String handle() {
            return "handle";
        }

        @Override
        public void beforeWork() {
            CALLS.add("before work");
        }

        @Override
        public void beforeEncoding() {
            CALLS.add("before encoding");
        }

        @Override
        public void beforeMark() {
            CALLS.add("before mark");
        }

        @Override
        public void afterEnd(End end) {
            CALLS.add("after " + end);
        }
    }
}
