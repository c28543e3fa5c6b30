package io.counterpoint.idempotency.peers;

import com.zaxxer.hikari.HikariDataSource;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.context.WorkflowOptions;
import dev.dbos.transact.txstep.JdbcStepFactory;
import dev.dbos.transact.workflow.Workflow;
import javax.sql.DataSource;

/**
 * DBOS Transact: a workflow whose identifier is the key, with the work as its only transactional step. When a process
 * starts, it recovers the workflows of its executor, which is {@code local} by default.
 */
final class OnDbos implements UseCase {

    private final HikariDataSource system;
    private final DBOS dbos;
    private final Booking booking;

    /**
     * Opens the use case.
     *
     * @param system for DBOS's own tables, with connections that are not subject to faults
     */
    OnDbos(DataSource dataSource, HikariDataSource system, Work work) {
        this.system = system;
        this.dbos = new DBOS(DBOSConfig.defaults("peers").withDataSource(system).withAppVersion("1"));
        JdbcStepFactory steps = new JdbcStepFactory(dbos, dataSource);
        this.booking = dbos.registerProxy(Booking.class, new BookingInOneStep(steps, work));
        dbos.launch();
    }

    @Override
    public Answer book(String key, String request) throws Exception {
        WorkflowOptions.Guard context = new WorkflowOptions(key).setContext();
        try {
            return Answer.booked(booking.book(key, request));
        } finally {
            context.close();
        }
    }

    @Override
    public void close() {
        dbos.shutdown();
        system.close();
    }

    /** The interface that DBOS needs for its proxy. */
    public interface Booking {
        String book(String key, String request) throws Exception;
    }

    /** The workflow. */
    public static final class BookingInOneStep implements Booking {
        private final JdbcStepFactory steps;
        private final Work work;

        BookingInOneStep(JdbcStepFactory steps, Work work) {
            this.steps = steps;
            this.work = work;
        }

        @Override
        @Workflow(name = "book-payment")
        public String book(String key, String request) throws Exception {
            return steps.txStep(
                    connection -> {
                        return work.book(connection, key, request);
                    },
                    "book-payment");
        }
    }
}
