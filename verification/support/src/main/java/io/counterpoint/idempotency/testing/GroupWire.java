package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The proxy through which the other members reach one node, on that node's port. It identifies the connecting member by
 * the system's connection table, and can cut off some of the members.
 */
final class GroupWire extends ServerProxy {

    private static final Path CONNECTIONS = Path.of("/proc/net/tcp");

    private final Supplier<List<GroupNode>> members;
    private final Set<GroupNode> cutOff = ConcurrentHashMap.newKeySet();

    private GroupWire(String jdbcUrl, Supplier<List<GroupNode>> members) {
        super(jdbcUrl, JdbcUrl.parse(jdbcUrl).port());
        this.members = members;
    }

    static GroupWire inFrontOf(String jdbcUrl, Supplier<List<GroupNode>> members) {
        return accepting(new GroupWire(jdbcUrl, members));
    }

    /** Drops everything that these members send from now on. */
    void cut(List<GroupNode> from) {
        cutOff.addAll(from);
        connections().stream()
                .filter(connection -> isCut(((Passing) connection).origin))
                .forEach(ProxiedConnection::reset);
    }

    void heal() {
        cutOff.clear();
    }

    private boolean isCut(Optional<GroupNode> origin) {
        return origin.filter(cutOff::contains).isPresent();
    }

    @Override
    ProxiedConnection connection(int number, Socket client, Socket server) {
        return new Passing(number, client, server);
    }

    /**
     * The member that owns a socket. Its client port is in the connection table, and the socket's number is among its
     * open files.
     */
    private Optional<GroupNode> origin(Socket client) {
        String from = String.format("0100007F:%04X", client.getPort());
        try (Stream<String> lines = Files.lines(CONNECTIONS)) {
            Optional<String> socket = lines.map(line -> line.strip().split("\\s+"))
                    .filter(words -> words[1].equals(from))
                    .map(words -> "socket:[" + words[9] + "]")
                    .findFirst();
            return socket.flatMap(name -> members.get().stream()
                    .filter(member -> member.hasOpen(name))
                    .findFirst());
        } catch (IOException unknown) {
            return Optional.empty();
        }
    }

    private final class Passing extends ProxiedConnection {
        private final Optional<GroupNode> origin;

        Passing(int number, Socket client, Socket server) {
            super(GroupWire.this, number, client, server);
            this.origin = origin(client);
        }

        @Override
        void forwardToServer() throws IOException {
            forward(client.getInputStream(), server.getOutputStream());
        }

        @Override
        void forwardToClient() throws IOException {
            forward(server.getInputStream(), client.getOutputStream());
        }

        private void forward(InputStream in, OutputStream out) throws IOException {
            if (isCut(origin)) {
                reset();
            }
            in.transferTo(out);
        }
    }
}
