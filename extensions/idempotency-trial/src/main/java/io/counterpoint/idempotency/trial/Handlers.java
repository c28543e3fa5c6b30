package io.counterpoint.idempotency.trial;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Reads from class files which exception handlers an exception of a driver call passes. */
final class Handlers {

    private static final StackWalker STACK = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

    private static final Map<Class<?>, Map<String, List<Handler>>> KNOWN = new ConcurrentHashMap<>();

    /** An entry of a method's exception table. */
    private record Handler(int from, int to, int at, int catches) {
        boolean covers(int place) {
            return from <= place && place < to;
        }
    }

    private Handlers() {}

    /**
     * The handlers between the driver and the caller, from the inside out: all whose try block contains the call,
     * regardless of what they catch. For a method whose class file cannot be read, the method itself.
     */
    static List<String> ofThisCall() {
        return STACK.walk(frames -> frames.dropWhile(Handlers::isDriver)
                .takeWhile(frame -> frame.getDeclaringClass() != Answer.class)
                .flatMap(Handlers::of)
                .toList());
    }

    private static boolean isDriver(StackFrame frame) {
        Class<?> owner = frame.getDeclaringClass();
        return owner == Handlers.class || owner.getNestHost() == FailingDriver.class || Proxy.isProxyClass(owner);
    }

    private static Stream<String> of(StackFrame frame) {
        String method = frame.getMethodName() + frame.getDescriptor();
        String name = frame.getClassName() + "." + method;
        Map<String, List<Handler>> methods = KNOWN.computeIfAbsent(frame.getDeclaringClass(), Handlers::read);
        return methods.isEmpty()
                ? Stream.of(name)
                : methods.getOrDefault(method, List.of()).stream()
                        .filter(handler -> handler.covers(frame.getByteCodeIndex()))
                        .map(handler -> name + " " + handler.at() + ":" + handler.catches());
    }

    private static Map<String, List<Handler>> read(Class<?> type) {
        String file = "/" + type.getName().replace('.', '/') + ".class";
        try (InputStream bytes = type.getResourceAsStream(file)) {
            return bytes == null ? Map.of() : methods(new DataInputStream(bytes));
        } catch (IOException thrown) {
            throw new UncheckedIOException(thrown);
        }
    }

    private static Map<String, List<Handler>> methods(DataInputStream in) throws IOException {
        in.skipNBytes(8);
        String[] texts = constants(in);
        in.skipNBytes(6);
        in.skipNBytes(2L * in.readUnsignedShort());
        // Fields come first and have no code.
        members(in, texts);
        return members(in, texts);
    }

    private static String[] constants(DataInputStream in) throws IOException {
        String[] texts = new String[in.readUnsignedShort()];
        for (int i = 1; i < texts.length; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1 -> texts[i] = in.readUTF();
                case 7, 8, 16, 19, 20 -> in.skipNBytes(2);
                case 15 -> in.skipNBytes(3);
                case 5, 6 -> {
                    // A long or a double takes two entries.
                    in.skipNBytes(8);
                    i++;
                }
                default -> in.skipNBytes(4);
            }
        }
        return texts;
    }

    private static Map<String, List<Handler>> members(DataInputStream in, String[] texts) throws IOException {
        Map<String, List<Handler>> found = new ConcurrentHashMap<>();
        for (int members = in.readUnsignedShort(); members > 0; members--) {
            in.skipNBytes(2);
            String name = texts[in.readUnsignedShort()] + texts[in.readUnsignedShort()];
            List<Handler> handlers = new ArrayList<>();
            for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
                boolean code = "Code".equals(texts[in.readUnsignedShort()]);
                int length = in.readInt();
                in.skipNBytes(code ? readHandlers(in, handlers, length) : length);
            }
            found.put(name, handlers);
        }
        return found;
    }

    /** Returns how many bytes of the code are left. */
    private static int readHandlers(DataInputStream in, List<Handler> handlers, int length) throws IOException {
        in.skipNBytes(4);
        int code = in.readInt();
        in.skipNBytes(code);
        int rows = in.readUnsignedShort();
        for (int i = 0; i < rows; i++) {
            handlers.add(new Handler(
                    in.readUnsignedShort(), in.readUnsignedShort(), in.readUnsignedShort(), in.readUnsignedShort()));
        }
        return length - 10 - code - 8 * rows;
    }
}
