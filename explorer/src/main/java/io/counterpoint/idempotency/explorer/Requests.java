package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.spi.Fault;

/** The requests that there are, and what can become of each. */
final class Requests {

    private Requests() {}

    private static Injected lost() {
        return new Injected(Fault.CONNECTION_LOST, false);
    }

    private static void offerRefusalOrWait(Options options, Caller caller, Step step) {
        Runnable refusal = () -> caller.failed(step.code(), new Injected(Fault.LOCK_TIMEOUT, false));
        if (step.waitsNot()) {
            options.goesOn(caller, () -> caller + " " + step + ": refused, the record is locked", refusal);
        } else {
            options.fault(caller, () -> caller + " " + step + ": waits too long for the lock", refusal);
        }
    }

    /** A session. */
    record Open(Caller caller) implements Request {
        @Override
        public boolean isLocal() {
            return true;
        }

        @Override
        public void offer(Options options) {
            int recoveries = options.execution().database().recoveries();
            options.goesOn(caller, () -> caller + " connects", () -> caller.answered("o" + recoveries, "ok"));
            options.fault(caller, () -> caller + " gets no connection", () -> caller.failed("o", lost()));
        }
    }

    /** One step in a transaction of its own. */
    record Alone(Caller caller, GatedStore.GatedSession session, Step step) implements Request {
        @Override
        public boolean isLocal() {
            return false;
        }

        @Override
        public void offer(Options options) {
            Execution execution = options.execution();
            Database database = execution.database();
            String code = step.code();
            if (session.isBroken()) {
                options.goesOn(
                        caller,
                        () -> caller + " " + step + ": finds its connection lost",
                        () -> caller.failed(code, lost()));
                return;
            }
            if (database.blocks(step, null)) {
                offerRefusalOrWait(options, caller, step);
                return;
            }
            options.goesOn(
                    caller,
                    () -> caller + " " + step + caller.lastAnswer(),
                    () -> caller.answered(code, database.alone(step)));
            options.fault(caller, () -> caller + " " + step + ": the request is lost", () -> breaks(code));
            boolean writes = step.kind() != Step.Kind.READ;
            if (writes && execution.scenario().replicated()) {
                options.fault(caller, () -> caller + " " + step + ": its wait for the standby is broken", () -> {
                    Object unused = database.alone(step, false);
                    caller.waitBroke();
                    caller.failed("w" + code, lost());
                });
            }
            if (writes) {
                options.fault(caller, () -> caller + " " + step + ": unanswered, the request is on its way", () -> {
                    execution.late(new Late(caller, step, null, true));
                    breaks(code);
                });
                options.fault(caller, () -> caller + " " + step + ": dies, the request is on its way", () -> {
                    execution.late(new Late(caller, step, null, true));
                    caller.dies();
                });
            }
            if (caller.hasActed()) {
                options.fault(caller, () -> caller + " dies before it " + step, caller::dies);
            }
        }

        private void breaks(String code) {
            session.breaks();
            caller.failed(code, lost());
        }
    }

    /** A step in an open transaction. */
    record InTransaction(Caller caller, ServerTransaction transaction, Step step) implements Request {
        @Override
        public boolean isLocal() {
            return false;
        }

        @Override
        public void offer(Options options) {
            Execution execution = options.execution();
            String code = "t" + execution.database().minutes() + step.code();
            if (transaction.isBroken()) {
                options.goesOn(
                        caller,
                        () -> caller + " " + step + ": finds its connection lost",
                        () -> caller.failed(code, lost()));
                return;
            }
            if (execution.database().blocks(step, transaction)) {
                offerRefusalOrWait(options, caller, step);
                return;
            }
            options.goesOn(
                    caller,
                    () -> caller + " " + step + caller.lastAnswer(),
                    () -> caller.answered(code, transaction.perform(step)));
            options.fault(caller, () -> caller + " " + step + ": unanswered, the connection is lost", () -> {
                transaction.perform(step);
                leaves(execution);
                caller.failed(code, lost());
            });
            if (caller.hasActed()) {
                options.fault(caller, () -> caller + " dies before it " + step, () -> {
                    leaves(execution);
                    caller.dies();
                });
            }
        }

        private void leaves(Execution execution) {
            transaction.breaks();
            execution.late(new Late(caller, null, transaction, false));
        }
    }

    /** The commit of a transaction. */
    record Commit(Caller caller, ServerTransaction transaction) implements Request {
        @Override
        public boolean isLocal() {
            return !transaction.matters() && !transaction.isBroken();
        }

