package io.counterpoint.idempotency.servlet;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A request body that was read before its handler reads it: its beginning is in memory, the rest in a temporary file
 * that is deleted on close. Heap usage does not depend on its size.
 */
final class SpooledBody implements Closeable {

    private static final int CHUNK = 16 * 1024;

    private final byte[] head;

    /** The number of bytes of the head that belong to the body. */
    private final int inHead;

    private final @Nullable FileChannel rest;
    private final long length;

    private SpooledBody(byte[] head, int inHead, @Nullable FileChannel rest, long length) {
        this.head = head;
        this.inHead = inHead;
        this.rest = rest;
        this.length = length;
    }

    /**
     * Reads a body to its end.
     *
     * @param announced its length as announced by the client; negative if unknown
     * @throws TooLarge as soon as there are more than {@code most} bytes
     * @throws IOException if the client disconnected, or the file cannot be written; nothing is left behind
     */
    static SpooledBody read(InputStream body, long announced, int inMemory, long most, BodyDigest digest)
            throws IOException {
        // Reading one byte more than announced detects the end. Bytes that are announced but not sent cost at most one
        // chunk.
        long first = announced < 0 ? CHUNK : Math.min(CHUNK, announced + 1);
        byte[] head = new byte[(int) Math.min(inMemory, first)];
        byte[] chunk = head;
        int inHead = 0;
        FileChannel rest = null;
        long length = 0;
        try {
            while (true) {
                if (inHead == head.length) {
                    if (inHead < inMemory) {
                        head = Arrays.copyOf(head, (int) Math.min(inMemory, 2L * inHead + CHUNK));
                        chunk = head;
                    } else if (chunk == head) {
                        chunk = new byte[CHUNK];
                    }
                }
                boolean toHead = chunk == head;
                int offset = toHead ? inHead : 0;
                int read = body.read(chunk, offset, chunk.length - offset);
                if (read < 0) {
                    return new SpooledBody(head, inHead, rest, length);
                }
                length += read;
                if (length > most) {
                    throw new TooLarge(most);
                }
                digest.add(chunk, offset, read);
                if (toHead) {
                    inHead += read;
                } else {
                    rest = rest == null ? temporaryFile() : rest;
                    ByteBuffer left = ByteBuffer.wrap(chunk, 0, read);
                    while (left.hasRemaining()) {
                        rest.write(left);
                    }
                }
            }
        } catch (IOException | RuntimeException | Error thrown) {
            if (rest != null) {
                rest.close();
            }
            throw thrown;
        }
    }

    private static FileChannel temporaryFile() throws IOException {
        Path file = Files.createTempFile("idempotency-body-", null);
        return FileChannel.open(
                file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
    }

    long length() {
        return length;
    }

    /** Opens the body from its beginning. Any number of streams may be open. */
    InputStream open() {
        return open(0, length);
    }

    /** Opens a slice of the body. */
    InputStream open(long from, long to) {
        return new InputStream() {
            private long position = from;

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int offset, int count) throws IOException {
                if (position >= to) {
                    return -1;
                }
                int most = (int) Math.min(count, to - position);
                int read;
                if (position < inHead || rest == null) {
                    read = Math.min(most, inHead - (int) position);
                    System.arraycopy(head, (int) position, bytes, offset, read);
                } else {
                    read = rest.read(ByteBuffer.wrap(bytes, offset, most), position - inHead);
                }
                position += Math.max(0, read);
                return read;
            }

            @Override
            public int available() {
                return (int) Math.min(Integer.MAX_VALUE, to - position);
            }
        };
    }

    @Override
    public void close() throws IOException {
        if (rest != null) {
            rest.close();
        }
    }

    /** Thrown if there are more bytes than the route accepts. */
    static final class TooLarge extends IOException {
        private static final long serialVersionUID = 1L;

        TooLarge(long most) {
            super("The body is longer than " + most + " bytes.");
        }
    }
}
