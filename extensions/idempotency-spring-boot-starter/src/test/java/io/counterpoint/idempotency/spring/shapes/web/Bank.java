package io.counterpoint.idempotency.spring.shapes.web;

import io.counterpoint.idempotency.spring.shapes.Surroundings;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.mybatis.spring.SqlSessionTemplate;
import org.mybatis.spring.transaction.SpringManagedTransactionFactory;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;

/** An application of the web with entities and all else that writes to its database. */
@EnableAsync
@EnableScheduling
@Import({Surroundings.class, Work.class})
@SpringBootApplication(proxyBeanMethods = false)
public class Bank {

    /** A mapper of MyBatis. */
    interface Notes {
        @Insert("INSERT INTO note (text) VALUES (#{text})")
        int add(String text);
    }

    @Bean
    Notes notes(DataSource dataSource) {
        var configuration = new org.apache.ibatis.session.Configuration(
                new Environment("bank", new SpringManagedTransactionFactory(), dataSource));
        configuration.addMapper(Notes.class);
        return new SqlSessionTemplate(new SqlSessionFactoryBuilder().build(configuration)).getMapper(Notes.class);
    }

    @Bean
    ApplicationRunner opened(JdbcTemplate jdbc) {
        return arguments -> {
            for (int i = 0; i < 99; i++) {
                String open = "INSERT INTO account (id, balance, version) VALUES (?, 100, 0)";
                jdbc.update(open, "a" + i);
                jdbc.update(open, "b" + i);
            }
        };
    }
}
