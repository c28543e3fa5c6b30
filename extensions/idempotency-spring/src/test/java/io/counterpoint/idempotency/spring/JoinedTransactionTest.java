package io.counterpoint.idempotency.spring;

import static java.util.Objects.requireNonNull;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** What holds where entities and services join, on PostgreSQL, beyond the contract: what Spring alone has. */
class JoinedTransactionTest {

    private static Application application;

    @BeforeAll
    static void start() {
        application = Application.start(Database.Kind.POSTGRESQL, Application.Way.JPA, AccountsApplication.class);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    static Application application() {
        return requireNonNull(application);
    }

    @Nested
    class Flushes extends FlushCases {}

    @Nested
    class Participants extends ParticipantCases {}

    @Nested
    class SeparateTransactions extends SeparateTransactionCases {}

    @Nested
    class Callers extends CallerCases {}

    @Nested
    class Callbacks extends CallbackCases {}

    @Nested
    class Conflicts extends ConflictCases {}

    @Nested
    class Threads extends ThreadCases {}
}
