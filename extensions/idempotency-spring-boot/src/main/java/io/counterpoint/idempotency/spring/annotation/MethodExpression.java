package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NativeDetector;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * An expression of an annotation, parsed once and, outside of native images, compiled after its first uses.
 *
 * @param text the source text
 * @param expression the parsed expression
 * @param variables the names of the variables that it uses
 */
record MethodExpression(String text, SpelExpression expression, Set<String> variables) {

    /** The variable that contains the attempt of the HTTP request. */
    static final String ATTEMPT = "attempt";

    private static final List<String> SPELS_OWN = List.of("this", "root");

    /** A native image cannot define the classes of compiled expressions. */
    private static final SpelParserConfiguration CONFIGURATION = new SpelParserConfiguration(
            NativeDetector.inNativeImage() ? SpelCompilerMode.OFF : SpelCompilerMode.MIXED, null);

    private static final SpelExpressionParser PARSER = new SpelExpressionParser(CONFIGURATION);

    static MethodExpression of(Method method, String attribute, String text, @Nullable String @Nullable [] parameters) {
        if (text.isBlank()) {
            throw new InvalidIdempotentMethodException(
                    method, "its " + attribute + " is blank.", "Specify an expression, such as \"#request.id\".");
        }
        SpelExpression expression;
        try {
            expression = (SpelExpression) PARSER.parseExpression(text);
        } catch (ParseException | IllegalStateException refused) {
            throw new InvalidIdempotentMethodException(
                    method,
                    "its " + attribute + " [" + text + "] is not a valid expression: " + refused.getMessage() + ".",
                    "Write it in Spring's expression language, with text in single quotes.",
                    refused);
        }
        Set<String> variables = new LinkedHashSet<>();
        collect(expression.getAST(), variables);
        for (String name : variables) {
            requireKnown(method, attribute, text, name, parameters);
        }
        return new MethodExpression(text, expression, Set.copyOf(variables));
    }

    private static void requireKnown(
            Method method, String attribute, String text, String name, @Nullable String @Nullable [] parameters) {
        if (parameters == null) {
            throw new InvalidIdempotentMethodException(
                    method,
                    "its " + attribute + " [" + text + "] names a parameter, but its class was compiled without"
                            + " parameter names.",
                    "Compile it with -parameters.");
        }
        if (!List.of(parameters).contains(name) && !name.equals(ATTEMPT) && !SPELS_OWN.contains(name)) {
            throw new InvalidIdempotentMethodException(
                    method,
                    "its " + attribute + " [" + text + "] uses #" + name + ", but its parameters are "
                            + List.of(parameters) + ".",
                    "Use the name of a parameter.");
        }
    }

    private static void collect(SpelNode node, Set<String> variables) {
        if (node instanceof VariableReference variable) {
            variables.add(variable.toStringAST().substring(1));
        }
        for (int child = 0; child < node.getChildCount(); child++) {
            collect(node.getChild(child), variables);
        }
    }

    /** Returns a part of an expression as a separate expression. */
    static SpelExpression part(String text, SpelNode node) {
        return new SpelExpression(text, (SpelNodeImpl) node, CONFIGURATION);
    }

    @Nullable
    Object valueIn(EvaluationContext context) {
        return expression.getValue(context);
    }
}
