package io.counterpoint.idempotency.admin.cli;

import io.counterpoint.idempotency.admin.Administration;
import io.counterpoint.idempotency.admin.AuditTable;
import io.counterpoint.idempotency.admin.RefusedException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Connects to a database as specified by the options.
 *
 * @param environment the environment variables of the process
 * @param prompt prompts for a password; returns null if there is no terminal
 */
record Connecting(Map<String, String> environment, Supplier<char @Nullable []> prompt) {

    /** The permitted prefixes of a URL. The server reports which database it is. */
    private static final List<String> SPOKEN = List.of("jdbc:postgresql:", "jdbc:h2:", "jdbc:mariadb:", "jdbc:mysql:");

    Administration to(
            @Nullable String url, @Nullable String user, boolean askPassword, String table, String auditTable) {
        String found = url(url);
        DriverDataSource source = source(found, user, askPassword);
        requireSpoken(found);
        return Administration.of(source, table, AuditTable.of(source, auditTable));
    }

    AuditTable audit(@Nullable String url, @Nullable String user, boolean askPassword, String auditTable) {
        return AuditTable.of(source(url(url), user, askPassword), auditTable);
    }

    private String url(@Nullable String option) {
        String url = option == null ? environment.get(Main.URL) : option;
        if (url == null) {
            throw new RefusedException("Pass the database with --url, or in the variable " + Main.URL + ".");
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
                    "There is no terminal to prompt for a password. Set the variable " + Main.PASSWORD + ".");
        }
        return DriverDataSource.of(url, user, new String(answer));
    }

    private static void requireSpoken(String url) {
        if (SPOKEN.stream().noneMatch(url::startsWith)) {
            throw new RefusedException("The URL must begin with one of " + SPOKEN + ".");
        }
    }
}
