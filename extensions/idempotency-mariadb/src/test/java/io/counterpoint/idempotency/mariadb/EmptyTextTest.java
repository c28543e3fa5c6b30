package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is empty, where a session takes it for NULL. The whole contract over it is {@link EmptyTextContractTest}. */
@Tag("mariadb")
class EmptyTextTest {

    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final Payload EMPTY = Payload.of(new byte[0]);

    @ParameterizedTest
    @ValueSource(strings = {"", "&useServerPrepStmts=true"})
    void emptyValuesAreReadAsTheyWereWritten(String options) {
        try (TestPool database =
                TestPool.with("&sessionVariables=sql_mode='STRICT_TRANS_TABLES,EMPTY_STRING_IS_NULL'" + options)) {
            JdbiIdempotencyStore store = JdbiIdempotencyStore.builder(database.pool())
                    .dialect(TestPool.dialect())
                    .build()
                    .createTableIfMissing();
            Pending planned = new Pending(
                    key("plan"),
                    Protocol.CLAIM_FIRST,
                    UUID.randomUUID(),
                    Fingerprint.ofParts(),
                    Optional.of(Payload.of(new byte[] {1})),
                    Duration.ZERO);
            kept(store, planned);
            kept(
                    store,
                    new Pending(
                            key("empty-plan"),
                            Protocol.CLAIM_FIRST,
                            UUID.randomUUID(),
                            Fingerprint.ofParts(),
                            Optional.of(EMPTY),
                            Duration.ZERO));
            for (Optional<Payload> result : List.of(Optional.of(EMPTY), Optional.<Payload>empty())) {
                kept(
                        store,
                        new Succeeded(
                                key("result" + result.isPresent()),
                                Protocol.SINGLE_TRANSACTION,
                                UUID.randomUUID(),
                                Fingerprint.ofParts(),
                                result));
            }
            kept(
                    store,
                    new Failed(
                            key("failure"),
                            Protocol.EXTERNAL,
                            UUID.randomUUID(),
                            Fingerprint.ofParts(),
                            new Failure("", "")));
            try (Session<Handle> session = store.open(planned.key())) {
                assertThat(session.<Boolean>autoCommit(
                                steps -> steps.succeed(planned.key(), planned.token(), Optional.of(EMPTY))))
                        .isTrue();
            }
            assertThat(((Succeeded) store.read(planned.key()).orElseThrow()).result())
                    .contains(EMPTY);
        }
    }

    private static IdempotencyKey key(String value) {
        return IdempotencyKey.inScope("user:1").operation("operation").value(value);
    }

    private static void kept(JdbiIdempotencyStore store, IdempotencyRecord record) {
        try (Session<Handle> session = store.open(record.key())) {
            assertThat(session.<Optional<IdempotencyRecord>>autoCommit(
                            steps -> steps.claim(record, DAY, WAIT, Durability.DURABLE)))
                    .isEmpty();
        }
        IdempotencyRecord found = store.read(record.key()).orElseThrow();
        assertThat(
                        found instanceof Pending pending
                                ? new Pending(
                                        pending.key(),
                                        pending.protocol(),
                                        pending.token(),
                                        pending.fingerprint(),
                                        pending.plan(),
                                        Duration.ZERO)
                                : found)
                .isEqualTo(record);
    }
}
