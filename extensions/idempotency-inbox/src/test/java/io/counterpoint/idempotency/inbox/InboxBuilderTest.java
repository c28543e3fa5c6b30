package io.counterpoint.idempotency.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A second call of a builder's method adds to the first, and forgets nothing. */
class InboxBuilderTest {

    private final List<String> heard = new ArrayList<>();

    private InboxListener listener(String name) {
        return new InboxListener() {
            @Override
            public void postponed(String inbox, String origin, Throwable cause) {
                heard.add(name + " " + cause.getMessage());
                throw new IllegalStateException("a listener that fails");
            }
        };
    }

    @Test
    void listenersAndPredicatesAddUpAndAPredicateThatThrowsSaysNothing() {
        List<DeadLetter> letters = new ArrayList<>();
        List<RuntimeException> thrown =
                List.of(new IllegalStateException("busy"), new UnsupportedOperationException("later"));
        var inbox = Inbox.builder(new InMemoryIdempotencyStore(), "orders", Letter.FORMAT)
                .identity(Letter.IDENTITY)
                .deadLetters((transaction, letter) -> letters.add(letter))
                .retryOn(any -> {
                    throw new AssertionError("undecided");
                })
                .retryOn(IllegalStateException.class::isInstance)
                .retryOn(UnsupportedOperationException.class::isInstance)
                .listener(listener("first"))
                .listener(listener("second"))
                .build((transaction, message) -> {
                    throw thrown.get(heard.size() / 2);
                });

        for (int i = 0; i < 2; i++) {
            var unused = inbox.process(List.of(Letter.of("1", "a")));
        }

        assertThat(heard).containsExactly("first busy", "second busy", "first later", "second later");
        assertThat(letters).isEmpty();
    }
}
