package io.counterpoint.idempotency.jdbc;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Tests that share one database of each kind. */
abstract class BothDatabases {

    static final Map<Kind, TestDatabase> DATABASES = new EnumMap<>(Kind.class);

    enum Kind {
        H2,
        POSTGRESQL
    }

    @BeforeAll
    static void openDatabases() {
        DATABASES.put(Kind.H2, TestDatabase.h2());
        DATABASES.put(Kind.POSTGRESQL, TestDatabase.postgresql());
    }

    @AfterAll
    static void closeDatabases() {
        DATABASES.values().forEach(TestDatabase::close);
        DATABASES.clear();
    }

    static TestDatabase database(Kind kind) {
        return DATABASES.get(kind);
    }
}
