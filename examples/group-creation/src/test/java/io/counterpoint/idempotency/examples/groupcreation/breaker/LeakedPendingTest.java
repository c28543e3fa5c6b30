package io.counterpoint.idempotency.examples.groupcreation.breaker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.GroupCreated;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.programs.TemporaryH2;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A leader is lost, nothing proves what happened to its attempt, and its client gives up: the record stays pending. */
@Tag("thorough")
class LeakedPendingTest {

    private final AtomicBoolean dies = new AtomicBoolean(true);
    private final Groups groups = new Groups() {
        @Override
        public void insert(Handle handle, GroupCreated planned, CreateGroupRequest request) {
            super.insert(handle, planned, request);
            if (dies.getAndSet(false)) {
                throw new IllegalStateException("the leader is lost before its commit");
            }
        }
    };

    @Test
    void pendingRecordHoldsUpNothingElseOnH2() throws Exception {
        try (TemporaryH2 records = TemporaryH2.inMemory();
                TemporaryH2 domain = TemporaryH2.inMemory()) {
            pendingRecordHoldsUpNothingElse(records.here("records"), domain.here("groups"));
        }
    }

    @Test
    void pendingRecordHoldsUpNothingElseOnPostgreSql() throws Exception {
        pendingRecordHoldsUpNothingElse(onPostgreSql(), onPostgreSql());
    }

    private static DatabaseAddress onPostgreSql() {
        return new DatabaseAddress(PostgresServer.shared().createDatabase(), "", "");
    }

    private void pendingRecordHoldsUpNothingElse(DatabaseAddress records, DatabaseAddress domain) throws Exception {
        try (Storage storage = Storage.connect(new Storage.Place(Protocol.EXTERNAL, records, domain))) {
            storage.createTables(groups);
            UseCase useCase = storage.useCase(groups, IdempotencyListener.NONE, settings -> settings);

            assertThatThrownBy(() -> useCase.execute(request("ann", "k1"))).isInstanceOf(OutcomeUnknownException.class);
            assertThat(useCase.execute(request("ann", "k1"))).isInstanceOf(Outcome.InProgress.class);
            assertThat(storage.records().store().purgeExpired(100)).isZero();

            for (CreateGroupRequest other : List.of(request("ann", "k2"), request("bob", "k1"), request("ann", "k3"))) {
                assertThat(useCase.execute(other)).isInstanceOf(Outcome.Executed.class);
                assertThat(useCase.execute(other)).isInstanceOf(Outcome.Replayed.class);
            }
            assertThat(useCase.execute(request("ann", "k1"))).isInstanceOf(Outcome.InProgress.class);
            assertThat(WrittenGroup.all(storage.groups().jdbi())).hasSize(3);
        }
    }

    /** The same group under every key: the content of the request doesn't matter here, only the key. */
    private static CreateGroupRequest request(String user, String key) {
        return new CreateGroupRequest(user, key, "Chess", List.of("cid"));
    }
}
