package io.counterpoint.idempotency.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.trial.TestedDatabase.Kind;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A driver fails at any one of its calls, in any scenario, and every answer stays true. The tests of a change select
 * cases; the profile {@code jdbc-calls} runs all of the stores that are enumerated.
 */
@Timeout(3600)
class EveryJdbcCallTest {

    private static final Selection SELECTION = Boolean.getBoolean("idempotency.jdbc-calls.all")
            ? Selection.ALL
            : new Selection(Integer.getInteger("idempotency.jdbc-calls.share", 300), false);

    private static final int THREADS = 4;

    private static final List<Made> KINDS = List.of(MadeByJdbc.values());

    private final Census census = new Census(KINDS);

    /** A sample for each build, on the database that is quick. */
    @Test
    void aFewFailingCallsLeadToNoFalseStatement() throws Exception {
        new Enumeration(KINDS, Kind.H2, true, KINDS.subList(0, 1), new Selection(300, false), census).run();
        assertThat(census.cases()).isGreaterThan(100);
        assertThat(census.failures(3)).isEmpty();
    }

    @Test
    void caseThatFailsNamesProtocolFaultAndCall() throws Exception {
        try (TestedDatabase database = Kind.H2.create();
                TestEnvironment stage = new TestEnvironment(KINDS, database, true)) {
            Setting setting =
                    new Setting(stage, KINDS.get(0), ProtocolVariant.SINGLE_TRANSACTION_PLANNED, Scenario.EXECUTES);
            JdbcCall commit = new JdbcCall("Connection", "commit", true);
            census.add(new Case(setting, Fault.LOST_AFTER, 23, commit, true, 1), List.of("there are 2 effects"));
        }
        assertThat(census.failures(1))
                .endsWith("single transaction with a plan, connection lost after commit(),"
                        + " call 23 of EXECUTES on H2 FROM_DATA_SOURCE: there are 2 effects");
    }

    @Test
    @Tag("thorough")
    void aFailingCallNeverLeadsToAFalseStatement() throws Exception {
        long start = System.nanoTime();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> runs = enumerations().stream()
                    .<Future<?>>map(enumeration -> threads.submit(() -> {
                        enumeration.run();
                        return enumeration;
                    }))
                    .toList();
            for (Future<?> run : runs) {
                run.get();
            }
        } finally {
            threads.shutdownNow();
        }
        System.out.printf(
                "%s%d cases in %d s. They stand for %d of %d faults at calls of the stores that are enumerated, and for %d"
                        + " of %d of the others.%n",
                census.table(),
                census.cases(),
                (System.nanoTime() - start) / 1_000_000_000,
                census.covered(true),
                census.possible(true),
                census.covered(false),
                census.possible(false));
        assertThat(census.cases()).isGreaterThan(5_000);
        if (SELECTION.all()) {
            assertThat(census.covered(true)).isEqualTo(census.possible(true));
        }
        assertThat(census.pairsMissed()).isEmpty();
        assertThat(census.failures(3)).isEmpty();
    }

    /** Those that take longest come first. One database serves few cases, or all of its kind. */
    private List<Enumeration> enumerations() {
        List<List<Made>> stores = SELECTION.all() ? KINDS.stream().map(List::of).toList() : List.of(KINDS);
        return Stream.of(Kind.POSTGRESQL, Kind.H2)
                .flatMap(kind -> Stream.of(true, false)
                        .flatMap(autoCommit -> stores.stream()
                                .map(some -> new Enumeration(KINDS, kind, autoCommit, some, SELECTION, census))))
                .toList();
    }
}
