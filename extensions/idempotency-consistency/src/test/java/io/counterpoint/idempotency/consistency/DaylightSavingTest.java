package io.counterpoint.idempotency.consistency;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.consistency.check.Check;
import io.counterpoint.idempotency.consistency.check.Repair;
import io.counterpoint.idempotency.consistency.comparison.Comparison;
import io.counterpoint.idempotency.consistency.comparison.KeyOrder;
import io.counterpoint.idempotency.consistency.comparison.Side;
import io.counterpoint.idempotency.consistency.comparison.SqlTable;
import io.counterpoint.idempotency.consistency.outbox.Outbox;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import io.counterpoint.idempotency.consistency.transition.AppStatus;
import io.counterpoint.idempotency.consistency.transition.Ownership;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Around a change of daylight saving time, in sessions whose zone has it: half an hour before it and half an hour after it are
 * an hour apart. In spring local times say two hours, and in autumn they are equal.
 */
@Tag("thorough")
@ParameterizedClass
@EnumSource
class DaylightSavingTest {

    private static final String ZONE = "Europe/Berlin";
    private static final String SPRING = "2025-03-30T00:30:00Z";
    private static final String AUTUMN = "2025-10-26T00:30:00Z";

    @Parameter
    Kind kind;

    private TestDatabase database;
    private Transactions transactions;

    @BeforeEach
    void open() {
        database = TestDatabase.create(kind);
        transactions = Transactions.on(database.store());
        if (kind == Kind.MARIADB) {
            // Its servers know the zones that are in these tables, and have none at first.
            Stream.of(
                            "_name VALUES ('" + ZONE + "', 4711)",
                            "_transition_type VALUES (4711, 0, 3600, 0, 'CET'), (4711, 1, 7200, 1, 'CEST')",
                            "_transition VALUES (4711, unix_timestamp('2025-03-30 01:00:00'), 1),"
                                    + " (4711, unix_timestamp('2025-10-26 01:00:00'), 0)",
                            " VALUES (4711, 'N')")
                    .forEach(rows ->
                            database.execute("SET time_zone = '+00:00'", "INSERT IGNORE INTO mysql.time_zone" + rows));
        }
    }

    @AfterEach
    void close() {
        database.close();
    }

    /** For the one session that the pool has when nobody uses it. */
    private void enterZone() {
        database.execute("SET " + (kind == Kind.MARIADB ? "time_zone = '" : "TIME ZONE '") + ZONE + "'");
    }

    /** In SQL; on MariaDB and MySQL of a session in UTC, or for a {@code datetime}. */
    private String sql(Instant moment) {
        String utc = moment.toString().replace('T', ' ').replace("Z", "");
        return kind == Kind.MARIADB ? "'" + utc + "'" : "TIMESTAMP WITH TIME ZONE '" + utc + "+00'";
    }

