package io.counterpoint.idempotency.examples.appplatform.artifact;

import io.counterpoint.idempotency.examples.appplatform.usecase.PublishApp;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;

/**
 * Artifacts in a folder, each under the digest of its content. Storing one again changes nothing, and a reader finds all of
 * it or nothing, whenever the writer dies. Thread-safe, also among processes.
 *
 * @param folder where; it is not created
 */
public record ArtifactFolder(Path folder) implements PublishApp.Artifacts {

    /**
     * Stores an artifact. All its bytes are on disk before its name is.
     *
     * @param content its bytes
     * @return its digest: 64 lower-case hexadecimal digits of SHA-256
     * @throws IOException if it cannot be stored; nothing of it can be read then
     */
    @Override
    public String store(byte[] content) throws IOException {
        String digest = digest(content);
        Path written = folder.resolve(UUID.randomUUID() + ".new");
        try {
            try (FileChannel file =
                    FileChannel.open(written, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                ByteBuffer rest = ByteBuffer.wrap(content);
                while (rest.hasRemaining()) {
                    int unused = file.write(rest);
                }
                file.force(true);
            }
            Path unused = Files.move(written, folder.resolve(digest), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            boolean unused = Files.deleteIfExists(written);
        }
        return digest;
    }

    /**
     * Reads an artifact.
     *
     * @param digest its digest
     * @return its bytes; empty if it is not there, or is not what was stored
     * @throws IOException if it cannot be read
     */
    public Optional<byte[]> read(String digest) throws IOException {
        if (!digest.matches("[0-9a-f]{64}")) {
            return Optional.empty();
        }
        Path file = folder.resolve(digest);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        return Optional.of(Files.readAllBytes(file))
                .filter(content -> digest(content).equals(digest));
    }

    private static String digest(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
