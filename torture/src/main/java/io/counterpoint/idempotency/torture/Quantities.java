package io.counterpoint.idempotency.torture;

import java.util.LinkedHashMap;
import java.util.Map;

/** How much there has to be of what, for a run to count as evidence. */
record Quantities(
        long keys, long calls, long workerKills, long serverCrashes, long serverKills, long cutsPerCommitMode) {

    static final Quantities EVIDENCE = new Quantities(100_000, 1_000_000, 1_000, 150, 50, 2_000);

    static Quantities of(long keys, long calls, Map<FaultType, Long> faults) {
        long killed = faults.getOrDefault(FaultType.SERVER_KILLED, 0L);
        long cuts = Long.MAX_VALUE;
        for (FaultType fault : FaultType.values()) {
            if (fault.isCommitCut()) {
                cuts = Math.min(cuts, faults.getOrDefault(fault, 0L));
            }
        }
        return new Quantities(
                keys,
                calls,
                faults.getOrDefault(FaultType.WORKER_KILLED, 0L),
                killed + faults.getOrDefault(FaultType.SERVER_STOPPED, 0L),
                killed,
                cuts);
    }

    /** So many of so many equal parts, and a little more. */
    Quantities parts(int parts, int of) {
        return new Quantities(
                parts(keys, parts, of),
                parts(calls, parts, of),
                parts(workerKills, parts, of),
                parts(serverCrashes, parts, of),
                parts(serverKills, parts, of),
                parts(cutsPerCommitMode, parts, of));
    }

    private static long parts(long whole, int parts, int of) {
        return ((whole + whole / 100) * parts + of - 1) / of;
    }

    boolean reach(Quantities wanted) {
        return keys >= wanted.keys
                && calls >= wanted.calls
                && workerKills >= wanted.workerKills
                && serverCrashes >= wanted.serverCrashes
                && serverKills >= wanted.serverKills
                && cutsPerCommitMode >= wanted.cutsPerCommitMode;
    }

    /** In words, for a table. */
    Map<String, Long> rows() {
        Map<String, Long> rows = new LinkedHashMap<>();
        rows.put("keys", keys);
        rows.put("calls answered under faults", calls);
        rows.put("workers killed", workerKills);
        rows.put("server crashes", serverCrashes);
        rows.put("of these, whole server killed", serverKills);
        rows.put("COMMITs cut, the rarest way of three", cutsPerCommitMode);
        return rows;
    }
}
