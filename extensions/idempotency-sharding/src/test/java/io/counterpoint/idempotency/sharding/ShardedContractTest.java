package io.counterpoint.idempotency.sharding;

class ShardedContractTest extends ShardedContract {

    ShardedContractTest() {
        super(0);
    }
}
