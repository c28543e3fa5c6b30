package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.broken.BrokenStore;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import org.jdbi.v3.core.Handle;

/** The library over nodes with one rule missing, each where it shows. The explorer refutes the same ones. */
enum GaleraMutant {
    DOUBT_CLEARED_AT_THE_CLAIM(
            GaleraMode.SINGLE_TRANSACTION, GaleraWork.REFUSES_LATER, 1, BrokenStore.LOCKS_ARE_TAKEN_FOR_GLOBAL),
    RELEASE_AFTER_A_DOUBT(
            GaleraMode.SINGLE_TRANSACTION, GaleraWork.REFUSES_LATER, 1, BrokenStore.RELEASES_AFTER_A_DOUBT),
    ARBITER_BELIEVES_BEFORE_ITS_COMMIT(
            GaleraMode.CLAIM_FIRST_PLANNED,
            GaleraWork.AS_LONG_AS_THE_GRACE,
            GaleraStorm.NODES,
            BrokenStore.ARBITER_BELIEVES_BEFORE_ITS_COMMIT),
    HEARTBEAT_WITHOUT_A_CHANGE(
            GaleraMode.CLAIM_FIRST_PLANNED,
            GaleraWork.RUNS_AGAIN,
            GaleraStorm.NODES,
            BrokenStore.HEARTBEAT_IS_NOT_WRITTEN);

    private final GaleraMode mode;
    private final int kind;
    private final int callers;
    private final BrokenStore wrong;

    GaleraMutant(GaleraMode mode, int kind, int callers, BrokenStore wrong) {
        this.mode = mode;
        this.kind = kind;
        this.callers = callers;
        this.wrong = wrong;
    }

    /** The mode in which it shows. */
    GaleraMode mode() {
        return mode;
    }

    /** The work with which it shows. */
    int number(int key) {
        return key * GaleraWork.KINDS + kind;
    }

    /** Callers of one key at once. More of them would hide some mutants: one of them succeeds, and keeps what is late out. */
    int callers() {
        return callers;
    }

    IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
        return wrong.over(store);
    }
}
