package io.counterpoint.idempotency.spring.annotation;

import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.objenesis.SpringObjenesis;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.interceptor.DelegatingTransactionAttribute;
import org.springframework.transaction.interceptor.NoRollbackRuleAttribute;
import org.springframework.transaction.interceptor.RuleBasedTransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** The {@code @Transactional} of an annotated method, which defines how the operation's transaction begins. */
final class MethodTransaction extends DelegatingTransactionAttribute {
    private static final long serialVersionUID = 1L;

    private final String name;
    private final transient @Nullable TransactionManager manager;

    private MethodTransaction(TransactionAttribute attribute, String name, @Nullable TransactionManager manager) {
        super(attribute);
        this.name = name;
        this.manager = manager;
    }

    /** Returns that of the advice, or null. Rejects attributes that an operation cannot honour. */
    static @Nullable MethodTransaction of(TransactionAspectSupport advice, IdempotentMethod method) {
        TransactionAttributeSource source = advice.getTransactionAttributeSource();
        TransactionAttribute attribute =
                source == null ? null : source.getTransactionAttribute(method.method(), method.type());
        if (attribute == null) {
            return null;
        }
        requirePropagation(attribute, method);
        requireWritable(attribute, method);
        requireRollback(attribute, method);
        return new MethodTransaction(
                attribute,
                ClassUtils.getQualifiedMethodName(method.method(), method.type()),
                advice.getTransactionManager());
    }

    private static void requirePropagation(TransactionAttribute attribute, IdempotentMethod method) {
        int propagation = attribute.getPropagationBehavior();
        if (propagation == TransactionDefinition.PROPAGATION_REQUIRES_NEW
                || propagation == TransactionDefinition.PROPAGATION_NOT_SUPPORTED
                || propagation == TransactionDefinition.PROPAGATION_NEVER) {
            throw AdviceOrder.refusal(
                    method,
                    "its @Transactional leaves the operation's transaction.",
                    "Use the propagation REQUIRED, which joins it.");
        }
    }

    private static void requireWritable(TransactionAttribute attribute, IdempotentMethod method) {
        if (attribute.isReadOnly()) {
            throw AdviceOrder.refusal(
                    method,
                    "its @Transactional is read-only, but an operation writes its record in that transaction.",
                    "Remove readOnly, or remove @Idempotent if the method only reads.");
        }
    }

    /** A failed operation has no effect, because its transaction is never committed. */
    private static void requireRollback(TransactionAttribute attribute, IdempotentMethod method) {
        if (attribute instanceof RuleBasedTransactionAttribute rules
                && rules.getRollbackRules().stream().anyMatch(NoRollbackRuleAttribute.class::isInstance)) {
            throw AdviceOrder.refusal(
                    method,
                    "its @Transactional commits on some exceptions (noRollbackFor), but an operation that throws is"
                            + " rolled back.",
                    "Remove noRollbackFor, and return a result for what must be committed.");
        }
        for (Class<?> declared : method.method().getExceptionTypes()) {
            if (!RuntimeException.class.isAssignableFrom(declared)
                    && !Error.class.isAssignableFrom(declared)
                    && !attribute.rollbackOn(instanceOf(declared))) {
                throw AdviceOrder.refusal(
                        method,
                        "its @Transactional commits when it throws the checked " + declared.getName() + ", but an"
                                + " operation that throws is rolled back.",
                        "Add rollbackFor = " + declared.getSimpleName() + ".class, or return a result for what must"
                                + " be committed.");
            }
        }
    }

    /** Rules are matched against the class of an exception. */
    private static Throwable instanceOf(Class<?> declared) {
        return Modifier.isAbstract(declared.getModifiers())
                ? new Exception()
                : (Throwable) new SpringObjenesis().newInstance(declared, false);
    }

    /** Rejects a transaction manager other than that of the operations. */
    void requireManager(IdempotentMethod method, BeanFactory beans) {
        OperationManager operations =
                beans.getBeanProvider(OperationManager.class).getIfAvailable();
        String qualifier = getQualifier();
        TransactionManager own = StringUtils.hasText(qualifier)
                ? BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, TransactionManager.class, qualifier)
                : manager != null
                        ? manager
                        : beans.getBeanProvider(TransactionManager.class).getIfUnique();
        if (operations != null && own != null && own != operations.manager()) {
            throw AdviceOrder.refusal(
                    method,
                    "its @Transactional uses another transaction manager than the records, so its work would commit"
                            + " separately.",
                    "Use the transaction manager of the records' data source in @Transactional, or annotate the data"
                            + " source of this work with @IdempotencyDataSource.");
        }
    }

    @Override
    public String getName() {
        String own = super.getName();
        return own == null ? name : own;
    }
}
