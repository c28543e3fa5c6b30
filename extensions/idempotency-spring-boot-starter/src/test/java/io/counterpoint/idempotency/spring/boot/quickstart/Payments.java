package io.counterpoint.idempotency.spring.boot.quickstart;

import org.springframework.data.jpa.repository.JpaRepository;

interface Payments extends JpaRepository<Payment, Long> {}
