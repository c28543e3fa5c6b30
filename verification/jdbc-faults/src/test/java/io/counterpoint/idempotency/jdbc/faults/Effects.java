package io.counterpoint.idempotency.jdbc.faults;

import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** A domain whose table has no unique key, so that duplicates can show. */
final class Effects {

    private Effects() {}

    /** Makes its table, and that of the records. */
    static void prepare(String url) {
        Jdbi jdbi = Jdbi.create(url);
        JdbiIdempotencyStore.on(jdbi).createTableIfMissing();
        jdbi.useHandle(handle -> handle.execute("CREATE TABLE effect (id varchar(255) NOT NULL)"));
    }

    static void write(Handle handle, String id) {
        handle.execute("INSERT INTO effect (id) VALUES (?)", id);
    }
}
