package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.NestedCallException;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.jdbc.JdbcStoreBuilder;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * A JDBC store for applications that use a Jakarta transaction manager, such as Quarkus, WildFly and others with
 * Narayana. Immutable and thread-safe.
 *
 * <pre>{@code
 * JakartaIdempotencyStore store = JakartaIdempotencyStore.on(transactionManager, registry, dataSource)
 *         .flushing(entityManager::flush)
 *         .checkTable();
 * Operation<Connection, UUID> placeOrder = Idempotency.on(store).operation("place-order", codec).build();
 * Outcome<UUID> outcome = placeOrder.execute(attempt, connection -> orders.place(request));
 * }</pre>
 *
 * <p>While the work runs, a transaction of the manager is active on its thread. Code that uses the data source, an
 * entity manager on it, or a {@code @Transactional} service joins that transaction. The record is marked by the last
 * statement before the commit, after all previously registered synchronizations.
 *
 * <p><strong>Exceptions of the commit are not trusted.</strong> A transaction manager throws {@code RollbackException}
 * even if the database has committed and its reply was lost. The call checks the record instead.
 *
 * <p>Rejected: calls inside a transaction; more than one resource in the transaction; a data source that does not take
 * part; and, in a container with CDI, {@code REQUIRES_NEW} and {@code NOT_SUPPORTED} inside the work. Not detected:
 * work that suspends the transaction with the manager itself, actions of other threads, and other data sources outside
 * the transaction.
 *
 * <p>The mark costs a separate round trip because it is not sent together with the COMMIT. The isolation level is the
 * data source's. When the manager's timeout has passed, it rolls back the work, which then runs again as after any lost
 * connection.
 */
public final class JakartaIdempotencyStore extends ForwardingStore<Connection> {

    private final JdbcIdempotencyStore jdbc;
    private final Manager manager;
    private final List<Runnable> flushes;

    private JakartaIdempotencyStore(JdbcIdempotencyStore jdbc, Manager manager, List<Runnable> flushes) {
        super(jdbc);
        this.jdbc = jdbc;
        this.manager = manager;
        this.flushes = List.copyOf(flushes);
    }

    /**
     * Creates a store on a data source whose connections take part in Narayana's transactions.
     *
     * @param transactions the transaction manager
     * @param registry the registry of its synchronizations, available as {@code
     *     java:comp/TransactionSynchronizationRegistry}
     * @param dataSource the data source that the domain uses
     * @return the store
     */
    public static JakartaIdempotencyStore on(
            TransactionManager transactions, TransactionSynchronizationRegistry registry, DataSource dataSource) {
        return on(transactions, registry, dataSource, TransactionView.narayana(), options -> {});
    }

    /**
     * Creates a store for any transaction manager, with options of the JDBC store.
     *
     * @param transactions the transaction manager
     * @param registry the registry of its synchronizations
     * @param dataSource the data source that the domain uses
     * @param view gives the store access to the required details of the manager's transactions
     * @param options sets the options, for example {@code options -> options.table("app.idempotency_record")}
     * @return the store
     */
    public static JakartaIdempotencyStore on(
            TransactionManager transactions,
            TransactionSynchronizationRegistry registry,
            DataSource dataSource,
            TransactionView view,
            Consumer<? super JdbcStoreBuilder<?>> options) {
        Manager manager = new Manager(transactions, registry, dataSource, view);
        return of(manager, options, List.of());
    }

    private static JakartaIdempotencyStore of(
            Manager manager, Consumer<? super JdbcStoreBuilder<?>> options, List<Runnable> flushes) {
        JdbcStoreBuilder<JdbcIdempotencyStore> builder = JdbcIdempotencyStore.builder(JtaConnection.dataSource(manager))
                .rejectCallsWhile(() -> isInsideAnother(manager));
        options.accept(builder);
        return new JakartaIdempotencyStore(builder.build(), manager, flushes);
    }

    /**
     * Returns this store with a flush before the result is encoded and before the record is marked. Without it, a
     * persistence context writes during the commit: the work then runs again after errors of the database at that
     * point, and a result lacks values generated by the database.
     *
     * @param flush flushes pending writes, such as {@code entityManager::flush} of an entity manager that joins the
     *     transaction of its thread
     * @return the store
     */
    public JakartaIdempotencyStore flushing(Runnable flush) {
        List<Runnable> more = new ArrayList<>(flushes);
        more.add(flush);
        return new JakartaIdempotencyStore(jdbc, manager, more);
    }

    /**
     * Like {@link JdbcIdempotencyStore#createTableIfMissing}.
     *
     * @return this
     */
    public JakartaIdempotencyStore createTableIfMissing() {
        jdbc.createTableIfMissing();
        return this;
    }

    /**
     * Like {@link JdbcIdempotencyStore#checkTable}. Also checks that the data source takes part in a transaction and
     * rejects work after the manager's timeout, by rolling back an empty transaction in the same way.
     *
     * @return this
     * @throws IllegalStateException as in {@link JdbcIdempotencyStore#checkTable}, or if the data source does not
     */
    @Override
    public JakartaIdempotencyStore checkTable() {
        jdbc.checkTable();
        try (Connection connection = new JtaConnection(manager).opened()) {
            connection.setAutoCommit(false);
            manager.requireNothingAfterTimeout();
            connection.rollback();
        } catch (SQLException thrown) {
            throw new IllegalStateException("No transaction could be begun.", thrown);
        }
        return this;
    }

    @Override
    protected Session<Connection> decorate(Session<Connection> session) {
        return new ForwardingSession<>(session) {
            @Override
            public <T> T inTransaction(
                    BiFunction<? super RecordSteps, ? super WorkScope<Connection>, ? extends T> body) {
                return super.inTransaction((steps, scope) -> {
                    try {
                        return body.apply(steps, new JakartaScope(scope, manager, flushes));
                    } catch (RuntimeException | Error thrown) {
                        if (manager.status() == Status.STATUS_ROLLEDBACK) {
                            RolledBackByManager.note(thrown);
                        }
                        throw thrown;
                    }
                });
            }
        };
    }

    /**
     * Classifies like the JDBC store, and returns {@link Fault#CONFLICT} for an optimistic lock failure and {@link
     * Fault#CANCELLED} for exceptions of work whose transaction the manager had rolled back.
     *
     * @param thrown what was thrown
     * @return the kind of fault
     */
    @Override
    public Fault classify(Throwable thrown) {
        if (RolledBackByManager.isNoted(thrown)) {
            return Fault.CANCELLED;
        }
        Fault known = super.classify(thrown);
        return known == Fault.UNRECOGNISED ? PersistenceErrors.classify(thrown) : known;
    }

    @Override
    public Optional<Failure> describe(Throwable thrown) {
        return super.describe(thrown).or(() -> PersistenceErrors.inside(thrown).flatMap(super::describe));
    }

    private static boolean isInsideAnother(Manager manager) {
        if (manager.status() != Status.STATUS_NO_TRANSACTION) {
            throw new NestedCallException(
                    "Called inside a transaction of the transaction manager. Its rollback would not undo the"
                            + " operation. Call the operation outside of it: remove @Transactional from the caller,"
                            + " and add it to what the work calls, which then joins the operation's transaction.");
        }
        return false;
    }

    @Override
    public String toString() {
        return "JakartaIdempotencyStore[" + store + "]";
    }
}
