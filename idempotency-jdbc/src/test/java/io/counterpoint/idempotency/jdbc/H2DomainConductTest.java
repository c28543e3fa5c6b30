package io.counterpoint.idempotency.jdbc;

class H2DomainConductTest extends DomainConduct {
    @Override
    TestDatabase open() {
        return TestDatabase.h2();
    }
}
