package io.counterpoint.idempotency.jakarta;

import org.junit.jupiter.api.Tag;

@Tag("matrix")
class PlainXaStoreContractTest extends StoreContract {
    PlainXaStoreContractTest() {
        super(Database.Way.PLAIN_XA);
    }
}
