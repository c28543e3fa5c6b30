package io.counterpoint.idempotency.servlet;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A request body that was read before its handler reads it: its beginning in memory, the rest in a temporary file that is
 * gone when it is closed. The heap it takes does not depend on its size.
 */
final class SpooledBody implements Closeable {

    private static final int CHUNK = 16 * 1024;

    private final byte[] head;
    private final @Nullable FileChannel rest;
    private final long length;

    private SpooledBody(byte[] head, @Nullable FileChannel rest, long length) {
        this.head = head;
        this.rest = rest;
        this.length = length;
    }

    /**
     * Reads a body to its end.
     *
     * @throws TooLarge as soon as there are more than {@code most} bytes
     * @throws IOException if the client went away in the middle, or the file cannot be written; nothing is left behind
     */
    static SpooledBody read(InputStream body, int inMemory, long most, BodyDigest digest) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream(Math.min(inMemory, CHUNK));
        FileChannel rest = null;
        long length = 0;
        byte[] chunk = new byte[CHUNK];
        try {
            for (int read; (read = body.read(chunk)) >= 0; ) {
                length += read;
                if (length > most) {
                    throw new TooLarge(most);
                }
                digest.add(chunk, 0, read);
                int toMemory = Math.min(read, inMemory - head.size());
                head.write(chunk, 0, toMemory);
                if (toMemory < read) {
                    rest = rest == null ? temporaryFile() : rest;
                    ByteBuffer left = ByteBuffer.wrap(chunk, toMemory, read - toMemory);
                    while (left.hasRemaining()) {
                        rest.write(left);
                    }
                }
            }
            return new SpooledBody(head.toByteArray(), rest, length);
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

    /** The body from its beginning. Any number of streams may be open. */
    InputStream open() {
        return new InputStream() {
            private long position;

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int offset, int count) throws IOException {
                if (position >= length) {
                    return -1;
                }
                int read;
                if (position < head.length || rest == null) {
                    read = Math.min(count, head.length - (int) position);
                    System.arraycopy(head, (int) position, bytes, offset, read);
                } else {
                    read = rest.read(ByteBuffer.wrap(bytes, offset, count), position - head.length);
                }
                position += Math.max(0, read);
                return read;
            }

            @Override
            public int available() {
                return (int) Math.min(Integer.MAX_VALUE, length - position);
            }
        };
    }

    @Override
    public void close() throws IOException {
        if (rest != null) {
            rest.close();
        }
    }

    /** More bytes than the route takes. */
    static final class TooLarge extends IOException {
        private static final long serialVersionUID = 1L;

        TooLarge(long most) {
            super("The body has more than " + most + " bytes.");
        }
    }
}
