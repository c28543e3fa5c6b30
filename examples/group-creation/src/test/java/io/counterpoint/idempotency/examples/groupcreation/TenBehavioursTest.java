package io.counterpoint.idempotency.examples.groupcreation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Operation.Abandoned;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.FaultyStore;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Test;

/** Ten behaviours that every user of the library has to know, each through the public API alone. */
class TenBehavioursTest {

    private static final Attempt ATTEMPT = Attempt.inScope("user:ann").key("k1").request("Chess");
    private static final Duration AT_ONCE = Duration.ofNanos(1);

    private final TestServer server = TestServer.on(TestServer.On.H2, new Groups());
    private final FaultyStore<Handle> store = FaultyStore.around(JdbiIdempotencyStore.on(server.jdbi));
    private final Idempotency<Handle> process = Idempotency.on(store);
    private final Operation<Handle, String> create = operation(process).build();

    private static Operation.Builder<Handle, String> operation(Idempotency<Handle> process) {
        return process.operation("create-group", ResultCodec.string());
    }

    private static String insert(Handle handle) {
        UUID id = UUID.randomUUID();
        handle.execute("insert into chat_group (id, name) values (?, ?)", id, "Chess");
        return id.toString();
    }

    private int groups() {
        return server.count("chat_group");
    }

    private void executes(Operation<Handle, String> operation, int groups) {
        assertThat(operation.execute(ATTEMPT, TenBehavioursTest::insert)).isInstanceOf(Outcome.Executed.class);
        assertThat(groups()).isEqualTo(groups);
    }

    @Test
    void firstCallExecutes() {
        executes(create, 1);
    }

    @Test
    void retryGetsTheSameAnswerAndHasNoEffect() {
        String first = create.execute(ATTEMPT, TenBehavioursTest::insert).orElseThrow();

        assertThat(create.execute(ATTEMPT, TenBehavioursTest::insert))
                .isInstanceOfSatisfying(
                        Outcome.Replayed.class,
                        retry -> assertThat(retry.result()).isEqualTo(first));
        assertThat(groups()).isEqualTo(1);
    }

    @Test
    void keyOfAnotherRequestIsRefused() {
        executes(create, 1);
        Attempt another = Attempt.inScope("user:ann").key("k1").request("Running");

        assertThat(create.execute(another, TenBehavioursTest::insert)).isInstanceOf(Outcome.KeyReused.class);
        assertThat(groups()).isEqualTo(1);
    }

    @Test
    void duplicateOfARunningCallIsInProgress() {
        assertThat(create.execute(ATTEMPT, handle -> {
                    assertThat(duplicateOf(create).join()).isInstanceOf(Outcome.InProgress.class);
                    return insert(handle);
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(groups()).isEqualTo(1);
    }

    @Test
    void duplicateThatWaitsGetsTheAnswer() {
        Operation<Handle, String> patient =
                operation(process).waitAtMost(Duration.ofMinutes(1)).build();
        List<CompletableFuture<Outcome<String>>> duplicates = new ArrayList<>();

        String first = patient.execute(ATTEMPT, handle -> {
                    duplicates.add(duplicateOf(patient));
                    return insert(handle);
                })
                .orElseThrow();

        assertThat(duplicates.get(0).join().orElseThrow()).isEqualTo(first);
        assertThat(groups()).isEqualTo(1);
    }

    private static CompletableFuture<Outcome<String>> duplicateOf(Operation<Handle, String> operation) {
        return CompletableFuture.supplyAsync(() -> operation.execute(ATTEMPT, TenBehavioursTest::insert));
    }

    @Test
    void attemptThatFailedStaysFailedAndHasNoEffect() {
        assertThatThrownBy(() -> create.<IllegalArgumentException>execute(ATTEMPT, handle -> {
                    insert(handle);
                    throw new IllegalArgumentException("reserved name");
                }))
                .hasMessage("reserved name");

        assertThat(create.execute(ATTEMPT, TenBehavioursTest::insert)).isInstanceOf(Outcome.Rejected.class);
        assertThat(groups()).isZero();
    }

    @Test
    void keyOfADeadLeaderIsTakenOver() {
        store.second(StoreCall.OPEN).always().fails(Fault.CONNECTION_LOST);
        store.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        assertThatThrownBy(() -> create.execute(ATTEMPT, TenBehavioursTest::insert))
                .isInstanceOf(OutcomeUnknownException.class);
        Idempotency<Handle> another = Idempotency.on(JdbiIdempotencyStore.on(server.jdbi));

        executes(operation(another).whenAbandoned(Abandoned.TAKE_OVER, AT_ONCE).build(), 1);
    }

    @Test
    void commitWhoseAnswerIsLostIsFound() {
        store.at(StoreCall.COMMIT).losesAnswer();

        executes(create, 1);
    }

    @Test
    void externalEffectThatNobodyRecordedIsHealed() {
        Map<String, String> mails = new ConcurrentHashMap<>();
        ExternalOperation<String> send = process.external(
                        "send-mail",
                        ResultCodec.string(),
                        unresolved -> Lookup.of(
                                Optional.ofNullable(mails.get(unresolved.key().hash()))))
                .build();
        assertThatThrownBy(() -> send.execute(ATTEMPT, key -> {
                    mails.put(key.hash(), "mail 1");
                    throw new IllegalStateException("no answer");
                }))
                .isInstanceOf(OutcomeUnknownException.class);

        assertThat(send.execute(ATTEMPT, key -> "mail 2"))
                .isInstanceOfSatisfying(
                        Outcome.Healed.class,
                        healed -> assertThat(healed.result()).isEqualTo("mail 1"));
    }

    @Test
    void purgedKeyIsANewKey() {
        Operation<Handle, String> brief = operation(process).retention(AT_ONCE).build();
        executes(brief, 1);

        assertThat(process.purgeExpired(10)).isEqualTo(1);

        executes(brief, 2);
    }
}
