package io.counterpoint.idempotency.admin.cli;

import io.counterpoint.idempotency.admin.RefusedException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Opens a new connection with the URL's driver for each query. */
final class DriverDataSource implements DataSource {

    private static final Pattern PASSWORD =
            Pattern.compile("(?i).*([?&;](password|pwd|sslpassword)=|//[^/?;]*:[^/?;]*@).*");

    private final String url;
    private final Properties properties = new Properties();

    private DriverDataSource(String url) {
        this.url = url;
    }

    /** H2 would create a missing database. */
    static DriverDataSource of(String url, @Nullable String user, @Nullable String password) {
        if (PASSWORD.matcher(url).matches()) {
            throw new RefusedException("The URL contains a password, which others can read. Set the variable "
                    + Main.PASSWORD + ", or use --ask-password.");
        }
        boolean mayCreate = url.startsWith("jdbc:h2:") && !url.contains(";IFEXISTS=");
        DriverDataSource source = new DriverDataSource(mayCreate ? url + ";IFEXISTS=TRUE" : url);
        if (user != null) {
            source.properties.setProperty("user", user);
        }
        if (password != null) {
            source.properties.setProperty("password", password);
        }
        return source;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return DriverManager.getConnection(url, properties);
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("one user");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("no logger");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("This data source does not wrap another.");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
