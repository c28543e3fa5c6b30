package io.counterpoint.idempotency.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an inbox logs although nobody has given it a listener. */
class InboxLogTest {

    private final Logger logger = Logger.getLogger(Inbox.class.getName());
    private final List<LogRecord> logged = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord logRecord) {
            logged.add(logRecord);
        }

        @Override
        public void flush() {
            // Nothing is held back.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    };

    private long now = Long.MAX_VALUE - 5;
    private final InboxListener log = new InboxLog(() -> now);

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
    }

    @AfterEach
    void listenNoMore() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }

    private List<String> messages() {
        List<String> messages = logged.stream().map(LogRecord::getMessage).toList();
        logged.clear();
        return messages;
    }

    @Test
    void firstEventOfEachKindIsLoggedAtOnceAndLaterOnesOnceAMinuteWithTheirNumber() {
        IllegalStateException cause = new IllegalStateException("no table");
        for (int i = 0; i < 3; i++) {
            log.postponed("orders", "orders/" + i, cause);
            log.deadLetter("orders", "orders/7", DeadLetter.Reason.POISON);
            log.brokerFault("orders", cause);
        }
        assertThat(logged).extracting(LogRecord::getThrown).containsExactly(cause, null, cause);
        assertThat(messages())
                .containsExactly(
                        "Inbox orders: messages postponed, with those behind them waiting: 1; most recent: orders/0",
                        "Inbox orders: messages moved to the dead letters: 1; most recent: orders/7, POISON",
                        "Inbox orders: faults of the broker or the loop; the loop continues: 1; most recent: " + cause);

        now += Duration.ofSeconds(59).toNanos();
        log.postponed("orders", "orders/3", cause);
        assertThat(messages()).isEmpty();

        now += Duration.ofSeconds(1).toNanos();
        log.postponed("orders", "orders/4", cause);
        assertThat(messages()).singleElement().asString().endsWith(": 4; most recent: orders/4");
    }

    @Test
    void inboxWithoutAListenerLogsWhatHoldsItUp() {
        var inbox = Inbox.builder(new InMemoryIdempotencyStore(), "orders", Letter.FORMAT)
                .identity(Letter.IDENTITY)
                .deadLetters((transaction, letter) -> {
                    throw new IllegalStateException("no table");
                })
                .build((transaction, message) -> {
                    throw new IllegalArgumentException("poison");
                });

        var unused = inbox.process(List.of(Letter.of("1", "a")));

        assertThat(messages()).singleElement().asString().startsWith("Inbox orders: messages postponed");
    }
}
