package io.counterpoint.idempotency.jackson;

import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.PropertyBindingException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import java.io.IOException;
import java.util.Map;

/** Describes what Jackson rejected, without values of the result. */
final class JacksonErrors {

    private JacksonErrors() {}

    static JsonResultException unreadable(JavaType type, IOException thrown) {
        return new JsonResultException("The JSON of a result of type " + type.toCanonical() + " cannot be read"
                + at(thrown) + ": " + reason(thrown) + ". Raise the version and add an upcaster, or restore the type.");
    }

    static JsonResultException unwritable(JavaType type, IOException thrown) {
        return new JsonResultException("A result of type " + type.toCanonical() + " cannot be written as JSON"
                + at(thrown) + ": " + thrown.getClass().getSimpleName() + ".");
    }

    static JsonResultException tooDeep(JavaType type) {
        return new JsonResultException(
                "A result of type " + type.toCanonical() + " is nested too deeply for the stack of this thread.");
    }

    private static String reason(IOException thrown) {
        if (thrown instanceof StreamConstraintsException) {
            return "a number is longer, or the nesting deeper, than Jackson reads";
        }
        if (thrown instanceof PropertyBindingException) {
            return "the component is unknown";
        }
        if (thrown instanceof InvalidTypeIdException) {
            return "the name of the subtype is missing or unknown";
        }
        if (thrown instanceof InvalidFormatException) {
            return "the value does not fit the type";
        }
        if (thrown instanceof ValueInstantiationException && thrown.getCause() != null) {
            return "the constructor threw " + thrown.getCause().getClass().getName();
        }
        if (thrown instanceof JsonMappingException) {
            return "the component is missing, duplicated, or has a value of the wrong kind";
        }
        return "it is not JSON, or a name is duplicated";
    }

    /** Only the names of components: a map key is data. */
    private static String at(IOException thrown) {
        if (thrown instanceof JsonMappingException mapping && !mapping.getPath().isEmpty()) {
            var path = new StringBuilder(" at ");
            for (var step : mapping.getPath()) {
                boolean ofMap = step.getFrom() instanceof Map
                        || (step.getFrom() instanceof Class<?> from && Map.class.isAssignableFrom(from));
                if (step.getFieldName() == null) {
                    path.append("[").append(step.getIndex()).append("]");
                } else {
                    path.append(ofMap ? "{…}" : "." + step.getFieldName());
                }
            }
            return path.toString();
        }
        return JacksonLine.atByte(thrown);
    }
}
