package io.counterpoint.idempotency.examples.groupcreation;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyListener;
import java.time.Duration;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** The databases of a run, and the use case on them: groups and records in one database, or in two. */
final class Storage implements AutoCloseable {

    private final Protocol protocol;
    private final Database records;
    private final Database groups;

    private Storage(Protocol protocol, Database records, Database groups) {
        this.protocol = protocol;
        this.records = records;
        this.groups = groups;
    }

    /**
     * Which protocol, and where.
     *
     * @param groups where groups live; the same as {@code records} unless the protocol is external
     */
    record Place(Protocol protocol, Database.Address records, Database.Address groups) {}

    static Storage connect(Place place) throws CannotRun {
        Database records = Database.connect(place.records());
        try {
            if (place.groups().equals(place.records())) {
                return new Storage(place.protocol(), records, records);
            }
            if (!place.groups().schema().isEmpty()) {
                records.jdbi()
                        .useHandle(handle -> handle.execute(
                                "create schema if not exists " + place.groups().schema()));
            }
            return new Storage(place.protocol(), records, Database.connect(place.groups()));
        } catch (CannotRun | RuntimeException e) {
            records.close();
            throw e;
        }
    }

    void createTables() {
        groups.createDomainTables();
        records.store().createTableIfMissing().checkTable();
    }

    /** Where groups live. */
    Jdbi groups() {
        return groups.jdbi();
    }

    /** Where records live. */
    Database records() {
        return records;
    }

    UseCase useCase(Groups domain, IdempotencyListener listener, Duration grace) {
        Idempotency<Handle> idempotency =
                Idempotency.builder(records.store()).listener(listener).build();
        return protocol == Protocol.EXTERNAL
                ? new CreateGroupElsewhere(idempotency, groups.jdbi(), domain)
                : new CreateGroup(idempotency, domain, protocol == Protocol.SINGLE_TRANSACTION, grace);
    }

    @Override
    public void close() {
        groups.close();
        records.close();
    }
}
