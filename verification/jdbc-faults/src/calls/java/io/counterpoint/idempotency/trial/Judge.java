package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.trial.Tables.Found;
import io.counterpoint.idempotency.trial.Trial.Oops;
import java.sql.SQLException;
import java.util.List;

/** Compares the answers to callers with the contents of the tables. */
final class Judge {

    private final Trial trial;
    private final Scenario scenario;
    private final ProtocolVariant way;
    private final List<String> complaints;
    private Found before;
    private Answer first;
    private Found afterFirst;

    Judge(Trial trial, List<String> complaints) {
        this.trial = trial;
        this.scenario = trial.setting.scenario();
        this.way = trial.setting.way();
        this.complaints = complaints;
    }

    void before(Found found) {
        before = found;
    }

    void first(Answer answer, Found found) throws SQLException {
        first = answer;
        afterFirst = found;
        if (scenario == Scenario.PURGES) {
            purged(answer);
            return;
        }
        tables("afterwards", found);
        answered("the call", answer, found);
        if (!scenario.runsWork() && !way.recordsLast() && trial.runs() != 0) {
            complain("a follower ran the work");
        }
        if (answer.isNotStarted() && !found.equals(before)) {
            complain("nothing was started, and " + before + " became " + found);
        }
        if (answer.isInProgress() && found.record().equals("-")) {
            complain("a key is in progress that nobody has");
        }
        if (answer.isOwnFailure()) {
            suppressedFailure(answer, found);
        }
    }

    /** What the work threw is thrown on once it is durable that there is no effect. */
    private void suppressedFailure(Answer answer, Found found) {
        boolean released = scenario.releases() && (!way.isExternal() || answer.thrown() instanceof Oops);
        if (found.effects().size() != before.effects().size()) {
            complain("the call threw " + answer + " as its own failure, and the effect is there");
        } else if (!(answer.thrown() instanceof VirtualMachineError)
                && !found.record().equals(released ? "-" : "F")) {
            complain("the call threw " + answer + " as its own failure, and there is " + found);
        }
    }

    void second(Answer answer, Found found) throws SQLException {
        if (scenario == Scenario.PURGES) {
            purgedAgain(answer);
            return;
        }
        tables("after the retry", found);
        answered("the retry", answer, found);
        if (answer.thrown() != null) {
            complain("the retry threw " + answer);
        }
        if (first.result().isPresent() && !first.result().equals(answer.result())) {
            complain("the call returned " + first.result() + " and the retry " + answer.result());
        }
        boolean failed = first.isRejected() || afterFirst.record().equals("F");
        if (failed && !answer.isRejected()) {
            complain("the attempt had failed, and the retry answered otherwise");
        }
        boolean free = first.isNotStarted() || first.isOwnFailure();
        if (free && afterFirst.record().equals("-") && !answer.name().equals("Executed")) {
            complain("the key was free, and the retry did not lead");
        }
        boolean open = answer.isInProgress() && way.isExternal() && found.is("P", 0);
        if (answer.given() != null && answer.result().isEmpty() && !answer.isRejected() && !open) {
            complain("the retry returned " + answer);
        }
    }

    private void tables(String when, Found found) throws SQLException {
        if (way.followsUp()) {
            booked(when, found);
        }
        boolean pending = found.record().equals("P") && (way.isExternal() || scenario == Scenario.HEALS);
        int effects = found.effects().size();
        if (effects > 1) {
            complain(when + " there are " + effects + " effects");
        } else if (effects == 1 && !found.record().equals("S") && !pending) {
            complain(when + " there is an effect behind " + found.record());
        } else if (effects == 0 && found.record().equals("S")) {
            complain(when + " there is a success without effect");
        } else if (effects == 1
                && found.record().equals("S")
                && found.payload().filter(found.effects().get(0)::equals).isEmpty()) {
            complain(when + " the stored result is another's: " + found);
        }
    }

    /** A booking comes with the record's success, and with nothing else. */
    private void booked(String when, Found found) throws SQLException {
        List<String> bookings = trial.bookings();
        boolean succeeded = found.record().equals("S");
        if (!bookings.equals(succeeded ? found.effects() : List.of())) {
            complain(when + " there are the bookings " + bookings + " beside " + found);
        }
    }

    private void answered(String who, Answer answer, Found found) {
        if (answer.result().isPresent()
                && !found.effects().equals(List.of(answer.result().get()))) {
            complain(who + " returned a result that is not the effect's: " + answer.given() + ", " + found);
        }
        if (answer.isRejected() && !found.is("F", 0)) {
            complain(who + " was rejected, and there is " + found);
        }
        if (answer.isKeyReused()) {
            complain(who + " answered that the key belongs to a different request");
        }
    }

    // ---- purges --------------------------------------------------------------------------------------------------

    private int expiredLeft() throws SQLException {
        return count("-1") + count("-2");
    }

    private int count(String suffix) throws SQLException {
        return trial.setting.stage().tables.of(trial.key + suffix).record().equals("-") ? 0 : 1;
    }

    private void purged(Answer answer) throws SQLException {
        int left = expiredLeft();
        if (answer.given() != null ? left != 2 - (Integer) answer.given() : left == 1) {
            complain("a purge ended with " + answer + " and left " + left + " of 2");
        }
        othersStand();
    }

    private void purgedAgain(Answer answer) throws SQLException {
        if (answer.thrown() != null || expiredLeft() != 0) {
            complain("a second purge ended with " + answer + " and left " + expiredLeft());
        }
        othersStand();
    }

    private void othersStand() throws SQLException {
        if (count("-3") != 1 || count("-4") != 1) {
            complain("a purge took what is pending, or not past its retention");
        }
    }

    private void complain(String what) {
        complaints.add(what);
    }
}
