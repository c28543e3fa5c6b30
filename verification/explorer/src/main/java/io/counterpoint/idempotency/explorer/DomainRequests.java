package io.counterpoint.idempotency.explorer;

/** Requests of the user's code, and what can happen to each. */
final class DomainRequests {

    /** The result of a lookup after a permanent refusal. */
    static final String REFUSED = "refused";

    private DomainRequests() {}

    /** The domain's part of a transaction. */
    record Work(Caller caller, String value) implements Request {
        @Override
        public boolean isLocal() {
            return true;
        }

        @Override
        public void offer(ExplorerOptions options) {
            options.goesOn(
                    caller, () -> caller + " works (" + Names.inWords(value) + ")", () -> caller.answered("w", value));
            if (caller.execution().budget().failures() > 0
                    && caller.configuration().endsTransactions()) {
                for (UserCode.End end : UserCode.End.values()) {
                    options.goesOn(caller, () -> caller + " works, commits by SQL text and " + end, () -> {
                        caller.execution().spendFailure();
                        caller.userCode().ends(end);
                        caller.answered("w" + end, value);
                    });
                }
            } else if (caller.execution().budget().failures() > 0) {
                options.goesOn(caller, () -> caller + " works: throws", () -> {
                    boolean beside = !caller.execution()
                            .database()
                            .allEffects(Configuration.KEY)
                            .isEmpty();
                    caller.execution().spendFailure();
                    caller.fails(beside);
                    caller.failed(beside ? "wb" : "w", new WorkFailed(true));
                });
            }
        }
    }

    /** An effect in another system. It exists once the request arrives, whatever happens to the caller. */
    record ExternalEffect(Caller caller, String value) implements Request {
        @Override
        public void offer(ExplorerOptions options) {
            Execution execution = caller.execution();
            String what = Names.inWords(value);
            if (execution.database().refusesForGood()) {
                options.goesOn(
                        caller,
                        () -> caller + " asks for the external effect: refused, as before",
                        () -> caller.failed("ed", new WorkFailed(true)));
                return;
            }
            options.goesOn(caller, () -> caller + " has the external effect (" + what + ")", () -> {
                execution.database().externalEffects.add(value);
                caller.answered("e", value);
            });
            if (execution.budget().failures() > 0) {
                options.goesOn(caller, () -> caller + " asks for the external effect: refused, declared", () -> {
                    execution.spendFailure();
                    caller.failed("ed", new WorkFailed(true));
                });
            }
            Late late = Late.of(caller, value);
            options.fault(
                    caller, () -> caller + " asks for the external effect: throws, the request is on its way", () -> {
                        execution.late(late);
                        caller.failed("e", new WorkFailed(false));
                    });
            options.fault(
                    caller,
                    () -> caller + " asks for the external effect: throws, the request is lost",
                    () -> caller.failed("e", new WorkFailed(false)));
            options.fault(caller, () -> caller + " dies, its request for the effect is on its way", () -> {
                execution.late(late);
                caller.dies();
            });
            options.fault(caller, () -> caller + " dies before the external effect", caller::dies);
        }
    }

    /** An honest lookup in another system. */
    record ExternalLookup(Caller caller) implements Request {
        @Override
        public void offer(ExplorerOptions options) {
            Execution execution = caller.execution();
            ExploredDatabase database = execution.database();
            boolean isThere = !database.allEffects(Configuration.KEY).isEmpty();
            if (!isThere
                    && (database.refusesForGood()
                            || (caller.configuration().followsUp()
                                    && execution.budget().failures() > 0))) {
                options.goesOn(caller, () -> caller + " looks the external effect up: refused for good", () -> {
                    if (!database.refusesForGood()) {
                        execution.spendFailure();
                    }
                    database.refuseForGood();
                    caller.answered("lr", REFUSED);
                });
            }
            if (database.refusesForGood()) {
                return;
            }
            options.goesOn(
                    caller,
                    () -> caller + " looks the external effect up" + caller.lastAnswer(),
                    () -> caller.answered(
                            "l", database.allEffects(Configuration.KEY).stream().findFirst()));
            options.fault(
                    caller,
                    () -> caller + " looks the external effect up: no answer",
                    () -> caller.failed("l", Injected.lost()));
        }
    }
}
