package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.explorer.BatchServer.Open;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One schedule of batches. */
final class BatchSchedule extends Schedule {

    private final BatchScenario scenario;
    private final List<BatchCaller> callers;
    private final BatchCaller last;
    private final BatchServer server = new BatchServer(names());
    private final BatchPromises promises = new BatchPromises(this);
    private final List<Late> late = new ArrayList<>();
    private int faults;

    /**
     * @param callers one for each batch, and one more for the last call
     * @param words where to write the events, if they are recorded
     */
    BatchSchedule(BatchScenario scenario, Choices choices, List<BatchCaller> callers, @Nullable List<String> words) {
        super(choices, callers, words);
        this.scenario = scenario;
        this.callers = callers.subList(0, callers.size() - 1);
        this.last = callers.get(callers.size() - 1);
        this.faults = scenario.faults();
    }

    /** The end of a transaction, on its way without its sender. */
    private record Late(BatchCaller sender, Open transaction, boolean commits) {
        String words() {
            return (commits ? "the late commit of " : "the database rolls back the transaction of ") + sender;
        }
    }

    @Override
    void begin() {
        for (int i = 0; i < callers.size(); i++) {
            callers.get(i).prepare(this, scenario.batches().get(i));
        }
        last.prepare(
                this,
                scenario.batches().stream().flatMap(List::stream).distinct().toList());
    }

    @Override
    void beginLastCall() {
        faults = 0;
        server.passGrace();
    }

    // ---- options -------------------------------------------------------------------------------------------------

    @Override
    void offerEvents(Options options) {
        for (Late message : late) {
            options.event(message::words, () -> {
                late.remove(message);
                message.transaction().end(message.commits());
            });
        }
    }

    /** The end of a transaction arrives later. */
    void late(BatchCaller sender, Open transaction, boolean commits) {
        if (scenario.overNodes()) {
            transaction.unlock();
        }
        late.add(new Late(sender, transaction, commits));
    }

    @Override
    boolean mayFault() {
        return faults > 0;
    }

    @Override
    void spendFault() {
        faults--;
    }

    // ---- state ---------------------------------------------------------------------------------------------------

    @Override
    String state() {
        StringBuilder state = new StringBuilder(server.state()).append(faults).append(promises.state());
        for (Late message : late) {
            state.append('/')
                    .append(message.commits())
                    .append(message.transaction().code());
        }
        for (BatchCaller caller : callers) {
            state.append('|').append(caller.state());
        }
        return Names.canonical(state.append('|').append(last.state()));
    }

    BatchScenario scenario() {
        return scenario;
    }

    BatchServer server() {
        return server;
    }

    @Override
    BatchPromises promises() {
        return promises;
    }

    /** Whether this schedule had no fault up to now. */
    boolean isFaultless() {
        return faults == scenario.faults();
    }
}
