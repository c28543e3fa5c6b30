package io.counterpoint.idempotency.consistency.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What PostgreSQL does with a repair's statements, and other databases do not. */
@Tag("thorough")
class KeptRowsTest {

    private TestDatabase database;

    @BeforeEach
    void open() {
        database = TestDatabase.create(Kind.POSTGRESQL);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private RepairReport run(Repair repair) {
        database.store();
        try (var handle = database.jdbi().open()) {
            repair.createAuditIfMissing(handle);
        }
        return repair.run(Transactions.on(database.store()));
    }

    @Test
    void rowThatATriggerKeepsAsItIsIsNamedAndTheOthersAreRepaired() {
        database.execute("CREATE TABLE item (id int PRIMARY KEY, amount int NOT NULL)");
        database.execute("INSERT INTO item SELECT g, 0 FROM generate_series(1, 5) g");
        database.execute("CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN IF OLD.id = 3 THEN RETURN NULL; END IF; RETURN NEW; END $$");
        database.execute("CREATE TRIGGER keep BEFORE UPDATE ON item FOR EACH ROW EXECUTE FUNCTION keep()");

        RepairReport report =
                run(Repair.builder(Check.rows("item", "amount = 0").build())
                        .set("amount = 1")
                        .build());

        assertThat(report.changed()).isEqualTo(4);
        assertThat(report.matched()).isEqualTo(5);
        assertThat(report.unrepaired()).singleElement().satisfies(row -> {
            assertThat(row.row()).isEqualTo("3");
            assertThat(row.why()).contains("a trigger, a rule or a policy of item keeps the row as it is");
        });
    }

    @Test
    void keyOfATypeThatJdbiDoesNotKnowIsEnough() {
        database.execute("CREATE TABLE item (id inet PRIMARY KEY, amount int NOT NULL)");
        database.execute("INSERT INTO item VALUES ('10.0.0.1', 0), ('10.0.0.2', 0)");

        RepairReport report =
                run(Repair.builder(Check.rows("item", "amount = 0").build())
                        .set("amount = 1")
                        .batchSize(1)
                        .build());

        assertThat(report.changed()).isEqualTo(2);
        assertThat(report.exitCode()).isZero();
    }

    /** Without its fraction, the key finds no row, or the same one repeatedly. */
    @Test
    void keyThatIsReadWithoutItsFractionIsRefused() {
        database.execute("CREATE TABLE item (id time PRIMARY KEY, amount int NOT NULL)");
        database.execute("INSERT INTO item VALUES ('10:00:00.5', 0)");
        Repair repair = Repair.builder(Check.rows("item", "amount = 0").build())
                .set("amount = 1")
                .build();

        assertThatThrownBy(() -> run(repair)).hasMessageContaining("a time of day");
    }

    @Test
    void questionMarkOutsideOfALiteralIsRefusedWithTheRemedy() {
        // The driver would turn ?? into PostgreSQL's operator in the repair's statements, but not in the check's.
        for (String predicate : List.of("tags ? 'a'", "tags ?? 'a'")) {
            Check check = Check.rows("item", predicate).build();
            assertThatThrownBy(() -> Repair.builder(check).delete().build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("jsonb_exists");
        }
        assertThat(Repair.builder(Check.rows("item", "note = 'why?'").build())
                        .delete()
                        .build())
                .isNotNull();
    }
}
