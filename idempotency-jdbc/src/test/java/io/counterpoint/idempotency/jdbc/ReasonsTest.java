package io.counterpoint.idempotency.jdbc;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyException.Effect;
import io.counterpoint.idempotency.IdempotencyException.Next;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.testkit.ControllableClock;
import io.counterpoint.idempotency.testkit.faults.FaultyStore;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each reason of an exception, provoked on a database. A reason without a case does not compile. */
class ReasonsTest {

    private static final Attempt ATTEMPT = Attempt.inScope("user:1").key("k").request("r");
    private static final ResultCodec<String> UNREADABLE = ResultCodec.text(text -> text, text -> {
        throw new IllegalArgumentException("unreadable");
    });

    private final Jdbi jdbi = Jdbi.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    private final ControllableClock clock = new ControllableClock();
    private final FaultyStore<Handle> faulty = FaultyStore.around(store());

    private JdbiIdempotencyStore store() {
        return JdbiIdempotencyStore.on(jdbi).toBuilder()
                .table("public.idempotency_record")
                .build()
                .createTableIfMissing()
                .checkTable();
    }

    @BeforeEach
    void createEffects() {
        jdbi.useHandle(handle -> handle.execute("CREATE TABLE effect (id INT)"));
    }

    @ParameterizedTest
    @EnumSource
    void reasonIsThrownAndWhatItSaysOfTheEffectIsTrue(Reason reason) {
        Throwable thrown = catchThrowable(() -> provoke(reason));

        assertThat(thrown)
                .isInstanceOf(reason.type())
                .isInstanceOfSatisfying(
                        IdempotencyException.class,
                        told -> assertThat(told.reason()).isSameAs(reason))
                .message()
                .matches(".* See <https://\\S+/docs/troubleshooting\\.md#[a-z-]+>\\.");
        if (reason.effect() != Effect.UNKNOWN) {
            assertThat(effects()).isEqualTo(reason.effect() == Effect.COMMITTED ? 1 : 0);
        }
    }

    /** What the exception says of asking again is true: a retry never doubles the effect, and has it where nothing stands against it. */
    @ParameterizedTest
    @EnumSource
    void retryMakesAtMostOneEffect(Reason reason) {
        Throwable thrown = catchThrowable(() -> provoke(reason));
        faulty.disarm();
        for (int retry = 0; retry < 3; retry++) {
            Throwable unused = catchThrowable(() -> inDatabase().build().execute(ATTEMPT, ReasonsTest::work));
            clock.advance(Duration.ofMinutes(10));
        }

        assertThat(thrown).isNotNull();
        assertThat(effects()).isLessThanOrEqualTo(1);
        if (reason.effect() == Effect.NONE && reason.next() == Next.RETRY) {
            assertThat(effects()).isEqualTo(1);
        }
    }

    /** What the dialect says commits. */
    @Test
    void statementThatCommitsOnThisDatabaseIsRefusedAndTheWorkHasNoEffect() {
        assertThatThrownBy(() -> inDatabase().build().execute(ATTEMPT, handle -> {
                    String made = work(handle);
                    handle.execute("CREATE TABLE defined_by_work (id INT)");
                    return made;
                }))
                .hasMessageContaining("Refused to execute CREATE TABLE");
        assertThat(effects()).isZero();
    }

    @Test
    void pageHasThisTableOfAllReasons() throws IOException {
        String rows = Stream.of(Reason.values())
                .map(reason -> "| `%s` | `%s` | %s | %s | %s |"
                        .formatted(
                                reason,
                                reason.type().getSimpleName(),
                                reason.what(),
                                reason.effect().name().toLowerCase(Locale.ROOT),
                                reason.next().name().toLowerCase(Locale.ROOT).replace('_', ' ')))
                .collect(joining("\n"));
        assertThat(Files.readString(Path.of("..", "docs", "troubleshooting.md")))
                .contains("| reason | exception | what happened | effect | retry |\n|---|---|---|---|---|\n" + rows
                        + "\n");
    }

