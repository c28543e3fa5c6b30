package io.counterpoint.idempotency.spring.boot.proxies;

import java.security.ProtectionDomain;
import java.sql.SQLException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.jspecify.annotations.Nullable;
import org.springframework.core.SmartClassLoader;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What the methods of the cells do: a row for each run, in the transaction that Spring has. */
public final class Effects {

    static final DataSource DATABASE = JdbcConnectionPool.create("jdbc:h2:mem:proxies;DB_CLOSE_DELAY=-1", "sa", "");
    static final ExecutorService ASYNC = Executors.newSingleThreadExecutor(run -> {
        Thread thread = new Thread(run, "async");
        thread.setDaemon(true);
        return thread;
    });
    private static final JdbcTemplate JDBC = new JdbcTemplate(DATABASE);
    private static final Map<String, AtomicInteger> RUNS = new ConcurrentHashMap<>();

    static {
        JDBC.execute("CREATE TABLE effect (effect_key VARCHAR(200) NOT NULL)");
    }

    private Effects() {}

    /** One effect. Keys that say so fail at their first run, or at the commit of it. */
    public static String of(Object key) {
        String text = key.toString();
        JDBC.update("INSERT INTO effect (effect_key) VALUES (?)", text);
        boolean first = RUNS.computeIfAbsent(text, any -> new AtomicInteger()).getAndIncrement() == 0;
        if (first && text.startsWith("failing")) {
            throw new IllegalStateException("the first run fails");
        }
        if (first && text.startsWith("conflict") && TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    throw new CannotAcquireLockException(
                            "the first commit meets a conflict", new SQLException("deadlock", "40001"));
                }
            });
        }
        return UUID.randomUUID().toString();
    }

    /** How many effects a key has, when all that runs on other threads has ended. */
    static int count(String key) {
        try {
            ASYNC.submit(() -> {}).get(1, TimeUnit.MINUTES);
        } catch (InterruptedException | ExecutionException | TimeoutException failed) {
            throw new IllegalStateException(failed);
        }
        Integer count = JDBC.queryForObject("SELECT COUNT(*) FROM effect WHERE effect_key = ?", Integer.class, key);
        return count == null ? 0 : count;
    }

    /** Defines proxies in itself, so that they are in another run-time package than the classes of its parent. */
    public static final class Loader extends ClassLoader implements SmartClassLoader {
        Loader(ClassLoader parent) {
            super(parent);
        }

        @Override
        public Class<?> publicDefineClass(String name, byte[] bytes, @Nullable ProtectionDomain domain) {
            return defineClass(name, bytes, 0, bytes.length, domain);
        }
    }
}
