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
 * Artifacts in a folder, each under the digest of its content. Storing one again changes nothing, and a reader finds
 * all of it or nothing, whenever the writer dies. Safe for concurrent use by threads and processes.
 *
 * @param folder the folder, which must exist
 */
public record ArtifactFolder(Path folder) implements PublishApp.Artifacts {

    /**
     * Stores an artifact. All of its content is on disk before its name is visible.
     *
     * @param content the bytes
     * @return the SHA-256 digest: 64 lower-case hexadecimal digits
     * @throws IOException if it cannot be stored; then none of it can be read
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
     * @return the bytes; empty if it is missing or its content has changed
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
