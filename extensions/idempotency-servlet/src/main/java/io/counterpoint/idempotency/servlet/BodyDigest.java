package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.spi.Characters;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * The SHA-256 of a body, computed while it is read.
 *
 * <p>Clients choose a new boundary for every try of a multipart request. Such a body is therefore split at its
 * boundary, and its digest is computed from the digests of its pieces: the same parts in the same order are the same
 * request.
 */
final class BodyDigest {

    private final MessageDigest piece = sha256();
    private final byte[] boundary;

    /** For each prefix of the boundary, the length of its longest proper prefix that is also its suffix (Knuth, Morris, Pratt). */
    private final int[] fallback;

    private final MessageDigest pieces;
    private int matched;

    /** Non-boundary bytes that are buffered so that the digest gets more than one at a time. */
    private final byte[] chunk;

    private int waiting;

    BodyDigest(@Nullable String contentType) {
        String found = boundaryOf(contentType);
        boundary = found.isEmpty() ? new byte[0] : ("--" + found).getBytes(StandardCharsets.ISO_8859_1);
        pieces = boundary.length == 0 ? piece : sha256();
        chunk = new byte[boundary.length == 0 ? 0 : 4096];
        fallback = fallbackOf(boundary);
    }

    /** Returns the Knuth-Morris-Pratt table for a sequence to search for. */
    static int[] fallbackOf(byte[] sequence) {
        int[] fallback = new int[sequence.length + 1];
        for (int i = 1, length = 0; i < sequence.length; i++) {
            while (length > 0 && sequence[i] != sequence[length]) {
                length = fallback[length];
            }
            length += sequence[i] == sequence[length] ? 1 : 0;
            fallback[i + 1] = length;
        }
        return fallback;
    }

    void add(byte[] bytes, int offset, int length) {
        if (boundary.length == 0) {
            piece.update(bytes, offset, length);
            return;
        }
        for (int i = offset; i < offset + length; i++) {
            while (matched > 0 && bytes[i] != boundary[matched]) {
                int keep = fallback[matched];
                for (int j = 0; j < matched - keep; j++) {
                    digest(boundary[j]);
                }
                matched = keep;
            }
            if (bytes[i] != boundary[matched]) {
                digest(bytes[i]);
            } else if (++matched == boundary.length) {
                endPiece();
            }
        }
    }

    private void digest(byte unmatched) {
        if (waiting == chunk.length) {
            piece.update(chunk);
            waiting = 0;
        }
        chunk[waiting++] = unmatched;
    }

    private void endPiece() {
        piece.update(chunk, 0, waiting);
        piece.update(boundary, 0, matched == boundary.length ? 0 : matched);
        pieces.update(piece.digest());
        waiting = 0;
        matched = 0;
    }

    Fingerprint fingerprint() {
        if (boundary.length == 0) {
            return Fingerprint.ofBytes(piece.digest());
        }
        endPiece();
        return Fingerprint.ofParts("multipart", pieces.digest());
    }

    /** Returns the boundary of a multipart media type; empty for other types. */
    static String boundaryOf(@Nullable String contentType) {
        if (contentType == null || !Characters.lowerCaseAscii(contentType).startsWith("multipart/")) {
            return "";
        }
        for (String parameter : contentType.split(";", -1)) {
            String[] parts = parameter.trim().split("=", 2);
            if (parts.length == 2 && Characters.equalsIgnoringAsciiCase(parts[0].trim(), "boundary")) {
                String value = parts[1].trim();
                return value.length() > 1 && value.startsWith("\"") && value.endsWith("\"")
                        ? value.substring(1, value.length() - 1)
                        : value;
            }
        }
        return "";
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is missing, although every Java platform provides it.", e);
        }
    }
}
