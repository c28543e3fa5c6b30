package io.counterpoint.idempotency.trial;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sixty planted mistakes, and what the trial says of each. */
@Tag("thorough")
@Timeout(600)
class PlantedDefectsTest {

    /** Faults that need no duplicates to show. */
    private static final Set<String> SHOWN_ALONE = Set.of(
            "connection is not given back", "process dies between two calls", "retries do not end with an answer");

    private static final AtomicInteger DATABASES = new AtomicInteger();

    static HikariDataSource pool(String url) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        JdbcIdempotencyStore.on(pool).createTableIfMissing();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            for (String table : """
                    payment (number bigint GENERATED ALWAYS AS IDENTITY, reference varchar(100), id varchar(100), \
                    cents bigint DEFAULT 5, tries int DEFAULT 0);
                    ledger (reference varchar(100));
                    archive (reference varchar(100));
                    account (id int PRIMARY KEY, reference varchar(100));
                    processed (key_id varchar(100) PRIMARY KEY, response varchar(100), at timestamp DEFAULT CURRENT_TIMESTAMP)
                    """.split(";", -1)) {
                statement.execute("CREATE TABLE IF NOT EXISTS " + table.strip());
            }
        } catch (SQLException thrown) {
            throw new IllegalStateException(thrown);
        }
        return pool;
    }

    @Test
    void plantedMistakesAreFoundAsThePageSays() throws Exception {
        List<Planted> all = PlantedDefects.all();
        List<Planted> missed = new ArrayList<>();
        for (Planted planted : all) {
            if (seen(planted) == null) {
                missed.add(planted);
            }
        }
        Map<String, Long> kinds = all.stream().collect(Collectors.groupingBy(Planted::fault, Collectors.counting()));
        assertThat(kinds)
                .hasSize(12)
                .allSatisfy((kind, mistakes) -> assertThat(mistakes).isEqualTo(5));
        assertThat(Files.readString(Path.of("../../docs/testing.md")))
                .as("missed: %s", missed)
                .contains((all.size() - missed.size()) + " of " + all.size()
                        + " planted mistakes, five of each of twelve kinds");
    }

    @Test
    void correctUseCasesPass() throws Exception {
        for (Planted planted : PlantedDefects.correct()) {
            assertThat(seen(planted)).as(planted.mistake()).isNull();
        }
    }

    /** Stops at the first case that is wrong. */
    private static @Nullable String seen(Planted planted) throws Exception {
        boolean onServer = planted.process() != null;
        String url = onServer
                ? PostgresServer.shared().createDatabase("lock_timeout=2s")
                : "jdbc:h2:mem:planted" + DATABASES.incrementAndGet();
        try (HikariDataSource pool = pool(onServer ? url : url + ";DB_CLOSE_DELAY=-1")) {
            List<DynamicTest> tests = injection(planted, pool, url).tests().toList();
            for (DynamicTest test : tests) {
                String wrong = wrong(test);
                if (expected(planted).matcher(wrong).find()) {
                    return wrong;
                }
            }
            return null;
        } finally {
            if (onServer) {
                PostgresServer.shared().giveBack(url);
            }
        }
    }

    /** A mistake that has another one with it has to be named by its own. */
    private static Pattern expected(Planted planted) {
        return Pattern.compile(
                switch (planted.fault()) {
                    case "none" -> ".";
                    case "connection is not given back" -> "connection (not )?returned";
                    case "process dies between two calls" -> "process killed";
                    case "retries do not end with an answer" -> "retries end with|no success";
                    default -> "effect|answers|no success";
                });
    }

    private static String wrong(DynamicTest test) throws Exception {
        try {
            test.getExecutable().execute();
            return "";
        } catch (AssertionError thrown) {
            return String.valueOf(thrown.getMessage());
        } catch (Exception thrown) {
            throw thrown;
        } catch (Throwable thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    private static FaultInjection injection(Planted planted, HikariDataSource pool, String url) {
        FaultInjection injection = FaultInjection.into(pool, planted.useCase())
                .onDisposableDatabase(url)
                .duplicates(SHOWN_ALONE.contains(planted.fault()) ? 0 : 2)
                .seed(1);
        planted.queries().forEach(injection::countingEffects);
        if (planted.outside() != null) {
            injection.countingEffects(planted.outside());
        }
        if (planted.late() != null) {
            injection.retryingAfter(planted.late().apply(pool));
        }
        if (planted.process() != null) {
            injection.killing(planted.process());
        }
        return injection;
    }
}
