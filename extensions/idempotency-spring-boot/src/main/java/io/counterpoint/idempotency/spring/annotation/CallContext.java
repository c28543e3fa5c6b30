package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.Attempt;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.ConstructorResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.IndexAccessor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.OperatorOverloader;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeComparator;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.TypedValue;

/**
 * The evaluation context of one call. It reads the arguments in place, because a replay is cheap only if it allocates
 * little. Everything else, including reflective lookups, is shared by all calls. Expressions cannot assign.
 */
final class CallContext implements EvaluationContext {

    private final EvaluationContext shared;
    private final IdempotentMethod method;
    private final @Nullable Object[] arguments;
    private final @Nullable Attempt http;

    /** The last value is the attempt of the HTTP request, if an expression uses it. */
    CallContext(
            EvaluationContext shared, IdempotentMethod method, @Nullable Object[] arguments, @Nullable Attempt http) {
        this.shared = shared;
        this.method = method;
        this.arguments = arguments;
        this.http = http;
    }

    @Override
    public @Nullable Object lookupVariable(String name) {
        int index = method.indexOf(name);
        if (index >= 0) {
            return arguments[index];
        }
        return name.equals(MethodExpression.ATTEMPT) ? http : null;
    }

    @Override
    public void setVariable(String name, @Nullable Object value) {
        throw new UnsupportedOperationException("An expression of @Idempotent must not assign anything.");
    }

    @Override
    public boolean isAssignmentEnabled() {
        return false;
    }

    @Override
    public TypedValue getRootObject() {
        return TypedValue.NULL;
    }

    @Override
    public List<PropertyAccessor> getPropertyAccessors() {
        return shared.getPropertyAccessors();
    }

    @Override
    public List<IndexAccessor> getIndexAccessors() {
        return shared.getIndexAccessors();
    }

    @Override
    public List<ConstructorResolver> getConstructorResolvers() {
        return shared.getConstructorResolvers();
    }

    @Override
    public List<MethodResolver> getMethodResolvers() {
        return shared.getMethodResolvers();
    }

    @Override
    public @Nullable BeanResolver getBeanResolver() {
        return shared.getBeanResolver();
    }

    @Override
    public TypeLocator getTypeLocator() {
        return shared.getTypeLocator();
    }

    @Override
    public TypeConverter getTypeConverter() {
        return shared.getTypeConverter();
    }

    @Override
    public TypeComparator getTypeComparator() {
        return shared.getTypeComparator();
    }

    @Override
    public OperatorOverloader getOperatorOverloader() {
        return shared.getOperatorOverloader();
    }
}
