package io.counterpoint.idempotency.jdbc.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.NotStartedException;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyException.UndecodableException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.RecordedOperation;
import io.counterpoint.idempotency.function.CheckedFunction;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Operations whose record is a row of the domain, for a {@link io.counterpoint.idempotency.jdbc.spi.Dialect} that says which
 * tables are fit. It makes the tables {@code chat} and {@code chat_member}. A preview: it may change in any version.
 */
@Timeout(60)
public abstract class DomainRowContract {

    private static final List<String> TABLES = List.of(
            "DROP TABLE IF EXISTS chat_member",
            "DROP TABLE IF EXISTS chat",
            "CREATE TABLE chat (id varchar(36) NOT NULL PRIMARY KEY, name varchar(100) UNIQUE, key_id varchar(64) UNIQUE,"
                    + " request varchar(64), short_key varchar(63) UNIQUE, free_key varchar(64))",
            "CREATE TABLE chat_member (chat_id varchar(36) NOT NULL, name varchar(100) NOT NULL,"
                    + " PRIMARY KEY (chat_id, name))");

    private final Supplier<Jdbi> database;
    private final Supplier<JdbiIdempotencyStore> stores;
    private RecordedOperation<Handle, String> operation;

    /**
     * For subclasses.
     *
     * @param database the database, whose sessions wait for a lock for some seconds at most
     * @param stores makes a store over it, as another process would
     */
    protected DomainRowContract(Supplier<Jdbi> database, Supplier<JdbiIdempotencyStore> stores) {
        this.database = database;
        this.stores = stores;
    }

    @BeforeEach
    void prepare() {
        database.get().useHandle(handle -> TABLES.forEach(handle::execute));
        operation = newOperation();
    }

    private RecordedOperation<Handle, String> newOperation() {
        JdbiIdempotencyStore store = stores.get();
        return Idempotency.on(store)
                .recorded("create-chat", store.recordedIn("chat", "key_id", "request"), DomainRowContract::find)
                .build();
    }

    private static Optional<String> find(Handle handle, IdempotencyKey key) {
        return handle.createQuery("SELECT id FROM chat WHERE key_id = ?")
                .bind(0, key.hash())
                .mapTo(String.class)
                .findOne();
    }

    private static Attempt attempt(String key, String name) {
        return Attempt.in("user:1").key(key).request(name);
    }

    private Outcome<String> create(String key, String name) throws Exception {
        return create(key, name, handle -> {});
    }

    private interface More {
        void with(Handle handle) throws Exception;
    }

    private Outcome<String> create(String key, String name, More more) throws Exception {
        String id = UUID.randomUUID().toString();
        CheckedFunction<Handle, String, Exception> work = handle -> {
            handle.execute("INSERT INTO chat_member (chat_id, name) VALUES (?, 'first')", id);
            more.with(handle);
            return id;
        };
        return operation.execute(attempt(key, name), Map.of("id", id, "name", name), work);
    }

    private List<String> ids() {
        return database.get()
                .withHandle(handle -> handle.createQuery("SELECT id FROM chat")
                        .mapTo(String.class)
                        .list());
    }

    private List<String> members() {
        return database.get()
                .withHandle(handle -> handle.createQuery("SELECT chat_id FROM chat_member")
                        .mapTo(String.class)
                        .list());
    }

