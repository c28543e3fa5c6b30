package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Values are read back as written: bytes, texts at their limits, and nearly equal keys. */
abstract class StoredValuesContract<C> extends ContractTest<C> {

    StoredValuesContract(Fixture<C> fixture) {
        super(fixture);
    }

    private static byte[] everyByte(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    @Test
    void payloadsAreKeptToTheByte() {
        for (int length : new int[] {0, 1, 256, 64 * 1024}) {
            Payload payload = Payload.of(everyByte(length));
            Pending planned = plant(pending("plan-of-" + length, Optional.of(payload)));
            Pending marked = plant(pending("result-of-" + length));
            autoCommit(transaction -> transaction.succeed(marked.key(), marked.token(), Optional.of(payload)));

            assertThat(((Pending) found(planned.key())).plan()).contains(payload);
            assertThat(((Succeeded) found(marked.key())).result()).contains(payload);
        }
    }

    @Test
    void emptyPayloadIsNotAnAbsentOne() {
        Payload empty = Payload.of(new byte[0]);
        Pending emptyPlan = plant(pending("empty-plan", Optional.of(empty)));
        Pending noPlan = plant(pending("no-plan"));

        assertThat(((Pending) found(emptyPlan.key())).plan()).contains(empty);
        assertThat(((Pending) found(noPlan.key())).plan()).isEmpty();

        autoCommit(transaction -> transaction.succeed(emptyPlan.key(), emptyPlan.token(), Optional.empty()));
        autoCommit(transaction -> transaction.succeed(noPlan.key(), noPlan.token(), Optional.empty()));

        assertThat(((Succeeded) found(emptyPlan.key())).result()).contains(empty);
        assertThat(((Succeeded) found(noPlan.key())).result()).isEmpty();
    }

    @Test
    void payloadsOfZerosAreKept() {
        for (int length = 0; length < 4; length++) {
            Payload zeros = Payload.of(new byte[length]);
            Pending planned = plant(pending("plan-of-" + length, Optional.of(zeros)));

            assertThat(((Pending) found(planned.key())).plan()).contains(zeros);
        }
    }

    @Test
    void emptyResultTakesThePlaceOfAPlan() {
        Payload empty = Payload.of(new byte[0]);
        Pending planned = plant(pending("planned", Optional.of(bytes("plan"))));

        autoCommit(transaction -> transaction.succeed(planned.key(), planned.token(), Optional.of(empty)));

        assertThat(((Succeeded) found(planned.key())).result()).contains(empty);
    }

    @Test
    void everyProtocolIsKept() {
        for (Protocol protocol : Protocol.values()) {
            Pending record = plant(pending(key(protocol.name()), protocol, Optional.empty()));

            assertThat(found(record.key()).protocol()).isEqualTo(protocol);
        }
    }

    @Test
    void everyTokenIsKept() {
        for (UUID token : List.of(new UUID(-1, -1), new UUID(0, 0), new UUID(Long.MIN_VALUE, Long.MAX_VALUE))) {
            Pending record = plant(new Pending(
                    key(token.toString()),
                    Protocol.CLAIM_FIRST,
                    token,
                    Fingerprint.ofParts(),
                    Optional.empty(),
                    Duration.ZERO));

            assertThat(found(record.key()).token()).isEqualTo(token);
            assertThat(changes(transaction -> transaction.succeed(record.key(), token, Optional.empty())))
                    .isTrue();
        }
    }

    @Test
    void fingerprintsAreKept() {
        for (Fingerprint fingerprint :
                List.of(Fingerprint.ofParts(), Fingerprint.ofParts("a", 1), Fingerprint.fromBytes(new byte[32]))) {
            Pending record = plant(new Pending(
                    key(fingerprint.toString()),
                    Protocol.EXTERNAL,
                    UUID.randomUUID(),
                    fingerprint,
                    Optional.empty(),
                    Duration.ZERO));

            assertThat(found(record.key()).fingerprint()).isEqualTo(fingerprint);
        }
    }

    @Test
    void failuresAreKeptUpToTheirLongest() {
        for (Failure failure : List.of(
                new Failure("declined", ""),
                new Failure("", ""),
                new Failure("it's \"quoted\" \\ % _ ;--", "line\nbreak, tab\t, null\0, half a pair \ud83d"),
                new Failure("\u4e2d".repeat(Failure.MAX_CODE_LENGTH), "\u4e2d".repeat(Failure.MAX_MESSAGE_LENGTH)),
                new Failure("\ud83d\udcb3".repeat(50), "\ud83d\udcb3".repeat(500)))) {
            Pending marked = plant(pending("marked-" + failure.hashCode()));
            autoCommit(transaction -> transaction.fail(marked.key(), marked.token(), failure));
            Failed inserted = plant(new Failed(
                    key("inserted-" + failure.hashCode()),
                    Protocol.SINGLE_TRANSACTION,
                    UUID.randomUUID(),
                    Fingerprint.ofParts(),
                    failure));

            assertThat(((Failed) found(marked.key())).failure()).isEqualTo(failure);
            assertThat(found(inserted.key())).isEqualTo(inserted);
        }
    }

    @Test
    void keysOfTheGreatestLengthAreKept() {
        // Random, so that a database that compresses index entries gains nothing.
        Random random = new Random(42);
        for (String longest : List.of(
                "k".repeat(IdempotencyKey.MAX_LENGTH),
                random.ints(IdempotencyKey.MAX_LENGTH, 0x4e00, 0x9fa5)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString(),
                random.ints(127, 0x1f400, 0x1f4fd)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .append('k')
                        .toString())) {
            assertThat(longest).hasSize(IdempotencyKey.MAX_LENGTH);
            IdempotencyKey key =
                    IdempotencyKey.inScope(longest).operation(longest).value(longest);
            Pending record = plant(pending(key, Protocol.CLAIM_FIRST, Optional.empty()));

            assertThat(ageless(found(key))).isEqualTo(record);
            assertThat(claim(pending(key, Protocol.CLAIM_FIRST, Optional.empty())))
                    .isPresent();
            assertThat(locked(key, Duration.ZERO)).isPresent();
            assertThat(changes(transaction -> transaction.release(key, record.token())))
                    .isTrue();
        }
    }

    @Test
    void keysThatAreNearlyTheSameAreDifferent() {
        List<IdempotencyKey> keys = List.of(
                IdempotencyKey.inScope("a").operation("b").value("k"),
                IdempotencyKey.inScope("A").operation("b").value("k"),
                IdempotencyKey.inScope("a").operation("B").value("k"),
                IdempotencyKey.inScope("a").operation("b").value("K"),
                IdempotencyKey.inScope("b").operation("a").value("k"),
                IdempotencyKey.inScope("k").operation("b").value("a"),
                IdempotencyKey.inScope("ab").operation("k").value("k"),
                IdempotencyKey.inScope("a").operation("bk").value("k"),
                IdempotencyKey.inScope("a").operation("b").value("k."),
                IdempotencyKey.inScope("a").operation("b").value("k_"),
                IdempotencyKey.inScope("a").operation("b").value("k%"),
                IdempotencyKey.inScope("a").operation("b").value("k'"),
                IdempotencyKey.inScope("a").operation("b").value("k\\"),
                IdempotencyKey.inScope("a").operation("b").value("01"),
                IdempotencyKey.inScope("a").operation("b").value("1"),
                IdempotencyKey.inScope("a").operation("b").value("\u00e9"),
                IdempotencyKey.inScope("a").operation("b").value("e\u0301"),
                IdempotencyKey.inScope("a").operation("b").value("e"),
                IdempotencyKey.inScope("a").operation("b").value("\u00df"),
                IdempotencyKey.inScope("a").operation("b").value("ss"),
                IdempotencyKey.inScope("a").operation("b").value("\uff4b"),
                IdempotencyKey.inScope("a").operation("b").value("null"));
        List<Pending> records = keys.stream()
                .map(key -> plant(pending(key, Protocol.CLAIM_FIRST, Optional.empty())))
                .toList();

        for (Pending record : records) {
            assertThat(ageless(found(record.key()))).isEqualTo(record);
        }
        Pending first = records.get(0);
        autoCommit(transaction -> transaction.release(first.key(), first.token()));
        assertThat(keys).filteredOn(key -> read(key).isEmpty()).containsExactly(first.key());
    }
}
