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
import org.junit.jupiter.api.Test;

/**
 * On MariaDB and MySQL a claim locks rows that were committed after it has begun, while its condition on earlier events
 * still reads what was committed before. Here a user's lock holds the claim between the two.
 */
class ClaimOrderTest {

    private static final String TOPIC = "search";

    private final Outbox outbox = Outbox.create();
    private final List<String> taken = Collections.synchronizedList(new ArrayList<>());

    @Test
    void laterEventOfAKeyIsNotClaimedWithAnEarlierOneThatTheClaimDidNotSee() throws Exception {
        try (TestDatabase database = TestDatabase.create(Kind.MARIADB);
                Handle gate = database.jdbi().open()) {
            database.jdbi().useHandle(outbox::createTableIfMissing);
            append(database, OutboxEvent.ordered(TOPIC, "other", "published"));
            OutboxPublisher publisher = OutboxPublisher.of(Transactions.on(database.store()), outbox, TOPIC, event -> {
                        taken.add(event.payload());
                        if (event.payload().equals("first")) {
                            throw new IllegalStateException("The first one has to go out before the second.");
                        }
                    })
                    .build();
            assertThat(publisher.publishOnce().published()).isEqualTo(1);
            append(database, OutboxEvent.ordered(TOPIC, "other", "waiting"));

            assertThat(gate.select("SELECT GET_LOCK(DATABASE(), 0)")
                            .mapTo(int.class)
                            .one())
                    .isEqualTo(1);
            SqlStatements statements = database.jdbi().getConfig(SqlStatements.class);
            statements.setTemplateEngine((template, context) -> template.replace(
                    "AND b.seq < e.seq AND", "AND b.seq < e.seq AND GET_LOCK(DATABASE(), 60) = 1 AND"));
            FutureTask<Round> claiming = new FutureTask<>(publisher::publishOnce);
            new Thread(claiming, "publisher").start();
            while (!claiming.isDone()
                    && database.count("information_schema.processlist WHERE state LIKE 'User lock' AND db = DATABASE()")
                            == 0) {
                LockSupport.parkNanos(1_000_000);
            }
            append(
                    database,
                    OutboxEvent.ordered(TOPIC, "app:1", "first"),
                    OutboxEvent.ordered(TOPIC, "app:1", "second"));
            gate.execute("DO RELEASE_LOCK(DATABASE())");

            assertThat(claiming.get(60, TimeUnit.SECONDS).published()).isEqualTo(1);
            assertThat(taken).startsWith("published", "waiting").doesNotContain("second");
        }
    }

    private void append(TestDatabase database, OutboxEvent... events) {
        Transactions.on(database.store())
                .useTransaction(READ_COMMITTED, handle -> outbox.append(handle, List.of(events)));
    }
}
