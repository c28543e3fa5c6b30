package io.counterpoint.idempotency.examples.appplatform.usecase;

/** The steps of a use case at which a process may die. */
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
