package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.spi.Fault;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The commit of a transaction, and the last step that is sent with it. */
final class TransactionEnd {

    /** What is sent in the same round trip as the commit, if anything. */
    private Optional<LastStep> lastStep = Optional.empty();

    void sendWithCommit(LastStep step) {
        lastStep = Optional.of(step);
    }

    /**
     * Commits. PostgreSQL warns where it gave up waiting for its standby: the commit may be lost with this server.
     *
     * @return the warning, if there was one
     */
    @Nullable
    SQLException commit(Connection connection, Dialect dialect) throws SQLException {
        try {
            if (lastStep.isPresent()) {
                lastStep.get().send();
            }
        } catch (CommitWarning warning) {
            return warning;
        }
        if (lastStep.isEmpty()) {
            connection.commit();
            return answered(dialect, connection::getWarnings);
        }
        // Sends nothing, but pools keep books.
        return answered(dialect, () -> {
            connection.commit();
            return null;
        });
    }

    /** What a commit that failed is called in messages: with the key, where the mark was sent with it. */
    String failedCommit() {
        return lastStep.map(step -> step.failed().get()).orElse("Could not commit");
    }

    /** A failure after the answer to the commit says nothing of the commit. */
    private static @Nullable SQLException answered(Dialect dialect, AfterCommit step) {
        try {
            return step.run();
        } catch (SQLException thrown) {
            throw StoreException.of(
                    "The commit was answered, and then the connection failed", Fault.CONNECTION_LOST, dialect, thrown);
        }
    }

    private interface AfterCommit {
        @Nullable
        SQLException run() throws SQLException;
    }
}
