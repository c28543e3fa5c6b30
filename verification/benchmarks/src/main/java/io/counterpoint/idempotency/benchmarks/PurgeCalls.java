package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.RecordTable.Order;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Purges a new table each time, all of whose records have expired. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 1)
public class PurgeCalls {

    static final int BATCH = 500;
    private static final String TABLE = "records_expired";

    /** The URL of the database. */
    @Param("")
    public String url = "";

    /** The number of records. */
    @Param("1000")
    public long records;

    @SuppressWarnings("NullAway.Init") // JMH lets it be filled
    private BenchmarkDatabase database;

    @SuppressWarnings("NullAway.Init")
    private RecordTable table;

    /** Creates the table. */
    @Setup(Level.Iteration)
    public void fill() {
        database = BenchmarkDatabase.open(url, 2);
        table = RecordTable.fill(database, TABLE, records, Order.RANDOM, "2 days");
    }

    /** Purges it in batches. */
    @Benchmark
    public void purge() {
        long purged = 0;
        for (int last = BATCH; last == BATCH; purged += last) {
            last = table.purge(BATCH);
        }
        if (purged != records) {
            throw new IllegalStateException("a purge deleted " + purged + " of " + records + " expired records");
        }
    }

    /** Drops the table. */
    @TearDown(Level.Iteration)
    public void drop() {
        database.execute("DROP TABLE " + TABLE);
        database.close();
    }
}
