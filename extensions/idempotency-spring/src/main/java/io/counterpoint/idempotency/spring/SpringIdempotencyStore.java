package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.NestedCallException;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.jdbc.JdbcStoreBuilder;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.Session;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The JDBC store for applications whose domain works through Spring's transactions. Immutable and thread-safe.
 *
 * <pre>{@code
 * SpringIdempotencyStore store =
 *         SpringIdempotencyStore.on(dataSource).joining(JpaParticipant.of(entityManagerFactory));
 * Operation<Connection, UUID> placeOrder = Idempotency.on(store).operation("place-order", codec).build();
 * Outcome<UUID> outcome = placeOrder.execute(attempt, connection -> orders.place(request));
 * }</pre>
 *
 * <p>While the work runs, Spring sees an active transaction on this data source. So {@code JdbcTemplate}, {@code
 * JdbcClient}, what takes its connections from {@code DataSourceUtils}, and any {@code @Transactional} service join it.
 * So do repositories of a factory of entity managers that {@link #joining joins}. The library commits it together with
 * the record. What a participant marks as rollback-only is rolled back, and the caller gets an {@link
 * org.springframework.transaction.UnexpectedRollbackException}.
 *
 * <p>A transaction that commits on its own inside the work is refused with {@link SeparateTransactionException}, unless
 * it runs in a {@link SeparateTransaction} that this store allows. It is noticed where Spring suspends this one: {@code
 * REQUIRES_NEW}, {@code NOT_SUPPORTED}, and a transaction manager of other resources. Not noticed is what another thread
 * does, and what is written without a transaction through another data source.
 *
 * <p>Calls inside a transaction of Spring's are refused: its rollback would not undo the operation.
 */
public final class SpringIdempotencyStore extends ForwardingStore<Connection> {

    private final JdbcIdempotencyStore jdbc;
    private final DataSource dataSource;
    private final List<Participant> participants;
    private final Set<String> separate;

    private SpringIdempotencyStore(
            JdbcIdempotencyStore jdbc,
            IdempotencyStore<Connection> joined,
            DataSource dataSource,
            List<Participant> participants,
            Set<String> separate) {
        super(joined);
        this.jdbc = jdbc;
        this.dataSource = dataSource;
        this.participants = List.copyOf(participants);
        this.separate = Set.copyOf(separate);
    }

    /**
     * A store over a data source of the application, with the table {@code idempotency_record}.
     *
     * @param dataSource the data source that the domain's {@code JdbcTemplate} or transaction manager has
     * @return the store
     */
    public static SpringIdempotencyStore on(DataSource dataSource) {
        return on(dataSource, options -> {});
    }

    /**
     * The same, with options of the JDBC store.
     *
     * @param dataSource as for {@link #on(DataSource)}
     * @param options sets them, for example {@code options -> options.table("app.idempotency_record")}
     * @return the store
     */
    public static SpringIdempotencyStore on(DataSource dataSource, Consumer<? super JdbcStoreBuilder<?>> options) {
        DataSource target = unwrapped(dataSource);
        JdbcStoreBuilder<JdbcIdempotencyStore> builder =
                JdbcIdempotencyStore.builder(target).rejectCallsWhile(SpringIdempotencyStore::isInsideAnother);
        options.accept(builder);
        JdbcIdempotencyStore jdbc = builder.build();
        return new SpringIdempotencyStore(jdbc, jdbc, target, List.of(), Set.of());
    }

    /**
     * As {@link JdbcIdempotencyStore#createTableIfMissing}.
     *
     * @return this
     */
    public SpringIdempotencyStore createTableIfMissing() {
        jdbc.createTableIfMissing();
        return this;
    }

    /**
     * As {@link JdbcIdempotencyStore#checkTable}.
     *
     * @return this
     * @throws IllegalStateException as there
     */
    @Override
    public SpringIdempotencyStore checkTable() {
        jdbc.checkTable();
        return this;
    }

    /** What Spring itself binds connections to. */
    static DataSource unwrapped(DataSource dataSource) {
        DataSource at = dataSource;
        while (at instanceof TransactionAwareDataSourceProxy proxy) {
            DataSource target = proxy.getTargetDataSource();
            if (target == null) {
                throw new IllegalArgumentException("Expected a data source, found a TransactionAwareDataSourceProxy"
                        + " without a target: set its target first.");
            }
            at = target;
        }
        return at;
    }

    /**
     * This store, whose transactions something else joins too.
     *
     * @param participant for example {@link JpaParticipant#of}
     * @return the store
     * @throws IllegalArgumentException if it is known to reach another data source
     */
    public SpringIdempotencyStore joining(Participant participant) {
        participant.requireFits(dataSource);
        List<Participant> more = new ArrayList<>(participants);
        more.add(participant);
        return new SpringIdempotencyStore(jdbc, store, dataSource, more, separate);
    }

    /**
     * This store, which lets the work commit on its own in a {@link SeparateTransaction} of these names.
     *
     * @param names further names, such as {@code "audit"}
     * @return the store
     */
    public SpringIdempotencyStore allowingSeparateTransactions(String... names) {
        Set<String> more = new LinkedHashSet<>(separate);
        more.addAll(List.of(names));
        return new SpringIdempotencyStore(jdbc, store, dataSource, participants, more);
    }

    @Override
    protected Session<Connection> decorate(Session<Connection> session) {
        return new SpringSession(
                session, connection -> new JoinedTransaction(dataSource, connection, participants, separate));
    }

    /**
     * As the JDBC store, and {@link Fault#CONFLICT} for an optimistic lock that did not hold.
     *
     * @param thrown what was thrown
     * @return the kind of fault
     */
    @Override
    public Fault classify(Throwable thrown) {
        Fault known = super.classify(thrown);
        return known == Fault.UNRECOGNISED ? SpringErrors.classify(thrown, participants) : known;
    }

    @Override
    public Optional<Failure> describe(Throwable thrown) {
        return super.describe(thrown).or(() -> SpringErrors.describe(thrown, participants, store));
    }

    /** Says more than the JDBC store could. */
    private static boolean isInsideAnother() {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new NestedCallException("Called inside a transaction of Spring's, named "
                    + TransactionSynchronizationManager.getCurrentTransactionName()
                    + ". Its rollback would not undo the operation. Call the operation outside of it: remove"
                    + " @Transactional from the caller, and put it on what the work calls, which joins the"
                    + " operation's transaction. A callback after a commit hands the call to another thread.");
        }
        return false;
    }

    @Override
    public String toString() {
        return "SpringIdempotencyStore[" + store + ", joined by " + participants + "]";
    }
}
