package io.counterpoint.idempotency.sharding;

import org.junit.jupiter.api.Tag;

@Tag("thorough")
class ShardedContractTest extends ShardedContract {

    ShardedContractTest() {
        super(0);
    }
}
