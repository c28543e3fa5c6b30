package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.spi.Fault;
import java.util.List;

/** Requests of an open transaction, and what can happen to each. */
final class TransactionRequests {

    private TransactionRequests() {}

    /** The transaction that is to be committed is no longer the one that was begun. */
    static final class Ended extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private Ended() {
            super("The transaction is another.", null, false, false);
        }
    }

    /** A step in an open transaction. */
    record InTransaction(Caller caller, ServerTransaction transaction, Step step) implements Request {
        @Override
        public void offer(ExplorerOptions options) {
            Execution execution = caller.execution();
            String code = "t" + execution.database().minutes() + step.code();
            if (transaction.isBroken()) {
                options.goesOn(
                        caller,
                        () -> caller + " " + step + ": finds its connection lost",
                        () -> caller.failed(code, Injected.lost()));
                return;
            }
            if (transaction.isAborted()) {
                offerConflict(options, code);
                return;
            }
            if (execution.database().blocks(step, transaction.node(), transaction)) {
                options.refusalOrWait(caller, step);
                options.fault(caller, () -> caller + " " + step + ": waits, and the connection is lost", () -> {
                    leaves(execution);
                    caller.failed(code, Injected.lost());
                });
                return;
            }
            options.goesOn(
                    caller,
                    () -> caller + " " + step + caller.lastAnswer(),
                    () -> caller.answered(code, transaction.perform(step)));
            options.fault(caller, () -> caller + " " + step + ": unanswered, the connection is lost", () -> {
                transaction.perform(step);
                leaves(execution);
                caller.failed(code, Injected.lost());
            });
            if (caller.hasActed()) {
                options.fault(caller, () -> caller + " dies before it " + step, () -> {
                    leaves(execution);
                    caller.dies();
                });
            }
        }

        /** The work may have got the reply, and continued in the transaction that has silently begun. */
        private void offerConflict(ExplorerOptions options, String code) {
            options.goesOn(
                    caller,
                    () -> caller + " " + step + ": a conflict, another node has ended the transaction",
                    () -> caller.failed(code, new Injected(Fault.CONFLICT, false)));
            if (step.kind() == Step.Kind.SUCCEED && transaction.isWorking()) {
                options.fault(
                        caller,
                        () -> caller + " " + step + ": the work has swallowed a conflict, the transaction is another",
                        () -> caller.answered("s" + code, false));
            }
        }

        private void leaves(Execution execution) {
            transaction.breaks();
            execution.late(Late.of(caller, List.of(), transaction, false));
        }
    }

    /**
     * The turn of a key. The caller only learns whether it gets the turn, whatever prevents it: another caller, the
     * lost connection of a dead one, or another key with the same number.
     */
    record Turn(Caller caller, ServerTransaction transaction) implements Request {
        @Override
        public void offer(ExplorerOptions options) {
            if (transaction.isBroken()) {
                options.goesOn(
                        caller,
                        () -> caller + " asks for its turn: finds its connection lost",
                        () -> caller.failed("y", Injected.lost()));
                return;
            }
            options.goesOn(caller, () -> caller + " gets its turn", () -> caller.answered("y", true));
            options.fault(caller, () -> caller + " gets no turn", () -> caller.answered("y", false));
            options.fault(caller, () -> caller + " asks for its turn: unanswered, the connection is lost", () -> {
                transaction.breaks();
                caller.failed("y", Injected.lost());
            });
        }
    }

    /** The commit of a transaction. Anything that the work swallows is detected here at the latest. */
    record Commit(Caller caller, ServerTransaction transaction) implements Request {
        @Override
        public boolean isLocal() {
            return !ofBatch() && !transaction.matters() && !transaction.isBroken() && !transaction.isAborted();
        }

        private boolean ofBatch() {
            return caller.execution().scenario().batches() != null;
        }

        @Override
        public void offer(ExplorerOptions options) {
            Execution execution = caller.execution();
            if (transaction.isBroken()) {
                options.goesOn(
                        caller,
                        () -> caller + " commits: finds its connection lost",
                        () -> caller.failed("c", Injected.lostAtCommit()));
                return;
            }
            options.goesOn(
                    caller,
                    () -> caller + " commits" + caller.lastAnswer(),
                    () -> Injected.answers(caller, "c", () -> {
                        transaction.end(true);
                        if (transaction.endsAnAttempt()) {
                            execution.promises().arbitrated(caller);
                        }
                        return "ok";
                    }));
            if (transaction.isAborted() && transaction.isWorking()) {
                options.fault(
                        caller,
                        () -> caller + " commits: the work has swallowed a conflict, the transaction is another",
                        () -> caller.failed("s", new Ended()));
            }
            if (isLocal() || transaction.isOvertaken()) {
                return;
            }
            if (ofBatch() && !transaction.hasChanges()) {
                options.fault(caller, () -> caller + " commits: unanswered, nothing was written", () -> {
                    transaction.breaks();
                    caller.failed("c", Injected.lostAtCommit());
                });
                return;
            }
            if (transaction.hasChanges() && execution.scenario().replicated()) {
                options.fault(caller, () -> caller + " commits: its wait for the standby is broken", () -> {
                    transaction.end(true, false);
                    caller.waitBroke();
                    caller.failed("w", Injected.lostAtCommit());
                });
            }
            if (transaction.hasChanges()) {
                options.fault(caller, () -> caller + " commits: unanswered, the commit is on its way", () -> {
                    leaves(execution, true);
                    caller.failed("c", Injected.lostAtCommit());
                });
                options.fault(caller, () -> caller + " commits, and dies, the commit is on its way", () -> {
                    leaves(execution, true);
                    caller.dies();
                });
                options.fault(caller, () -> caller + " commits: a conflict, rolled back", () -> {
                    transaction.end(false);
                    caller.failed("c", new Injected(Fault.CONFLICT, true));
                });
            }
            options.fault(caller, () -> caller + " commits: unanswered, the request is lost", () -> {
                leaves(execution, false);
                caller.failed("c", Injected.lostAtCommit());
            });
            options.fault(caller, () -> caller + " dies before it commits", () -> {
                leaves(execution, false);
                caller.dies();
            });
        }

        private void leaves(Execution execution, boolean commits) {
            transaction.breaks();
            execution.late(Late.of(caller, List.of(), transaction, commits));
        }
    }

    /** The rollback of a transaction, by its client. */
    record RollBack(Caller caller, ServerTransaction transaction) implements Request {
        @Override
        public boolean isLocal() {
            return !transaction.matters();
        }

        @Override
        public void offer(ExplorerOptions options) {
            options.goesOn(caller, () -> caller + " rolls back", () -> {
                transaction.end(false);
                caller.answered("r", "ok");
            });
            if (transaction.matters()) {
                options.fault(caller, () -> caller + " dies before it rolls back", () -> {
                    transaction.breaks();
                    caller.execution().late(Late.of(caller, List.of(), transaction, false));
                    caller.dies();
                });
            }
        }
    }
}
