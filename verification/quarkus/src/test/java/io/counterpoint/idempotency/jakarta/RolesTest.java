package io.counterpoint.idempotency.jakarta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.annotation.Idempotent;
import io.quarkus.security.ForbiddenException;
import io.quarkus.security.identity.CurrentIdentityAssociation;
import io.quarkus.security.runtime.QuarkusPrincipal;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The security of Quarkus comes before operations, so also before replays. */
@QuarkusTest
@QuarkusTestResource(QuarkusStoreContractTest.Postgres.class)
@Tag("matrix")
class RolesTest {

    @Inject
    Salaries salaries;

    @Inject
    CurrentIdentityAssociation current;

    /** Their total is a secret. */
    @ApplicationScoped
    public static class Salaries {

        /** Pays them. */
        @RolesAllowed("clerk")
        @Idempotent(operation = "pay", key = "#month", scope = "'s'")
        public String pay(String month) {
            return "total of " + month;
        }
    }

    private void be(String role) {
        current.setIdentity(QuarkusSecurityIdentity.builder()
                .setPrincipal(new QuarkusPrincipal("ann"))
                .addRole(role)
                .build());
    }

    @Test
    void callerWithoutTheRoleGetsNoReplayAndUsesUpNoKey() {
        be("guest");
        assertThatThrownBy(() -> salaries.pay("May")).isInstanceOf(ForbiddenException.class);
        be("clerk");
        assertThat(salaries.pay("May")).isEqualTo("total of May");
        be("guest");
        assertThatThrownBy(() -> salaries.pay("May")).isInstanceOf(ForbiddenException.class);
    }
}
