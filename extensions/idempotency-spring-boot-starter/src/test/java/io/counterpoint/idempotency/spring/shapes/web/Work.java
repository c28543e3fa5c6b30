package io.counterpoint.idempotency.spring.shapes.web;

import io.counterpoint.idempotency.annotation.Idempotent;
import java.util.concurrent.Callable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/** The protected methods, what they call, and what hears of them. */
public class Work {

    /** What is heard in every phase. */
    record Heard() {}

    /** What is heard on another thread, in the phases after the end. */
    record HeardLater() {}

    private final JdbcTemplate jdbc;

    Work(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Idempotent(operation = "run", key = "#attempt")
    @Transactional(rollbackFor = Exception.class)
    public String run(Callable<?> work) throws Exception {
        return String.valueOf(work.call());
    }

    @Idempotent(operation = "run-more", key = "#attempt")
    @Transactional(isolation = Isolation.SERIALIZABLE, timeout = 1, rollbackFor = Exception.class)
    public String runMore(Callable<?> work) throws Exception {
        return String.valueOf(work.call());
    }

    @Idempotent(operation = "run-without", key = "#attempt")
    public String runWithoutTransactional(Callable<?> work) throws Exception {
        return String.valueOf(work.call());
    }

    @Idempotent(operation = "undeclared", key = "#attempt")
    @Transactional
    public String undeclared(Exception thrown) {
        note("undeclared");
        throw Work.<RuntimeException>unchecked(thrown);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Exception> X unchecked(Exception thrown) throws X {
        throw (X) thrown;
    }

    @Idempotent(operation = "job", key = "#key", scope = "'job'", request = "#key")
    @Transactional
    public void runJob(String key) {
        note("job");
    }

    @Async
    @Idempotent(operation = "later", key = "#key", scope = "'job'", request = "#key")
    @Transactional
    public void later(String key) {
        note("later");
    }

    @Scheduled(cron = "0 0 0 1 1 *")
    @Idempotent(operation = "nightly", key = "'2026-12-31'", scope = "'job'")
    @Transactional
    public void nightly() {
        note("nightly");
    }

    /** Writes a row. */
    public int note(String text) {
        return jdbc.update("INSERT INTO note (text) VALUES (?)", text);
    }

    @Async
    public void noteLater(Runnable note) {
        note.run();
    }

    @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
    public void hearBefore(Heard event) {
        note("BEFORE_COMMIT");
    }

    @TransactionalEventListener
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void hear(Heard event) {
        note("AFTER_COMMIT");
    }

    @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void hearRollback(Heard event) {
        note("AFTER_ROLLBACK");
    }

    @Async
    @TransactionalEventListener
    public void hear(HeardLater event) {
        note("AFTER_COMMIT, later");
    }

    @Async
    @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
    public void hearRollback(HeardLater event) {
        note("AFTER_ROLLBACK, later");
    }

    @Async
    @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
    public void hearCompletion(HeardLater event) {
        note("AFTER_COMPLETION, later");
    }
}
