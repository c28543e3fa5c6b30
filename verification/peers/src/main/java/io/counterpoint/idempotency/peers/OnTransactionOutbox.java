package io.counterpoint.idempotency.peers;

import com.gruelbox.transactionoutbox.AlreadyScheduledException;
import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.ThreadLocalContextTransactionManager;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Executors;
import javax.sql.DataSource;

/**
 * Gruelbox transaction-outbox with "idempotency protection" by a unique request. The call is acknowledged, and the work
 * runs later, in one transaction with the record that it has run. An application has to call {@code flush()}
 * periodically.
 */
final class OnTransactionOutbox implements UseCase {

    private final ThreadLocalContextTransactionManager transactions;
    private final TransactionOutbox outbox;

    OnTransactionOutbox(DataSource dataSource, Work work) {
        transactions = TransactionManager.fromDataSource(dataSource);
        outbox = TransactionOutbox.builder()
                .transactionManager(transactions)
                .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                .instantiator(Instantiator.using(type ->
                        (Booking) (key, request) -> transactions.<SQLException>requireTransaction(
                                transaction -> work.book(transaction.connection(), key, request))))
                .attemptFrequency(Duration.ofSeconds(1))
                // The default is one thread fewer than the machine has cores, but here all work may pause at once.
                .submitter(Submitter.withExecutor(Executors.newCachedThreadPool()))
                .blockAfterAttempts(100)
                .build();
    }

    @Override
    public Answer book(String key, String request) throws SQLException {
        try {
            transactions.inTransactionThrows(transaction ->
                    outbox.with().uniqueRequestId(key).schedule(Booking.class).book(key, request));
            return Answer.known("accepted");
        } catch (AlreadyScheduledException e) {
            return Answer.known("accepted before");
        }
    }

    @Override
    public void runJob() {
        boolean unused = outbox.flush();
    }

    /** Called by the outbox, in the transaction that also records the call. */
    interface Booking {
        void book(String key, String request) throws SQLException;
    }
}
