package io.counterpoint.idempotency.sharding;

import org.junit.jupiter.api.Tag;

/** Each test on the server that it does not meet otherwise. */
@Tag("matrix")
class ShardedContractOnTheOtherShardTest extends ShardedContract {

    ShardedContractOnTheOtherShardTest() {
        super(1);
    }
}
