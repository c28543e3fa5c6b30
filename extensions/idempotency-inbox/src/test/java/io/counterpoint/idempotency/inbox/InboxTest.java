package io.counterpoint.idempotency.inbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.inbox.DeadLetter.Reason;
import io.counterpoint.idempotency.inbox.Receipt.Fate;
import io.counterpoint.idempotency.internal.Rethrow;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.testing.MariaDbServer;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of messages, counted in the domain's own table. */
@ParameterizedClass
@EnumSource
class InboxTest {

    /** MariaDB is MySQL where the tests run on that. */
    enum Kind {
        POSTGRESQL,
        MARIADB
    }

    @Parameter
    Kind kind;

    private String url;
    private HikariDataSource pool;
    private Jdbi jdbi;
    private IdempotencyStore<Handle> store;
    private final List<String> given = new ArrayList<>();

    @BeforeEach
    void connect() throws Exception {
        boolean postgres = kind == Kind.POSTGRESQL;
        url = postgres
                ? PostgresServer.shared().createDatabase()
                : MariaDbServer.shared().createDatabase();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(4);
        config.setConnectionTimeout(2_000);
        pool = new HikariDataSource(config);
        jdbi = Jdbi.create(pool);
        store = JdbiIdempotencyStore.on(jdbi).createTableIfMissing();
        jdbi.useHandle(handle -> {
            handle.execute("CREATE TABLE effect (number "
                    + (postgres ? "BIGSERIAL" : "BIGINT AUTO_INCREMENT PRIMARY KEY") + ", id VARCHAR(100) NOT NULL,"
                    + " CONSTRAINT positive CHECK (id <> 'broken'))");
            DeadLetterTable.createIfMissing(handle.getConnection());
        });
    }

    @AfterEach
    void giveBack() {
        pool.close();
        if (kind == Kind.POSTGRESQL) {
            PostgresServer.shared().giveBack(url);
        } else {
            MariaDbServer.shared().drop(url);
        }
    }

    private InboxBuilder<Handle, Letter> builder() {
        return Inbox.builder(store, "orders", Letter.FORMAT)
                .identity(Letter.IDENTITY)
                .deadLetters(DeadLetterTable.through(Handle::getConnection))
                .listener(new InboxListener() {
                    @Override
                    public void deadLetter(String inbox, String origin, Reason reason) {
                        given.add(origin + " " + reason);
                    }
                });
    }

    private Inbox<Handle, Letter> inbox() {
        return builder().build(InboxTest::insert);
    }

    private static void insert(Handle handle, Letter message) {
        handle.execute("INSERT INTO effect (id) VALUES (?)", message.id());
    }

    private List<String> effects() {
        return jdbi.withHandle(handle -> handle.createQuery("SELECT id FROM effect ORDER BY number")
                .mapTo(String.class)
                .list());
    }

    private List<String> letters() {
        return jdbi.withHandle(handle -> handle.createQuery(
                        "SELECT concat(reason, ' ', origin) FROM inbox_dead_letter ORDER BY stored_at")
                .mapTo(String.class)
                .list());
    }

    private static List<Fate> fates(List<Receipt<Letter>> receipts) {
        return receipts.stream().map(Receipt::fate).toList();
    }

    @Test
    void checkOfTheTablesNamesTheOneThatIsMissingAndLeavesNothing() {
        assertThat(inbox().checkTables().name()).isEqualTo("orders");
        assertThat(letters()).isEmpty();

        jdbi.useHandle(handle -> handle.execute("DROP TABLE inbox_dead_letter"));
        assertThatThrownBy(inbox()::checkTables)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("Inbox orders", "inbox_dead_letter", "dead-letter.sql");
        jdbi.useHandle(handle -> handle.execute("DROP TABLE idempotency_record"));
        assertThatThrownBy(inbox()::checkTables)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("idempotency_record");
    }

