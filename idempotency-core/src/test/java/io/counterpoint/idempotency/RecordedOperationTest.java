package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterpoint.idempotency.memory.InMemoryDomainTable;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.DomainTable;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecordedOperationTest {

    private static final Attempt ATTEMPT = Attempt.in("user:1").key("k").request("r");

    private final InMemoryIdempotencyStore store = new InMemoryIdempotencyStore();
    private final List<String> rows = new ArrayList<>();

    private RecordedOperation.Builder<Transaction, String> builder(DomainTable<Transaction> table) {
        return Idempotency.on(store)
                .recorded(
                        "operate",
                        table,
                        (Transaction handle, IdempotencyKey key) ->
                                rows.stream().findFirst());
    }

    private Outcome<String> call(RecordedOperation<Transaction, String> operation, Attempt attempt) {
        return operation.execute(attempt, Map.of("name", "chess"), handle -> {
            handle.onCommit(() -> rows.add("row"));
            return "row";
        });
    }

    @Test
    void retryIsAnsweredByTheRowAndAnotherRequestIsRefused() {
        RecordedOperation<Transaction, String> operation =
                builder(new InMemoryDomainTable(store)).build();
        IdempotencyKey key = new IdempotencyKey("user:1", "operate", "k");

        assertThat(operation.keyOf(ATTEMPT)).isEqualTo(key);
        assertThat(call(operation, ATTEMPT)).isEqualTo(new Outcome.Executed<>(key, "row"));
        assertThat(call(operation, ATTEMPT)).isEqualTo(new Outcome.Replayed<>(key, "row"));
        Attempt other = Attempt.in("user:1").key("k").request("another");
        assertThat(call(operation, other)).isInstanceOf(Outcome.KeyReused.class);
        assertThat(rows).hasSize(1);
    }

    @Test
    void settingsHaveBoundsAndAreShown() {
        RecordedOperation.Builder<Transaction, String> builder = builder(new InMemoryDomainTable(store));
        assertThat(builder.build())
                .asString()
                .startsWith("RecordedOperation[operate")
                .contains("record in the domain's row", "waits at most PT1S", "settles within PT5S", "retries 3");
        assertThat(builder.waitAtMost(Duration.ofSeconds(2))
                        .settleWithin(Duration.ofSeconds(7))
                        .retries(1)
                        .retryOn(thrown -> false)
                        .build())
                .asString()
                .contains("waits at most PT2S", "settles within PT7S", "retries 1");
        assertThatIllegalArgumentException().isThrownBy(() -> builder.waitAtMost(Duration.ofMinutes(2)));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.settleWithin(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.retries(101));
    }

    @Test
    void exceptionOfTheUsersChoiceRunsAgain() {
        AtomicInteger runs = new AtomicInteger();
        RecordedOperation<Transaction, String> operation = builder(new InMemoryDomainTable(store))
                .retryOn(IllegalStateException.class::isInstance)
                .build();

        assertThat(operation.execute(ATTEMPT, Map.of(), handle -> {
                    if (runs.incrementAndGet() == 1) {
                        throw new IllegalStateException("again");
                    }
                    return "second";
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(runs).hasValue(2);
    }

    @Test
    void attemptWithARequestIsRefusedWhereNoColumnKeepsIt() {
        DomainTable<Transaction> all = new InMemoryDomainTable(store);
        RecordedOperation<Transaction, String> operation = builder(new DomainTable<>() {
                    @Override
                    public IdempotencyStore<Transaction> inserting(Map<String, ? extends @Nullable Object> columns) {
                        return all.inserting(columns);
                    }

                    @Override
                    public boolean comparesRequests() {
                        return false;
                    }
                })
                .build();

        assertThatIllegalArgumentException().isThrownBy(() -> call(operation, ATTEMPT));
        assertThat(call(operation, Attempt.in("user:1").key("k").request())).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    void decoratedTableDecoratesTheStoreOfEachCall() {
        AtomicInteger calls = new AtomicInteger();
        DomainTable<Transaction> table = new InMemoryDomainTable(store);
        DomainTable<Transaction> decorated = table.through(each -> {
            calls.incrementAndGet();
            return each;
        });

        call(builder(decorated).build(), ATTEMPT).orElseThrow();

        assertThat(calls).hasValue(1);
        assertThat(decorated.comparesRequests()).isTrue();
        assertThat(decorated).hasToString(table.toString());
    }

    @Test
    void recordOfARowIsASuccessWithoutAResult() {
        IdempotencyKey key = new IdempotencyKey("user:1", "operate", "k");

        assertThat(DomainTable.recordOf(key, Fingerprint.ofParts("r")).result()).isEmpty();
        assertThat(DomainTable.recordOf(key, Fingerprint.ofParts("r")).token()).isEqualTo(DomainTable.TOKEN);
    }

    /** Stored in columns of others, so they never change. */
    @Test
    void keyHasAnIdentifierAndAUuid() {
        IdempotencyKey key = new IdempotencyKey("user:1", "operate", "k");

        assertThat(HexFormat.of().formatHex(key.id())).isEqualTo(key.hash()).startsWith("1bec0131f919d51b");
        assertThat(key.uuid())
                .isEqualTo(UUID.fromString("1bec0131-f919-851b-b8d1-352cd3493d56"))
                .isNotEqualTo(new IdempotencyKey("user:1", "operate", "l").uuid());
        assertThat(key.uuid().version()).isEqualTo(8);
        assertThat(key.uuid().variant()).isEqualTo(2);
        assertThat(Optional.of(key.id()))
                .hasValueSatisfying(id -> assertThat(id).hasSize(32));
    }
}