    /** All else rests on it. */
    @Test
    void insertWaitsForAnUncommittedDuplicateInAUniqueIndex() throws Exception {
        for (boolean commits : new boolean[] {true, false}) {
            String key = UUID.randomUUID().toString();
            CompletableFuture<Boolean> second;
            try (Handle first = database.get().open()) {
                first.begin();
                insert(first, key);
                second = CompletableFuture.supplyAsync(() -> inserts(key));
                assertThatThrownBy(() -> second.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
                if (commits) {
                    first.commit();
                } else {
                    first.rollback();
                }
            }
            assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo(!commits);
        }
    }

    private static void insert(Handle handle, String key) {
        handle.execute(
                "INSERT INTO chat (id, key_id) VALUES (?, ?)", UUID.randomUUID().toString(), key);
    }

    private boolean inserts(String key) {
        try {
            database.get().useHandle(handle -> insert(handle, key));
            return true;
        } catch (RuntimeException refused) {
            return false;
        }
    }

    @Test
    void firstCallInsertsTheRowAndItsRetriesAreAnsweredByIt() throws Exception {
        Outcome<String> first = create("k", "chess");

        assertThat(first).isInstanceOf(Outcome.Executed.class);
        assertThat(ids()).containsExactly(first.orElseThrow());
        assertThat(create("k", "chess")).isEqualTo(new Outcome.Replayed<>(first.key(), first.orElseThrow()));
        operation = newOperation();
        assertThat(create("k", "chess")).isEqualTo(new Outcome.Replayed<>(first.key(), first.orElseThrow()));
        assertThat(members()).containsExactly(first.orElseThrow());
    }

    @Test
    void otherRequestUnderTheKeyIsRefusedAndChangesNothing() throws Exception {
        Outcome<String> first = create("k", "chess");

        assertThat(create("k", "go")).isInstanceOf(Outcome.KeyReused.class);
        assertThat(ids()).containsExactly(first.orElseThrow());
    }

    @Test
    void workThatThrowsLeavesNothingAndItsKeyIsFree() throws Exception {
        IllegalStateException own = new IllegalStateException("no");

        assertThatThrownBy(() -> create("k", "chess", handle -> {
                    throw own;
                }))
                .isSameAs(own);
        assertThat(ids()).isEmpty();
        assertThat(members()).isEmpty();
        assertThat(create("k", "chess")).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    void rowThatIsRefusedForAnotherReasonIsToldAndNothingIsThere() throws Exception {
        Outcome<String> first = create("k", "chess");

        assertThatThrownBy(() -> create("l", "chess"))
                .isInstanceOfSatisfying(
                        NotStartedException.class,
                        thrown -> assertThat(thrown.reason()).isSameAs(Reason.ROW_REFUSED))
                .hasRootCauseInstanceOf(SQLException.class);
        assertThat(ids()).containsExactly(first.orElseThrow());
        assertThat(create("l", "go")).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    void errorThatTheWorkSwallowsDoesNotSeparateRowAndWork() throws Exception {
        Throwable thrown = null;
        try {
            Outcome<String> unused = create("k", "chess", handle -> {
                assertThatThrownBy(() -> handle.execute("INSERT INTO chat_member (chat_id, name) VALUES (NULL, 'x')"))
                        .isNotNull();
            });
        } catch (Exception refused) {
            thrown = refused;
        }
        assertThat(members()).hasSize(thrown == null ? 1 : 0).isEqualTo(ids());
    }

    /** Behind the transaction of another process. */
    @Test
    void duplicateWaitsForTheTransactionThatHasInsertedItsKey() throws Exception {
        RecordedOperation<Handle, String> other = newOperation();
        CountDownLatch inserted = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Outcome<String>> leader = CompletableFuture.supplyAsync(
                () -> other.execute(attempt("k", "chess"), Map.of("id", "theirs", "name", "chess"), handle -> {
                    inserted.countDown();
                    awaited(goOn);
                    return "theirs";
                }));
        assertThat(inserted.await(20, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Outcome<String>> follower = CompletableFuture.supplyAsync(() -> created("k", "chess"));
        goOn.countDown();

        assertThat(leader.get(20, TimeUnit.SECONDS)).isInstanceOf(Outcome.Executed.class);
        assertThat(follower.get(20, TimeUnit.SECONDS).orElseThrow()).isEqualTo("theirs");
        assertThat(ids()).containsExactly("theirs");
    }

    @Test
    void duplicateThatWaitsInVainIsInProgress() throws Exception {
        IdempotencyKey key = operation.keyOf(attempt("k", "chess"));
        try (Handle leader = database.get().open()) {
            leader.begin();
            leader.execute("INSERT INTO chat (id, key_id) VALUES ('theirs', ?)", key.hash());

            assertThat(create("k", "chess"))
                    .isInstanceOfSatisfying(
                            Outcome.InProgress.class,
                            waited -> assertThat(waited.ending()).isEqualTo(Outcome.Ending.LATER_CALL));
            leader.rollback();
        }
        assertThat(create("k", "chess")).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    void manyCallersOfOneKeyHaveOneRow() throws Exception {
        List<CompletableFuture<Outcome<String>>> calls = Stream.generate(
                        () -> CompletableFuture.supplyAsync(() -> created("k", "chess")))
                .limit(8)
                .toList();
        for (CompletableFuture<Outcome<String>> call : calls) {
            assertThat(call.get(30, TimeUnit.SECONDS).orElseThrow()).isEqualTo(ids().get(0));
        }
        assertThat(ids()).hasSize(1).isEqualTo(members());
    }

    @Test
    void deletedRowMakesItsKeyNew() throws Exception {
        Outcome<String> first = create("k", "chess");
        database.get().useHandle(handle -> handle.execute("DELETE FROM chat"));

        Outcome<String> second = create("k", "chess");

        assertThat(second).isInstanceOf(Outcome.Executed.class).isNotEqualTo(first);
    }

    /** Else a lookup that leaves out what is marked as deleted would make the effect again. */
    @Test
    void rowThatTheLookupDoesNotFindIsNotMadeAgain() throws Exception {
        JdbiIdempotencyStore store = stores.get();
        Outcome<String> first = create("k", "chess");
        RecordedOperation<Handle, String> blind = Idempotency.on(store)
                .<String>recorded(
                        "create-chat", store.recordedIn("chat", "key_id", "request"), (handle, key) -> Optional.empty())
                .build();

        assertThatThrownBy(() -> blind.execute(attempt("k", "chess"), Map.of("id", "second"), handle -> "second"))
                .isInstanceOf(UndecodableException.class)
                .hasMessageContaining("marked as deleted");
        assertThat(ids()).containsExactly(first.orElseThrow());
    }

    @Test
    void rowThatIsGoneByTheTimeOfTheLookupMakesItsKeyNew() throws Exception {
        JdbiIdempotencyStore store = stores.get();
        Outcome<String> first = create("k", "chess");
        RecordedOperation<Handle, String> late = Idempotency.on(store)
                .<String>recorded("create-chat", store.recordedIn("chat", "key_id", "request"), (handle, key) -> {
                    database.get().useHandle(other -> other.execute("DELETE FROM chat"));
                    return find(handle, key);
                })
                .build();

        assertThat(late.execute(attempt("k", "chess"), Map.of("id", "second", "name", "chess"), handle -> "second"))
                .isEqualTo(new Outcome.Executed<>(first.key(), "second"));
        assertThat(ids()).containsExactly("second");
    }

    @Test
    void attemptWithARequestNeedsAColumnForIt() throws Exception {
        JdbiIdempotencyStore store = stores.get();
        RecordedOperation<Handle, String> without = Idempotency.on(store)
                .recorded("create-chat", store.recordedIn("chat", "key_id"), DomainRowContract::find)
                .build();

        assertThatThrownBy(() -> without.execute(attempt("k", "chess"), Map.of("id", "first"), handle -> "first"))
                .isInstanceOf(IllegalArgumentException.class);
        Attempt bare = Attempt.in("user:1").key("k").request();
        assertThat(without.execute(bare, Map.of("id", "first"), handle -> "first"))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(without.execute(bare, Map.of("id", "second"), handle -> "second"))
                .isInstanceOf(Outcome.Replayed.class);
    }

    @Test
    void columnsOfTheLibraryAndTextsThatAreNoNamesAreRefused() {
        for (String column : List.of("key_id", "KEY_ID", "request", "id) VALUES ('x') --", "")) {
            assertThatThrownBy(() -> operation.execute(attempt("k", "chess"), Map.of(column, "x"), handle -> "x"))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(ids()).isEmpty();
    }

    @Test
    void tableWhoseRowsCannotBeRecordsIsRefusedWithTheReason() {
        JdbiIdempotencyStore store = stores.get();

        assertThatThrownBy(() -> store.recordedIn("chat", "free_key"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("free_key has no unique index");
        assertThatThrownBy(() -> store.recordedIn("chat", "short_key"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("short_key is of type");
        assertThatThrownBy(() -> store.recordedIn("chat", "none", "nor_this"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("no column none", "no column nor_this");
        assertThatThrownBy(() -> store.recordedIn("no_chat", "key_id")).isInstanceOf(IllegalStateException.class);
    }

    private Outcome<String> created(String key, String name) {
        try {
            return create(key, name);
        } catch (Exception thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    private static void awaited(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException thrown) {
            throw new IllegalStateException(thrown);
        }
    }
}
