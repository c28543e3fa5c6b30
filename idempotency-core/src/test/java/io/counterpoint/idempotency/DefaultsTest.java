package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What operations have that do not say otherwise. */
class DefaultsTest {

    private final Idempotency.Builder<Transaction> builder = Idempotency.builder(new InMemoryIdempotencyStore());

    @Test
    void eachKindOfOperationHasEachDefaultUnlessItSaysOtherwise() {
        Idempotency<Transaction> idempotency = builder.defaults(all -> all.retention(Duration.ofDays(7))
                        .waitAtMost(Duration.ofSeconds(2))
                        .maxWaiting(3)
                        .settleWithin(Duration.ofSeconds(9))
                        .maxRetries(1)
                        .maxResultBytes(10))
                .build();
        String defaults =
                "waits at most 2 s, 3 callers at once, retention 7 days, settles within 9 s, retries 1, results up"
                        + " to 10 bytes]";
        var charge = idempotency.operation("charge", ResultCodec.string());
        var mail = idempotency.external("mail", ResultCodec.string(), unresolved -> Lookup.notYet());

        assertThat(charge.build().toString()).endsWith(defaults);
        assertThat(charge.planned().build().toString()).endsWith(defaults);
        assertThat(mail.build().toString()).endsWith(defaults);
        assertThat(mail.planned().build().toString()).endsWith(defaults);
        assertThat(idempotency
                        .provider("pay", ResultCodec.string(), ResultCodec.string(), (key, request) -> "paid")
                        .rememberedFor(Duration.ofDays(1))
                        .build()
                        .toString())
                .contains("waits at most 2 s, 3 callers at once, retention 7 days, settles within 9 s, retries 1");
        assertThat(charge.retention(Duration.ofHours(3)).maxRetries(0).build().toString())
                .contains("retention 3 h", "retries 0", "settles within 9 s");
    }

    @Test
    void predicatesOfDefaultsAndOperationHoldTogether() {
        var charge = builder.defaults(all -> all.retryOn(IllegalStateException.class::isInstance)
                        .describeFailure(thrown -> new Failure("as-by-default", "")))
                .build()
                .operation("charge", ResultCodec.string())
                .retryOn(IllegalArgumentException.class::isInstance)
                .maxRetries(2)
                .build();
        int[] runs = {0};
        Attempt attempt = Attempt.inScope("user:1").key("1").withoutRequest();

        assertThatThrownBy(() -> charge.execute(attempt, handle -> {
                    throw switch (runs[0]++) {
                        case 0 -> new IllegalStateException("by default");
                        case 1 -> new IllegalArgumentException("by the operation");
                        default -> new UnsupportedOperationException("the end");
                    };
                }))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(charge.execute(attempt, handle -> "again"))
                .isInstanceOfSatisfying(
                        Outcome.Rejected.class,
                        rejected -> assertThat(rejected.failure().code()).isEqualTo("as-by-default"));
        assertThat(runs[0]).isEqualTo(3);
    }

    @Test
    void laterDefaultsReachNothingThatIsBuilt() {
        Idempotency<Transaction> before = builder.build();
        Idempotency<Transaction> after =
                builder.defaults(all -> all.retention(Duration.ofDays(2))).build();

        assertThat(before.operation("charge").build().toString()).contains("retention 1 day,");
        assertThat(after.operation("charge").build().toString()).contains("retention 2 days,");
    }

    @Test
    void wrongDefaultIsRefusedWhereItIsSet() {
        assertThatThrownBy(() -> builder.defaults(all -> all.retention(Duration.ZERO)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Defaults: the retention must be positive and at most 3650 days, found 0 s.");
    }
}
