package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Durability and bound are decided in every transaction. Nothing about them is remembered of a connection. */
@Tag("thorough")
@Timeout(60)
class PostgreSqlSettingsTest {

    private String url;
    private TestDatabase database;
    private final List<String> inTheWork = new ArrayList<>();

    /** How a success is recorded. */
    enum Recorded {
        PLANNED {
            @Override
            Outcome<?> call(TestDatabase database, String key, Consumer<Handle> work) {
                return Idempotency.on(database.store())
                        .operation("operate", ResultCodec.string())
                        .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        .planned()
                        .build()
                        .execute(attempt(key), () -> "result", (handle, plan) -> work.accept(handle));
            }
        },
        SINGLE_TRANSACTION {
            @Override
            Outcome<?> call(TestDatabase database, String key, Consumer<Handle> work) {
                Operation<Handle, Done> operation = Idempotency.on(database.store())
                        .operation("operate")
                        .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        .build();
                return operation.execute(attempt(key), handle -> {
                    work.accept(handle);
                    return Done.DONE;
                });
            }
        },
        CLAIM_FIRST {
            @Override
            Outcome<?> call(TestDatabase database, String key, Consumer<Handle> work) {
                Operation<Handle, Done> operation =
                        Idempotency.on(database.store()).operation("operate").build();
                return operation.execute(attempt(key), handle -> {
                    work.accept(handle);
                    return Done.DONE;
                });
            }
        },
        RECORD_LAST {
            @Override
            Outcome<?> call(TestDatabase database, String key, Consumer<Handle> work) {
                return recordingLast(database).execute(attempt(key), handle -> {
                    work.accept(handle);
                    return Done.DONE;
                });
            }
        },
        BATCH_RECORD_LAST {
            @Override
            Outcome<?> call(TestDatabase database, String key, Consumer<Handle> work) {
                return Batch.inOneTransaction(recordingLast(database))
                        .executeAll(List.of(attempt(key), attempt(key + "-too")), (handle, leading) -> {
                            work.accept(handle);
                            return Collections.nCopies(leading.size(), Done.DONE);
                        })
                        .get(0)
                        .orElseThrow();
            }
        };

        abstract Outcome<?> call(TestDatabase database, String key, Consumer<Handle> work);

        /** What the commit finds. The bound of a record that is inserted last reaches what the commit waits for. */
        List<String> commits(String... expected) {
            boolean last = this == RECORD_LAST || this == BATCH_RECORD_LAST;
            return Stream.of(expected)
                    .map(commit -> last ? commit.replaceFirst(" .*", " 1s") : commit)
                    .toList();
        }

        private static Operation<Handle, Done> recordingLast(TestDatabase database) {
            return Idempotency.on(database.named().checkTable())
                    .operation("operate")
                    .protocol(Operation.Protocol.RECORD_LAST)
                    .build();
        }
    }

    private static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).withoutRequest();
    }

    /** One connection, and no gateway: the settings are the session's. What a commit is like, a deferred trigger sees. */
    @BeforeEach
    void open() {
        url = PostgresServer.shared().createDatabase();
        database = TestDatabase.postgresql(url, config -> config.setMaximumPoolSize(1));
        database.jdbi().useHandle(handle -> {
            handle.execute("CREATE TABLE seen (at serial, durability text, bound text)");
            handle.execute("CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO seen"
                    + " (durability, bound) SELECT current_setting('synchronous_commit'),"
                    + " current_setting('lock_timeout'); RETURN NULL; END $$");
            handle.execute("CREATE CONSTRAINT TRIGGER see AFTER INSERT ON effect DEFERRABLE INITIALLY DEFERRED"
                    + " FOR EACH ROW EXECUTE FUNCTION see()");
        });
    }

    @AfterEach
    void close() {
        database.close();
        PostgresServer.shared().giveBack(url);
    }

    private void callUnder(Recorded kind, String durability, String bound, String ofTheWork) {
        set("synchronous_commit", durability);
        set("lock_timeout", bound);
        assertThat(kind.call(database, durability + bound, handle -> {
                    inTheWork.add(setting(handle, "lock_timeout"));
                    handle.execute(ofTheWork);
                    TestDatabase.write(handle, durability);
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(database.jdbi()
                        .<List<String>, RuntimeException>withHandle(handle ->
                                List.of(setting(handle, "synchronous_commit"), setting(handle, "lock_timeout"))))
                .containsExactly(durability, bound);
    }

    @ParameterizedTest
    @EnumSource
    void settingsThatChangeBetweenCallsAreAskedForAgain(Recorded kind) {
        callUnder(kind, "on", "7s", "SELECT 1");
        callUnder(kind, "off", "8s", "SELECT 1");
        callUnder(kind, "remote_apply", "9s", "SELECT 1");
        callUnder(kind, "local", "10s", "SELECT 1");
        assertThat(inTheWork).containsExactly("7s", "8s", "9s", "10s");
        assertThat(commits()).containsExactlyElementsOf(kind.commits("on 7s", "on 8s", "remote_apply 9s", "on 10s"));
    }

    @ParameterizedTest
    @EnumSource
    void commitIsDurableAlthoughTheWorkHasSwitchedItOff(Recorded kind) {
        callUnder(kind, "on", "7s", "SET LOCAL synchronous_commit = off");
        callUnder(kind, "remote_apply", "7s", "SET LOCAL synchronous_commit = local");
        assertThat(commits()).containsExactlyElementsOf(kind.commits("on 7s", "on 7s"));
    }

    private void set(String name, String value) {
        database.jdbi().useHandle(handle -> handle.execute("SET " + name + " = '" + value + "'"));
    }

    private static String setting(Handle handle, String name) {
        return handle.createQuery("SHOW " + name).mapTo(String.class).one();
    }

    private List<String> commits() {
        return database.jdbi()
                .withHandle(handle -> handle.createQuery("SELECT durability || ' ' || bound FROM seen ORDER BY at")
                        .mapTo(String.class)
                        .list());
    }
}
