package io.counterpoint.idempotency.testkit.faults;

import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;

/** The kinds of calls that the engine makes. */
public enum StoreCall {
    /** A session is opened. */
    OPEN,
    /** {@link RecordSteps#claim}. */
    CLAIM,
    /** {@link RecordSteps#read}. */
    READ,
    /** {@link RecordSteps#lock}. */
    LOCK,
    /** {@link RecordSteps#succeed}. */
    SUCCEED,
    /** The insert of a {@link LastStep.Insert}, or of each record of a {@link LastStep.InsertAll}, without the commit. */
    INSERT,
    /** {@link RecordSteps#fail}. */
    FAIL,
    /** {@link RecordSteps#release}. */
    RELEASE,
    /** {@link RecordSteps#replaceToken}. */
    REPLACE_TOKEN,
    /** {@link RecordSteps#changeProtocol}. */
    CHANGE_PROTOCOL,
    /** {@link RecordSteps#confirm}. */
    CONFIRM,
    /** The commit of a transaction with a body: with its last step, or when the body has returned. */
    COMMIT
}
