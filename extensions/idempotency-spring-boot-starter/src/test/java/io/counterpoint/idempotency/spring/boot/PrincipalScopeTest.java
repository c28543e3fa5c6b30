package io.counterpoint.idempotency.spring.boot;

import static io.counterpoint.idempotency.spring.boot.StartedShop.bean;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.annotation.CallerScope;
import io.counterpoint.idempotency.servlet.ScopeResolver;
import io.counterpoint.idempotency.spring.boot.shop.Orders;
import io.counterpoint.idempotency.spring.boot.shop.Orders.Wanted;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Proxy;
import java.security.Principal;
import java.time.DayOfWeek;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.RememberMeAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.AuthenticatedPrincipal;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The scope of the caller that Spring Security has authenticated: a name that is the same in every request, or a refusal. */
class PrincipalScopeTest {

    private static final List<GrantedAuthority> BUYER = AuthorityUtils.createAuthorityList("ROLE_BUYER");

    /** Has no text of its own. */
    static class Person {}

    /** Has a text that changes with each of its components. */
    record Account(String id, int logins) {}

    /** Has a text, and no name. */
    static class Described {
        @Override
        public String toString() {
            return "Described(ann, last seen 12:31)";
        }
    }

    /** As the authentications of tokens are: their principal has no name, and they have one themselves. */
    static class OfAToken extends AbstractAuthenticationToken {
        private static final long serialVersionUID = 1L;
        private final transient Object token;
        private final String name;

        OfAToken(Object token, String name) {
            super(BUYER);
            this.token = token;
            this.name = name;
            setAuthenticated(true);
        }

        @Override
        public Object getCredentials() {
            return "";
        }

        @Override
        public Object getPrincipal() {
            return token;
        }

        @Override
        public String getName() {
            return name;
        }
    }

    /** An authentication, and the scope of its calls: none for nobody. */
    record Case(String what, Authentication caller, Optional<String> scope) {
        @Override
        public String toString() {
            return what;
        }
    }

    @AfterEach
    void forget() {
        SecurityContextHolder.clearContext();
    }

    private static Authentication of(Object principal) {
        return UsernamePasswordAuthenticationToken.authenticated(principal, "", BUYER);
    }

    private static Case named(String what, Authentication caller, String scope) {
        return new Case(what, caller, Optional.of(scope));
    }

    static Stream<Case> named() {
        UUID id = UUID.fromString("7f3b2c9e-0000-4000-8000-000000000001");
        User details = new User("ann", "", BUYER);
        return Stream.of(
                named("text", of("ann"), "user:ann"),
                named("user details", of(details), "user:ann"),
                named("authenticated principal", of((AuthenticatedPrincipal) () -> "ann"), "user:ann"),
                named("attributes with a name", of(new Attributes(Map.of("sub", "ann"))), "user:ann"),
                named("principal", of((Principal) () -> "ann"), "user:ann"),
                named("distinguished name", of(new X500Principal("CN=ann")), "user:CN=ann"),
                named("number", of(42L), "user:42"),
                named("identifier", of(id), "user:" + id),
                named("constant", of(DayOfWeek.MONDAY), "user:MONDAY"),
                named("remembered", new RememberMeAuthenticationToken("key", details, BUYER), "user:ann"),
                named("token with a name", new OfAToken(new Person(), "ann"), "user:ann"),
                named("token with a name and a text", new OfAToken(new Described(), "ann"), "user:ann"),
                new Case("no name", of((Principal) () -> null), Optional.empty()),
                new Case("blank name", of(" "), Optional.empty()),
                new Case("token without a name", new OfAToken(new Person(), null), Optional.empty()),
                new Case("anonymous", new AnonymousAuthenticationToken("key", "guest", BUYER), Optional.empty()),
                new Case(
                        "not authenticated",
                        UsernamePasswordAuthenticationToken.unauthenticated("ann", ""),
                        Optional.empty()));
    }

    /** As principals of OAuth 2 and SAML are. */
    record Attributes(Map<String, Object> attributes) implements AuthenticatedPrincipal {
        @Override
        public String getName() {
            return attributes.get("sub").toString();
        }
    }

    @ParameterizedTest
    @MethodSource("named")
    void nameOfTheCallerIsTheScope(Case one) {
        SecurityContextHolder.getContext().setAuthentication(one.caller());

        assertThat(bean(CallerScope.class).current()).isEqualTo(one.scope());
        if (one.caller().isAuthenticated() && !(one.caller() instanceof AnonymousAuthenticationToken)) {
            assertThat(bean(ScopeResolver.class).scopeOf(requestOf(one.caller())))
                    .isEqualTo(one.scope());
        }
    }

    /** It could be anybody's, whose context was not propagated. */
    @Test
    void callOfAThreadThatServesNoRequestIsNobodysAnonymousOne() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(IdempotencyAutoConfiguration.class))
                .withUserConfiguration(Contexts.OneDataSource.class)
                .withPropertyValues("idempotency.create-table=true", "idempotency.anonymous=true")
                .run(context -> {
                    CallerScope scope = context.getBean(CallerScope.class);
                    assertThat(scope.current()).isEmpty();
                    RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(requestOf(null)));
                    assertThat(scope.current()).contains("anonymous");
                    RequestContextHolder.resetRequestAttributes();
                    SecurityContextHolder.getContext()
                            .setAuthentication(new AnonymousAuthenticationToken("key", "guest", BUYER));
                    assertThat(scope.current()).contains("anonymous");
                });
    }

    static Stream<Supplier<Object>> unnamed() {
        return Stream.of(
                Person::new,
                () -> new Account("ann", 1),
                Described::new,
                () -> List.of("ann"),
                () -> Map.of("sub", "ann"),
                () -> Optional.of("ann"),
                () -> new String[] {"ann"},
                () -> 1.5);
    }

    @ParameterizedTest
    @MethodSource("unnamed")
    void callerWithoutANameIsRefusedByTheAnnotationAndByTheFilter(Supplier<Object> principal) {
        Authentication caller = of(principal.get());
        SecurityContextHolder.getContext().setAuthentication(caller);

        assertThatThrownBy(() -> bean(CallerScope.class).current())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(caller.getPrincipal().getClass().getName())
                .hasMessageContaining("CallerScope")
                .hasMessageNotContaining("ann");
        assertThatThrownBy(() -> bean(ScopeResolver.class).scopeOf(requestOf(caller)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ScopeResolver");
    }

    @Test
    void retriesOfACallerWithoutANameHaveNoEffectAtAll() {
        List<Throwable> refusals = new ArrayList<>();
        for (int tries = 1; tries <= 3; tries++) {
            SecurityContextHolder.getContext().setAuthentication(of(new Person()));
            try {
                bean(Orders.class).buy(new Wanted("p-1", "figs of a person", Optional.empty()));
            } catch (IllegalArgumentException refused) {
                refusals.add(refused);
            }
        }

        assertThat(bean(Orders.class).count("figs of a person")).isZero();
        assertThat(refusals).hasSize(3);
    }

    private static HttpServletRequest requestOf(Principal principal) {
        return (HttpServletRequest) Proxy.newProxyInstance(
                PrincipalScopeTest.class.getClassLoader(),
                new Class<?>[] {HttpServletRequest.class},
                (proxy, method, arguments) -> method.getName().equals("getUserPrincipal") ? principal : null);
    }
}
