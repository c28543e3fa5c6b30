package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Ports of this machine for programs that bind them later, and again after each restart. While this JVM lives, no JVM
 * of this user gets the same port.
 *
 * <p>They are below the range of ephemeral ports (32768 and up on Linux). A port in that range could be taken while the
 * program is down, even by a client that tries to connect to it.
 */
public final class Ports {

    private static final int FIRST = 15_000;
    private static final int END = 30_000;

    /**
     * A lock on the byte at a port's number reserves that port. Never closed, because that would release all locks of
     * this JVM.
     */
    private static @Nullable FileChannel locks;

    private Ports() {}

    /** Reserves a free port of 127.0.0.1 for this JVM. */
    public static synchronized int take() {
        try {
            while (true) {
                int port = ThreadLocalRandom.current().nextInt(FIRST, END);
                if (isOurs(port) && isFree(port)) {
                    return port;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot take a port", e);
        }
    }

    private static boolean isOurs(int port) throws IOException {
        try {
            return locks().tryLock(port, 1, false) != null;
        } catch (OverlappingFileLockException takenBefore) {
            return false;
        }
    }

    private static FileChannel locks() throws IOException {
        FileChannel channel = locks;
        if (channel == null) {
            channel = FileChannel.open(
                    WorkFolder.open().resolve("ports"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            locks = channel;
        }
        return channel;
    }

    private static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return probe.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
