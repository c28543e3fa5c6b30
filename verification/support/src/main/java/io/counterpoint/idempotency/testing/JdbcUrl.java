package io.counterpoint.idempotency.testing;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A parsed JDBC URL with one host, whose port or database can be replaced. */
record JdbcUrl(String protocol, String host, int port, String database, String options) {

    private static final Pattern FORM = Pattern.compile("jdbc:(?<protocol>postgresql|mariadb|mysql)://"
            + "(?<host>[^/:?,]+)(:(?<port>\\d+))?/(?<database>[^?]*)(\\?(?<options>.*))?");

    static JdbcUrl parse(String url) {
        Matcher matcher = FORM.matcher(url);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "not of the form jdbc:postgresql://host:port/database?options with one host: " + url);
        }
        String port = matcher.group("port");
        String options = matcher.group("options");
        return new JdbcUrl(
                matcher.group("protocol"),
                matcher.group("host"),
                port == null ? defaultPort(matcher.group("protocol")) : Integer.parseInt(port),
                matcher.group("database"),
                options == null ? "" : options);
    }

    private static int defaultPort(String protocol) {
        return protocol.equals("postgresql") ? 5432 : 3306;
    }

    JdbcUrl at(String newHost, int newPort) {
        return new JdbcUrl(protocol, newHost, newPort, database, options);
    }

    JdbcUrl database(String newDatabase) {
        return new JdbcUrl(protocol, host, port, newDatabase, options);
    }

    /** The URL. It always contains a question mark, so that callers can append {@code &name=value}. */
    @Override
    public String toString() {
        return "jdbc:" + protocol + "://" + host + ":" + port + "/" + database + "?" + options;
    }
}
