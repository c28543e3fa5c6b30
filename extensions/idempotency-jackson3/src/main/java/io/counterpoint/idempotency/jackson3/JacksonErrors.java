package io.counterpoint.idempotency.jackson3;

import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.InvalidTypeIdException;
import tools.jackson.databind.exc.PropertyBindingException;
import tools.jackson.databind.exc.ValueInstantiationException;

/** Says what Jackson refused, without a value of the result. */
final class JacksonErrors {

    private JacksonErrors() {}

    static JsonResultException unreadable(JavaType type, JacksonException thrown) {
        return new JsonResultException("The JSON of a result of type " + type.toCanonical() + " cannot be read"
                + at(thrown) + ": " + reason(thrown) + ". Raise the version and add an upcaster, or restore the type.");
    }

    static JsonResultException unwritable(JavaType type, JacksonException thrown) {
        return new JsonResultException("A result of type " + type.toCanonical() + " cannot be written as JSON"
                + at(thrown) + ": " + thrown.getClass().getSimpleName() + ".");
    }

    private static String reason(JacksonException thrown) {
        if (thrown instanceof PropertyBindingException) {
            return "the component is unknown";
        }
        if (thrown instanceof InvalidTypeIdException) {
            return "the name of the subtype is missing or unknown";
        }
        if (thrown instanceof InvalidFormatException) {
            return "the value is not one of the type";
        }
        if (thrown instanceof ValueInstantiationException && thrown.getCause() != null) {
            return "the constructor threw " + thrown.getCause().getClass().getName();
        }
        if (thrown instanceof DatabindException) {
            return "the component is missing, or there twice, or its value is of another kind";
        }
        return "it is not JSON, or a name is there twice";
    }

    /** The names of components only: a key of a map is data. */
    private static String at(JacksonException thrown) {
        if (thrown instanceof DatabindException mapping && !mapping.getPath().isEmpty()) {
            var path = new StringBuilder(" at ");
            for (JacksonException.Reference step : mapping.getPath()) {
                boolean ofMap = step.from() instanceof Map
                        || (step.from() instanceof Class<?> from && Map.class.isAssignableFrom(from));
                if (step.getPropertyName() == null) {
                    path.append("[").append(step.getIndex()).append("]");
                } else {
                    path.append(ofMap ? "{…}" : "." + step.getPropertyName());
                }
            }
            return path.toString();
        }
        if (thrown.getLocation() != null) {
            return " at byte " + thrown.getLocation().getByteOffset();
        }
        return "";
    }
}
