package io.counterpoint.idempotency.examples.springboot;

import org.springframework.data.jpa.repository.JpaRepository;

interface Groups extends JpaRepository<Group, Long> {}
