package io.counterpoint.idempotency.consistency.invalidation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a process does with events and messages, and what it says of an outage. */
class CacheInvalidatorTest {

    private static final Invalidation CHANGE = new Invalidation("app", "a", 3);

    private final MemoryChannel channel = new MemoryChannel();
    /** What the cache did, and what the listener got, one after the other. */
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    private final InvalidatedCache cache = new InvalidatedCache() {
        @Override
        public void invalidate(String id, long version) {
            told.add("forget " + id + " " + version);
        }

        @Override
        public void clear() {
            told.add("clear");
        }
    };
    private final CacheInvalidator invalidator =
            CacheInvalidator.over(channel, Map.of("app", cache), new CacheInvalidator.Listener() {
                @Override
                public void listening() {
                    told.add("listening");
                    throw new IllegalStateException("A listener may throw.");
                }

                @Override
                public void lost(Exception thrown) {
                    told.add("lost: " + thrown.getMessage());
                }

                @Override
                public void unreadable(IllegalArgumentException thrown) {
                    told.add("unreadable");
                }
            });

    @BeforeEach
    void start() throws Exception {
        invalidator.start();
        assertTold("clear", "listening");
    }

    @AfterEach
    void close() {
        invalidator.close();
        assertThat(told).isEmpty();
    }

    private void assertTold(String... expected) throws InterruptedException {
        for (String one : expected) {
            assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo(one);
        }
    }

    private void tryToListen(int times) throws InterruptedException {
        channel.triesToListen.drainPermits();
        assertThat(channel.triesToListen.tryAcquire(times, 60, TimeUnit.SECONDS))
                .isTrue();
    }

    @Test
    void eventIsForgottenHereAndPublishedAsTheDocumentSays() throws Exception {
        invalidator.accept(CHANGE.event("cache"));
        assertTold("forget a 3");
        assertThat(channel.published).containsExactly("{\"type\":\"app\",\"id\":\"a\",\"version\":\"3\"}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {"type":"app","id":"a","version":"7"}               | forget a 7
                    {"id":"a","version":7,"more":{"id":"b"},"type":"app"} | forget a 7
                    {"type":"app","id":"a"}                             | forget a 9223372036854775807
                    """)
    void messageIsForgotten(String message, String expected) throws Exception {
        channel.arrive(message);
        assertTold(expected);
    }

    @Test
    void messageOfAnotherTypeIsIgnored() throws Exception {
        channel.arrive(new Invalidation("user", "a", 3).message());
        channel.arrive(CHANGE.message());
        assertTold("forget a 3");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "all",
                "[]",
                "{}",
                "{\"type\":\"app\"}",
                "{\"type\":\"app\",\"id\":\"\"}",
                "{\"type\":\"app\",\"id\":\"a\",\"version\":\"x\"}",
                "{\"type\":\"app\",\"id\":\"a\",\"version\":\"\u0663\"}",
                "{\"type\":\"app\",\"id\":\"a\""
            })
    void messageOfOthersIsIgnoredAndSaidToBeUnreadable(String message) throws Exception {
        channel.arrive(message);
        channel.arrive(CHANGE.message());
        assertTold("unreadable", "forget a 3");
    }

    @Test
    void textsOfAnyCharactersArriveAsTheyWere() {
        Invalidation odd = new Invalidation("a \"ä\u20ac", "\\ \u0000 \ud83e\udee0", 1);
        assertThat(Invalidation.parse(odd.message())).isEqualTo(odd);
        assertThat(odd.message()).matches("\\p{ASCII}*");
        String long255 = "\u20ac".repeat(255);
        assertThat(new Invalidation(long255.substring(155), long255, Long.MIN_VALUE).message())
                .hasSizeLessThan(2_300);
        assertThatThrownBy(() -> new Invalidation("app", long255 + "x", 1)).hasMessageContaining("found 256");
    }

    @Test
    void outageIsSaidOnceAndSoIsItsEnd() throws Exception {
        channel.cut();
        assertTold("lost: not listening");
        tryToListen(2);
        channel.sends = false;
        invalidator.accept(CHANGE.event("cache"));
        assertTold("forget a 3");
        channel.sends = true;
        invalidator.accept(CHANGE.event("cache"));
        assertTold("forget a 3");
        channel.mend();
        assertTold("clear", "listening");
        channel.cut();
        assertTold("lost: not listening");
    }

    @Test
    void eventThatIsNotSentThoughTheChannelListensComesAgain() throws Exception {
        channel.sends = false;
        for (int attempt = 0; attempt < 3; attempt++) {
            assertThatThrownBy(() -> invalidator.accept(CHANGE.event("cache"))).isInstanceOf(IOException.class);
        }
        assertTold("forget a 3", "lost: not sent", "forget a 3", "forget a 3");
        channel.sends = true;
        invalidator.accept(CHANGE.event("cache"));
        assertTold("forget a 3", "listening");
        assertThat(channel.published).hasSize(1);
    }

    @Test
    void processWithoutOthersForgetsByItsEvents() throws Exception {
        try (CacheInvalidator alone = CacheInvalidator.over(
                InvalidationChannel.none(), Map.of("app", cache), new CacheInvalidator.Listener() {})) {
            alone.start();
            assertTold("clear");
            alone.accept(CHANGE.event("cache"));
            assertTold("forget a 3");
        }
    }
}
