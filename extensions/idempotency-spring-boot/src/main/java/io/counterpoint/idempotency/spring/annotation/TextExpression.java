package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import io.counterpoint.idempotency.annotation.internal.StableText;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * An expression whose value is text, for a key or a scope. Left to itself, Spring would render a missing value as
 * {@code null}, so that many requests would share a key, and an object without its own text as an identity hash, a new
 * key for every try. This class therefore concatenates the operands of {@code +} itself and rejects both. Spring
 * evaluates the operands.
 */
final class TextExpression {

    /** Something was read from or called on a missing value. */
    private static final Set<SpelMessage> ON_NULL = EnumSet.of(
            SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
            SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED,
            SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE);

    private final MethodExpression whole;
    private final boolean isScope;
    private final SpelNode root;
    private final IdentityHashMap<SpelNode, SpelExpression> parts = new IdentityHashMap<>();
    /** The expressions inside the calls of a part. */
    private final IdentityHashMap<SpelNode, List<SpelNode>> inside = new IdentityHashMap<>();

    TextExpression(Method method, String attribute, MethodExpression whole) {
        this.whole = whole;
        this.isScope = attribute.equals("scope");
        this.root = whole.expression().getAST();
        if (!addParts(root)) {
            throw new InvalidIdempotentMethodException(
                    method,
                    "its " + attribute + " [" + whole.text() + "] uses + where a missing value would become the text"
                            + " null.",
                    "Use + only outside lists, selections and comparisons.");
        }
    }

    /** Returns false if there is a + that this class can neither concatenate nor inspect. */
    private boolean addParts(SpelNode node) {
        if (node instanceof Ternary) {
            addPart(node.getChild(0));
            return addParts(node.getChild(1)) && addParts(node.getChild(2));
        }
        addPart(node);
        if (node instanceof Elvis || isSum(node)) {
            return addParts(node.getChild(0)) && addParts(node.getChild(1));
        }
        List<SpelNode> found = new ArrayList<>();
        inside.put(node, found);
        return !hasSum(node) || addSumsInside(node, found);
    }

    private void addPart(SpelNode node) {
        parts.put(node, MethodExpression.part(whole.text(), node));
    }

    private boolean addSumsInside(SpelNode call, List<SpelNode> found) {
        if (!(call instanceof CompoundExpression
                || call instanceof MethodReference
                || call instanceof FunctionReference)) {
            return false;
        }
        for (int i = 0; i < call.getChildCount(); i++) {
            SpelNode child = call.getChild(i);
            if (!hasSum(child)) {
                continue;
            }
            boolean joined = child instanceof Ternary || child instanceof Elvis || isSum(child);
            if (joined) {
                found.add(child);
            }
            if (!(joined ? addParts(child) : addSumsInside(child, found))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSum(SpelNode node) {
        return node instanceof OpPlus && node.getChildCount() == 2;
    }

    /** An index is not text. */
    private static boolean hasSum(SpelNode node) {
        if (isSum(node)) {
            return true;
        }
        for (int child = 0; child < node.getChildCount() && !(node instanceof Indexer); child++) {
            if (hasSum(node.getChild(child))) {
                return true;
            }
        }
        return false;
    }

    /** The variable whose attempt is the value or the source of the derived value, if it is an attempt. */
    Optional<String> attemptVariable() {
        boolean derives = root instanceof CompoundExpression
                && root.getChildCount() == 2
                && root.getChild(1) instanceof MethodReference call
                && call.getName().equals("derive");
        return (derives ? root.getChild(0) : root) instanceof VariableReference variable
                ? Optional.of(variable.toStringAST().substring(1))
                : Optional.empty();
    }

    MethodExpression whole() {
        return whole;
    }

    /**
     * Returns the value if it is an attempt, otherwise its text.
     *
     * @throws Unusable if a value in it is missing or has no text that is the same for every try
     */
    Object attemptOrText(EvaluationContext context) {
        Object value = value(root, context);
        return value instanceof Attempt ? value : textOf(value);
    }

    /** Returns the text, like {@link #attemptOrText}. */
    String text(EvaluationContext context) {
        return textOf(value(root, context));
    }

    private @Nullable Object value(SpelNode node, EvaluationContext context) {
        if (node instanceof Ternary) {
            Boolean first = partOf(node.getChild(0)).getValue(context, Boolean.class);
            if (first == null) {
                throw new Unusable(null);
            }
            return value(node.getChild(first ? 1 : 2), context);
        }
        if (node instanceof Elvis) {
            Object found = value(node.getChild(0), context);
            Object value = found instanceof Optional<?> optional ? optional.orElse(null) : found;
            return value == null || value.equals("") ? value(node.getChild(1), context) : value;
        }
        if (!isSum(node)) {
            return part(node, context);
        }
        Object left = value(node.getChild(0), context);
        Object right = value(node.getChild(1), context);
        return left instanceof Number && right instanceof Number ? part(node, context) : textOf(left) + textOf(right);
    }

    private @Nullable Object part(SpelNode node, EvaluationContext context) {
        for (SpelNode joined : inside.getOrDefault(node, List.of())) {
            Object unused = value(joined, context);
        }
        try {
            return partOf(node).getValue(context);
        } catch (SpelEvaluationException thrown) {
            if (ON_NULL.contains(thrown.getMessageCode())) {
                return null;
            }
            throw thrown;
        }
    }

    private SpelExpression partOf(SpelNode node) {
        return Objects.requireNonNull(parts.get(node));
    }

    /**
     * Returns the text of a value, which may be part of the result. A blank name identifies nobody, like that of a
     * principal.
     */
    private String textOf(@Nullable Object value) {
        String text = StableText.of(value).orElseThrow(() -> new Unusable(value));
        if (isScope && text.trim().isEmpty()) {
            throw new Unusable(null);
        }
        return text;
    }

    @Override
    public String toString() {
        return whole.text();
    }

    /** Thrown for a value without usable text. */
    static final class Unusable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** The class that was found. */
        private final @Nullable Class<?> type;

        Unusable(@Nullable Object value) {
            super(null, null, false, false);
            type = value == null ? null : value.getClass();
        }

        /** Returns the value's class; empty for null. */
        Optional<Class<?>> type() {
            return Optional.ofNullable(type);
        }
    }
}
