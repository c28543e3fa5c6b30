package io.counterpoint.idempotency.admin.cli;

import io.counterpoint.idempotency.admin.Administration;
import io.counterpoint.idempotency.admin.AdministrationException.RefusedException;
import io.counterpoint.idempotency.admin.AuditTable;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.mariadb.MariaDbDialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * From options to a database.
 *
 * @param environment the variables of the process
 * @param prompt asks for a password; null where there is no terminal
 */
record Connecting(Map<String, String> environment, Supplier<char @Nullable []> prompt) {

    Administration to(
            @Nullable String url, @Nullable String user, boolean askPassword, String table, String auditTable) {
        String found = url(url);
        DriverDataSource source = source(found, user, askPassword);
        return Administration.of(source, store(found, source), table, AuditTable.of(source, auditTable));
    }

    AuditTable audit(@Nullable String url, @Nullable String user, boolean askPassword, String auditTable) {
        return AuditTable.of(source(url(url), user, askPassword), auditTable);
    }

    private String url(@Nullable String option) {
        String url = option == null ? environment.get(Main.URL) : option;
        if (url == null) {
            throw new RefusedException("Give the database with --url, or in the variable " + Main.URL + ".");
        }
        return url;
    }

    private DriverDataSource source(String url, @Nullable String option, boolean askPassword) {
        String user = option == null ? environment.get(Main.USER) : option;
        if (!askPassword) {
            return DriverDataSource.of(url, user, environment.get(Main.PASSWORD));
        }
        char[] answer = prompt.get();
        if (answer == null) {
            throw new RefusedException(
                    "There is no terminal to ask for a password: give it in the variable " + Main.PASSWORD + ".");
        }
        return DriverDataSource.of(url, user, new String(answer));
    }

    private static JdbiIdempotencyStore store(String url, DriverDataSource source) {
        if (url.startsWith("jdbc:postgresql:")) {
            return JdbiIdempotencyStore.on(source);
        }
        if (url.startsWith("jdbc:h2:")) {
            return JdbiIdempotencyStore.on(source);
        }
        if (url.startsWith("jdbc:mariadb:") || url.startsWith("jdbc:mysql:")) {
            return JdbiIdempotencyStore.of(
                    source, isMariaDb(source) ? MariaDbDialect.mariaDb() : MariaDbDialect.mySql());
        }
        throw new RefusedException(
                "The URL has to begin with jdbc:postgresql:, jdbc:h2:, jdbc:mariadb: or jdbc:mysql:.");
    }

    private static boolean isMariaDb(DriverDataSource source) {
        try (Connection connection = source.getConnection()) {
            return connection.getMetaData().getDatabaseProductVersion().contains("MariaDB")
                    || connection.getMetaData().getDatabaseProductName().equals("MariaDB");
        } catch (SQLException thrown) {
            // The next question says why.
            return true;
        }
    }
}
