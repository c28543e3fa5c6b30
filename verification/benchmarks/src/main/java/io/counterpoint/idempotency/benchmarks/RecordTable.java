package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/** A table with a given number of succeeded records, filled with SQL and in the state after a vacuum. */
final class RecordTable {

    private static final String OPERATION = "create-group";
    private static final long CHUNK = 500_000;
    private static final long OFTEN_USED = 10_000;

    /** The time of the first key if keys are ordered by time, in milliseconds since 1970. */
    private static final long BEGIN = 1_800_000_000_000L;

    private static final String OF_EACH_INDEX = ", '; ' ORDER BY c.oid) FROM pg_index i LEFT JOIN pg_constraint c"
            + " ON c.conindid = i.indexrelid WHERE i.indrelid = '%s'::regclass";
    private static final String DROP_INDEXES = "SELECT string_agg(CASE WHEN c.oid IS NULL"
            + " THEN format('DROP INDEX %%s', i.indexrelid::regclass)"
            + " ELSE format('ALTER TABLE %%s DROP CONSTRAINT %%I', i.indrelid::regclass, c.conname) END"
            + OF_EACH_INDEX;
    private static final String MAKE_INDEXES = "SELECT string_agg(CASE WHEN c.oid IS NULL"
            + " THEN pg_get_indexdef(i.indexrelid)"
            + " ELSE format('ALTER TABLE %%s ADD CONSTRAINT %%I %%s', i.indrelid::regclass, c.conname,"
            + " pg_get_constraintdef(c.oid)) END"
            + OF_EACH_INDEX;

    /** The kind of keys, generated in the same way in SQL and Java from the record's number. */
    enum Order {
        /** Like UUIDs of version 4. */
        RANDOM("md5(n::text)::uuid::text", ""),
        /** Like UUIDs of version 7: they begin with a 48-bit time, here one millisecond per record. */
        TIME(
                "(lpad(to_hex(%d + n), 12, '0') || substr(md5(n::text), 13))::uuid::text".formatted(BEGIN),
                ", keys in order of time");

        final String sql;
        final String label;

        Order(String sql, String label) {
            this.sql = sql;
            this.label = label;
        }

        String key(long number) {
            UUID random = hash(number);
            return switch (this) {
                case RANDOM -> random.toString();
                case TIME ->
                    new UUID(
                                    (BEGIN + number) << 16 | (random.getMostSignificantBits() & 0xffff),
                                    random.getLeastSignificantBits())
                            .toString();
            };
        }
    }

    private final BenchmarkDatabase database;
    private final String name;
    private final long records;
    private final Order order;
    private final long scopes;
    private final int partitions;
    private final AtomicLong last;
    private final JdbcIdempotencyStore store;

    private RecordTable(
            BenchmarkDatabase database, String name, long records, Order order, long scopes, int partitions) {
        this.database = database;
        this.name = name;
        this.records = records;
        this.order = order;
        this.scopes = scopes;
        this.last = new AtomicLong(records);
        if (partitions > 1) {
            partition(partitions);
        }
        this.partitions = partitions;
        this.store = store(database, name);
    }

    private static JdbcIdempotencyStore store(BenchmarkDatabase database, String name) {
        return JdbcIdempotencyStore.builder(database.pool()).table(name).build().createTableIfMissing();
    }

    /** The columns and indexes of the library's schema, partitioned as in docs/operate-reference.md. */
    private void partition(int partitions) {
        String whole = name + "_whole";
        store(database, whole);
        StringBuilder ddl =
                new StringBuilder(("CREATE TABLE %1$s (LIKE %2$s INCLUDING ALL) PARTITION BY HASH (key_value);"
                                + " ALTER INDEX %1$s_expires_at_idx RENAME TO %1$s_expires_at; DROP TABLE %2$s;")
                        .formatted(name, whole));
        for (int i = 0; i < partitions; i++) {
            ddl.append("CREATE TABLE %1$s_%3$d PARTITION OF %1$s FOR VALUES WITH (MODULUS %2$d, REMAINDER %3$d)"
                            .formatted(name, partitions, i))
                    .append(" WITH (fillfactor = 80);");
        }
        database.script(ddl.toString());
    }

    /**
     * Fills a new table.
     *
     * @param age how long ago the records were created, in SQL; their retention is one day
     */
    static RecordTable fill(BenchmarkDatabase database, String name, long records, Order order, String age) {
        return fill(database, name, records, order, 1, 1, age);
    }

    /** Creates a table without records. */
    static RecordTable empty(BenchmarkDatabase database, String name, Order order, int partitions) {
        return new RecordTable(database, name, 0, order, 1, partitions);
    }

