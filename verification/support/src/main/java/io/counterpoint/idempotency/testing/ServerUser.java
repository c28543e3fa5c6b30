package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The words to put before a command so that it does not run as root, which PostgreSQL refuses.
 *
 * @param prefix empty if this process is not root
 */
record ServerUser(List<String> prefix) {

    /** Tried in this order; which one works depends on the container. */
    private static final List<List<String>> WAYS_TO_DROP_ROOT = List.of(
            List.of("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"),
            List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"),
            List.of("runuser", "-u", "nobody", "--"),
            List.of("su", "nobody", "-s", "/bin/sh", "-c", "exec \"$@\"", "--", "sh"),
            List.of("unshare", "-U", "--"));

    static ServerUser find() {
        if (!isRoot(List.of())) {
            return new ServerUser(List.of());
        }
        return WAYS_TO_DROP_ROOT.stream()
                .filter(prefix -> !isRoot(prefix))
                .findFirst()
                .map(ServerUser::new)
                .orElseThrow(() -> new IllegalStateException(
                        "PostgreSQL does not run as root, and none of these drops root here: " + WAYS_TO_DROP_ROOT));
    }

    boolean isAnother() {
        return !prefix.isEmpty();
    }

    List<String> command(List<String> words) {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(words);
        return command;
    }

    /** A way that does not work counts as root, because it is of no use either. */
    private static boolean isRoot(List<String> prefix) {
        try {
            Process process = new ProcessBuilder(new ServerUser(prefix).command(List.of("id", "-u")))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            String uid = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            return !process.waitFor(10, TimeUnit.SECONDS) || process.exitValue() != 0 || uid.equals("0");
        } catch (IOException notInstalled) {
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while looking for a user to run PostgreSQL as", e);
        }
    }
}