    /** A table of moments, whose type has a zone. */
    private void create(String table, Instant... moments) {
        database.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, status varchar(9), since timestamp(3)"
                + (kind == Kind.MARIADB ? " NULL)" : " WITH TIME ZONE)"));
        for (int id = 1; id <= moments.length; id++) {
            database.execute("INSERT INTO " + table + " VALUES (" + id + ", 'running', " + sql(moments[id - 1]) + ")");
        }
    }

    private static Instant after(Instant before) {
        return before.plus(1, ChronoUnit.HOURS);
    }

    /** How long ago the clocks were changed. */
    private static Duration age(Instant before) {
        return Duration.between(before.plus(30, ChronoUnit.MINUTES), Instant.now())
                .truncatedTo(ChronoUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {SPRING, AUTUMN})
    void checkFindsAndRepairsWhatBeganBeforeTheChange(Instant before) {
        create("run", before, after(before));
        enterZone();
        Check check = Check.tooLongIn("run", "status", "running", "since", age(before))
                .build();
        assertThat(check.run(transactions).offending()).isEqualTo(1);
        database.jdbi().useHandle(Repair.builder(check).set("status = 'failed'").build()::createAuditIfMissing);

        assertThat(Repair.builder(check)
                        .set("status = 'failed', since = {now}")
                        .recording("status")
                        .build()
                        .run(transactions)
                        .changed())
                .isEqualTo(1);

        assertThat(database.list("SELECT status FROM run ORDER BY id", String.class))
                .containsExactly("failed", "running");
        assertThat(database.count("run WHERE since > CURRENT_TIMESTAMP - INTERVAL '10' MINUTE"))
                .isEqualTo(1);
        if (kind == Kind.MARIADB) {
            assertThat(database.one("SELECT @@session.time_zone", String.class)).isEqualTo(ZONE);
        }
    }

    @Test
    void monthBeginsInUtc() {
        Instant month = ZonedDateTime.now(ZoneOffset.UTC)
                .withDayOfMonth(1)
                .truncatedTo(ChronoUnit.DAYS)
                .toInstant();
        create("run", month, month.minusMillis(1));
        enterZone();
        assertThat(Check.rows("run", "since >= {month}")
                        .build()
                        .run(transactions)
                        .offending())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {SPRING, AUTUMN})
    void transitionIsAbandonedByItsAge(Instant before) {
        List<UUID> apps = List.of(UUID.randomUUID(), UUID.randomUUID());
        database.execute(AppStatus.APP_TABLE);
        for (UUID app : apps) {
            database.execute("INSERT INTO app VALUES ('" + app + "', 'publishing', '" + UUID.randomUUID() + "', "
                    + sql(app.equals(apps.get(0)) ? before : after(before)) + ", NULL)");
        }
        enterZone();
        List<Ownership<AppStatus>> abandoned = transactions.inTransaction(
                READ_COMMITTED, handle -> AppStatus.publication().build().abandoned(handle, age(before), 9));
        assertThat(abandoned).extracting(held -> held.id(UUID.class)).containsExactly(apps.get(0));
    }

    @ParameterizedTest
    @ValueSource(strings = {SPRING, AUTUMN})
    void lagOfTheOutboxIsExact(Instant before) {
        Outbox outbox = Outbox.create();
        database.jdbi().useHandle(outbox::createTableIfMissing);
        enterZone();
        transactions.useTransaction(READ_COMMITTED, handle -> outbox.append(handle, OutboxEvent.of("search", "x")));
        database.execute("UPDATE outbox_event SET appended_at = " + sql(before) + ", due_at = " + sql(after(before)));
        Duration lag = age(before).plusMinutes(30);

        OutboxPublisher.Round round = OutboxPublisher.builder(transactions, outbox, "search", event -> {})
                .build()
                .publishOnce();

        assertThat(round.published()).isEqualTo(1);
        assertThat(round.lag()).isBetween(lag, lag.plusMinutes(5));
    }

    @ParameterizedTest
    @ValueSource(strings = {SPRING, AUTUMN})
    void comparisonTellsMomentsApart(Instant before) {
        create("old_one", before, after(before));
        create("new_one", before, before);
        enterZone();
        Comparison<Long> comparison = Comparison.builder("moments", table("old_one"), table("new_one"))
                .minimumAge(Duration.ZERO)
                .build();
        assertThat(comparison.run().totals().findings()).isEqualTo(1);
        assertThat(comparison.repair(Side.OLD).build().apply().isClean()).isTrue();
        database.execute("SET " + (kind == Kind.MARIADB ? "time_zone = '+00:00'" : "TIME ZONE 'UTC'"));
        assertThat(database.count("new_one WHERE id = 2 AND since = " + sql(after(before))))
                .isEqualTo(1);
    }

    private SqlTable<Long> table(String name) {
        return SqlTable.of(database.jdbi(), name, "id", KeyOrder.longs()).fields("status", "since");
    }
}
