package io.counterpoint.idempotency.examples.appplatform.usecase;

import java.io.IOException;

/** The provider has declined a payment. It charges nothing under that key, now or later. */
public final class PaymentRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    public PaymentRefusedException() {
        super("The payment provider refused this payment.");
    }
}
