package io.counterpoint.idempotency.testing.bridge;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;

/** A class on the page with a part of it left out, to show what that part is for. */
public final class ChangedClass {

    private ChangedClass() {}

    /** Replaces a text in the source, and compiles the result into a folder. */
    public static void compile(Path source, String text, String replacement, Path folder) throws IOException {
        String whole = Files.readString(source);
        if (!whole.contains(text)) {
            throw new IllegalArgumentException(source + " has no " + text + ".");
        }
        Path changed = Files.writeString(folder.resolve(source.getFileName()), whole.replace(text, replacement));
        int failed = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-parameters",
                        "-proc:none",
                        "-d",
                        folder.toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        changed.toString());
        if (failed != 0) {
            throw new IllegalStateException(changed + " cannot be compiled.");
        }
    }
}