    /** The same with records in a number of scopes, in no order, and hashed into a number of partitions. */
    static RecordTable fill(
            BenchmarkDatabase database,
            String name,
            long records,
            Order order,
            long scopes,
            int partitions,
            String age) {
        RecordTable table = new RecordTable(database, name, records, order, scopes, partitions);
        // Indexes are created after loading, as is usual for so many rows. They are those of the library's schema.
        String indexes = database.text(MAKE_INDEXES.formatted(name)).replace(" ON ONLY ", " ON ");
        database.script(database.text(DROP_INDEXES.formatted(name)));
        byte[] fingerprint = Fingerprint.ofParts(Domain.GROUP_NAME).toBytes();
        for (long from = 1; from <= records; from += CHUNK) {
            BenchmarkProgress.say("filling %s: %,d of %,d".formatted(name, from - 1, records));
            database.execute(
                    """
                    INSERT INTO %s (scope, operation, key_value, protocol, state, token, fingerprint, payload,
                        created_at, updated_at, expires_at)
                    SELECT 'user:' || ('x' || left(md5(n::text), 8))::bit(32)::bigint %% %d + 1, '%s', %s, 'C', 'S',
                        gen_random_uuid(), ?,
                        convert_to(md5(n::text)::uuid::text, 'UTF8'), now() - interval '%5$s',
                        now() - interval '%5$s', now() - interval '%5$s' + interval '1 day'
                    FROM generate_series(%6$d, %7$d) AS n
                    """.formatted(name, scopes, OPERATION, order.sql, age, from, Math.min(records, from + CHUNK - 1)),
                    fingerprint);
        }
        BenchmarkProgress.say("indexing " + name);
        database.script("SET maintenance_work_mem = '256MB'; " + indexes + "; RESET maintenance_work_mem");
        BenchmarkProgress.say("vacuuming " + name);
        database.execute("VACUUM (ANALYZE) " + name);
        database.execute("CHECKPOINT");
        return table;
    }

    /** A key without a record. */
    String freshKey() {
        return order == Order.TIME ? key(last.incrementAndGet()) : Keys.fresh();
    }

    /** Prefixes the scope, if there are several. */
    private String key(long number) {
        String key = order.key(number);
        return scopes == 1 ? key : "user:" + ((hash(number).getMostSignificantBits() >>> 32) % scopes + 1) + '/' + key;
    }

    private Attempt attempt(String key) {
        int end = key.indexOf('/');
        return end < 0
                ? LibraryVariant.attempt(key)
                : Attempt.inScope(key.substring(0, end))
                        .key(key.substring(end + 1))
                        .request(Domain.GROUP_NAME);
    }

    /** The key of any initial record. */
    String anyKey() {
        return key(ThreadLocalRandom.current().nextLong(records) + 1);
    }

    /** One of a few keys from all over the table, few enough for a process to remember all of them. */
    String oftenUsedKey() {
        long few = Math.min(records, OFTEN_USED);
        return key(ThreadLocalRandom.current().nextLong(few) * (records / few) + 1);
    }

    /** One of the latest keys, of which there are as many as often used ones. Retries are mostly for recent keys. */
    String recentKey() {
        return key(records - ThreadLocalRandom.current().nextLong(Math.min(records, OFTEN_USED)));
    }

    /** The same as {@code md5(n::text)::uuid}. */
    private static UUID hash(long number) {
        try {
            ByteBuffer hash = ByteBuffer.wrap(MessageDigest.getInstance("MD5")
                    .digest(Long.toString(number).getBytes(StandardCharsets.US_ASCII)));
            return new UUID(hash.getLong(), hash.getLong());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has MD5", e);
        }
    }

    /** Leads with keys that have no record, with a given retention. */
    Variant leading(Duration retention) {
        return new Variant(
                        label(),
                        LibraryVariant.unplanned(
                                new LibraryVariant(store)
                                        .operation(OPERATION)
                                        .retention(retention)
                                        .build(),
                                this::attempt))
                .leading(this::freshKey);
    }

    /** Leads or replays, depending on the key. Each variant remembers the keys that it has seen itself. */
    Variant variant() {
        return variant("");
    }

    /** The same with a suffix in its name. */
    Variant variant(String keys) {
        LibraryVariant ours = new LibraryVariant(store);
        return new Variant(
                label() + keys,
                LibraryVariant.unplanned(ours.operation(OPERATION).build(), this::attempt));
    }

    /** The cost of reading one record from this table without the library. */
    Variant select() {
        return new Variant(
                label() + ", " + Variants.SELECT, new HandWrittenSql(database.pool()).select(name, OPERATION));
    }

    String label() {
        String of = scopes == 1 ? "" : String.format(Locale.ROOT, " of %,d scopes", scopes);
        String in = partitions == 1 ? "" : " in %d partitions".formatted(partitions);
        return (records == 0 ? "" : String.format(Locale.ROOT, "%,d records%s%s", records, of, in)) + order.label;
    }

    int purge(int batch) {
        return store.purgeExpired(batch);
    }

    /** The size of a row in the heap, in the key's index and in the index for the purge. */
    List<String> bytesPerRecord() {
        List<String> row = new ArrayList<>(List.of(label()));
        for (String relation : List.of(name, name + "_pkey", name + "_expires_at")) {
            row.add(String.valueOf(bytes(relation) / records));
        }
        return row;
    }

    /** The size of the heap and its indexes. */
    long bytes() {
        return bytes(name) + bytes(name + "_pkey") + bytes(name + "_expires_at");
    }

    private long bytes(String relation) {
        return database.number(
                "SELECT pg_relation_size('%1$s') + coalesce((SELECT sum(pg_relation_size(relid))::bigint FROM pg_partition_tree('%1$s') WHERE isleaf AND relid <> '%1$s'::regclass), 0)"
                        .formatted(relation));
    }

    long count() {
        return database.number("SELECT count(*) FROM " + name);
    }

    /** The share of updates that touched no index, among those that backends have reported so far. */
    String heapOnlyUpdates() {
        return database.text(
                "SELECT coalesce(round(100.0 * sum(n_tup_hot_upd) / nullif(sum(n_tup_upd), 0), 2) || ' % of '"
                        + " || sum(n_tup_upd), '–') FROM pg_stat_user_tables"
                        + " WHERE relid = '%1$s'::regclass OR relid IN (SELECT relid FROM pg_partition_tree('%1$s'))"
                                .formatted(name));
    }
}