    private Object provoke(Reason reason) throws Exception {
        return switch (reason) {
            case IN_PROGRESS -> {
                Throwable unused = catchThrowable(() -> provoke(Reason.EXTERNAL_FAILED));
                yield external(ResultCodec.string())
                        .build()
                        .execute(ATTEMPT, ReasonsTest::failed)
                        .orElseThrow();
            }
            case FAILED -> {
                Throwable unused = catchThrowable(() -> inDatabase().build().execute(ATTEMPT, ReasonsTest::failed));
                yield inDatabase().build().execute(ATTEMPT, ReasonsTest::work).orElseThrow();
            }
            case KEY_REUSED -> {
                Throwable unused = catchThrowable(() -> inDatabase().build().execute(ATTEMPT, ReasonsTest::failed));
                Attempt other = Attempt.inScope("user:1").key("k").request("another");
                yield inDatabase().build().execute(other, ReasonsTest::work).orElseThrow();
            }
            case STORE_UNREACHABLE -> {
                faulty.at(StoreCall.OPEN).always().fails(Fault.CONNECTION_LOST);
                yield inDatabase().build().execute(ATTEMPT, ReasonsTest::work);
            }
            case SCOPE_UNAVAILABLE -> {
                Operation<Handle, String> moving = operation(new Moving(faulty)).build();
                yield only(Batch.inOneTransaction(moving).executeEach(List.of(ATTEMPT), (handle, one) -> work(handle)));
            }
            case STORE_UNFIT -> {
                jdbi.useHandle(handle -> handle.execute("DROP TABLE idempotency_record"));
                yield inDatabase().build().execute(ATTEMPT, ReasonsTest::work);
            }
            case RUNS_ROLLED_BACK -> {
                faulty.at(StoreCall.INSERT).always().fails(Fault.CONFLICT);
                yield inDatabase()
                        .protocol(Operation.Protocol.RECORD_LAST)
                        .build()
                        .execute(ATTEMPT, ReasonsTest::work);
            }
            case BATCH_OVER -> {
                Attempt first = Attempt.inScope("user:1").key("first").request("r");
                yield Batch.inOwnTransactions(inDatabase().build())
                        .within(Duration.ofSeconds(1))
                        .executeEach(List.of(first, ATTEMPT), (handle, one) -> {
                            clock.advance(Duration.ofMinutes(1));
                            return "no effect";
                        })
                        .get(1)
                        .orElseThrow();
            }
            case WRONG_RESULTS ->
                only(Batch.inOneTransaction(inDatabase().build()).executeAll(List.of(ATTEMPT), (handle, leading) -> {
                    String unused = work(handle);
                    return List.of();
                }));
            case PLAN_UNSTORABLE ->
                inDatabase()
                        .maxResultBytes(1)
                        .planned()
                        .build()
                        .execute(ATTEMPT, () -> "long", (handle, plan) -> work(handle));
            case RESULT_UNSTORABLE -> inDatabase().maxResultBytes(1).build().execute(ATTEMPT, ReasonsTest::work);
            case RESULT_UNREADABLE -> {
                inDatabase().build().execute(ATTEMPT, ReasonsTest::work).orElseThrow();
                yield Idempotency.on(faulty)
                        .operation("pay", UNREADABLE)
                        .build()
                        .execute(ATTEMPT, ReasonsTest::work);
            }
            case PLAN_UNREADABLE -> {
                Throwable unused = catchThrowable(() -> external(ResultCodec.string())
                        .planned()
                        .build()
                        .execute(ATTEMPT, () -> "plan", (key, plan) -> failed(key)));
                yield external(UNREADABLE).build().execute(ATTEMPT, ReasonsTest::failed);
            }
            case DOUBT_UNRESOLVED -> {
                faulty.at(StoreCall.CLAIM)
                        .losesAnswer()
                        .after(() -> faulty.at(StoreCall.OPEN).always().fails(Fault.CONNECTION_LOST));
                yield inDatabase().build().execute(ATTEMPT, ReasonsTest::work);
            }
            case COMMIT_UNANSWERED -> {
                faulty.at(StoreCall.COMMIT).losesAnswer();
                faulty.second(StoreCall.LOCK).always().fails(Fault.CONNECTION_LOST);
                yield inDatabase().build().execute(ATTEMPT, ReasonsTest::work);
            }
            case CLAIM_LOST -> {
                faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
                faulty.second(StoreCall.LOCK).before(this::loseRecords);
                yield inDatabase().build().execute(ATTEMPT, ReasonsTest::work);
            }
            case FAILURE_UNRECORDED -> {
                faulty.at(StoreCall.FAIL).always().fails(Fault.CONNECTION_LOST);
                yield inDatabase().build().execute(ATTEMPT, ReasonsTest::failed);
            }
            case EXTERNAL_FAILED -> external(ResultCodec.string()).build().execute(ATTEMPT, ReasonsTest::failed);
            case LOOKUP_FAILED -> {
                Throwable unused = catchThrowable(() -> provoke(Reason.EXTERNAL_FAILED));
                yield Idempotency.on(faulty)
                        .external("pay", ResultCodec.string(), key -> Lookup.found(failed(key)))
                        .build()
                        .execute(ATTEMPT, ReasonsTest::failed);
            }
            case FOLLOW_UP_OWED ->
                withFollowUp(handle -> failed(handle)).execute(ATTEMPT, key -> jdbi.withHandle(ReasonsTest::work));
            case FOLLOW_UP_MISSING -> {
                Throwable unused = catchThrowable(() -> provoke(Reason.FOLLOW_UP_OWED));
                yield external(ResultCodec.string()).build().execute(ATTEMPT, ReasonsTest::failed);
            }
            case RECORD_UNREADABLE -> {
                Throwable unused = catchThrowable(() -> provoke(Reason.EXTERNAL_FAILED));
                jdbi.useHandle(handle -> handle.execute("UPDATE idempotency_record SET protocol = 'Z'"));
                yield external(ResultCodec.string()).build().execute(ATTEMPT, ReasonsTest::failed);
            }
            case ENDED_BY_WORK ->
                inDatabase().build().execute(ATTEMPT, handle -> {
                    String made = work(handle);
                    handle.execute("--\nCREATE TABLE defined_by_work (id INT)");
                    return made;
                });
            case FAILED_WITH_EFFECT -> {
                Throwable unused = catchThrowable(() -> provoke(Reason.EXTERNAL_FAILED));
                ExternalOperation<String> pay = Idempotency.on(faulty)
                        .external("pay", ResultCodec.string(), unresolved -> {
                            if (effects() == 0) {
                                jdbi.useHandle(ReasonsTest::work);
                            }
                            Failure said = new Failure("declined", "");
                            CompletableFuture.runAsync(() -> external(ResultCodec.string())
                                            .build()
                                            .resolveFailed(unresolved.key(), said))
                                    .join();
                            return Lookup.found("paid");
                        })
                        .build();
                yield pay.execute(ATTEMPT, ReasonsTest::failed);
            }
            case RECORD_GONE -> {
                faulty.at(StoreCall.COMMIT)
                        .fails(Fault.CONNECTION_LOST)
                        .before(() -> clock.advance(Duration.ofDays(365)));
                yield inDatabase()
                        .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        .build()
                        .execute(ATTEMPT, ReasonsTest::work);
            }
        };
    }

