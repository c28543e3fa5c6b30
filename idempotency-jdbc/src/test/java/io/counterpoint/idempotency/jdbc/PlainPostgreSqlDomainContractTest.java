package io.counterpoint.idempotency.jdbc;

class PlainPostgreSqlDomainContractTest extends DomainContract {
    @Override
    TestDatabase open() {
        return TestDatabase.plainPostgreSql();
    }
}
