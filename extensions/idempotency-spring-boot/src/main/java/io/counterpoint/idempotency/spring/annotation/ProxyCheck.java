package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.DefaultAdvisorChainFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.target.AbstractBeanFactoryBasedTargetSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.NativeDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Rejects a bean with an annotated method if its callers don't reach the method through {@link IdempotentInterceptor},
 * or if other advice is in a position that breaks the promise. It is unordered, so it sees beans after other
 * post-processors have processed them.
 *
 * <p>Beans that the container created without this post-processor are rejected once all singletons exist. So are
 * objects that were registered directly, unless they replace a bean's definition, as mocks do.
 */
final class ProxyCheck
        implements BeanFactoryPostProcessor,
                SmartInstantiationAwareBeanPostProcessor,
                SmartInitializingSingleton,
                ApplicationListener<ContextRefreshedEvent> {

    private final ConfigurableListableBeanFactory beans;
    private final IdempotentMethods methods;
    /** The original classes, before any wrapping, of beans that are created but not yet checked. */
    private final Map<String, Class<?>> made = new ConcurrentHashMap<>();
    /** Beans that were injected before they were ready: what post-processors see of them later is not a proxy. */
    private final Set<String> early = ConcurrentHashMap.newKeySet();

    ProxyCheck(ConfigurableListableBeanFactory beans, IdempotentMethods methods) {
        this.beans = beans;
        this.methods = methods;
    }

    /** Records beans from the very first, including those that other post-processors need. */
    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory all) {
        all.addBeanPostProcessor(new BeanPostProcessor() {
            @Override
            public Object postProcessBeforeInitialization(Object bean, String name) {
                if (methods.areIn(bean.getClass())) {
                    made.put(name, bean.getClass());
                }
                return bean;
            }
        });
    }

    @Override
    public Object getEarlyBeanReference(Object bean, String name) {
        require(bean, name, AopProxyUtils.ultimateTargetClass(bean));
        early.add(name);
        return bean;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        Class<?> type = made.remove(name);
        if (!early.remove(name)) {
            require(bean, name, type == null ? AopProxyUtils.ultimateTargetClass(bean) : type);
        }
        return bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        made.forEach((name, type) -> require(beans.getSingleton(name), name, type));
        requireSingletons(beans, false);
    }

    /** Beans of a child context do not pass through the post-processors of its parent. */
    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        BeanFactory refreshed = event.getApplicationContext().getAutowireCapableBeanFactory();
        if (refreshed != beans
                && refreshed instanceof ConfigurableListableBeanFactory child
                && child.getBeanNamesForType(ProxyCheck.class).length == 0) {
            requireSingletons(child, true);
        }
    }

    private void requireSingletons(ConfigurableListableBeanFactory factory, boolean defined) {
        for (String name : factory.getSingletonNames()) {
            Object bean = factory.getSingleton(name);
            if (bean != null && (defined || !factory.containsBeanDefinition(name))) {
                require(bean, name, AopProxyUtils.ultimateTargetClass(bean));
            }
        }
    }

    private void require(@Nullable Object bean, String name, Class<?> type) {
        boolean advised = false;
        for (IdempotentMethod method : methods.in(type)) {
            advised |= isAdvised(bean, name, method, ClassUtils.getUserClass(type));
        }
        if (advised && bean instanceof Advised proxy && !proxy.isFrozen()) {
            proxy.addAdvisor(new DefaultPointcutAdvisor(new IdempotentPointcut(methods), new OneCall()));
        }
    }

    /** Whether calls of a bean itself pass through the advice, not only those of another bean that it delegates to. */
    private boolean isAdvised(@Nullable Object bean, String name, IdempotentMethod method, Class<?> type) {
        List<Object> chain = new ArrayList<>();
        Object level = bean;
        while (level instanceof Advised proxy) {
            requireReachable(level.getClass(), name, method.method(), type);
            chain.addAll(DefaultAdvisorChainFactory.INSTANCE.getInterceptorsAndDynamicInterceptionAdvice(
                    proxy, method.method(), type));
            TargetSource source = proxy.getTargetSource();
            if (source instanceof AbstractBeanFactoryBasedTargetSource && AdviceOrder.positionIn(chain) < 0) {
                return false;
            }
            level = AopProxyUtils.getSingletonTarget(level);
        }
        if (AdviceOrder.positionIn(chain) < 0) {
            throw new InvalidIdempotentMethodException(
                    method.method(),
                    "callers of the bean " + name + " get "
                            + (bean == null
                                    ? "an object"
                                    : "a " + bean.getClass().getName()) + ", whose calls bypass the operation.",
                    "Define it as a bean in the context that has the library's configuration, and create it after all"
                            + " post-processors; no post-processor or other auto-proxy may wrap it first.");
        }
        methods.define(method, AdviceOrder.require(chain, method));
        return true;
    }

    private static void requireReachable(Class<?> proxy, String name, Method method, Class<?> type) {
        // A native image does not show the methods of all proxies.
        boolean declared = NativeDetector.inNativeImage()
                || Arrays.stream(ReflectionUtils.getDeclaredMethods(proxy))
                        .anyMatch(it -> AopUtils.getMostSpecificMethod(it, type).equals(method));
        boolean visible = (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0
                || proxy.getClassLoader() == method.getDeclaringClass().getClassLoader();
        if (!declared || !visible) {
            throw new InvalidIdempotentMethodException(
                    method,
                    "the proxy of the bean " + name + " does not have the method, so calls to it are not intercepted.",
                    "Make it public, and declare it in an interface of the bean or let Spring proxy classes.");
        }
    }
}
