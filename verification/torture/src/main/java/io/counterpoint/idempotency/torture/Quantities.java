package io.counterpoint.idempotency.torture;

import java.util.LinkedHashMap;
import java.util.Map;

/** How much there has to be of what, for a run to count as evidence. */
record Quantities(
        long keys,
        long calls,
        long workerKills,
        long serverCrashes,
        long serverKills,
        long cutsPerCommitMode,
        long promotions,
        long fences,
        long pauses) {

    static final Quantities EVIDENCE = new Quantities(100_000, 1_000_000, 1_000, 150, 50, 2_000, 30, 20, 20);

    /** What of it only the modes with a standby have. */
    static final Quantities FAILOVERS = new Quantities(0, 0, 0, 0, 0, 0, 30, 20, 20);

    Quantities withoutFailovers() {
        return new Quantities(keys, calls, workerKills, serverCrashes, serverKills, cutsPerCommitMode, 0, 0, 0);
    }

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
                cuts,
                faults.getOrDefault(FaultType.STANDBY_PROMOTED, 0L),
                faults.getOrDefault(FaultType.PRIMARY_FENCED, 0L),
                faults.getOrDefault(FaultType.PRIMARY_PAUSED, 0L));
    }

    /** So many of so many equal parts, and a little more. */
    Quantities parts(int parts, int of) {
        return new Quantities(
                parts(keys, parts, of),
                parts(calls, parts, of),
                parts(workerKills, parts, of),
                parts(serverCrashes, parts, of),
                parts(serverKills, parts, of),
                parts(cutsPerCommitMode, parts, of),
                parts(promotions, parts, of),
                parts(fences, parts, of),
                parts(pauses, parts, of));
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
                && cutsPerCommitMode >= wanted.cutsPerCommitMode
                && promotions >= wanted.promotions
                && fences >= wanted.fences
                && pauses >= wanted.pauses;
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
        rows.put(FaultType.STANDBY_PROMOTED.toString(), promotions);
        rows.put(FaultType.PRIMARY_FENCED.toString(), fences);
        rows.put(FaultType.PRIMARY_PAUSED.toString(), pauses);
        return rows;
    }
}
