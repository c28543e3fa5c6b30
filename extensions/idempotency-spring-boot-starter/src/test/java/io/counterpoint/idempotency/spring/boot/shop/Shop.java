package io.counterpoint.idempotency.spring.boot.shop;

import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.servlet.RoutePolicy;
import io.counterpoint.idempotency.spring.boot.FilterCustomizer;
import io.counterpoint.idempotency.spring.boot.ResolvableOperation;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** An application as a team writes it: JPA, security, migrations, the web, and nothing for the library but annotations. */
@SpringBootApplication
@EnableMethodSecurity
public class Shop {

    private final List<AuditApplicationEvent> audited = new CopyOnWriteArrayList<>();

    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.requestMatchers("/open/**")
                        .permitAll()
                        .anyRequest()
                        .authenticated())
                .httpBasic(Customizer.withDefaults())
                .csrf(csrf -> csrf.disable())
                .build();
    }

    @Bean
    UserDetailsService users() {
        InMemoryUserDetailsManager users = new InMemoryUserDetailsManager(
                User.withUsername("ann").password("{noop}a").roles("BUYER").build(),
                User.withUsername("bob").password("{noop}b").roles("GUEST").build());
        // As the manager itself it would take a slow hash for each password, which every request then computes.
        return name -> users.loadUserByUsername(name);
    }

    /** A part whose keys may come in another header. */
    @Bean
    FilterCustomizer traced() {
        return filter -> filter.route(
                "/traced/*",
                RoutePolicy.optional().methods("POST", "PUT", "PATCH", "DELETE").fallbackHeader("X-Request-Id"));
    }

    /** Its remote side never answers, and its lookup finds nothing: an operator has to resolve it. */
    @Bean
    ExternalOperation<String> pay(Idempotency<?> idempotency) {
        return idempotency
                .external("pay", ResultCodec.string(), unresolved -> Lookup.notYet())
                .build();
    }

    @Bean
    ResolvableOperation<String> resolvablePay(ExternalOperation<String> pay) {
        return new ResolvableOperation<>(pay, ResultCodec.string());
    }

    @Bean
    ResolvableOperation<String> resolvableRefund(Refunds refunds) {
        return new ResolvableOperation<>(refunds.refund, ResultCodec.string());
    }

    /** What was audited. */
    public List<AuditApplicationEvent> events() {
        return audited;
    }

    @EventListener
    void audited(AuditApplicationEvent event) {
        audited.add(event);
    }
}