    @Test
    void copiesOfAMessageHaveOneEffect() {
        Letter one = Letter.of("1", "a");
        Letter two = Letter.of("2", "b");
        assertThat(fates(inbox().process(List.of(one, two, one.at("elsewhere")))))
                .containsExactly(Fate.PROCESSED, Fate.PROCESSED, Fate.DUPLICATE);
        assertThat(fates(inbox().process(List.of(two)))).containsExactly(Fate.DUPLICATE);
        assertThat(effects()).containsExactly("1", "2");
    }

    @Test
    void poisonIsADeadLetterAndLaterMessagesFollowIt() {
        Inbox<Handle, Letter> inbox = builder().build((handle, message) -> {
            insert(handle, message);
            if ("2".equals(message.id())) {
                throw new IllegalArgumentException("no such product");
            }
        });
        List<Letter> messages = List.of(Letter.of("1", "a"), Letter.of("2", "b"), Letter.of("3", "c"));
        assertThat(fates(inbox.process(messages))).containsExactly(Fate.PROCESSED, Fate.DEAD_LETTER, Fate.PROCESSED);
        assertThat(fates(inbox.process(messages))).containsExactly(Fate.DUPLICATE, Fate.DEAD_LETTER, Fate.DUPLICATE);
        assertThat(effects()).containsExactly("1", "3");
        assertThat(letters()).containsExactly("POISON queue/2");
        assertThat(jdbi.<String, RuntimeException>withHandle(handle -> handle.createQuery(
                                "SELECT concat(error, ' ', message_identity) FROM inbox_dead_letter")
                        .mapTo(String.class)
                        .one()))
                .isEqualTo("java.lang.IllegalArgumentException: no such product 2");
    }

    @Test
    void databaseRefusalIsPoisonToo() {
        assertThat(fates(inbox().process(List.of(Letter.of("broken", "a"))))).containsExactly(Fate.DEAD_LETTER);
        assertThat(letters()).containsExactly("POISON queue/broken");
    }

    /** On this node: another one may have it. */
    @Test
    void classThatIsMissingOrCannotBeInitialisedSaysNothingAboutTheMessage() {
        Letter letter = Letter.of("1", "a");
        for (Throwable broken : List.of(
                new ExceptionInInitializerError("no driver"),
                new NoClassDefFoundError("Driver"),
                new IllegalStateException("no bean", new NoClassDefFoundError("Driver")))) {
            Inbox<Handle, Letter> inbox = builder().build((handle, message) -> {
                throw Rethrow.unchanged(broken);
            });
            assertThat(fates(inbox.process(List.of(letter)))).containsExactly(Fate.POSTPONED);
        }
        assertThat(letters()).isEmpty();
        assertThat(fates(inbox().process(List.of(letter)))).containsExactly(Fate.PROCESSED);
    }

    @Test
    void refusalAtTheCommitIsPoisonToo() {
        if (kind == Kind.MARIADB) {
            // It has no constraint that waits for the commit.
            return;
        }
        jdbi.useHandle(handle ->
                handle.execute("ALTER TABLE effect ADD CONSTRAINT once UNIQUE (id) DEFERRABLE INITIALLY DEFERRED"));
        Inbox<Handle, Letter> twice = builder().build((handle, message) -> {
            insert(handle, message);
            insert(handle, message);
        });
        assertThat(fates(twice.process(List.of(Letter.of("1", "a"))))).containsExactly(Fate.DEAD_LETTER);
        assertThat(letters()).containsExactly("POISON queue/1");
        List<String> errors = jdbi.withHandle(handle -> handle.createQuery("SELECT error FROM inbox_dead_letter")
                .mapTo(String.class)
                .list());
        assertThat(errors).singleElement().asString().contains("could not commit", "SQLSTATE 23505");
    }

