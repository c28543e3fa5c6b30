package io.counterpoint.idempotency.testing;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A PostgreSQL JDBC URL with one host, taken apart so that its port or its database can be exchanged. */
record JdbcUrl(String host, int port, String database, String options) {

    private static final int DEFAULT_PORT = 5432;
    private static final Pattern FORM = Pattern.compile(
            "jdbc:postgresql://(?<host>[^/:?,]+)(:(?<port>\\d+))?/(?<database>[^?]*)(\\?(?<options>.*))?");

    static JdbcUrl parse(String url) {
        Matcher matcher = FORM.matcher(url);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "not of the form jdbc:postgresql://host:port/database?options with one host: " + url);
        }
        String port = matcher.group("port");
        String options = matcher.group("options");
        return new JdbcUrl(
                matcher.group("host"),
                port == null ? DEFAULT_PORT : Integer.parseInt(port),
                matcher.group("database"),
                options == null ? "" : options);
    }

    JdbcUrl at(String newHost, int newPort) {
        return new JdbcUrl(newHost, newPort, database, options);
    }

    JdbcUrl database(String newDatabase) {
        return new JdbcUrl(host, port, newDatabase, options);
    }

    /** The URL; it always has a question mark, so that a caller may append {@code &name=value}. */
    @Override
    public String toString() {
        return "jdbc:postgresql://" + host + ":" + port + "/" + database + "?" + options;
    }
}
