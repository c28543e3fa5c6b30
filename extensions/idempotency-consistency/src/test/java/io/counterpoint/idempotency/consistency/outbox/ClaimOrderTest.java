package io.counterpoint.idempotency.consistency.outbox;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher.Round;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.TemplateEngine;
import org.junit.jupiter.api.Test;

/**
 * On MariaDB and MySQL a claim locks rows that were committed after it has begun, while a subquery would still read what was
 * committed before. Here a user's lock holds the claim between the two. It names a column that no index has, since the server evaluates others while it holds a page.
 */
class ClaimOrderTest {

    private static final String TOPIC = "search";

    private final Outbox outbox = Outbox.create();
    private final List<String> taken = Collections.synchronizedList(new ArrayList<>());

    @Test
    void laterEventOfAKeyIsNotClaimedWithAnEarlierOneThatTheClaimDidNotSee() throws Exception {
        try (TestDatabase database = TestDatabase.create(Kind.MARIADB);
                Handle appending = database.jdbi().open();
                Handle gate = database.jdbi().open()) {
            database.jdbi().useHandle(outbox::createTableIfMissing);
            append(
                    database,
                    OutboxEvent.ordered(TOPIC, "other", "parked"),
                    OutboxEvent.ordered(TOPIC, "other", "behind it"));
            database.execute("UPDATE outbox_event SET parked_at = appended_at WHERE payload = 'parked'");
            OutboxPublisher publisher = OutboxPublisher.builder(
                            Transactions.on(database.store()), outbox, TOPIC, event -> {
                                taken.add(event.payload());
                                if (event.payload().equals("first")) {
                                    throw new IllegalStateException("The first one has to go out before the second.");
                                }
                            })
                    .build();
            appending.begin();
            outbox.append(
                    appending,
                    List.of(
                            OutboxEvent.ordered(TOPIC, "app:1", "first"),
                            OutboxEvent.ordered(TOPIC, "app:1", "second")));
            assertThat(gate.select("SELECT GET_LOCK(DATABASE(), 0)")
                            .mapTo(int.class)
                            .one())
                    .isEqualTo(1);
            SqlStatements statements = database.jdbi().getConfig(SqlStatements.class);
            TemplateEngine engine = statements.getTemplateEngine();
            statements.setTemplateEngine((template, context) -> engine.render(
                    template.replace(
                            "AND parked_at IS NULL ORDER BY",
                            "AND parked_at IS NULL AND GET_LOCK(concat(DATABASE(), left(payload, 0)), 60) = 1 ORDER BY"),
                    context));
            FutureTask<Round> claiming = new FutureTask<>(publisher::publishOnce);
            new Thread(claiming, "publisher").start();
            while (database.count("information_schema.processlist WHERE state LIKE 'User lock' AND db = DATABASE()")
                    == 0) {
                assertThat(claiming).isNotDone();
                LockSupport.parkNanos(1_000_000);
            }
            appending.commit();
            gate.execute("DO RELEASE_LOCK(DATABASE())");

            assertThat(claiming.get(60, TimeUnit.SECONDS).published()).isZero();
            assertThat(taken).doesNotContain("second");
        }
    }

    private void append(TestDatabase database, OutboxEvent... events) {
        Transactions.on(database.store())
                .useTransaction(READ_COMMITTED, handle -> outbox.append(handle, List.of(events)));
    }
}
