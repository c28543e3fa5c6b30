package io.counterpoint.idempotency.spring.annotation;

import org.springframework.transaction.PlatformTransactionManager;

/**
 * What begins the transactions of operations: annotated methods cannot have another one.
 *
 * @param manager the transaction manager of the store
 */
public record OperationManager(PlatformTransactionManager manager) {}
