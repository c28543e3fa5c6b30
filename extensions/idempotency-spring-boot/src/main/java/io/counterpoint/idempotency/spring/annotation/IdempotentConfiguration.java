package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.Idempotent;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Enables {@link Idempotent}. The auto-configuration imports it; an application without Spring Boot may import it
 * itself and define a bean of type {@link io.counterpoint.idempotency.Idempotency}.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import(IdempotentConfiguration.AutoProxy.class)
public class IdempotentConfiguration {

    /** Outside transactions, which have the lowest precedence; inside security and everything else. */
    static final int ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

    /** Called by Spring. */
    public IdempotentConfiguration() {}

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static IdempotentMethods idempotentMethods(ConfigurableListableBeanFactory beans) {
        return new IdempotentMethods(beans);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DefaultPointcutAdvisor idempotentAdvisor(IdempotentMethods idempotentMethods) {
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                new IdempotentPointcut(idempotentMethods), new IdempotentInterceptor(idempotentMethods));
        advisor.setOrder(ORDER);
        return advisor;
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ProxyCheck idempotentProxyCheck(ConfigurableListableBeanFactory beans, IdempotentMethods idempotentMethods) {
        return new ProxyCheck(beans, idempotentMethods);
    }

    /** Creates proxies even if nothing else requires them. */
    static final class AutoProxy implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }
}
