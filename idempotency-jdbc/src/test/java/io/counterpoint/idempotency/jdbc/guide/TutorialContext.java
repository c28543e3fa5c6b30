package io.counterpoint.idempotency.jdbc.guide;

import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.NullUnmarked;

/** What the tutorials' snippets take for granted beyond the guide's. */
@NullUnmarked
public abstract class TutorialContext extends GuideContext {

    protected Operation<Handle, Receipt> pay;
    protected Operation<Handle, Done> addMember;
    protected Outcome<Receipt> paid;
    protected String receiptNumber;
    protected String messageId;
    protected String body;
    protected long groupId;
}
