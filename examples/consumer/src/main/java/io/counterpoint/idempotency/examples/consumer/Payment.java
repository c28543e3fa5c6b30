package io.counterpoint.idempotency.examples.consumer;

import java.util.List;

/**
 * A payment, as its producer sent it.
 *
 * @param id what the producer chose for this payment, once for all copies
 * @param account who pays
 * @param number grows from payment to payment of an account
 * @param cents how much; a payment of zero or less is a mistake
 */
public record Payment(String id, String account, long number, long cents) {

    /** The header in which the producer sends the identity. */
    public static final String ID_HEADER = "payment-id";

    /** The value of the message. The identity is in the header. */
    public String text() {
        return account + ";" + number + ";" + cents;
    }

    /**
     * Reads a message.
     *
     * @throws IllegalArgumentException if the text is none of {@link #text()}
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
