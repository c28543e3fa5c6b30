package io.counterpoint.idempotency.benchmarks;

import static io.counterpoint.idempotency.benchmarks.Variants.CLAIM_FIRST;
import static io.counterpoint.idempotency.benchmarks.Variants.SELECT;
import static io.counterpoint.idempotency.benchmarks.Variants.SINGLE_PLANNED;
import static io.counterpoint.idempotency.benchmarks.Variants.UNPROTECTED;

import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.mariadb.MariaDbDialect;
import java.util.List;
import java.util.function.Supplier;

/** The single transaction with a plan on MariaDB, and the same statements by hand: insert the record, do the work. */
final class MariaDbVariants {

    /** For all variants: the server keeps prepared statements, and does not resend their column names. */
    static final String DRIVER = "&useServerPrepStmts=true";

    private static final String OPERATION = "single-planned";

    private final HandWrittenSql byHand;
    private final LibraryVariant ours;

    /** Uses a database of a single server or of a Galera node. */
    MariaDbVariants(BenchmarkDatabase database, MariaDbDialect dialect) {
        this.byHand = HandWrittenSql.onMariaDb(database.pool());
        JdbcIdempotencyStore store = JdbcIdempotencyStore.builder(database.pool())
                .dialect(dialect)
                .build()
                .createTableIfMissing();
        var unused = store.toBuilder().table(HandWrittenSql.TABLE).build().createTableIfMissing();
        this.ours = new LibraryVariant(store);
    }

    Variant planned() {
        return new Variant(
                SINGLE_PLANNED,
                Variants.byHand(SINGLE_PLANNED),
                "as on PostgreSQL",
                ours.planned(OPERATION, Protocol.SINGLE_TRANSACTION));
    }

    List<Variant> leaders() {
        return List.of(
                new Variant(UNPROTECTED, "nothing", byHand.unprotected()),
                planned(),
                new Variant(CLAIM_FIRST, "as on PostgreSQL", ours.unplanned("first")),
                new Variant(
                        Variants.byHand(SINGLE_PLANNED),
                        "of two calls with one key one has an effect; nothing else",
                        byHand.singleTransactionPlanned(OPERATION)));
    }

    /** Replays for keys that have a record of the first variant. */
    List<Variant> replays(Supplier<String> known) {
        Variant select = new Variant(SELECT, "reads one record", byHand.select("idempotency_record", OPERATION));
        return List.of(planned().replaying(known), select.replaying(known));
    }
}
