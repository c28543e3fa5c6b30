package io.counterpoint.idempotency.admin;

import static io.counterpoint.idempotency.admin.Diagnosis.ERROR_DETAIL_SHOWN;
import static io.counterpoint.idempotency.admin.Diagnosis.HOSTS_WITHOUT_TARGET;
import static io.counterpoint.idempotency.admin.Diagnosis.SAVEPOINT_PER_EXCHANGE;
import static io.counterpoint.idempotency.admin.Diagnosis.SIMPLE_QUERY_MODE;
import static io.counterpoint.idempotency.admin.Diagnosis.SOCKET_TIMEOUT_MISSING;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The driver's settings, as a connection and its URL show them. Properties that a pool gives to the driver beside the URL
 * are not seen, except for the timeout. The URL itself is never shown: it may hold a password.
 */
record DriverChecks(Product product) {

    private static final Pattern SEVERAL_HOSTS = Pattern.compile("jdbc:postgresql://[^/?]*,.*");

    void examine(Connection connection, List<Finding> findings) throws SQLException {
        if (product == Product.H2) {
            return;
        }
        if (connection.getNetworkTimeout() == 0) {
            findings.add(new Finding(SOCKET_TIMEOUT_MISSING, "the connection has no network timeout"));
        }
        String url = connection.getMetaData().getURL();
        if (product != Product.POSTGRESQL || url == null) {
            return;
        }
        if ("simple".equals(parameter(url, "preferQueryMode"))) {
            findings.add(new Finding(SIMPLE_QUERY_MODE, "preferQueryMode is simple"));
        }
        String autosave = parameter(url, "autosave");
        if (autosave != null && !autosave.equals("never")) {
            findings.add(new Finding(SAVEPOINT_PER_EXCHANGE, "autosave is not never"));
        }
        if (SEVERAL_HOSTS.matcher(url).matches() && !"primary".equals(parameter(url, "targetServerType"))) {
            findings.add(new Finding(HOSTS_WITHOUT_TARGET, "targetServerType is not primary"));
        }
        if (!"false".equals(parameter(url, "logServerErrorDetail"))) {
            findings.add(new Finding(ERROR_DETAIL_SHOWN, "logServerErrorDetail is not false in the URL"));
        }
    }

    private static @Nullable String parameter(String url, String name) {
        Matcher found = Pattern.compile("[?&]" + name + "=([^&]*)").matcher(url);
        return found.find() ? found.group(1) : null;
    }
}
