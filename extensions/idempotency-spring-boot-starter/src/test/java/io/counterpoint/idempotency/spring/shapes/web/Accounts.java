package io.counterpoint.idempotency.spring.shapes.web;

import jakarta.persistence.LockModeType;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Lock;

/** A repository of Spring Data's. */
interface Accounts extends JpaRepository<Account, String> {
    @Lock(LockModeType.PESSIMISTIC_WRITE)
    Account findLockedById(String id);
}
