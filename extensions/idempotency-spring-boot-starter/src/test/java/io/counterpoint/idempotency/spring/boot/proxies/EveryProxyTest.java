package io.counterpoint.idempotency.spring.boot.proxies;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** All cells: every shape with every other annotation and every result. */
@Tag("matrix")
class EveryProxyTest extends ProxyMatrixTest {

    @Override
    boolean isTried(Cell cell) {
        return true;
    }

    @Test
    void aThousandBeansWereTried() {
        int both = 2;
        assertThat(both * Cell.all().size()).isGreaterThan(1_000);
    }
}