    @Test
    void poisonWhoseLetterCannotBeStoredHasNotFailed() {
        AtomicBoolean full = new AtomicBoolean(true);
        AtomicBoolean poison = new AtomicBoolean(true);
        DeadLetterTable<Handle> table = DeadLetterTable.through(Handle::getConnection);
        Inbox<Handle, Letter> inbox = builder()
                .deadLetters((handle, letter) -> {
                    table.store(handle, letter);
                    if (full.get()) {
                        throw new IllegalStateException("disk full");
                    }
                })
                .build((handle, message) -> {
                    if (poison.get()) {
                        throw new IllegalArgumentException("poison");
                    }
                    insert(handle, message);
                });
        List<Letter> messages = List.of(Letter.of("1", "a"), Letter.of("2", "b"));
        assertThat(fates(inbox.process(messages))).containsExactly(Fate.POSTPONED, Fate.POSTPONED);
        assertThat(letters()).isEmpty();
        poison.set(false);
        assertThat(fates(inbox.process(messages))).containsExactly(Fate.PROCESSED, Fate.PROCESSED);
        assertThat(effects()).containsExactly("1", "2");
    }

    @Test
    void failureWithoutALetterIsNotAcknowledged() {
        Attempt attempt = Attempt.inScope("inbox").key("1").fingerprint(Fingerprint.ofBytes("a".getBytes(UTF_8)));
        assertThatThrownBy(() -> Idempotency.on(store)
                        .operation("orders")
                        .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        .describeFailure(thrown -> new Failure(Failure.ABANDONED, ""))
                        .build()
                        .<RuntimeException>execute(attempt, handle -> {
                            throw new IllegalArgumentException("not by the inbox");
                        })
                        .orElseThrow())
                .hasMessage("not by the inbox");
        assertThat(fates(inbox().process(List.of(Letter.of("1", "a"))))).containsExactly(Fate.POSTPONED);
    }

    @Test
    void passingFaultPostponesAMessageAndThoseBehindIt() {
        AtomicBoolean passing = new AtomicBoolean(true);
        Inbox<Handle, Letter> inbox = builder()
                .retryOn(thrown -> thrown instanceof SQLTransientException)
                .build((handle, message) -> {
                    insert(handle, message);
                    if (message.id().equals("2") && passing.get()) {
                        throw new SQLTransientException("later");
                    }
                });
        List<Letter> messages = List.of(
                Letter.of("1", "a"),
                Letter.of("2", "b"),
                Letter.of("3", "c"),
                Letter.of("4", "d").ordered("other"));
        List<Receipt<Letter>> first = inbox.process(messages);
        assertThat(fates(first)).containsExactly(Fate.PROCESSED, Fate.POSTPONED, Fate.POSTPONED, Fate.PROCESSED);
        assertThat(first.get(1).cause()).get().isInstanceOf(SQLTransientException.class);
        passing.set(false);
        assertThat(fates(inbox.process(messages)))
                .containsExactly(Fate.DUPLICATE, Fate.PROCESSED, Fate.PROCESSED, Fate.DUPLICATE);
        assertThat(effects()).containsExactly("1", "4", "2", "3");
        assertThat(letters()).isEmpty();
    }

