package io.counterpoint.idempotency.spring.shapes;

import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/** What the applications have in common. */
@Configuration(proxyBeanMethods = false)
public class Surroundings {

    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                .csrf(csrf -> csrf.disable())
                .build();
    }

    /** The entities of a data source. */
    static LocalContainerEntityManagerFactoryBean factory(DataSource dataSource, Class<?> entity) {
        LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
        factory.setDataSource(dataSource);
        factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        factory.setManagedTypes(PersistenceManagedTypes.of(entity.getName()));
        return factory;
    }

    static HikariDataSource pool(String url) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setMaximumPoolSize(2);
        if (url.startsWith("jdbc:h2")) {
            pool.setUsername("sa");
        }
        return pool;
    }

    /**
     * Writes into each transaction which one it is. So a transaction more, or one less, shows. That of a method without
     * {@code @Transactional} is the library's.
     */
    @Bean
    TransactionExecutionListener begun(@Qualifier("dataSource") DataSource dataSource) {
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        return new TransactionExecutionListener() {
            @Override
            public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
                String name = transaction.getTransactionName();
                if (failure == null && !transaction.isReadOnly() && !name.equals("idempotent operation")) {
                    jdbc.update(
                            "INSERT INTO public.note (text) VALUES (?)",
                            "begun: " + name.replaceFirst(".*\\.(?=\\w+\\.)", ""));
                }
            }
        };
    }
}
