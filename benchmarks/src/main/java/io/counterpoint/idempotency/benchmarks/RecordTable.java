package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** A table of records with as many successes as asked for, filled by SQL and in the state that a vacuum leaves. */
final class RecordTable {

    private static final String OPERATION = "create-group";
    private static final long CHUNK = 500_000;
    private static final long OFTEN_USED = 10_000;

    private final Database database;
    private final String name;
    private final long records;
    private final JdbiIdempotencyStore store;

    private RecordTable(Database database, String name, long records) {
        this.database = database;
        this.name = name;
        this.records = records;
        this.store =
                JdbiIdempotencyStore.postgresql(database.pool()).withTable(name).createTableIfMissing();
    }

    /**
     * Fills a new table.
     *
     * @param age how long ago the records were made, in SQL; their retention is one day
     */
    static RecordTable fill(Database database, String name, long records, String age) {
        RecordTable table = new RecordTable(database, name, records);
        // Indexes are made afterwards, which is how so many rows are loaded.
        database.script("ALTER TABLE %1$s DROP CONSTRAINT %1$s_pkey; DROP INDEX %1$s_expires_at".formatted(name));
        byte[] fingerprint = Fingerprint.of(Domain.GROUP_NAME).toBytes();
        for (long from = 1; from <= records; from += CHUNK) {
            Progress.say("filling %s: %,d of %,d".formatted(name, from - 1, records));
            database.execute(
                    """
                    INSERT INTO %s (scope, operation, key_value, protocol, state, token, fingerprint, payload,
                        created_at, updated_at, expires_at)
                    SELECT '%s', '%s', md5(n::text)::uuid::text, 'C', 'S', gen_random_uuid(), ?,
                        convert_to(md5(n::text)::uuid::text, 'UTF8'), now() - interval '%4$s',
                        now() - interval '%4$s', now() - interval '%4$s' + interval '1 day'
                    FROM generate_series(%5$d, %6$d) AS n
                    """.formatted(name, Ours.SCOPE, OPERATION, age, from, Math.min(records, from + CHUNK - 1)),
                    fingerprint);
        }
        Progress.say("indexing " + name);
        database.script(("SET maintenance_work_mem = '256MB'; ALTER TABLE %1$s ADD PRIMARY KEY (scope, operation,"
                        + " key_value); CREATE INDEX %1$s_expires_at ON %1$s (expires_at); RESET maintenance_work_mem")
                .formatted(name));
        Progress.say("vacuuming " + name);
        database.execute("VACUUM (ANALYZE) " + name);
        database.execute("CHECKPOINT");
        return table;
    }

    /** The key of any record that was there from the beginning. */
    String anyKey() {
        return key(ThreadLocalRandom.current().nextLong(records) + 1);
    }

    /** One of a few keys from all over the table, so few that a process remembers having met them. */
    String oftenUsedKey() {
        long few = Math.min(records, OFTEN_USED);
        return key(ThreadLocalRandom.current().nextLong(few) * (records / few) + 1);
    }

    /** One of as many keys that came last, as those that are retried mostly did. */
    String recentKey() {
        return key(records - ThreadLocalRandom.current().nextLong(Math.min(records, OFTEN_USED)));
    }

    /** As {@code md5(n::text)::uuid} makes it. */
    private static String key(long number) {
        try {
            ByteBuffer hash = ByteBuffer.wrap(MessageDigest.getInstance("MD5")
                    .digest(Long.toString(number).getBytes(StandardCharsets.US_ASCII)));
            return new UUID(hash.getLong(), hash.getLong()).toString();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has MD5", e);
        }
    }

    /** Leads or replays, whatever the key asks for. Each remembers the keys that it has met itself. */
    Variant variant() {
        Ours ours = new Ours(store);
        return new Variant(
                label(), null, "", Ours.unplanned(ours.operation(OPERATION).build()));
    }

    /** What the server takes to read one record of this table, without this library. */
    Variant select() {
        return new Variant(
                label() + ", " + Variants.SELECT, null, "", new HandWritten(database.pool()).select(name, OPERATION));
    }

    String label() {
        return String.format(Locale.ROOT, "%,d records", records);
    }

    int purge(int batch) {
        return store.purgeExpired(batch);
    }

    long bytesPerRecord(String relation) {
        return database.number("SELECT pg_relation_size('" + relation + "') / " + records);
    }

    long heapBytesPerRecord() {
        return bytesPerRecord(name);
    }

    long keyBytesPerRecord() {
        return bytesPerRecord(name + "_pkey");
    }

    long expiryBytesPerRecord() {
        return bytesPerRecord(name + "_expires_at");
    }

    /** Updates that touched no index, of all there were; what backends have not told so far does not count. */
    String heapOnlyUpdates() {
        return database.text("SELECT coalesce(round(100.0 * n_tup_hot_upd / nullif(n_tup_upd, 0), 2) || ' % of '"
                + " || n_tup_upd, '–') FROM pg_stat_user_tables WHERE relname = '" + name + "'");
    }
}
