package io.counterpoint.idempotency.spring.boot.quickstart;

import io.counterpoint.idempotency.annotation.Idempotent;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** A project with Spring Boot, Security and JPA, and the one line of code that protects its use case. */
@SpringBootApplication
public class Quickstart {

    public record OrderRequest(String id, String item) {}

    public record OrderPlaced(long number) {}

    @Service
    public static class OrderService {
        private final PlacedOrders orders;

        OrderService(PlacedOrders orders) {
            this.orders = orders;
        }

        @Idempotent(operation = "place-order", key = "#request.id")
        @Transactional
        public OrderPlaced place(OrderRequest request) {
            PlacedOrder order = new PlacedOrder();
            order.item = request.item();
            return new OrderPlaced(orders.save(order).number);
        }

        public long count() {
            return orders.count();
        }
    }
}
