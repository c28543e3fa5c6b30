package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroup;
import io.counterpoint.idempotency.examples.groupcreation.ExternalCreateGroup;
import io.counterpoint.idempotency.examples.groupcreation.GroupCreated;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;

/** The databases of a run and the use case on them. Groups and records share one database or use two. */
public final class Storage implements AutoCloseable {

    private final Protocol protocol;
    private final BreakerDatabase records;
    private final BreakerDatabase groups;

    private Storage(Protocol protocol, BreakerDatabase records, BreakerDatabase groups) {
        this.protocol = protocol;
        this.records = records;
        this.groups = groups;
    }

    /**
     * The protocol and its databases.
     *
     * @param groups the database for groups; the same as {@code records} unless the protocol is external
     */
    public record Place(Protocol protocol, DatabaseAddress records, DatabaseAddress groups) {}

    /** Connects to the databases of a place. */
    public static Storage connect(Place place) throws CannotRun {
        BreakerDatabase records = BreakerDatabase.connect(place.records());
        try {
            if (place.groups().equals(place.records())) {
                return new Storage(place.protocol(), records, records);
            }
            if (!place.groups().schema().isEmpty()) {
                records.jdbi()
                        .useHandle(handle -> handle.execute(
                                "create schema if not exists " + place.groups().schema()));
            }
            return new Storage(place.protocol(), records, BreakerDatabase.connect(place.groups()));
        } catch (CannotRun | RuntimeException e) {
            records.close();
            throw e;
        }
    }

    /** Creates missing tables. */
    public void createTables(Groups domain) {
        groups.createTables(domain);
        records.store().createTableIfMissing().checkTable();
    }

    /** The database for groups. */
    BreakerDatabase groups() {
        return groups;
    }

    /** The database for records. */
    BreakerDatabase records() {
        return records;
    }

    /** Builds the use case for the protocol. The settings have no effect with two databases. */
    public UseCase useCase(
            Groups domain,
            IdempotencyListener listener,
            UnaryOperator<PlannedOperation.Builder<Handle, GroupCreated>> settings) {
        Idempotency<Handle> idempotency =
                Idempotency.builder(records.store()).listener(listener).build();
        if (protocol == Protocol.EXTERNAL) {
            ExternalCreateGroup elsewhere = new ExternalCreateGroup(idempotency, groups.jdbi(), domain);
            return new UseCase(elsewhere::execute, elsewhere::keyOf);
        }
        PlannedOperation.Builder<Handle, GroupCreated> builder =
                settings.apply(CreateGroup.operation(idempotency, domain));
        PlannedOperation<Handle, GroupCreated> operation = (protocol == Protocol.SINGLE_TRANSACTION
                        ? builder.protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        : builder)
                .build();
        return new UseCase(new CreateGroup(operation, domain)::execute, request -> operation.keyOf(request.attempt()));
    }

    @Override
    public void close() {
        groups.close();
        records.close();
    }
}
