package io.counterpoint.idempotency.explorer;

/** Requests of a session outside transactions with a body, and what can happen to each. */
final class SessionRequests {

    private SessionRequests() {}

    /** A session. */
    record Open(Caller caller) implements Request {
        @Override
        public boolean isLocal() {
            return true;
        }

        @Override
        public void offer(ExplorerOptions options) {
            Node node = caller.place().node();
            options.goesOn(caller, () -> caller + " connects", () -> caller.answered("o" + node.recoveries(), "ok"));
            options.fault(caller, () -> caller + " gets no connection", () -> {
                caller.place().movesOnFrom(node);
                caller.failed("o", caller.configuration().noConnection());
            });
        }
    }

    /** A pause, which needs no session. */
    record Sleep(Caller caller) implements Request {
        @Override
        public boolean isLocal() {
            return true;
        }

        @Override
        public void offer(ExplorerOptions options) {
            options.goesOn(caller, () -> caller + " pauses", () -> caller.answered("s", "ok"));
            options.fault(
                    caller, () -> caller + " pauses: its clock fails", () -> caller.failed("s", Injected.ofTheClock()));
        }
    }

    /** A step in its own transaction. */
    record Alone(Caller caller, GatedStore.GatedSession session, Step step) implements Request {
        @Override
        public void offer(ExplorerOptions options) {
            Execution execution = caller.execution();
            ExploredDatabase database = execution.database();
            String code = step.code();
            if (session.isBroken()) {
                options.goesOn(
                        caller,
                        () -> caller + " " + step + ": finds its connection lost",
                        () -> caller.failed(code, Injected.lost()));
                return;
            }
            if (database.blocks(step, session.node(), null)) {
                options.refusalOrWait(caller, step);
                return;
            }
            options.goesOn(
                    caller,
                    () -> caller + " " + step + caller.lastAnswer(),
                    () -> Injected.answers(caller, code, () -> answer(execution)));
            options.fault(caller, () -> caller + " " + step + ": the request is lost", () -> breaks(code));
            boolean writes = step.kind().writes();
            if (writes && execution.scenario().replicated()) {
                options.fault(caller, () -> caller + " " + step + ": its wait for the standby is broken", () -> {
                    Object unused = database.alone(step, session.node(), false);
                    caller.waitBroke();
                    caller.failed("w" + code, Injected.lost());
                });
            }
            if (writes) {
                options.fault(caller, () -> caller + " " + step + ": unanswered, the request is on its way", () -> {
                    execution.late(Late.of(caller, step, session.node()));
                    breaks(code);
                });
                options.fault(caller, () -> caller + " " + step + ": dies, the request is on its way", () -> {
                    execution.late(Late.of(caller, step, session.node()));
                    caller.dies();
                });
            }
            if (caller.hasActed()) {
                options.fault(caller, () -> caller + " dies before it " + step, caller::dies);
            }
        }

        private Object answer(Execution execution) {
            Object answer = execution.database().alone(step, session.node());
            if (step.isHeartbeat() && answer.equals(true)) {
                execution.promises().heartbeat(caller);
            }
            return answer;
        }

        private void breaks(String code) {
            session.breaks();
            caller.failed(code, Injected.lost());
        }
    }
}
