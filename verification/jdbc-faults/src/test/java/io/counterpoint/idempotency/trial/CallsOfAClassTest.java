package io.counterpoint.idempotency.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.trial.TestedDatabase.Kind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What {@link Selection} leaves out does the same as what it runs. A sample: all calls of each class, in each scenario of
 * each protocol, with the kinds of stores, the modes of the pool and the faults in turn.
 */
@Timeout(600)
class CallsOfAClassTest {

    private static final List<Made> KINDS = Stream.of(MadeByJdbc.values())
            .filter(Made::isEnumerated)
            .map(Made.class::cast)
            .toList();

    /** What can meet a call that does not reach the database, but for what strikes after it. */
    private static final List<Fault> FAULTS = EnumSet.allOf(Fault.class).stream()
            .filter(fault -> !fault.isAfter() && fault != Fault.REFUSED_BEFORE && fault != Fault.WARNED)
            .toList();

    /** Of how many classes of a sample one is compared. */
    private static final int SHARE = Integer.getInteger("idempotency.jdbc-calls.classes", 4);

    private final List<String> different = new ArrayList<>();
    private int classes;
    private int cases;

    @ParameterizedTest
    @EnumSource(Kind.class)
    void allCallsOfAClassLeadDownOnePath(Kind kind) throws Exception {
        try (TestedDatabase database = kind.create();
                TestEnvironment with = new TestEnvironment(KINDS, database, true);
                TestEnvironment without = new TestEnvironment(KINDS, database, false)) {
            int seed = 0;
            for (Scenario scenario : Scenario.values()) {
                for (ProtocolVariant way : scenario.ways) {
                    seed++;
                    Made made = KINDS.get(seed % KINDS.size());
                    compare(new Setting(seed % 2 == 0 ? with : without, made, way, scenario), seed);
                }
            }
        }

        System.out.printf("%d cases of one in %d of %d classes compared on %s%n", cases, SHARE, classes, kind);
        assertThat(different).isEmpty();
        assertThat(cases).isGreaterThan(1_000);
    }

    private void compare(Setting setting, int seed) throws Exception {
        Case.callsOf(setting);
        List<Place> places = Case.callsOf(setting);
        for (List<Integer> alike : Place.classes(places)) {
            if (places.get(alike.get(0) - 1).call().staysInDriver() && ++classes % SHARE == 0) {
                compare(setting, places, alike, FAULTS.get((classes / SHARE + seed) % FAULTS.size()));
            }
        }
    }

    private void compare(Setting setting, List<Place> places, List<Integer> alike, Fault fault) throws Exception {
        Map<String, String> paths = new TreeMap<>();
        for (int number : alike) {
            JdbcCall call = places.get(number - 1).call();
            for (Fault one :
                    Stream.concat(Stream.of(fault), fault.after().stream()).toList()) {
                Case made = new Case(setting, one, number, call, true, 1);
                int others = one.isThrown() ? 0 : alike.get(alike.size() - 1) - number;
                Course course = Together.alone(made, true);
                assertThat(course.complaints()).isEmpty();
                paths.putIfAbsent(course.path(others), one + " at call " + number + " " + call);
                cases++;
            }
        }
        if (paths.size() != 1) {
            different.add(setting + ": " + paths);
        }
    }
}
