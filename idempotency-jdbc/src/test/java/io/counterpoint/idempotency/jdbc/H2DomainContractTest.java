package io.counterpoint.idempotency.jdbc;

class H2DomainContractTest extends DomainContract {
    @Override
    TestDatabase open() {
        return TestDatabase.h2();
    }
}
