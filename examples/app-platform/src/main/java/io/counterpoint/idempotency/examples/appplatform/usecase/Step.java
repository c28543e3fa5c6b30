package io.counterpoint.idempotency.examples.appplatform.usecase;

/** Where a process may die in the middle of a use case. */
public enum Step {
    CREATE_NOT_COMMITTED,
    CREATED,
    PUBLISH_NOT_BEGUN,
    PUBLISH_BEGUN,
    ARTIFACT_STORED,
    PUBLISH_NOT_FINISHED,
    PUBLISHED,
    PROVISION_NOT_BEGUN,
    PROVISION_BEGUN,
    SCHEMA_CLAIMED,
    SCHEMA_CREATED,
    SCHEMA_RECORDED,
    TABLES_CLAIMED,
    TABLES_CREATED,
    PROVISIONED,
    TRIGGER_NOT_COMMITTED,
    TRIGGERED,
    CHARGE_NOT_COMMITTED,
    PAYMENT_CLAIMED,
    PAID,
    CHARGED
}
