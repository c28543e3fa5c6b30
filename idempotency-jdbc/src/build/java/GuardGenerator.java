import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.tools.ToolProvider;

/**
 * Writes the guarded objects of JDBC: one method for each of Java 17, in one order, whichever JDK builds. What a later
 * JDBC adds is not passed on. The rules are those of {@link #body}; what they call stands in the class {@code Guard}.
 *
 * <p>Run with the folder of generated sources as its argument.
 */
public final class GuardGenerator {

    private static final String PACKAGE = "io.counterpoint.idempotency.jdbc.guard";

    /** What a driver returns of these types is wrapped. */
    private static final Set<String> GUARDED = words("""
            java.sql.Connection java.sql.Statement java.sql.PreparedStatement java.sql.CallableStatement
            java.sql.ResultSet java.sql.DatabaseMetaData java.sql.ResultSetMetaData java.sql.ParameterMetaData
            java.sql.Array java.sql.Blob java.sql.Clob java.sql.NClob java.sql.SQLXML
            java.io.InputStream java.io.OutputStream java.io.Reader java.io.Writer""");

    /** What the work may do with its connection. GuardedConnection decides about what no list here has. */
    private static final Set<String> OF_CONNECTIONS = words("""
            clearWarnings createArrayOf createBlob createClob createNClob createSQLXML createStatement createStruct
            getCatalog getClientInfo getHoldability getMetaData getNetworkTimeout getSchema getTransactionIsolation
            getTypeMap getWarnings isClosed isReadOnly isValid isWrapperFor nativeSQL prepareCall prepareStatement
            releaseSavepoint setSavepoint unwrap""");

    /** Settings of a connection that would outlast the transaction, as messages name them. */
    private static final Map<String, String> REFUSED_SETTINGS = Map.of(
            "setCatalog", "the catalog",
            "setSchema", "the schema",
            "setHoldability", "the holdability of results",
            "setTypeMap", "the type map",
            "setNetworkTimeout", "the network timeout",
            "setShardingKey", "the sharding key",
            "setShardingKeyIfValid", "the sharding key");

    /** What would end the connection or its transaction, as messages name it. */
    private static final Map<String, String> REFUSED_ENDS = Map.of(
            "abort", "abort the connection",
            "beginRequest", "begin a request",
            "endRequest", "end a request");

    /** What comes too late does nothing, and returns true or false. Every other method throws. */
    private static final Set<String> LATE = words("close free cancel mark isClosed isWrapperFor markSupported");

    /** Of these a driver returns objects that lead to it in ways of their own. */
    private static final Set<String> REFUSED =
            Set.of("java.sql.Ref", "java.sql.Struct", "javax.xml.transform.Source", "javax.xml.transform.Result");

    private static Set<String> words(String text) {
        return Set.of(text.split("\\s+"));
    }

    /** The class of a guarded type. */
    private static String className(String type) {
        return type.equals("java.sql.Connection")
                ? "ForwardingConnection"
                : "Guarded" + type.substring(type.lastIndexOf('.') + 1);
    }

    private final Elements elements;

    private GuardGenerator(Elements elements) {
        this.elements = elements;
    }

