package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.jdbc.SqlStore.View;
import io.counterpoint.idempotency.jdbc.session.DomainRow;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.jdbc.spi.TableFacts;
import io.counterpoint.idempotency.jdbc.spi.TableFacts.Kind;
import io.counterpoint.idempotency.spi.DomainTable;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LockScope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A table of the domain whose rows are records, found fit. Each call has a view of the store, for its row. */
record DomainRows<C>(SqlStore<C> store, DomainRow none) implements DomainTable<C> {

    /** What holds the 64 digits of a digest, and what its 32 bytes. */
    private static final Map<Kind, Integer> SIZES = Map.of(Kind.TEXT, 64, Kind.BYTES, 32);

    static <C> DomainRows<C> checked(SqlStore<C> store, RecordTable table, String key, Optional<String> request) {
        Dialect dialect = store.dialect();
        List<String> faults = new ArrayList<>();
        if (dialect.lockScope() != LockScope.GLOBAL) {
            faults.add("its nodes lock for themselves, so that two of them could insert one key");
        }
        DomainRow none = store.ask("look at", dialect.withTable(table), connection -> {
            faults.addAll(ConnectionCheck.faults(connection));
            Map<String, TableFacts.Column> columns = columns(connection, dialect.withTable(table));
            DomainRow.Column keyColumn = column(columns, key, Set.of(Kind.TEXT, Kind.BYTES, Kind.UUID), faults);
            Optional<DomainRow.Column> requestColumn =
                    request.map(name -> column(columns, name, Set.of(Kind.TEXT, Kind.BYTES), faults));
            faults.addAll(dialect.rowFaults(connection, table, key));
            return new DomainRow(table, keyColumn, requestColumn, Map.of());
        });
        if (!faults.isEmpty()) {
            throw new IllegalStateException(
                    "Rows of " + table + " cannot be idempotency records: " + String.join("; ", faults) + ".");
        }
        return new DomainRows<>(store, none);
    }

    private static Map<String, TableFacts.Column> columns(Connection connection, Dialect dialect) throws SQLException {
        return dialect.facts(connection).map(TableFacts::columns).orElse(Map.of());
    }

    private static DomainRow.Column column(
            Map<String, TableFacts.Column> columns, String name, Set<Kind> fit, List<String> faults) {
        TableFacts.Column found = columns.entrySet().stream()
                .filter(column -> column.getKey().equalsIgnoreCase(name))
                .findFirst()
                .map(Map.Entry::getValue)
                .orElse(null);
        if (found == null) {
            faults.add("it has no column " + name + ", found " + columns.keySet());
            return new DomainRow.Column(name, Kind.OTHER);
        }
        if (!fit.contains(found.kind()) || found.size() < SIZES.getOrDefault(found.kind(), 0)) {
            faults.add("the column " + name + " is of type " + found.type()
                    + ": it has to hold 32 bytes, or 64 characters" + (fit.contains(Kind.UUID) ? ", or a UUID" : ""));
        }
        return new DomainRow.Column(name, found.kind());
    }

    @Override
    public IdempotencyStore<C> inserting(Map<String, ? extends @Nullable Object> columns) {
        View<C> all = store.view;
        return store.like(
                new View<>(all.connections(), all.table(), all.options().inserting(none.with(columns))));
    }

    @Override
    public boolean comparesRequests() {
        return none.request().isPresent();
    }

    @Override
    public String toString() {
        return store + ", recorded in " + none.table() + " (" + none.key().name() + ")";
    }
}
