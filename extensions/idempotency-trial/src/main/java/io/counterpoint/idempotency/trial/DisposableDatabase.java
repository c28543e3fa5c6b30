package io.counterpoint.idempotency.trial;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Rejects a database that the caller has not named, or that is on another machine without confirmation. */
final class DisposableDatabase {

    private static final Pattern EMBEDDED = Pattern.compile("jdbc:(h2|hsqldb|derby):(?![a-z]+://).*");

    private static final Pattern HOSTS = Pattern.compile("(?://|@)([^/;?]*)");

    private static final Pattern LOCAL =
            Pattern.compile("(localhost|127\\.[0-9]+\\.[0-9]+\\.[0-9]+|\\[::1])?(:[0-9]+)?");

    private DisposableDatabase() {}

    /**
     * Checks what the connection reports about itself.
     *
     * @param named the URL without options, or the database's name
     * @param host the confirmed host, or an empty string
     */
    static void require(DataSource source, String named, String host) throws SQLException {
        try (Connection connection = source.getConnection()) {
            require(connection.getMetaData().getURL(), connection.getCatalog(), named, host);
        }
    }

    static void require(@Nullable String fullUrl, @Nullable String catalog, String named, String host) {
        String url = bare(Objects.requireNonNullElse(fullUrl, ""));
        if (named.isEmpty() || !(bare(named).equals(url) || named.equals(catalog))) {
            throw new IllegalArgumentException(
                    "Nothing was run: the data source leads to %s, catalog %s, but the disposable database is %s."
                            .formatted(url, catalog, bare(named)));
        }
        String hosts = hostsOf(url);
        boolean local = Stream.of(hosts.split(",", -1))
                .allMatch(one -> LOCAL.matcher(one).matches());
        if (!local && !hosts.equals(host)) {
            throw new IllegalArgumentException(
                    "Nothing was run: the database is on %s. If its contents are disposable,".formatted(hosts)
                            + " confirm it with onHost(\"" + hosts + "\").");
        }
    }

    /** Removes secrets, and options unless they name the database. */
    private static String bare(String url) {
        String open = url.replaceFirst("//[^/@]*@", "//").replaceFirst("\\?.*", "");
        return EMBEDDED.matcher(open).matches() ? open.replaceFirst(";.*", "") : open;
    }

    private static String hostsOf(String url) {
        Matcher hosts = HOSTS.matcher(url);
        return !EMBEDDED.matcher(url).matches() && hosts.find() ? hosts.group(1) : "";
    }
}
