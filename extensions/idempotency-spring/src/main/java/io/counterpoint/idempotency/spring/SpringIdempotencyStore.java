package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.NestedCallException;
import io.counterpoint.idempotency.jdbc.Isolation;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.jdbc.JdbcStoreBuilder;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.sql.Connection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A JDBC store for applications that use Spring's transactions. Immutable and thread-safe.
 *
 * <pre>{@code
 * SpringIdempotencyStore store = SpringIdempotencyStore.on(transactionManager).checkTable();
 * Operation<Connection, UUID> placeOrder = Idempotency.on(store).operation("place-order", codec).build();
 * Outcome<UUID> outcome = placeOrder.execute(attempt, connection -> orders.place(request));
 * }</pre>
 *
 * <p>The application's transaction manager begins and ends the transaction in which the work runs. Everything that
 * takes part in its transactions therefore takes part here: {@code @Transactional} services, repositories, {@code
 * JdbcTemplate}, callbacks and listeners, the session of a web request, its tenant. The record is marked by the last
 * statement before the commit. If the transaction has been marked as rollback-only, the call ends with an {@link
 * org.springframework.transaction.UnexpectedRollbackException}.
 *
 * <p><strong>An exception of the commit is not trusted</strong> unless it was thrown before the mark was sent: the call
 * checks the record instead. The mark costs a separate round trip because it is not sent together with the COMMIT.
 *
 * <p><strong>In a Hibernate session that is open around the call</strong>, such as that of a web request, the work runs
 * only once, because a rollback does not restore its entities. A fault after which the work would run again releases
 * the key and is thrown to the caller.
 *
 * <p>A transaction inside the work that would commit independently is rejected with {@link
 * SeparateTransactionException}, unless it runs in a {@link SeparateTransaction} that this store allows. It is detected
 * when Spring suspends the operation's transaction: for {@code REQUIRES_NEW}, {@code NOT_SUPPORTED}, and another
 * transaction manager. Not detected are actions of other threads, writes without a transaction through another data
 * source, and a commit on the connection of Hibernate's session itself.
 *
 * <p>Calls inside a Spring transaction are rejected, because its rollback would not undo the operation.
 */
public final class SpringIdempotencyStore extends ForwardingStore<Connection> {

    private final JdbcIdempotencyStore jdbc;
    private final SpringTransactions transactions;
    private final TransactionDefinition definition;
    private final Set<String> separate;

    private SpringIdempotencyStore(
            JdbcIdempotencyStore jdbc,
            SpringTransactions transactions,
            TransactionDefinition definition,
            Set<String> separate) {
        super(jdbc);
        this.jdbc = jdbc;
        this.transactions = transactions;
        this.definition = definition;
        this.separate = Set.copyOf(separate);
    }

    /**
     * Creates a store on the data source of a transaction manager, with the table {@code idempotency_record}.
     *
     * @param manager the manager of the domain's transactions
     * @return the store
     * @throws IllegalArgumentException if the manager does not reveal its data source
     */
    public static SpringIdempotencyStore on(PlatformTransactionManager manager) {
        return on(manager, dataSourceOf(manager), options -> {});
    }

    /**
     * Creates a store with options of the JDBC store.
     *
     * @param manager as in {@link #on(PlatformTransactionManager)}
     * @param dataSource the data source whose connections the manager binds to threads
     * @param options sets the options, for example {@code options -> options.table("app.idempotency_record")}; the
     *     isolation level is set by {@link #isolation}
     * @return the store
     */
    public static SpringIdempotencyStore on(
            PlatformTransactionManager manager, DataSource dataSource, Consumer<? super JdbcStoreBuilder<?>> options) {
        SpringTransactions transactions = new SpringTransactions(manager, unwrapped(dataSource), Entities.of(manager));
        DataSource managed =
                SpringConnection.dataSource(transactions.dataSource(), () -> new SpringConnection(transactions));
        JdbcStoreBuilder<JdbcIdempotencyStore> builder =
                JdbcIdempotencyStore.builder(managed).rejectCallsWhile(SpringIdempotencyStore::isInsideAnother);
        options.accept(builder);
        return new SpringIdempotencyStore(builder.build(), transactions, OperationDefinition.DEFAULT, Set.of());
    }

    /**
     * Returns the data source whose connections a transaction manager binds to threads.
     *
     * @param manager the transaction manager
     * @return its data source
     * @throws IllegalArgumentException if the manager does not reveal it
     */
    public static DataSource dataSourceOf(PlatformTransactionManager manager) {
        return ManagersDataSource.of(manager)
                .orElseThrow(() -> new IllegalArgumentException("The transaction manager "
                        + manager.getClass().getName() + " has no data source, unlike a JdbcTransactionManager or a"
                        + " JpaTransactionManager. Pass the data source whose connections it binds: on(manager,"
                        + " dataSource, options). For JTA transactions, use idempotency-jakarta."));
    }

    /**
     * Returns this store with a different isolation level from the data source's, for transactions whose definition has
     * none.
     *
     * @param level the level
     * @return the store
     */
    public SpringIdempotencyStore isolation(Isolation level) {
        int defined = switch (level) {
            case READ_COMMITTED -> TransactionDefinition.ISOLATION_READ_COMMITTED;
            case REPEATABLE_READ -> TransactionDefinition.ISOLATION_REPEATABLE_READ;
            case SERIALIZABLE -> TransactionDefinition.ISOLATION_SERIALIZABLE;
        };
        return new SpringIdempotencyStore(jdbc, transactions, OperationDefinition.of(defined), separate);
    }

