package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.broken.BrokenStore;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import org.jdbi.v3.core.Handle;

/** The library over nodes with one rule missing, each where it shows. The explorer refutes the same ones. */
enum GaleraMutant {
    DOUBT_CLEARED_AT_THE_CLAIM(
            StormMode.SINGLE_TRANSACTION, StormWork.REFUSES_LATER, 1, BrokenStore.LOCKS_ARE_TAKEN_FOR_GLOBAL),
    RELEASE_AFTER_A_DOUBT(StormMode.SINGLE_TRANSACTION, StormWork.REFUSES_LATER, 1, BrokenStore.RELEASES_AFTER_A_DOUBT),
    ARBITER_BELIEVES_BEFORE_ITS_COMMIT(
            StormMode.CLAIM_FIRST_PLANNED,
            StormWork.AS_LONG_AS_THE_GRACE,
            Storm.NODES,
            BrokenStore.ARBITER_BELIEVES_BEFORE_ITS_COMMIT),
    HEARTBEAT_WITHOUT_A_CHANGE(
            StormMode.CLAIM_FIRST_PLANNED, StormWork.RUNS_AGAIN, Storm.NODES, BrokenStore.HEARTBEAT_IS_NOT_WRITTEN);

    private final StormMode mode;
    private final int kind;
    private final int callers;
    private final BrokenStore wrong;

    GaleraMutant(StormMode mode, int kind, int callers, BrokenStore wrong) {
        this.mode = mode;
        this.kind = kind;
        this.callers = callers;
        this.wrong = wrong;
    }

    /** The mode in which it shows. */
    StormMode mode() {
        return mode;
    }

    /** The work with which it shows. */
    int number(int key) {
        return key * StormWork.KINDS + kind;
    }

    /** Callers of one key at once. More of them would hide some mutants: one of them succeeds, and keeps what is late out. */
    int callers() {
        return callers;
    }

    IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
        return wrong.over(store);
    }
}
