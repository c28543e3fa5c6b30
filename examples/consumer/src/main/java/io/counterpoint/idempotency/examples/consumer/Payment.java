package io.counterpoint.idempotency.examples.consumer;

import java.util.List;

/**
 * A payment, as sent by its producer.
 *
 * @param id chosen by the producer for this payment, the same on every copy
 * @param account the account that pays
 * @param number increases with every payment of an account
 * @param cents the amount; zero or less is an error
 */
public record Payment(String id, String account, long number, long cents) {

    /** The header that contains the payment's identity. */
    public static final String ID_HEADER = "payment-id";

    /** The value of the message. The identity is in the header instead. */
    public String text() {
        return account + ";" + number + ";" + cents;
    }

    /**
     * Parses a message.
     *
     * @throws IllegalArgumentException if the text was not produced by {@link #text()}
     */
    public static Payment of(String id, String text) {
        List<String> parts = List.of(text.split(";", -1));
        if (parts.size() != 3) {
            throw new IllegalArgumentException(
                    "A payment must be account;number;cents, found " + parts.size() + " parts.");
        }
        return new Payment(id, parts.get(0), Long.parseLong(parts.get(1)), Long.parseLong(parts.get(2)));
    }
}