    /**
     * Runs code whose calls of operations begin their transactions according to a definition: with its name, timeout,
     * isolation level and labels. This applies a method's own {@code @Transactional}. Its propagation is ignored,
     * because an operation always has its own transaction.
     *
     * @param <T> the type of the result
     * @param <X> the type of exception that the code throws
     * @param definition the definition, which must not be read-only
     * @param code the code, which calls an operation
     * @return what the code returned
     * @throws X the code's exception
     */
    public static <T extends @Nullable Object, X extends Throwable> T defined(
            TransactionDefinition definition, Code<T, X> code) throws X {
        return SpringTransactions.defined(definition, code);
    }

    /**
     * Returns whether this thread does the work of an operation in a transaction of such a store, which code with
     * Spring's transactions joins.
     *
     * @return whether it does
     */
    public static boolean isWorking() {
        SpringConnection current = SpringConnection.current();
        return current != null && current.isWorking();
    }

    /**
     * Code that may throw.
     *
     * @param <T> the type of the result
     * @param <X> the type of the exception
     */
    public interface Code<T extends @Nullable Object, X extends Throwable> {
        /**
         * Runs the code.
         *
         * @return the result
         * @throws X if it fails
         */
        T run() throws X;
    }

    /**
     * Like {@link JdbcIdempotencyStore#createTableIfMissing}, after checking the transaction manager.
     *
     * @return this
     * @throws IllegalStateException as in {@link #checkTable}
     */
    public SpringIdempotencyStore createTableIfMissing() {
        transactions.require();
        jdbc.createTableIfMissing();
        return this;
    }

    /**
     * Like {@link JdbcIdempotencyStore#checkTable}. First, a transaction is begun and rolled back to verify that the
     * manager binds a connection of the data source.
     *
     * @return this
     * @throws IllegalStateException as in {@link JdbcIdempotencyStore#checkTable}, or if the manager does not
     */
    @Override
    public SpringIdempotencyStore checkTable() {
        transactions.require();
        jdbc.checkTable();
        return this;
    }

    /** The data source under which Spring itself binds connections. */
    static DataSource unwrapped(DataSource dataSource) {
        DataSource at = dataSource;
        while (at instanceof TransactionAwareDataSourceProxy proxy) {
            DataSource target = proxy.getTargetDataSource();
            if (target == null) {
                throw new IllegalArgumentException(
                        "The TransactionAwareDataSourceProxy has no target. Set its target data source first.");
            }
            at = target;
        }
        return at;
    }

    /**
     * Returns this store with permission for the work to commit independently in a {@link SeparateTransaction} with one
     * of these names.
     *
     * @param names additional names, such as {@code "audit"}
     * @return the store
     */
    public SpringIdempotencyStore allowingSeparateTransactions(String... names) {
        Set<String> more = new LinkedHashSet<>(separate);
        more.addAll(List.of(names));
        return new SpringIdempotencyStore(jdbc, transactions, definition, more);
    }

    /** Called once per call. */
    @Override
    public IdempotencyStore<Connection> storeFor(IdempotencyKey key) {
        transactions.entities().requireTenantIn(key);
        return this;
    }

    @Override
    protected Session<Connection> decorate(Session<Connection> session) {
        return new ForwardingSession<>(session) {
            @Override
            public <T> T inTransaction(
                    BiFunction<? super RecordSteps, ? super WorkScope<Connection>, ? extends T> body) {
                return SpringTransactions.defined(
                        SpringTransactions.definition(definition),
                        () -> super.<T>inTransaction((steps, scope) ->
                                body.apply(steps, SpringScope.of(scope, transactions.entities(), separate))));
            }
        };
    }

    /**
     * Classifies like the JDBC store, and returns {@link Fault#CONFLICT} for an optimistic lock failure.
     *
     * @param thrown what was thrown
     * @return the kind of fault
     */
    @Override
    public Fault classify(Throwable thrown) {
        Fault known = super.classify(thrown);
        return known == Fault.UNRECOGNISED ? SpringErrors.classify(thrown, transactions.entities()) : known;
    }

    @Override
    public Optional<Failure> describe(Throwable thrown) {
        return super.describe(thrown).or(() -> SpringErrors.describe(thrown, transactions.entities(), store));
    }

    /** Throws with a more specific message than the JDBC store could give. */
    private static boolean isInsideAnother() {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new NestedCallException("Called inside a Spring transaction, named "
                    + TransactionSynchronizationManager.getCurrentTransactionName() + ". Its rollback would not undo"
                    + " the operation. Call the operation outside of it: remove @Transactional from the caller, and"
                    + " add it to what the work calls, which then joins the operation's transaction. From an"
                    + " after-commit callback, hand the call to another thread.");
        }
        return false;
    }

    @Override
    public String toString() {
        return "SpringIdempotencyStore[" + store + ", in transactions of "
                + transactions.manager().getClass().getSimpleName() + "]";
    }
}
