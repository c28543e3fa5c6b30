package io.counterpoint.idempotency.spring.boot.shop;

import org.springframework.data.jpa.repository.JpaRepository;

interface Purchases extends JpaRepository<Purchase, Long> {

    long countByItem(String item);
}
