package io.counterpoint.idempotency.testing.bridge;

/** Where a node stops during a call, until it may continue or is killed. */
enum Stop {
    NOWHERE,
    BEFORE_THE_KEY,
    BEFORE_THE_EFFECT,
    BEFORE_THE_COMMIT,
    BEFORE_THE_REPLY
}
