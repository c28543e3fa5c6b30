package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.spi.Fault;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A step of a batch, and what can happen to it. A batch takes many steps, so each of them is subject to fewer faults
 * than the steps of a call.
 *
 * @param caller the caller with the batch
 * @param session the session that executes the step
 * @param transaction the open transaction to which it belongs, if any
 * @param step the step
 */
record BatchRequest(
        Caller caller,
        GatedStore.GatedSession session,
        @Nullable ServerTransaction transaction,
        Step step) implements Request {

    @Override
    public void offer(ExplorerOptions options) {
        String code = step.code();
        if (session.isBroken()) {
            options.goesOn(
                    caller, () -> caller + " " + step + ": finds its connection lost", () -> failed(Injected.lost()));
            return;
        }
        if (caller.execution().database().blocks(step, session.node(), transaction)) {
            options.refusalOrWait(caller, step);
            return;
        }
        options.goesOn(caller, () -> caller + " " + step + caller.lastAnswer(), () -> caller.answered(code, perform()));
        options.fault(caller, () -> caller + " " + step + ": unanswered, the connection is lost", () -> {
            Object unused = perform();
            leaves();
            failed(Injected.lost());
        });
        if (transaction != null) {
            options.fault(
                    caller,
                    () -> caller + " " + step + ": a conflict",
                    () -> failed(new Injected(Fault.CONFLICT, false)));
            options.fault(caller, () -> caller + " dies before it " + step, () -> {
                leaves();
                caller.dies();
            });
        }
    }

    private void failed(Injected fault) {
        caller.failed(step.code(), fault);
    }

    private Object perform() {
        return transaction != null
                ? transaction.perform(step)
                : caller.execution().database().alone(step, session.node());
    }

    private void leaves() {
        session.breaks();
        if (transaction != null) {
            transaction.breaks();
            caller.execution().late(Late.of(caller, List.of(), transaction, false));
        }
    }
}
