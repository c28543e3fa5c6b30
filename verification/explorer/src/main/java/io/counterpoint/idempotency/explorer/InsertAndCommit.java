package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.spi.Fault;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The inserts of one or more records together with the commit, in one message. Whatever happens to it, no insert is
 * visible without the commit.
 */
record InsertAndCommit(Caller caller, ServerTransaction transaction, List<Step> inserts) implements Request {

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
        Optional<Step> refused = refused(inserts, transaction.node());
        if (inserts.stream().anyMatch(one -> execution.database().blocks(one, transaction.node(), transaction))) {
            options.fault(
                    caller,
                    () -> caller + " " + words() + ": waits too long for the lock",
                    () -> refused(Fault.LOCK_TIMEOUT));
        } else if (refused.isPresent()) {
            options.goesOn(
                    caller,
                    () -> caller + " " + words() + " and commits: refused, there is a record",
                    () -> refused(Fault.STATEMENT_REFUSED));
        } else {
            offerInsert(options);
        }
        offerLosses(options);
    }

    private void offerInsert(ExplorerOptions options) {
        options.goesOn(caller, () -> caller + " " + words() + " and commits" + caller.lastAnswer(), () -> {
            Injected.answers(caller, "i", () -> commit(true));
        });
        options.fault(
                caller,
                () -> caller + " " + words() + " and commits: a conflict, rolled back",
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
        options.fault(caller, () -> caller + " " + words() + " and commits: unanswered, both are on their way", () -> {
            leaves(execution, inserts);
            caller.failed("i", Injected.lostAtCommit());
        });
        options.fault(caller, () -> caller + " " + words() + " and commits, and dies, both are on their way", () -> {
            leaves(execution, inserts);
            caller.dies();
        });
        options.fault(caller, () -> caller + " " + words() + " and commits: unanswered, the request is lost", () -> {
            leaves(execution, List.of());
            caller.failed("i", Injected.lostAtCommit());
        });
        options.fault(caller, () -> caller + " dies before it commits", () -> {
            leaves(execution, List.of());
            caller.dies();
        });
    }

    private String commit(boolean replicated) {
        inserts.forEach(transaction::perform);
        transaction.end(true, replicated);
        return "ok";
    }

    private void refused(Fault fault) {
        transaction.end(false);
        caller.failed("i", new Injected(fault, true));
    }

    private void leaves(Execution execution, List<Step> onTheirWay) {
        transaction.breaks();
        execution.late(Late.of(caller, onTheirWay, transaction, !onTheirWay.isEmpty()));
    }

    private String words() {
        return inserts.stream().map(Step::toString).collect(Collectors.joining(", "));
    }

    /** The first insert that encounters a record, which makes all of them fail. */
    static Optional<Step> refused(List<Step> inserts, Node node) {
        return inserts.stream()
                .filter(insert -> node.record(insert.key()).isPresent())
                .findFirst();
    }
}
