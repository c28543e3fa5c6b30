package io.counterpoint.idempotency.spring.annotation;

import org.springframework.transaction.PlatformTransactionManager;

/**
 * The transaction manager of operations, the only one that annotated methods can use.
 *
 * @param manager the transaction manager of the store
 */
public record OperationManager(PlatformTransactionManager manager) {}
