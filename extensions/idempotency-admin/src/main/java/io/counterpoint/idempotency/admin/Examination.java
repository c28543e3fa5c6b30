package io.counterpoint.idempotency.admin;

import static io.counterpoint.idempotency.admin.Diagnosis.CLOCK_SKEW;
import static io.counterpoint.idempotency.admin.Diagnosis.EXTERNAL_PENDING;
import static io.counterpoint.idempotency.admin.Diagnosis.NOT_EXAMINED;
import static io.counterpoint.idempotency.admin.Diagnosis.PENDING_LEFT;
import static io.counterpoint.idempotency.admin.Diagnosis.PURGE_BEHIND;
import static io.counterpoint.idempotency.admin.Diagnosis.TABLE_LAYOUT;
import static io.counterpoint.idempotency.admin.Diagnosis.TABLE_REFUSED;

import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.jdbc.TableInspection;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Compares a database with the documented requirements. Each check runs in its own transaction. */
record Examination(AdministeredDatabase database, JdbcIdempotencyStore store, Clock clock) {

    private static final Duration LARGEST_SKEW = Duration.ofSeconds(2);
    private static final Duration PURGE_DELAY = Duration.ofHours(1);

    /** Counting further would cost more than it reveals. */
    private static final int COUNTED_AT_MOST = 10_000;

    /** Adds its findings. */
    interface Check {
        void examine(Connection connection, List<Finding> findings) throws SQLException;
    }

    List<Finding> ofDatabase() {
        List<Finding> findings = new ArrayList<>();
        TableInspection inspected = TableInspection.of(store);
        inspected.faults().forEach(fault -> findings.add(new Finding(TABLE_REFUSED, fault)));
        if (inspected.layout() == TableInspection.EARLIER) {
            findings.add(new Finding(
                    TABLE_LAYOUT,
                    "its layout is " + TableInspection.EARLIER + " of " + TableInspection.CURRENT + ": its primary"
                            + " key begins with scope. With key_value first, the newest keys share pages of its index"
                            + " if they sort by time"));
        }
        ProductChecks checks = ProductChecks.of(database);
        examine("the server's settings", checks::ofServer, findings);
        boolean hasColumns = inspected.faults().isEmpty() || inspected.layout() != TableInspection.UNKNOWN;
        if (hasColumns) {
            examine("indexes and storage of the table", checks::ofTable, findings);
            examine("records past their retention", this::ofRecords, findings);
        }
        try {
            Duration skew = new Records(database).clockSkew(clock);
            if (skew.abs().compareTo(LARGEST_SKEW) > 0) {
                findings.add(new Finding(CLOCK_SKEW, "the database's clock is ahead by " + skew));
            }
        } catch (DatabaseException refused) {
            findings.add(new Finding(NOT_EXAMINED, "the clocks: " + refused.getMessage()));
        }
        return List.copyOf(findings);
    }

    List<Finding> ofClient() {
        List<Finding> findings = new ArrayList<>();
        examine(
                "the driver's settings",
                new DriverChecks(database.product(), database.dataSource())::examine,
                findings);
        PoolChecks.examine(database.dataSource(), findings);
        return List.copyOf(findings);
    }

    private void examine(String what, Check check, List<Finding> findings) {
        List<Finding> found = new ArrayList<>();
        try {
            database.ask("Examining " + what, connection -> {
                check.examine(connection, found);
                return true;
            });
        } catch (DatabaseException refused) {
            found.add(new Finding(NOT_EXAMINED, what + ": " + refused.getMessage()));
        }
        findings.addAll(found);
    }

    /** Uses the index on expires_at, so it costs little if the purge keeps up. */
    private void ofRecords(Connection connection, List<Finding> findings) throws SQLException {
        Instant now = new Records(database).now(connection);
        String late = "SELECT count(*) FROM (SELECT 1 AS one FROM " + database.table()
                + " WHERE state <> 'P' AND expires_at < ? AND "
                + database.product().keptUntil() + " < ? LIMIT "
                + COUNTED_AT_MOST + ") counted";
        Object longAgo = database.product().bound(now.minus(PURGE_DELAY));
        long unpurged = AdministeredDatabase.rows(connection, late, 1, row -> row.getLong(1), longAgo, longAgo)
                .get(0);
        if (unpurged > 0) {
            findings.add(new Finding(
                    PURGE_BEHIND,
                    number(unpurged) + " terminal records have been past their retention for more than an hour"));
        }
        for (boolean byHand : new boolean[] {true, false}) {
            String left = "SELECT protocol, count(*) AS records FROM (SELECT protocol FROM " + database.table()
                    + " WHERE state = 'P' AND protocol " + (byHand ? "<>" : "=") + " 'C' AND expires_at < ? LIMIT "
                    + COUNTED_AT_MOST + ") counted GROUP BY protocol ORDER BY protocol";
            List<String> pending = AdministeredDatabase.rows(
                    connection,
                    left,
                    0,
                    row -> number(row.getLong("records")) + " " + StoredRecord.Protocol.of(row.getString("protocol")),
                    database.product().bound(now));
            if (!pending.isEmpty()) {
                findings.add(new Finding(
                        byHand ? EXTERNAL_PENDING : PENDING_LEFT,
                        "attempts are pending past their retention: " + String.join(", ", pending)));
            }
        }
    }

    private static String number(long counted) {
        return counted < COUNTED_AT_MOST ? Long.toString(counted) : COUNTED_AT_MOST + " or more";
    }
}
