package io.counterpoint.idempotency.spring.shapes;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.spring.boot.Contexts;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;

/** Methods with which an application starts without the library, and not with it. */
public final class RefusedAtStart {

    static final String REFUSED = "rejected at startup. ";

    private static final Map<String, Class<?>> SHAPES = new LinkedHashMap<>();

    static {
        SHAPES.put("`@Transactional(readOnly = true)`", ReadOnly.class);
        SHAPES.put("`noRollbackFor`", NoRollback.class);
        SHAPES.put("a declared checked exception without `rollbackFor`", Checked.class);
        SHAPES.put("REQUIRES_NEW on the method", OfItsOwn.class);
        SHAPES.put("the transaction manager of another data source", OfAnotherManager.class);
        SHAPES.put("`@TransactionalEventListener` on the method", Listening.class);
        SHAPES.put("`@Async` on the method, with a key or a scope of the request", AsyncOfTheCaller.class);
        SHAPES.put("the method writes to the response", WritesResponse.class);
        SHAPES.put("a parameter that can be read once, such as an `InputStream`", ReadsOnce.class);
        SHAPES.put("a `Stream` as the result", Streams.class);
        SHAPES.put("`@Idempotent` on a method of a repository", OfRepository.class);
    }

    private RefusedAtStart() {}

    /** By the names of the shapes. */
    static Map<String, String> all() {
        Map<String, String> outcomes = new LinkedHashMap<>();
        SHAPES.forEach((shape, service) -> {
            application(service, false).run(context -> assertThat(context).hasNotFailed());
            application(service, true)
                    .run(context -> outcomes.put(
                            shape,
                            context.getStartupFailure() == null
                                    ? "STARTS"
                                    : REFUSED
                                            + Contexts.analysisOf(context.getStartupFailure())
                                                    .getAction()
                                                    .replaceFirst(" See <\\S+>\\.$", "")));
        });
        return outcomes;
    }

    private static ApplicationContextRunner application(Class<?> service, boolean withLibrary) {
        return Contexts.onH2()
                .withPropertyValues("idempotency.enabled=" + withLibrary)
                .withUserConfiguration(Transactions.class, service);
    }

    @EnableAsync
    @EnableTransactionManagement
    @Configuration(proxyBeanMethods = false)
    static class Transactions {
        @Bean
        @Primary
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        PlatformTransactionManager reports() {
            return new JdbcTransactionManager(Contexts.h2());
        }
    }

    static class ReadOnly {
        @Idempotent(operation = "read-only", key = "#key", scope = "'all'")
        @Transactional(readOnly = true)
        public void go(String key) {}
    }

    static class NoRollback {
        @Idempotent(operation = "no-rollback", key = "#key", scope = "'all'")
        @Transactional(noRollbackFor = IllegalArgumentException.class)
        public void go(String key) {}
    }

    static class Checked {
        @Idempotent(operation = "checked", key = "#key", scope = "'all'")
        @Transactional
        public void go(String key) throws IOException {}
    }

    static class OfItsOwn {
        @Idempotent(operation = "of-its-own", key = "#key", scope = "'all'")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void go(String key) {}
    }

    static class OfAnotherManager {
        @Idempotent(operation = "of-another", key = "#key", scope = "'all'")
        @Transactional("reports")
        public void go(String key) {}
    }

    static class Listening {
        @Idempotent(operation = "listening", key = "#key", scope = "'all'")
        @TransactionalEventListener
        public void go(String key) {}
    }

    static class AsyncOfTheCaller {
        @Async
        @Idempotent(operation = "async", key = "#key")
        public void go(String key) {}
    }

    static class WritesResponse {
        @Idempotent(operation = "writes", key = "#key", scope = "'all'", request = "#key")
        public void go(String key, HttpServletResponse response) {}
    }

    static class ReadsOnce {
        @Idempotent(operation = "reads", key = "#key", scope = "'all'", request = "#key")
        public void go(String key, InputStream rows) {}
    }

    static class Streams {
        @Idempotent(operation = "streams", key = "#key", scope = "'all'")
        public Stream<String> go(String key) {
            return Stream.of(key);
        }
    }

    /** Made as Spring Data makes its repositories. */
    static class OfRepository {
        interface Repository {
            @Idempotent(operation = "repository", key = "#key", scope = "'all'")
            void go(String key);
        }

        @Bean
        Repository repository() {
            return ProxyFactory.getProxy(Repository.class, (MethodInterceptor) invocation -> null);
        }
    }
}
