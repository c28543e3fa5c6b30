package io.counterpoint.idempotency.jakarta;

class AgroalStoreContractTest extends StoreContract {
    AgroalStoreContractTest() {
        super(Database.Way.AGROAL);
    }
}
