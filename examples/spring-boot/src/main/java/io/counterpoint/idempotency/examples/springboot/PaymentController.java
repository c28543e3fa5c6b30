package io.counterpoint.idempotency.examples.springboot;

import io.counterpoint.idempotency.ProviderOperation;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Accepts payments. The starter turns exceptions from the operation into responses. */
@RestController
class PaymentController {

    record Paid(String charge, long cents) {}

    private final ProviderOperation<Order, String> pay;

    PaymentController(ProviderOperation<Order, String> pay) {
        this.pay = pay;
    }

    @PostMapping("/payments")
    @ResponseStatus(HttpStatus.CREATED)
    Paid pay(@RequestBody Order order, HttpServletRequest request) {
        IdempotentRequest idempotent = IdempotentRequest.of(request);
        return new Paid(idempotent.resultOf(pay.execute(idempotent.attempt(), order)), order.cents());
    }
}
