package io.counterpoint.idempotency.spring.boot.quickstart;

import io.counterpoint.idempotency.annotation.Idempotent;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** A project with Spring Boot, Security and JPA, and the one line of code that protects its use case. */
@SpringBootApplication
public class Quickstart {

    public record PaymentRequest(String id, String payee) {}

    public record Receipt(long number) {}

    @Service
    public static class PaymentService {
        private final Payments payments;

        PaymentService(Payments payments) {
            this.payments = payments;
        }

        @Idempotent(operation = "pay", key = "#request.id")
        @Transactional
        public Receipt pay(PaymentRequest request) {
            Payment payment = new Payment();
            payment.payee = request.payee();
            return new Receipt(payments.save(payment).number);
        }

        public long count() {
            return payments.count();
        }
    }
}
