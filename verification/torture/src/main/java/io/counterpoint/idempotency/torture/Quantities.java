package io.counterpoint.idempotency.torture;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongBinaryOperator;
import java.util.stream.Stream;

/** The amounts that a run needs in order to count as evidence, by name. */
record Quantities(Map<String, Long> rows) {

    private static final String KEYS = "keys";
    private static final String CALLS = "calls answered under faults";

    static final Quantities EVIDENCE = of(100_000, 1_000_000, 1_000, 150, 50, 2_000, 30, 20, 20);

    /** The amounts that only the modes with a standby have. */
    static final Quantities FAILOVERS = of(0, 0, 0, 0, 0, 0, 30, 20, 20);

    private static Quantities of(long... counts) {
        String[] names = {
            KEYS,
            CALLS,
            "workers killed",
            "server crashes",
            "of these, whole server killed",
            "COMMITs cut, the rarest way of three",
            FaultType.STANDBY_PROMOTED.toString(),
            FaultType.PRIMARY_FENCED.toString(),
            FaultType.PRIMARY_PAUSED.toString()
        };
        Map<String, Long> rows = new LinkedHashMap<>();
        for (int i = 0; i < names.length; i++) {
            rows.put(names[i], counts[i]);
        }
        return new Quantities(rows);
    }

    static Quantities of(long keys, long calls, Map<FaultType, Long> faults) {
        long killed = faults.getOrDefault(FaultType.SERVER_KILLED, 0L);
        long cuts = Stream.of(FaultType.values())
                .filter(FaultType::isCommitCut)
                .mapToLong(fault -> faults.getOrDefault(fault, 0L))
                .min()
                .orElseThrow();
        return of(
                keys,
                calls,
                faults.getOrDefault(FaultType.WORKER_KILLED, 0L),
                killed + faults.getOrDefault(FaultType.SERVER_STOPPED, 0L),
                killed,
                cuts,
                faults.getOrDefault(FaultType.STANDBY_PROMOTED, 0L),
                faults.getOrDefault(FaultType.PRIMARY_FENCED, 0L),
                faults.getOrDefault(FaultType.PRIMARY_PAUSED, 0L));
    }

    Quantities withoutFailovers() {
        return with(FAILOVERS, (count, failovers) -> failovers > 0 ? 0 : count);
    }

    /** A number of equal shares, plus one per cent. */
    Quantities parts(int parts, int of) {
        return with(this, (whole, unused) -> ((whole + whole / 100) * parts + of - 1) / of);
    }

    private Quantities with(Quantities other, LongBinaryOperator change) {
        Map<String, Long> changed = new LinkedHashMap<>();
        rows.forEach((what, count) -> changed.put(what, change.applyAsLong(count, other.count(what))));
        return new Quantities(changed);
    }

    boolean reach(Quantities wanted) {
        return rows.keySet().stream().allMatch(what -> count(what) >= wanted.count(what));
    }

    private long count(String what) {
        return rows.getOrDefault(what, 0L);
    }

    long keys() {
        return count(KEYS);
    }

    long calls() {
        return count(CALLS);
    }
}