    private void loseRecords() {
        jdbi.useHandle(handle -> handle.execute("DELETE FROM idempotency_record"));
    }

    private Operation.Builder<Handle, String> inDatabase() {
        return operation(faulty);
    }

    private Operation.Builder<Handle, String> operation(IdempotencyStore<Handle> store) {
        return Idempotency.builder(store).clock(clock).build().operation("pay", ResultCodec.string());
    }

    private ExternalOperation.Builder<Handle, String> external(ResultCodec<String> codec) {
        return Idempotency.builder(faulty).clock(clock).build().external("pay", codec, unresolved -> Lookup.notYet());
    }

    private ExternalOperation<String> withFollowUp(Consumer<Handle> followUp) {
        return Idempotency.builder(faulty)
                .clock(clock)
                .build()
                .external("pay", ResultCodec.string(), unresolved -> Lookup.notYet())
                .then((handle, key, result) -> followUp.accept(handle))
                .build();
    }

    private static String work(Handle handle) {
        handle.execute("INSERT INTO effect VALUES (1)");
        return "made";
    }

    private static String failed(Object any) {
        throw new IllegalStateException("failed");
    }

    private static String only(List<BatchResult<String>> answers) throws Exception {
        return answers.get(0).orElseThrow().orElseThrow();
    }

    private int effects() {
        return jdbi.withHandle(handle -> handle.createQuery("SELECT count(*) FROM effect")
                .mapTo(Integer.class)
                .one());
    }

    /** Its shard is not known now. */
    private static final class Moving extends ForwardingStore<Handle> {
        Moving(IdempotencyStore<Handle> store) {
            super(store);
        }

        @Override
        public IdempotencyStore<Handle> storeFor(IdempotencyKey key) {
            throw new NotStartedException(Reason.SCOPE_UNAVAILABLE, key, null);
        }
    }
}
