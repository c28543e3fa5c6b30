package io.counterpoint.idempotency.spring.annotation;

import org.springframework.transaction.PlatformTransactionManager;

/**
 * The transaction manager that begins the transactions of operations; annotated methods cannot use a different one.
 *
 * @param manager the transaction manager of the store
 */
public record OperationManager(PlatformTransactionManager manager) {}
