package io.counterpoint.idempotency.spring.boot.quickstart;

import org.springframework.data.jpa.repository.JpaRepository;

interface PlacedOrders extends JpaRepository<PlacedOrder, Long> {}