        @Override
        public void offer(Options options) {
            Execution execution = options.execution();
            if (transaction.isBroken()) {
                options.goesOn(
                        caller,
                        () -> caller + " commits: finds its connection lost",
                        () -> caller.failed("c", new Injected(Fault.CONNECTION_LOST, true)));
                return;
            }
            options.goesOn(caller, () -> caller + " commits", () -> {
                transaction.end(true);
                caller.answered("c", "ok");
            });
            if (isLocal()) {
                return;
            }
            if (transaction.hasChanges() && execution.scenario().replicated()) {
                options.fault(caller, () -> caller + " commits: its wait for the standby is broken", () -> {
                    transaction.end(true, false);
                    caller.waitBroke();
                    caller.failed("w", new Injected(Fault.CONNECTION_LOST, true));
                });
            }
            if (transaction.hasChanges()) {
                options.fault(caller, () -> caller + " commits: unanswered, the commit is on its way", () -> {
                    leaves(execution, true);
                    caller.failed("c", new Injected(Fault.CONNECTION_LOST, true));
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
                caller.failed("c", new Injected(Fault.CONNECTION_LOST, true));
            });
            options.fault(caller, () -> caller + " dies before it commits", () -> {
                leaves(execution, false);
                caller.dies();
            });
        }

        private void leaves(Execution execution, boolean commits) {
            transaction.breaks();
            execution.late(new Late(caller, null, transaction, commits));
        }
    }

    /** The rollback of a transaction, by its client. */
    record RollBack(Caller caller, ServerTransaction transaction) implements Request {
        @Override
        public boolean isLocal() {
            return !transaction.matters();
        }

        @Override
        public void offer(Options options) {
            options.goesOn(caller, () -> caller + " rolls back", () -> {
                transaction.end(false);
                caller.answered("r", "ok");
            });
            if (transaction.matters()) {
                options.fault(caller, () -> caller + " dies before it rolls back", () -> {
                    transaction.breaks();
                    options.execution().late(new Late(caller, null, transaction, false));
                    caller.dies();
                });
            }
        }
    }

    /** The domain's part of a transaction. */
    record Work(Caller caller, String value) implements Request {
        @Override
        public boolean isLocal() {
            return true;
        }

        @Override
        public void offer(Options options) {
            options.goesOn(
                    caller, () -> caller + " works (" + Names.inWords(value) + ")", () -> caller.answered("w", value));
            if (options.execution().budget().failures() > 0) {
                options.goesOn(caller, () -> caller + " works: throws", () -> {
                    options.execution().spendFailure();
                    caller.failed("w", new WorkFailed(true));
                });
            }
        }
    }

    /** An effect in another system, which is there when it arrives, whatever has become of the caller. */
    record Elsewhere(Caller caller, String value) implements Request {
        @Override
        public boolean isLocal() {
            return false;
        }

        @Override
        public void offer(Options options) {
            Execution execution = options.execution();
            String what = Names.inWords(value);
            options.goesOn(caller, () -> caller + " has the effect elsewhere (" + what + ")", () -> {
                execution.database().effectsElsewhere.add(value);
                caller.answered("e", value);
            });
            if (execution.budget().failures() > 0) {
                options.goesOn(caller, () -> caller + " asks for the effect elsewhere: refused, declared", () -> {
                    execution.spendFailure();
                    caller.failed("ed", new WorkFailed(true));
                });
            }
            Late late = new Late(caller, null, null, true, value);
            options.fault(
                    caller, () -> caller + " asks for the effect elsewhere: throws, the request is on its way", () -> {
                        execution.late(late);
                        caller.failed("e", new WorkFailed(false));
                    });
            options.fault(
                    caller,
                    () -> caller + " asks for the effect elsewhere: throws, the request is lost",
                    () -> caller.failed("e", new WorkFailed(false)));
            options.fault(caller, () -> caller + " dies, its request for the effect is on its way", () -> {
                execution.late(late);
                caller.dies();
            });
            options.fault(caller, () -> caller + " dies before the effect elsewhere", caller::dies);
        }
    }

    /** An honest lookup in another system. */
    record LookUpElsewhere(Caller caller) implements Request {
        @Override
        public boolean isLocal() {
            return false;
        }

        @Override
        public void offer(Options options) {
            Database database = options.execution().database();
            options.goesOn(
                    caller,
                    () -> caller + " looks the effect up elsewhere" + caller.lastAnswer(),
                    () -> caller.answered("l", database.allEffects().stream().findFirst()));
            options.fault(
                    caller,
                    () -> caller + " looks the effect up elsewhere: no answer",
                    () -> caller.failed("l", lost()));
        }
    }
}