    @Test
    void messageThatARivalHandlesIsPostponed() throws Exception {
        CountDownLatch working = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        Inbox<Handle, Letter> slow = builder().build((handle, message) -> {
            insert(handle, message);
            working.countDown();
            assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
        });
        CompletableFuture<List<Receipt<Letter>>> rival =
                CompletableFuture.supplyAsync(() -> slow.process(List.of(Letter.of("1", "a"))));
        assertThat(working.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(fates(inbox().process(List.of(Letter.of("1", "a"), Letter.of("2", "b")))))
                .containsExactly(Fate.POSTPONED, Fate.POSTPONED);
        asked.countDown();
        assertThat(fates(rival.get(30, TimeUnit.SECONDS))).containsExactly(Fate.PROCESSED);
        assertThat(fates(inbox().process(List.of(Letter.of("1", "a"), Letter.of("2", "b")))))
                .containsExactly(Fate.DUPLICATE, Fate.PROCESSED);
        assertThat(effects()).containsExactly("1", "2");
    }

    @Test
    void unreachableStorePostponesAMessage() {
        Inbox<Handle, Letter> inbox = inbox();
        pool.close();
        List<Receipt<Letter>> receipts = inbox.process(List.of(Letter.of("1", "a")));
        assertThat(fates(receipts)).containsExactly(Fate.POSTPONED);
        assertThat(receipts.get(0).cause()).get().isInstanceOf(NotStartedException.class);
    }

    @Test
    void messageWithoutIdentityIsADeadLetterOnce() {
        Letter nameless = new Letter("queue/7", "queue", null, "a");
        Inbox<Handle, Letter> inbox = inbox();
        assertThat(fates(inbox.process(List.of(nameless, nameless, Letter.of("two words", "b")))))
                .containsExactly(Fate.DEAD_LETTER, Fate.DEAD_LETTER, Fate.DEAD_LETTER);
        assertThat(letters()).containsExactly("NO_IDENTITY queue/7", "INVALID_IDENTITY queue/two words");
        assertThat(given)
                .containsExactly("queue/7 NO_IDENTITY", "queue/7 NO_IDENTITY", "queue/two words INVALID_IDENTITY");
        assertThat(effects()).isEmpty();
    }

    @Test
    void messageWhoseIdentityCannotBeReadIsADeadLetter() {
        Inbox<Handle, Letter> inbox = builder()
                .identity(message -> {
                    throw new IllegalArgumentException("no JSON");
                })
                .build(InboxTest::insert);
        assertThat(fates(inbox.process(List.of(Letter.of("1", "a"))))).containsExactly(Fate.DEAD_LETTER);
        assertThat(letters()).containsExactly("NO_IDENTITY queue/1");
    }

    @Test
    void letterOfAMessageWithoutIdentityThatCannotBeStoredPostponesIt() {
        Inbox<Handle, Letter> inbox = builder()
                .deadLetters((handle, letter) -> {
                    throw new IllegalStateException("disk full");
                })
                .build(InboxTest::insert);
        assertThat(fates(inbox.process(List.of(new Letter("queue/7", "queue", null, "a")))))
                .containsExactly(Fate.POSTPONED);
    }

    @Test
    void anotherMessageWithAUsedIdentityIsADeadLetter() {
        assertThat(fates(inbox().process(
                                List.of(Letter.of("1", "a"), Letter.of("1", "b").at("queue/9")))))
                .containsExactly(Fate.PROCESSED, Fate.DEAD_LETTER);
        assertThat(letters()).containsExactly("IDENTITY_REUSED queue/9");
        assertThat(effects()).containsExactly("1");
    }

    @Test
    @Tag("thorough")
    void contentBeyondTheBoundOfFingerprintsIsADeadLetterWithAllOfIt() {
        Inbox<Handle, Letter> inbox = builder().build(InboxTest::insert);
        Letter large = Letter.of("large", "a".repeat(64 << 20));
        List<Fate> fates = fates(inbox.process(List.of(Letter.of("1", "a"), large, Letter.of("2", "b"))));
        if (kind == Kind.MARIADB) {
            // Its packets end before. Without its letter no message is acknowledged.
            assertThat(fates).containsExactly(Fate.PROCESSED, Fate.POSTPONED, Fate.POSTPONED);
            assertThat(letters()).isEmpty();
            return;
        }
        assertThat(fates).containsExactly(Fate.PROCESSED, Fate.DEAD_LETTER, Fate.PROCESSED);
        assertThat(effects()).containsExactly("1", "2");
        assertThat(letters()).containsExactly("UNREADABLE queue/large");
        assertThat(jdbi.<Integer, RuntimeException>withHandle(
                        handle -> handle.createQuery("SELECT length(content) FROM inbox_dead_letter")
                                .mapTo(int.class)
                                .one()))
                .isEqualTo(64 << 20);
    }

    /** The inbox does not remember an identity whose message it could not read. */
    @Test
    void copyThatCanBeReadHasItsEffectAfterOneThatCouldNot() {
        AtomicBoolean repaired = new AtomicBoolean();
        Inbox<Handle, Letter> inbox = builder()
                .fingerprint(message -> {
                    if (!repaired.get()) {
                        throw new IllegalArgumentException("no such field");
                    }
                    return Fingerprint.ofParts(message.text());
                })
                .build(InboxTest::insert);
        Letter one = Letter.of("1", "a");
        assertThat(fates(inbox.process(List.of(one, one)))).containsExactly(Fate.DEAD_LETTER, Fate.DEAD_LETTER);
        assertThat(letters()).containsExactly("UNREADABLE queue/1");
        repaired.set(true);
        assertThat(fates(inbox.process(List.of(one, one.at("queue/2")))))
                .containsExactly(Fate.PROCESSED, Fate.DUPLICATE);
        assertThat(effects()).containsExactly("1");
    }

    /** Without it, messages behind would have their effects before a message that comes again. */
    @Test
    void messageWhoseLetterCannotBeStoredHoldsUpThoseBehindIt() {
        AtomicBoolean full = new AtomicBoolean(true);
        DeadLetterTable<Handle> table = DeadLetterTable.through(Handle::getConnection);
        Inbox<Handle, Letter> inbox = builder()
                .identity(message ->
                        full.get() && message.text().equals("bad") ? Optional.empty() : Letter.IDENTITY.of(message))
                .deadLetters((handle, letter) -> {
                    if (full.get()) {
                        throw new IllegalStateException("disk full");
                    }
                    table.store(handle, letter);
                })
                .build(InboxTest::insert);
        List<Letter> messages = List.of(
                Letter.of("1", "a"),
                Letter.of("2", "bad"),
                Letter.of("3", "c"),
                Letter.of("4", "d").ordered("other"));
        assertThat(fates(inbox.process(messages)))
                .containsExactly(Fate.PROCESSED, Fate.POSTPONED, Fate.POSTPONED, Fate.PROCESSED);
        full.set(false);
        assertThat(fates(inbox.process(messages)))
                .containsExactly(Fate.DUPLICATE, Fate.PROCESSED, Fate.PROCESSED, Fate.DUPLICATE);
        assertThat(effects()).containsExactly("1", "4", "2", "3");
    }

    @Test
    void equalMessagesOfTwoPlacesWithoutIdentityHaveTwoLetters() {
        List<Letter> messages =
                List.of(new Letter("queue/7", "queue", null, "a"), new Letter("queue/8", "queue", null, "a"));
        assertThat(fates(inbox().process(messages))).containsExactly(Fate.DEAD_LETTER, Fate.DEAD_LETTER);
        assertThat(letters()).containsExactly("NO_IDENTITY queue/7", "NO_IDENTITY queue/8");
    }

    /** RabbitMQ names a delivery only by its identity, which may be missing or shared by several messages. */
    @Test
    void messagesThatShareAnOriginHaveALetterEach() {
        Letter first = new Letter("queue/null", "queue", null, "a");
        Letter second = new Letter("queue/null", "queue", null, "b");
        for (int delivery = 0; delivery < 2; delivery++) {
            assertThat(fates(inbox().process(List.of(first, second))))
                    .containsExactly(Fate.DEAD_LETTER, Fate.DEAD_LETTER);
        }
        List<Letter> reused = List.of(Letter.of("1", "a"), Letter.of("1", "b"), Letter.of("1", "c"));
        assertThat(fates(inbox().process(reused))).containsExactly(Fate.PROCESSED, Fate.DEAD_LETTER, Fate.DEAD_LETTER);
        assertThat(contents()).containsExactly("a", "b", "b", "c");
    }

    private List<String> contents() {
        return jdbi.withHandle(handle -> handle.createQuery("SELECT content FROM inbox_dead_letter ORDER BY stored_at")
                .map((row, context) -> new String(row.getBytes(1), UTF_8))
                .list());
    }

    @Test
    void twoMessagesWithoutOriginAndIdentityHaveTwoLetters() {
        MessageFormat<Letter> withoutOrigin = new MessageFormat<>() {
            @Override
            public String origin(Letter message) {
                throw new IllegalStateException("no place");
            }

            @Override
            public Object orderKey(Letter message) {
                return message.order();
            }

            @Override
            public byte[] content(Letter message) {
                return Letter.FORMAT.content(message);
            }
        };
        Inbox<Handle, Letter> inbox = Inbox.builder(store, "orders", withoutOrigin)
                .identity(message -> Optional.empty())
                .deadLetters(DeadLetterTable.through(Handle::getConnection))
                .build(InboxTest::insert);
        List<Letter> messages = List.of(Letter.of("1", "a"), Letter.of("2", "b"));
        for (int delivery = 0; delivery < 2; delivery++) {
            assertThat(fates(inbox.process(messages))).containsExactly(Fate.DEAD_LETTER, Fate.DEAD_LETTER);
        }
        assertThat(letters())
                .containsExactly(
                        "NO_IDENTITY unknown, origin: java.lang.IllegalStateException: no place",
                        "NO_IDENTITY unknown, origin: java.lang.IllegalStateException: no place");
    }

    /** A pool may throw it, and so does the library where a call is made within another. */
    @Test
    void illegalStateOfThePoolPostponesAllMessages() {
        Inbox<Handle, Letter> inbox = Inbox.builder(
                        JdbiIdempotencyStore.on(Jdbi.create(() -> {
                            throw new IllegalStateException("Pool not open");
                        })),
                        "orders",
                        Letter.FORMAT)
                .identity(Letter.IDENTITY)
                .deadLetters(DeadLetterTable.through(Handle::getConnection))
                .build(InboxTest::insert);
        assertThat(fates(inbox.process(List.of(Letter.of("1", "a"), new Letter("queue/2", "queue", null, "b")))))
                .containsExactly(Fate.POSTPONED, Fate.POSTPONED);
    }

    /** Nothing bounds a handler but the database. */
    @Test
    void handlerThatDoesNotReturnHoldsUpItsPollUntilTheDatabaseEndsItsTransaction() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(1);
        config.setConnectionInitSql(
                kind == Kind.POSTGRESQL ? "SET idle_in_transaction_session_timeout = 300" : "SET wait_timeout = 1");
        List<Letter> messages = List.of(
                Letter.of("1", "a"), Letter.of("2", "b"), Letter.of("3", "c").ordered("other"));
        try (HikariDataSource bounded = new HikariDataSource(config)) {
            Inbox<Handle, Letter> hangs = Inbox.builder(
                            JdbiIdempotencyStore.on(Jdbi.create(bounded)), "orders", Letter.FORMAT)
                    .identity(Letter.IDENTITY)
                    .deadLetters(DeadLetterTable.through(Handle::getConnection))
                    .build((handle, message) -> {
                        insert(handle, message);
                        if (message.id().equals("2") && hanging.getCount() > 0) {
                            hanging.countDown();
                            assertThat(end.await(100, TimeUnit.SECONDS)).isTrue();
                        }
                    });
            CompletableFuture<List<Receipt<Letter>>> stuck =
                    CompletableFuture.supplyAsync(() -> hangs.process(messages));
            assertThat(hanging.await(30, TimeUnit.SECONDS)).isTrue();
            List<Receipt<Letter>> receipts = inbox().process(messages);
            for (int tries = 0; tries < 60 && fates(receipts).contains(Fate.POSTPONED); tries++) {
                receipts = inbox().process(messages);
            }
            assertThat(receipts).allMatch(Receipt::isAcknowledgeable);
            assertThat(effects()).containsExactly("1", "2", "3");
            end.countDown();
            assertThat(fates(stuck.get(60, TimeUnit.SECONDS))).doesNotContain(Fate.PROCESSED, Fate.DEAD_LETTER);
        }
        assertThat(effects()).containsExactly("1", "2", "3");
    }

