package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.counterpoint.idempotency.Fingerprint;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.security.Principal;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client or a stored value may cost, and what is no value at all. */
class BoundsTest {

    @Test
    void announcedLengthAllocatesNothing() throws Exception {
        int announced = 8 * 1024 * 1024;
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 40; i++) {
            SpooledBody.read(
                            new ByteArrayInputStream(new byte[110]),
                            announced,
                            announced,
                            announced,
                            new BodyDigest(null))
                    .close();
        }
        long kilobytes = (threads.getCurrentThreadAllocatedBytes() - before) / 1024;

        System.out.println("40 bodies of 110 bytes that announce 8 MiB: " + kilobytes + " KiB allocated");
        assertThat(kilobytes).isLessThan(40 * 64);
    }

    @Test
    void statusOutsideHttpIsNoStoredResponse() throws Exception {
        for (int status : List.of(-1, 0, 99, 600, 1000, 65_535)) {
            assertThatThrownBy(() -> StoredResponse.of(status, (String) null, new byte[0]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("between 100 and 599");
            if (status >= 0) {
                assertThatThrownBy(() -> StoredResponse.decode(stored(status)))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("between 100 and 599");
            }
        }
        assertThat(StoredResponse.decode(stored(100)).status()).isEqualTo(100);
        assertThat(StoredResponse.decode(stored(599)).status()).isEqualTo(599);
    }

    private static byte[] stored(int status) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(1);
            out.writeByte(0);
            out.writeShort(status);
            out.writeShort(0);
            out.writeInt(0);
        }
        return bytes.toByteArray();
    }

    @Test
    void principalWithoutANameIsNoScope() {
        for (String name : List.of("", " ", "\t")) {
            assertThat(ScopeResolver.principal().scopeOf(requestOf(() -> name))).isEmpty();
        }
        assertThat(ScopeResolver.principal().scopeOf(requestOf(() -> "42"))).contains("user:42");
    }

    /** As Spring Security names a principal that has no name. */
    @Test
    void principalNamedByItsIdentityIsRefused() {
        Object person = new BoundsTest();
        assertThatThrownBy(() -> ScopeResolver.principal().scopeOf(requestOf(person::toString)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(BoundsTest.class.getName())
                .hasMessageContaining("ScopeResolver");
        for (String name :
                List.of("john.smith@ad", "john.Smith@cafe", "Person@1b2c3d", "ann@example.com", "HTTP/x@EX")) {
            assertThat(ScopeResolver.principal().scopeOf(requestOf(() -> name))).contains("user:" + name);
        }
    }

    /** An accent, a character of Unicode 14 and one of Unicode 15: JDK 17 knows the first only. */
    @ParameterizedTest
    @ValueSource(strings = {"jos\u00e9", "\ud83e\udee0", "\ud884\udf50", "two words"})
    void principalWithOtherThanVisibleAsciiIsNamedByItsDigestOnEveryJdk(String name) {
        assertThat(ScopeResolver.principal().scopeOf(requestOf(() -> name)))
                .contains("user-sha256:"
                        + HexFormat.of().formatHex(Fingerprint.ofParts(name).toBytes()));
    }

    private static HttpServletRequest requestOf(Principal principal) {
        return (HttpServletRequest) Proxy.newProxyInstance(
                BoundsTest.class.getClassLoader(),
                new Class<?>[] {HttpServletRequest.class},
                (proxy, method, arguments) -> method.getName().equals("getUserPrincipal") ? principal : null);
    }
}
