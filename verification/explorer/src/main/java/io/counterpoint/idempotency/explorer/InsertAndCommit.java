package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.spi.Fault;
import org.jspecify.annotations.Nullable;

/** A record's insert and the commit, in one message: whatever becomes of it, the insert is not seen without the commit. */
record InsertAndCommit(Caller caller, ServerTransaction transaction, Step insert) implements Request {

    @Override
    public void offer(ExplorerOptions options) {
        Execution execution = caller.execution();
        if (transaction.isBroken()) {
            options.goesOn(
                    caller,
                    () -> caller + " inserts and commits: finds its connection lost",
                    () -> caller.failed("i", Injected.lostAtCommit()));
            return;
        }
        if (execution.database().blocks(insert, transaction.node(), transaction)) {
            options.fault(
                    caller,
                    () -> caller + " " + insert + ": waits too long for the lock",
                    () -> refused(Fault.LOCK_TIMEOUT));
        } else if (transaction.node().record(insert.key()).isPresent()) {
            options.goesOn(
                    caller,
                    () -> caller + " " + insert + " and commits: refused, there is a record",
                    () -> refused(Fault.STATEMENT_REFUSED));
        } else {
            offerInsert(options);
        }
        offerLosses(options);
    }

    private void offerInsert(ExplorerOptions options) {
        options.goesOn(caller, () -> caller + " " + insert + " and commits" + caller.lastAnswer(), () -> {
            Injected.answers(caller, "i", () -> commit(true));
        });
        options.fault(
                caller,
                () -> caller + " " + insert + " and commits: a conflict, rolled back",
                () -> refused(Fault.CONFLICT));
        if (caller.execution().scenario().replicated()) {
            options.fault(caller, () -> caller + " commits: its wait for the standby is broken", () -> {
                Object unused = commit(false);
                caller.waitBroke();
                caller.failed("w", Injected.lostAtCommit());
            });
        }
    }

    private void offerLosses(ExplorerOptions options) {
        Execution execution = caller.execution();
        options.fault(caller, () -> caller + " " + insert + " and commits: unanswered, both are on their way", () -> {
            leaves(execution, insert);
            caller.failed("i", Injected.lostAtCommit());
        });
        options.fault(caller, () -> caller + " " + insert + " and commits, and dies, both are on their way", () -> {
            leaves(execution, insert);
            caller.dies();
        });
        options.fault(caller, () -> caller + " " + insert + " and commits: unanswered, the request is lost", () -> {
            leaves(execution, null);
            caller.failed("i", Injected.lostAtCommit());
        });
        options.fault(caller, () -> caller + " dies before it commits", () -> {
            leaves(execution, null);
            caller.dies();
        });
    }

    private String commit(boolean replicated) {
        Object unused = transaction.perform(insert);
        transaction.end(true, replicated);
        return "ok";
    }

    private void refused(Fault fault) {
        transaction.end(false);
        caller.failed("i", new Injected(fault, true));
    }

    private void leaves(Execution execution, @Nullable Step onItsWay) {
        transaction.breaks();
        execution.late(Late.of(caller, onItsWay, transaction, onItsWay != null));
    }
}