    /** It holds its thread, and nothing in the database. */
    @Test
    void functionThatDoesNotReturnKeepsNoOtherConsumerFromItsPoll() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Inbox<Handle, Letter> hangs = builder()
                .identity(message -> {
                    if ("2".equals(message.id())) {
                        hanging.countDown();
                        await(end);
                    }
                    return Letter.IDENTITY.of(message);
                })
                .build(InboxTest::insert);
        List<Letter> messages = List.of(Letter.of("1", "a"), Letter.of("2", "b"), Letter.of("3", "c"));
        CompletableFuture<List<Receipt<Letter>>> stuck = CompletableFuture.supplyAsync(() -> hangs.process(messages));
        assertThat(hanging.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(fates(inbox().process(messages))).containsExactly(Fate.PROCESSED, Fate.PROCESSED, Fate.PROCESSED);
        end.countDown();
        assertThat(fates(stuck.get(60, TimeUnit.SECONDS)))
                .containsExactly(Fate.DUPLICATE, Fate.DUPLICATE, Fate.DUPLICATE);
        assertThat(effects()).containsExactly("1", "2", "3");
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(100, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    @Test
    void inboxWithoutIdentityIsRefused() {
        assertThatThrownBy(() -> Inbox.builder(store, "orders", Letter.FORMAT).build(InboxTest::insert))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Inbox orders: call identity(...) before build.");
    }

    @Test
    void exceptionOfAListenerChangesNothing() {
        Inbox<Handle, Letter> inbox = builder()
                .listener(new InboxListener() {
                    @Override
                    public void processed(String name, Counts counts, Duration duration) {
                        throw new IllegalStateException("metrics are down");
                    }
                })
                .build(InboxTest::insert);
        assertThat(fates(inbox.process(List.of(Letter.of("1", "a"))))).containsExactly(Fate.PROCESSED);
    }

    @Test
    void batchIsHandledAtOnceAndPoisonAlone() {
        List<Integer> sizes = new ArrayList<>();
        Inbox<Handle, Letter> inbox = builder().buildForBatches((handle, messages) -> {
            sizes.add(messages.size());
            for (Letter message : messages) {
                insert(handle, message);
            }
        });
        List<Letter> messages =
                List.of(Letter.of("1", "a"), Letter.of("2", "b"), Letter.of("broken", "c"), Letter.of("4", "d"));
        assertThat(fates(inbox.process(messages)))
                .containsExactly(Fate.PROCESSED, Fate.PROCESSED, Fate.DEAD_LETTER, Fate.PROCESSED);
        assertThat(sizes).startsWith(4, 2);
        assertThat(effects()).containsExactly("1", "2", "4");
        assertThat(letters()).containsExactly("POISON queue/broken");
    }

    @Test
    @Tag("thorough")
    void messageBehindARivalsHasNoEffectBeforeItThoughOthersHave() throws Exception {
        CountDownLatch working = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        Inbox<Handle, Letter> slow = builder().build((handle, message) -> {
            working.countDown();
            assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
            throw new SQLTransientException("the rival rolls back", "40001");
        });
        CompletableFuture<List<Receipt<Letter>>> rival =
                CompletableFuture.supplyAsync(() -> slow.process(List.of(Letter.of("2", "b"))));
        assertThat(working.await(30, TimeUnit.SECONDS)).isTrue();
        List<Letter> messages = List.of(
                Letter.of("1", "a"),
                Letter.of("2", "b"),
                Letter.of("3", "c"),
                Letter.of("4", "d").ordered("other"));
        assertThat(fates(builder()
                        .buildForBatches((handle, batch) -> batch.forEach(message -> insert(handle, message)))
                        .process(messages)))
                .containsExactly(Fate.PROCESSED, Fate.POSTPONED, Fate.POSTPONED, Fate.PROCESSED);
        asked.countDown();
        assertThat(fates(rival.get(60, TimeUnit.SECONDS))).containsExactly(Fate.POSTPONED);
        assertThat(fates(inbox().process(messages)))
                .containsExactly(Fate.DUPLICATE, Fate.PROCESSED, Fate.PROCESSED, Fate.DUPLICATE);
        assertThat(effects()).containsExactly("1", "4", "2", "3");
    }
}
