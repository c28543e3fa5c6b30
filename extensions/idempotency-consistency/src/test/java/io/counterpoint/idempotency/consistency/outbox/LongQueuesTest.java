package io.counterpoint.idempotency.consistency.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.testing.RowsRead;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** However many events wait, what one costs stays the same: rows are counted, since times differ. */
@Tag("thorough")
@ParameterizedClass
@EnumSource
class LongQueuesTest {

    private static final String TOPIC = "search";
    private static final int EVENTS = 40;

    @Parameter
    Kind kind;

    private TestDatabase database;
    private final Outbox outbox = Outbox.create();

    @BeforeEach
    void open() {
        database = TestDatabase.create(kind);
        database.jdbi().useHandle(outbox::createTableIfMissing);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void eventCostsFewRowsWhereOneHundredThousandWait() {
        append(1, 100_000, "'k' || x");
        assertThatEventsCostFewRows();
    }

    @Test
    void eventCostsFewRowsWhereTwentyThousandWaitBehindAParkedOne() {
        append(1, 20_001, "'parked'");
        database.execute("UPDATE outbox_event SET parked_at = appended_at, due_at = NULL WHERE seq = (SELECT first FROM"
                + " (SELECT min(seq) AS first FROM outbox_event) m)");
        assertThat(publisher().publishAll().isEmpty()).isTrue();
        append(20_002, 20_101, "CASE WHEN x < 20020 THEN 'parked' ELSE 'k' || x END");
        assertThatEventsCostFewRows();
    }

    @Test
    void eventCostsFewRowsWhereTenThousandOfItsKeyWait() {
        append(1, 10_000, "'k'");
        // Once, they are put behind the first.
        for (int claims = 0; claims < 2; claims++) {
            assertThat(publisher().publishOnce().published()).isEqualTo(1);
        }
        append(10_001, 10_100, "'k'");
        assertThatEventsCostFewRows();
    }

    private void assertThatEventsCostFewRows() {
        database.analyze("outbox_event");
        RowsRead read = RowsRead.by(database.jdbi());
        int published = 0;
        while (published < EVENTS) {
            int more = publisher().publishOnce().published();
            assertThat(more).isPositive();
            published += more;
        }
        assertThat(read.rows() / published).as(read.toString()).isLessThan(30);
    }

    private OutboxPublisher publisher() {
        return OutboxPublisher.builder(Transactions.on(database.store()), outbox, TOPIC, event -> {})
                .build();
    }

    private void append(int first, int last, String keys) {
        database.appendEvents(TOPIC, first, last, keys);
    }
}
