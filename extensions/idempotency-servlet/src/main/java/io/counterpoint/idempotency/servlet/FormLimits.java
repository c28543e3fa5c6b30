package io.counterpoint.idempotency.servlet;

/**
 * The limits of forms (fields and bytes) and of multipart bodies (parts, bytes of a part's header, of one file, and of
 * the whole upload).
 */
record FormLimits(int fields, int formBytes, int parts, int partHeader, long fileBytes, long uploadBytes) {

    /** The maximum total size of the fields of a multipart body, excluding files; the same as Tomcat's. */
    static final int MULTIPART_FIELD_BYTES = 2 * 1024 * 1024;

    FormLimits withForm(int most, int bytes) {
        notNegative("The most fields", most);
        notNegative("The largest form", bytes);
        return new FormLimits(most, bytes, parts, partHeader, fileBytes, uploadBytes);
    }

    FormLimits withMultipart(int most, int headerBytes) {
        notNegative("The most parts", most);
        notNegative("The largest header of a part", headerBytes);
        return new FormLimits(fields, formBytes, most, headerBytes, fileBytes, uploadBytes);
    }

    FormLimits withUpload(long ofFile, long ofAll) {
        return new FormLimits(
                fields,
                formBytes,
                parts,
                partHeader,
                notNegative("The largest file", ofFile),
                notNegative("The largest upload", ofAll));
    }

    static long notNegative(String what, long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException(what + " must be at least 0 bytes, found " + bytes + ".");
        }
        return bytes;
    }
}
