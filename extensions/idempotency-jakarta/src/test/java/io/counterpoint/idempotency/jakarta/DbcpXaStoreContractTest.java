package io.counterpoint.idempotency.jakarta;

import org.junit.jupiter.api.Tag;

@Tag("matrix")
class DbcpXaStoreContractTest extends StoreContract {
    DbcpXaStoreContractTest() {
        super(Database.Way.DBCP_XA);
    }
}
