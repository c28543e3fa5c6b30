package io.counterpoint.idempotency.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ProviderOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.admin.PlantedDatabase.Kind;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What an application does with its own lookup and follow-up. */
@Tag("thorough")
class AdministrationTest {

    private PlantedDatabase database;
    private Administration administration;
    private Lookup<String> remote = Lookup.notYet();

    @BeforeEach
    void open() {
        database = PlantedDatabase.of(Kind.H2);
        database.audit().createIfMissing();
        administration = database.administration();
    }

    @AfterEach
    void close() {
        database.close();
    }

    /** Its bookings fail as long as their table is missing. */
    private ExternalOperation<String> pay() {
        return database.idempotency()
                .external("pay", ResultCodec.string(), unresolved -> remote)
                .then((handle, key, result) -> handle.execute("INSERT INTO booking VALUES (?)", result))
                .build();
    }

    private IdempotencyKey unresolved() {
        ExternalOperation<String> pay = pay();
        assertThatThrownBy(() -> pay.execute(PlantedDatabase.attempt("1"), key -> {
                    throw new IllegalStateException("no answer");
                }))
                .isInstanceOf(OutcomeUnknownException.class);
        return pay.keyOf(PlantedDatabase.attempt("1"));
    }

    private String settled(IdempotencyKey key) {
        Resolution.Answered answered = administration
                .attempt(key.hash())
                .by("eve")
                .because("the other side is back")
                .settle(pay());
        assertThat(answered.agrees()).isEqualTo(!answered.outcome().equals("InProgress"));
        return answered.outcome();
    }

    private long bookings() {
        return Jdbi.create(database.pool())
                .withHandle(handle -> handle.createQuery("SELECT count(*) FROM booking")
                        .mapTo(Long.class)
                        .one());
    }

    @Test
    void settlingEndsTheAttemptOnceTheLookupKnowsItsEffect() {
        database.execute("CREATE TABLE booking (what VARCHAR(100))");
        IdempotencyKey key = unresolved();

        assertThat(settled(key)).isEqualTo("InProgress");
        assertThat(administration.find(key).orElseThrow().isPending()).isTrue();
        remote = Lookup.found("paid");
        assertThat(settled(key)).isEqualTo("Replayed");
        assertThat(settled(key)).isEqualTo("Replayed");
        assertThat(bookings()).isEqualTo(1);
    }

    @Test
    void settlingStoresARefusal() {
        IdempotencyKey key = unresolved();
        remote = Lookup.refused(new Failure("declined", ""));

        assertThat(settled(key)).isEqualTo("Rejected");
    }

