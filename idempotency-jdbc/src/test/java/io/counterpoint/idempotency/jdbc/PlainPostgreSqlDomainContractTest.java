package io.counterpoint.idempotency.jdbc;

import org.junit.jupiter.api.Tag;

/** Never through a gateway. */
@Tag("direct")
class PlainPostgreSqlDomainContractTest extends DomainContract {
    @Override
    TestDatabase open() {
        return TestDatabase.plainPostgreSql();
    }
}
