package io.counterpoint.idempotency.jdbc.guide;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.BatchItem;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.NullUnmarked;

/** What the guide's snippets take for granted: each is compiled in a subclass of this. */
@NullUnmarked
public abstract class GuideContext {

    protected DataSource dataSource;
    protected Jdbi jdbi;
    protected JdbiIdempotencyStore store;
    protected Idempotency<Handle> idempotency;
    protected Operation<Handle, GroupCreated> createGroup;
    protected Operation<Handle, Receipt> charge;
    protected ExternalOperation<String> chargeCard;
    protected Outcome<GroupCreated> outcome;
    protected ResultCodec<GroupCreated> groupCodec;
    protected Attempt attempt;
    protected List<Attempt> attempts;
    protected GroupTable groups;
    protected Command command;
    protected Order order;
    protected Gateway gateway;
    protected Provider provider;
    protected ResultCodec<Charge> chargeCodec;
    protected Counter replays;
    protected System.Logger log;
    protected String userId;
    protected String requestKey;
    protected boolean foundAtTheGateway;

    protected abstract List<Receipt> debitAll(Handle handle, List<BatchItem> leading);

    protected abstract Receipt debit(Handle handle, Order order) throws CardDeclined;

    /** The result of the guide's operation. */
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

    /** What a provider is asked for. */
    public record Charge(long cents, Instant asked) {}

    /** A payment provider that takes a key. */
    public interface Provider {
        void charge(String key, Charge charge) throws IOException;
    }

    /** A table of groups on Jdbi. */
    public interface GroupTable {
        void insert(Handle handle, GroupCreated planned, Command command);

        void addMembers(Handle handle, GroupCreated planned, Command command);

        Optional<GroupCreated> findByKey(Handle handle, byte[] keyId);

        boolean isThere(Handle handle, UUID groupId);
    }

    /** The users' own groups, on a view of the handle. */
    public interface Groups {
        void insert(GroupCreated planned, String name);
    }

    /** The users' own groups on Jdbi. */
    public record JdbiGroups(Handle handle) implements Groups {
        @Override
        public void insert(GroupCreated planned, String name) {}
    }

    /** The users' own service. */
    public static class GroupService {
        private final Operation<Groups, GroupCreated> createGroup;

        public GroupService(Idempotency<Groups> idempotency) {
            createGroup = idempotency
                    .operation("create-group", ResultCodec.text(GroupCreated::print, GroupCreated::parse))
                    .build();
        }

        public Outcome<GroupCreated> create(Attempt attempt, String name) {
            return createGroup.executePlanned(
                    attempt, GroupCreated::withNewIdentifiers, (groups, planned) -> groups.insert(planned, name));
        }
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
    public static final class NameTaken extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Another refusal by the domain. */
    public static final class QuotaExhausted extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
