package io.counterpoint.idempotency.spring.boot.proxies;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Classes that a test has written as text. */
final class Compiled extends ClassLoader {

    private final Map<String, byte[]> classes = new ConcurrentHashMap<>();

    private Compiled(ClassLoader parent) {
        super(parent);
    }

    /** Compiles sources, whose keys are the names of their files. */
    static Compiled of(Map<String, String> sources) {
        Compiled compiled = new Compiled(Compiled.class.getClassLoader());
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        boolean done = javac.getTask(
                        messages,
                        compiled.new Output(javac.getStandardFileManager(null, null, null)),
                        null,
                        List.of("-classpath", path, "-parameters", "-proc:none", "-nowarn", "-Xlint:none"),
                        null,
                        sources.entrySet().stream()
                                .map(source -> new Source(source.getKey(), source.getValue()))
                                .toList())
                .call();
        if (!done) {
            throw new IllegalStateException(messages.toString());
        }
        return compiled;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes = classes.get(name);
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    @Override
    public @Nullable InputStream getResourceAsStream(String name) {
        byte[] bytes = classes.get(name.replace(".class", "").replace('/', '.'));
        return bytes == null ? super.getResourceAsStream(name) : new ByteArrayInputStream(bytes);
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String file, String text) {
            super(URI.create("memory:///" + file), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public boolean isNameCompatible(String simpleName, Kind kind) {
            return true;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private final class Output extends ForwardingJavaFileManager<JavaFileManager> {
        Output(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, @Nullable FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("memory:///" + name.replace('.', '/') + ".class"), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return new ByteArrayOutputStream() {
                        @Override
                        public void close() {
                            classes.put(name, toByteArray());
                        }
                    };
                }
            };
        }
    }
}
