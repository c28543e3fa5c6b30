package io.counterpoint.idempotency.examples.springboot;

import org.springframework.data.jpa.repository.JpaRepository;

interface Payments extends JpaRepository<Payment, String> {}
