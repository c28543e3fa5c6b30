package io.counterpoint.idempotency.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Queries the console of {@code pgbouncer}, which speaks PostgreSQL's protocol but rejects the JDBC driver's first
 * messages.
 */
final class GatewayConsole {

    private static final int PROTOCOL_3 = 3 << 16;

    /** Sent in one write, because pgbouncer rejects a start message that arrives in parts. */
    private static final byte[] START = start("user\0pgbouncer\0database\0pgbouncer\0\0".getBytes(UTF_8));

    /** The number of bytes in a row description for each column, besides its name. */
    private static final int COLUMN_BYTES = 18;

    private GatewayConsole() {}

    private static byte[] start(byte[] parameters) {
        int length = 2 * Integer.BYTES + parameters.length;
        return ByteBuffer.allocate(length)
                .putInt(length)
                .putInt(PROTOCOL_3)
                .put(parameters)
                .array();
    }

    /** Returns the rows of the result, each as texts by column name. */
    static List<Map<String, String>> ask(int port, String question) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                DataInputStream in = new DataInputStream(socket.getInputStream());
                OutputStream out = socket.getOutputStream()) {
            out.write(START);
            answer(in);
            WireMessage.query(question).writeTo(out);
            return answer(in);
        } catch (IOException e) {
            throw new UncheckedIOException("no answer to " + question + " on port " + port, e);
        }
    }

    private static List<Map<String, String>> answer(DataInputStream in) throws IOException {
        List<String> columns = new ArrayList<>();
        List<Map<String, String>> rows = new ArrayList<>();
        for (; ; ) {
            WireMessage message = WireMessage.readTyped(in.readUnsignedByte(), in);
            switch (message.type()) {
                case WireMessage.ROW_DESCRIPTION -> columns.addAll(columnsIn(message.body()));
                case WireMessage.DATA_ROW -> rows.add(rowIn(message.body(), columns));
                case WireMessage.ERROR -> throw new IOException("the console says: " + UTF_8.decode(message.body()));
                case WireMessage.READY_FOR_QUERY -> {
                    return rows;
                }
                default -> {}
            }
        }
    }

    private static List<String> columnsIn(ByteBuffer body) {
        List<String> names = new ArrayList<>();
        for (int left = body.getShort(); left > 0; left--) {
            StringBuilder name = new StringBuilder();
            for (byte next = body.get(); next != 0; next = body.get()) {
                name.append((char) next);
            }
            names.add(name.toString());
            body.position(body.position() + COLUMN_BYTES);
        }
        return names;
    }

    private static Map<String, String> rowIn(ByteBuffer body, List<String> columns) {
        Map<String, String> row = new HashMap<>();
        short count = body.getShort();
        for (int i = 0; i < count; i++) {
            byte[] text = new byte[Math.max(0, body.getInt())];
            body.get(text);
            row.put(columns.get(i), new String(text, UTF_8));
        }
        return row;
    }
}
