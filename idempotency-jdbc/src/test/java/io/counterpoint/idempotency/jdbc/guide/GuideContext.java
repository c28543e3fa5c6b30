package io.counterpoint.idempotency.jdbc.guide;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.NullUnmarked;

/** What the guide's snippets take for granted: each is compiled in a subclass of this. */
@NullUnmarked
public abstract class GuideContext {

    protected Jdbi jdbi;
    protected JdbiIdempotencyStore store;
    protected Idempotency<Handle> idempotency;
    protected Operation<Handle, Receipt> pay;
    protected ExternalOperation<String> chargeCard;
    protected Outcome<Receipt> paid;
    protected ResultCodec<Receipt> receiptCodec;
    protected String receiptNumber;
    protected Attempt attempt;
    protected GroupTable groups;
    protected Command command;
    protected Order order;
    protected Gateway gateway;
    protected Counter replays;
    protected System.Logger log;
    protected String userId;
    protected String requestKey;
    protected boolean foundAtTheGateway;

    /** The result of an operation with a plan. */
    public record GroupCreated(UUID groupId, UUID conversationId) {

        public static GroupCreated withNewIdentifiers() {
            return new GroupCreated(UUID.randomUUID(), UUID.randomUUID());
        }

        public static GroupCreated parse(String text) {
            List<String> identifiers = List.of(text.split(" "));
            return new GroupCreated(UUID.fromString(identifiers.get(0)), UUID.fromString(identifiers.get(1)));
        }

        public String print() {
            return groupId + " " + conversationId;
        }
    }

    /** A table of groups on Jdbi. */
    public interface GroupTable {
        void insert(Handle handle, GroupCreated planned, Command command);

        boolean isThere(Handle handle, UUID groupId);
    }

    /** A request to create a group. */
    public record Command(String name, List<String> members) {}

    /** A request to pay. */
    public record Order(String account, long cents, List<String> items) {}

    /** A paid order. */
    public record Receipt(String number) {}

    /** The provider of payments. */
    public interface Gateway {
        Optional<String> find(String reference);

        String charge(String reference, long cents) throws CardDeclined;
    }

    /** A counter of metrics. */
    public interface Counter {
        void increment();
    }

    /** A refusal by the provider of payments. */
    public static final class CardDeclined extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** A refusal by the domain. */
    public static final class NoFunds extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** Another refusal by the domain. */
    public static final class LimitReached extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