    public static void main(String[] arguments) throws IOException {
        JavacTask task = (JavacTask) ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, null, List.of("--release", "17"), List.of("java.sql.Connection"), null);
        task.analyze();
        Path folder = Files.createDirectories(Path.of(arguments[0], PACKAGE.split("\\.")));
        for (String type : GUARDED) {
            GuardGenerator generator = new GuardGenerator(task.getElements());
            Path file = folder.resolve(className(type) + ".java");
            String text = generator.source(generator.elements.getTypeElement(type));
            // A file that is the same keeps its time, so nothing is compiled again.
            if (!Files.exists(file) || !Files.readString(file).equals(text)) {
                Files.writeString(file, text);
            }
        }
    }

    private String source(TypeElement type) {
        boolean isInterface = type.getKind().isInterface();
        String parent = isInterface ? "Guarded<" + type + "> implements " + type : type.toString();
        String name = className(type.toString());
        String methods = methods(type).map(method -> method(type, method)).collect(Collectors.joining());
        return imported("""

                /** Generated: the methods of {@link %1$s} that Java 17 has, each of which asks the gate. */
                @NullUnmarked
                @SuppressWarnings({"deprecation", "removal"})
                %2$sclass %3$s extends %4$s {
                %5$s%6$s}
                """.formatted(type, modifier(name), name, parent, members(type, name), methods));
    }

    private static String modifier(String name) {
        return name.equals("ForwardingConnection") ? "abstract " : "final ";
    }

    private static String members(TypeElement type, String name) {
        return switch (type.toString()) {
            case "java.sql.Connection" ->
                constructor(name, "Guard guard, " + type + " delegate", "super(guard, delegate);");
            case "java.sql.ResultSet" ->
                """

                        /** The guarded statement that made this result; null if the driver made it by itself. */
                        private final java.sql.Statement made;
                    """
                        + constructor(
                                name,
                                "Guard guard, " + type + " delegate, java.sql.Statement made",
                                "super(guard, delegate);\n        this.made = made;");
            default ->
                type.getKind().isInterface()
                        ? constructor(name, "Guard guard, " + type + " delegate", "super(guard, delegate);")
                        : """

                        private final Guard guard;
                        private final %s delegate;
                    """.formatted(type)
                                + constructor(
                                        name,
                                        "Guard guard, " + type + " delegate",
                                        "this.guard = guard;\n        this.delegate = delegate;");
        };
    }

    private static String constructor(String name, String parameters, String body) {
        return "\n    %s(%s) {\n        %s\n    }\n".formatted(name, parameters, body);
    }

    /** In the order of their signatures: that of a class file differs between JDKs. */
    private Stream<ExecutableElement> methods(TypeElement type) {
        Map<String, ExecutableElement> found = new TreeMap<>(Comparator.naturalOrder());
        for (ExecutableElement method : ElementFilter.methodsIn(elements.getAllMembers(type))) {
            Set<Modifier> modifiers = method.getModifiers();
            if (modifiers.contains(Modifier.PUBLIC)
                    && !modifiers.contains(Modifier.STATIC)
                    && !method.getEnclosingElement().toString().equals("java.lang.Object")
                    && isPassedOn(type, method)) {
                found.putIfAbsent(method.getSimpleName() + types(method).toString(), method);
            }
        }
        return found.values().stream();
    }

    private static boolean isPassedOn(TypeElement type, ExecutableElement method) {
        String name = method.getSimpleName().toString();
        return !type.toString().equals("java.sql.Connection")
                || OF_CONNECTIONS.contains(name)
                || REFUSED_SETTINGS.containsKey(name)
                || REFUSED_ENDS.containsKey(name)
                || name.equals("rollback") && !method.getParameters().isEmpty();
    }

    private static List<String> types(ExecutableElement method) {
        return method.getParameters().stream().map(p -> p.asType().toString()).toList();
    }

    private static String method(TypeElement type, ExecutableElement method) {
        List<String> types = types(method);
        String generic = method.getTypeParameters().stream()
                .map(t -> "<" + t + bound(t.getBounds().get(0)) + "> ")
                .collect(Collectors.joining());
        String thrown =
                method.getThrownTypes().stream().map(TypeMirror::toString).collect(Collectors.joining(", "));
        String header = "\n    @Override\n    public %s%s %s(%s)%s {\n"
                .formatted(
                        generic,
                        method.getReturnType(),
                        method.getSimpleName(),
                        IntStream.range(0, types.size())
                                .mapToObj(i -> types.get(i) + " p" + (i + 1))
                                .collect(Collectors.joining(", ")),
                        thrown.isEmpty() ? "" : " throws " + thrown);
        return header + guarded(type, method, thrown) + "    }\n";
    }

    private static String guarded(TypeElement type, ExecutableElement method, String thrown) {
        String name = method.getSimpleName().toString();
        if (REFUSED_SETTINGS.containsKey(name)) {
            return "        throw GuardedConnection.refusedSetting(\"" + REFUSED_SETTINGS.get(name) + "\");\n";
        }
        if (REFUSED_ENDS.containsKey(name)) {
            return "        throw GuardedConnection.refused(\"" + REFUSED_ENDS.get(name) + "\");\n";
        }
        if (isRefused(method)) {
            return "        throw Guard.unlisted(\"call " + name + "\");\n";
        }
        String body = check(type, method) + body(type, method);
        if (thrown.isEmpty() && !LATE.contains(name)) {
            // What can fail in no way sends nothing.
            return body.indent(-4);
        }
        return passage(method, thrown) + body + "        } finally {\n            passage.leave();\n        }\n";
    }

    /** SQL text is looked at before the driver gets it. */
    private static String check(TypeElement type, ExecutableElement method) {
        String name = method.getSimpleName().toString();
        boolean takesSql = type.toString().equals("java.sql.Connection")
                ? name.startsWith("prepare")
                : type.toString().endsWith("Statement") && (name.startsWith("execute") || name.equals("addBatch"));
        return takesSql
                        && types(method).stream()
                                .findFirst()
                                .filter("java.lang.String"::equals)
                                .isPresent()
                ? "            guard.requireNoEnd(p1);\n"
                : "";
    }

    private static String bound(TypeMirror bound) {
        return bound.toString().equals("java.lang.Object") ? "" : " extends " + bound;
    }

    private static boolean isRefused(ExecutableElement method) {
        return Stream.concat(
                        Stream.concat(
                                Stream.of(method.getReturnType()),
                                method.getParameters().stream().map(p -> p.asType())),
                        method.getTypeParameters().stream().flatMap(t -> t.getBounds().stream()))
                .anyMatch(type -> REFUSED.contains(type.toString()));
    }

    /** How a call gets past the gate. */
    private static String passage(ExecutableElement method, String thrown) {
        String name = method.getSimpleName().toString();
        if (LATE.contains(name)) {
            String late = !name.startsWith("is") && !name.endsWith("Supported") ? "" : " " + name.equals("isClosed");
            return """
                            Gate.Passage passage = guard.gate().passageUnlessLate(delegate);
                            if (passage == null) {
                                return%s;
                            }
                            try {
                    """.formatted(late);
        }
        return """
                        Gate.Passage passage = guard.gate().%s(delegate, "%s");
                        try {
                """.formatted(thrown.equals("java.io.IOException") ? "passageOfStream" : "passage", name);
    }

    /** The call of the driver's own method, with what it is given unwrapped and what it returns wrapped. */
    private static String body(TypeElement type, ExecutableElement method) {
        String name = method.getSimpleName().toString();
        List<String> types = types(method);
        String call = "delegate." + name + "("
                + IntStream.range(0, types.size())
                        .mapToObj(i -> isBare(types.get(i)) ? "Guard.bare(p" + (i + 1) + ")" : "p" + (i + 1))
                        .collect(Collectors.joining(", "))
                + ")";
        String returned = method.getReturnType().toString();
        if (returned.equals("void")) {
            return "            " + call + ";\n";
        }
        if (returned.equals(type.toString())) {
            return "            " + call + ";\n            return this;\n";
        }
        if (name.startsWith("execute")) {
            return """
                                %s answer = %s;
                                guard.answered();
                                return %s;
                    """.formatted(returned, call, wrapped(type, name, returned, "answer"));
        }
        return "            return " + wrapped(type, name, returned, call) + ";\n";
    }

    private static boolean isBare(String type) {
        return type.equals("java.lang.Object")
                || type.equals("java.lang.Object[]")
                || GUARDED.contains(type) && type.startsWith("java.sql");
    }

    private static String wrapped(TypeElement type, String name, String returned, String call) {
        boolean ofStatement = type.toString().endsWith("Statement");
        return switch (name) {
            case "unwrap" -> "p1.isInstance(this) ? p1.cast(this) : guard.pass(" + call + ")";
            case "isWrapperFor" -> "p1.isInstance(this) || " + call;
            default ->
                switch (returned) {
                    case "java.sql.Connection" -> "guard.connection()";
                    case "java.sql.ResultSet" -> "guard.result(" + call + ", " + (ofStatement ? "this" : "null") + ")";
                    case "java.sql.Statement" ->
                        call.startsWith("delegate.get")
                                ? "guard.statementOf(" + call + ", made)"
                                : "guard.wrapped(" + call + ", GuardedStatement::new)";
                    case "java.lang.Object" -> "guard.value(" + call + ")";
                    case "T" -> "guard.value(" + call + ", p2)";
                    default ->
                        GUARDED.contains(returned)
                                ? "guard.wrapped(" + call + ", " + className(returned) + "::new)"
                                : call;
                };
        };
    }

    private static final Pattern QUALIFIED = Pattern.compile("(?<![\\w.])((?:[a-z]\\w*\\.)+)([A-Z]\\w*)");

    /** The text with simple names, behind the package and the imports. */
    private static String imported(String text) {
        Set<String> imports = new TreeSet<>(Set.of("org.jspecify.annotations.NullUnmarked"));
        Matcher names = QUALIFIED.matcher(text);
        String simple = names.replaceAll(name -> {
            if (!name.group().startsWith("java")) {
                return Matcher.quoteReplacement(name.group());
            }
            if (!name.group(1).equals("java.lang.")) {
                imports.add(name.group());
            }
            return name.group(2);
        });
        return "package " + PACKAGE + ";\n\n"
                + imports.stream().map(name -> "import " + name + ";\n").collect(Collectors.joining()) + simple;
    }
}
