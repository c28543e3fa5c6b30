package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.testkit.JoiningDomain;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import java.sql.Connection;
import java.util.List;
import java.util.function.LongSupplier;

/** A domain that finds the transaction on the thread, by its data source, and never uses the handle. */
record JakartaDomain(Database database) implements JoiningDomain<Connection> {

    @Override
    public void write(Connection unused, String name) {
        requireTransaction();
        database.sql("INSERT INTO effect VALUES (?)", name);
    }

    @Override
    public boolean isThere(Connection unused, String name) {
        requireTransaction();
        return !database.query("SELECT id FROM effect WHERE id = ?", name).isEmpty();
    }

    private void requireTransaction() {
        if (!isInTransaction()) {
            throw new AssertionError("There is no transaction on the thread.");
        }
    }

    @Override
    public boolean changeShared(Connection unused, String name) {
        try {
            database.sql("UPDATE shared SET n = n + 1 WHERE name = ?", name);
        } catch (Exception deadlock) {
            throw new IllegalStateException(deadlock);
        }
        return true;
    }

    @Override
    public List<String> committed() {
        return database.effects();
    }

    @Override
    public void prepare(String name) {
        database.sql("INSERT INTO account VALUES (?, 0)", name);
    }

    @Override
    public void writeAgain(Connection unused, String name) {
        prepare(name);
    }

    @Override
    public LongSupplier change(Connection unused, String name) {
        database.sql("UPDATE account SET version = version + 1 WHERE id = ?", name);
        long version = Long.parseLong(
                database.query("SELECT version FROM account WHERE id = ?", name).get(0));
        return () -> version;
    }

    @Override
    public long version(String name) {
        return Long.parseLong(database.committed("SELECT version FROM account WHERE id = ?", name)
                .get(0));
    }

    @Override
    public void markRollbackOnly(Connection unused) {
        Database.REGISTRY.setRollbackOnly();
    }

    @Override
    public void beforeCommit(Connection unused, Runnable callback) {
        register(callback, () -> {});
    }

    @Override
    public void afterCommit(Connection unused, Runnable callback) {
        register(() -> {}, callback);
    }

    static void register(Runnable before, Runnable afterCommit) {
        try {
            Database.TRANSACTIONS.getTransaction().registerSynchronization(new Synchronization() {
                @Override
                public void beforeCompletion() {
                    before.run();
                }

                @Override
                public void afterCompletion(int status) {
                    if (status == Status.STATUS_COMMITTED) {
                        afterCommit.run();
                    }
                }
            });
        } catch (RollbackException | SystemException thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    @Override
    public boolean handsOnWhatCallbacksThrow() {
        return false;
    }

    /** As the container's interceptor does for REQUIRES_NEW, with that of this library in front of it. */
    @Override
    public void inTransactionOfItsOwn(Runnable code) {
        SeparateTransactions.refuseInside("JakartaDomain.inTransactionOfItsOwn", "REQUIRES_NEW");
        try {
            Database.TRANSACTIONS.begin();
            try {
                code.run();
            } finally {
                Database.TRANSACTIONS.commit();
            }
        } catch (RuntimeException thrown) {
            throw thrown;
        } catch (Exception thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    @Override
    public boolean isInTransaction() {
        try {
            return Database.TRANSACTIONS.getStatus() != Status.STATUS_NO_TRANSACTION;
        } catch (SystemException thrown) {
            throw new IllegalStateException(thrown);
        }
    }
}