    /** What its record has before the answer is the request, which is no result. */
    @Test
    void answerOfAProviderIsStatedByTheOperatorAndBookedWithItsRequest() {
        database.execute("CREATE TABLE booking (what VARCHAR(100))");
        ProviderOperation<String, String> charge = database.idempotency()
                .<String, String>provider("charge", ResultCodec.string(), ResultCodec.string(), (key, request) -> {
                    throw new IllegalStateException("no answer");
                })
                .rememberedFor(Duration.ofHours(1))
                .then((handle, key, request, answer) ->
                        handle.execute("INSERT INTO booking VALUES (?)", request + " " + answer))
                .build();
        assertThatThrownBy(() -> charge.execute(PlantedDatabase.attempt("1"), "7 EUR"))
                .isInstanceOf(OutcomeUnknownException.class);
        String hash = charge.keyOf(PlantedDatabase.attempt("1")).hash();

        assertThatThrownBy(() -> administration
                        .attempt(hash)
                        .by("eve")
                        .because("receipt")
                        .succeeded(charge))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("The record has no result");
        assertThatThrownBy(() -> administration
                        .attempt(hash)
                        .by("eve")
                        .because("receipt")
                        .succeeded(pay(), "paid"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("to operation charge");
        assertThat(administration
                        .attempt(hash)
                        .by("eve")
                        .because("receipt")
                        .succeeded(charge, "ch-1")
                        .outcome())
                .isEqualTo("Replayed");
        assertThat(bookings()).isEqualTo(1);
    }

    /** Its bytes are no result that an operation without its code could take. */
    @Test
    void providersAttemptWithoutFollowUpIsNotForOperationsWithoutItsCode() {
        ProviderOperation<String, String> charge = database.idempotency()
                .<String, String>provider("charge", ResultCodec.string(), ResultCodec.string(), (key, request) -> {
                    throw new IllegalStateException("no answer");
                })
                .rememberedFor(Duration.ofHours(1))
                .build();
        assertThatThrownBy(() -> charge.execute(PlantedDatabase.attempt("1"), "7 EUR"))
                .isInstanceOf(OutcomeUnknownException.class);
        String hash = charge.keyOf(PlantedDatabase.attempt("1")).hash();

        assertThatThrownBy(() -> administration
                        .attempt(hash)
                        .by("eve")
                        .because("receipt")
                        .succeeded(administration.operation("charge")))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("owes a follow-up");
        assertThatThrownBy(() -> administration
                        .attempt(hash)
                        .by("eve")
                        .because("sends again")
                        .settle(charge))
                .isInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void knownEffectIsNoFailureAndItsFollowUpRunsWithTheOperatorsWord() {
        IdempotencyKey key = unresolved();
        remote = Lookup.found("paid");
        assertThatThrownBy(() -> settled(key))
                .isInstanceOfSatisfying(
                        OutcomeUnknownException.class,
                        owed -> assertThat(owed.reason()).isSameAs(Reason.FOLLOW_UP_OWED))
                .hasRootCauseInstanceOf(SQLException.class);
        remote = Lookup.notYet();

        assertThatThrownBy(() -> administration
                        .attempt(key.hash())
                        .by("eve")
                        .because("no receipt")
                        .failed(pay()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("cannot be resolved as failed")
                .hasMessageEndingWith("Nothing was changed.");
        assertThatThrownBy(() -> administration
                        .attempt(key.hash())
                        .by("eve")
                        .because("receipt")
                        .succeeded(pay(), "other"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("The record already has the result");
        assertThatThrownBy(() -> administration
                        .attempt(key.hash())
                        .by("eve")
                        .because("an operation without follow-up")
                        .succeeded(database.pay()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("owes a follow-up");
        assertThat(administration.find(key).orElseThrow().protocol()).isSameAs(StoredRecord.Protocol.FOLLOW_UP_OWED);

        database.execute("CREATE TABLE booking (what VARCHAR(100))");
        assertThat(administration
                        .attempt(key.hash())
                        .by("eve")
                        .because("receipt")
                        .succeeded(pay())
                        .outcome())
                .isEqualTo("Replayed");
        assertThat(bookings()).isEqualTo(1);
    }

    /** Which policy its operation has is not in the record. */
    @Test
    void attemptInTheDatabaseIsLeftToItsCallsAsTheirPolicySays() {
        IdempotencyKey key = unresolved();
        database.execute("UPDATE idempotency_record SET protocol = 'C'");

        OperatorsWord word = administration.attempt(key.hash()).by("eve").because("receipt");
        for (ThrowingCallable resolution :
                List.<ThrowingCallable>of(() -> settled(key), () -> word.succeeded(pay()), () -> word.failed(pay()))) {
            assertThatThrownBy(resolution)
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("whenAbandoned(FAIL, ...), the default, stores a failure")
                    .hasMessageContaining("TAKE_OVER runs the work again")
                    .hasMessageContaining("With LEAVE, no call settles it");
        }
        assertThatThrownBy(() -> pay().resolveFailed(key, new Failure("f", "")))
                .hasMessageContaining("unless that has whenAbandoned(LEAVE, ...)");
        assertThat(administration.find(key).orElseThrow().isPending()).isTrue();
    }

    @Test
    void attemptOfANewerVersionIsNotSaidToEndByItself() {
        IdempotencyKey key = unresolved();
        for (String unknown : List.of("protocol = 'Z'", "protocol = 'C', state = 'Z'")) {
            database.execute("UPDATE idempotency_record SET " + unknown);

            assertThatThrownBy(() -> settled(key))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("newer version")
                    .hasMessageNotContainingAny("ended", "a call");
        }
    }

    /** A table may have millions of keys. */
    @Test
    void driverOfMySqlKeepsNoMoreThanARowInMemory() {
        List<Object> fetchSizes = new ArrayList<>();
        DataSource mySql = ofMySql(DataSource.class, database.pool(), fetchSizes);

        assertThat(Administration.of(mySql, "idempotency_record", database.audit())
                        .find("0".repeat(64)))
                .isEmpty();
        assertThat(fetchSizes).containsExactly(Integer.MIN_VALUE);
    }

    /** Claims to be MySQL's driver, and records the fetch size. */
    private static <T> T ofMySql(Class<T> type, Object real, List<Object> fetchSizes) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> switch (method.getName()) {
                    case "getDriverName" -> "MySQL Connector/J";
                    case "setFetchSize" -> {
                        fetchSizes.add(arguments[0]);
                        yield null;
                    }
                    case "getConnection", "getMetaData", "prepareStatement" ->
                        ofMySql(method.getReturnType(), method.invoke(real, arguments), fetchSizes);
                    default -> method.invoke(real, arguments);
                }));
    }
}
