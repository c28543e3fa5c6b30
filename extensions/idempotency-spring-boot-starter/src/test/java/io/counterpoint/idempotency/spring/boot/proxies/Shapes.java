package io.counterpoint.idempotency.spring.boot.proxies;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The shapes that a bean with an annotated method can have, as source text. {@code @@} stands for the annotations of the
 * method, {@code RESULT} and {@code BOXED} for its result, {@code WORK(key)} for its body, and {@code CALL(…)} for a call. The
 * methods of {@code Routes} are the ways by which callers reach the bean. Without a {@code Setup} the class {@code Target} is
 * the bean.
 */
final class Shapes {

    private static final Map<String, String> ALL = new LinkedHashMap<>();

    private static final String BY_CLASS =
            "class Routes { static Object bean(Target bean, String key) { CALL(bean.run(key)) } }";
    private static final String BY_USE_CASE = """
            class Routes {
                static Object useCase(UseCase bean, String key) { CALL(bean.run(key)) }
                static Object bean(Target bean, String key) { CALL(bean.run(key)) }
            }
            """;
    private static final String BY_GENERIC = BY_USE_CASE.replace("UseCase bean", "UseCase<BOXED> bean");
    private static final String RUN = "@@ public RESULT run(String key) { WORK(key) }";
    private static final String SIMPLE = "class Target { " + RUN + " }" + BY_CLASS;
    private static final String WITH_INTERFACE =
            "interface UseCase { RESULT run(String key); } class Target implements UseCase { " + RUN + " }";

    static {
        plain();
        generic();
        inherited();
        unreachable();
        calledByThemselves();
        madeByTheContainer();
        madeElsewhere();
    }

    private Shapes() {}

    static Map<String, String> all() {
        return ALL;
    }

    private static void plain() {
        ALL.put("class", SIMPLE);
        ALL.put("interface", WITH_INTERFACE + BY_USE_CASE);
        ALL.put("annotated interface", """
                interface UseCase { @@ RESULT run(String key); }
                class Target implements UseCase { public RESULT run(String key) { WORK(key) } }
                """ + BY_USE_CASE);
        ALL.put(
                "interface without the method",
                "interface Named { String name(); }"
                        + " class Target implements Named { public String name() { return \"none\"; } " + RUN
                        + " }" + BY_CLASS);
        ALL.put("default method", """
                interface UseCase { @@ default RESULT run(String key) { WORK(key) } }
                class Target implements UseCase { }
                """ + BY_USE_CASE);
        ALL.put("overridden default method", """
                interface UseCase { @@ default RESULT run(String key) { throw new AssertionError(); } }
                class Target implements UseCase { public RESULT run(String key) { WORK(key) } }
                """ + BY_USE_CASE);
        ALL.put("package-private method", SIMPLE.replace("public RESULT", "RESULT"));
        ALL.put("protected method", SIMPLE.replace("public RESULT", "protected RESULT"));
        ALL.put("varargs", SIMPLE.replace("String key) { WORK", "String key, String... more) { WORK"));
    }

    private static void generic() {
        ALL.put("generic result", """
                interface UseCase<R> { R run(String key); }
                class Target implements UseCase<BOXED> { @@ public BOXED run(String key) { WORK_BOXED(key) } }
                """ + BY_GENERIC);
        ALL.put("generic parameter", """
                interface Handler<C, R> { R handle(C key); }
                class Target implements Handler<String, BOXED> { @@ public BOXED handle(String key) { WORK_BOXED(key) } }
                class Routes {
                    static Object handler(Handler<String, BOXED> bean, String key) { CALL(bean.handle(key)) }
                    static Object bean(Target bean, String key) { CALL(bean.handle(key)) }
                }
                """);
        ALL.put("function", """
                class Target implements java.util.function.Function<String, BOXED> {
                    @@ public BOXED apply(String key) { WORK_BOXED(key) }
                }
                class Routes {
                    static Object function(java.util.function.Function<String, BOXED> bean, String key) {
                        CALL(bean.apply(key))
                    }
                    static Object bean(Target bean, String key) { CALL(bean.apply(key)) }
                }
                """);
        ALL.put("annotated generic interface", """
                interface UseCase<R> { @@ R run(String key); }
                class Target implements UseCase<BOXED> { public BOXED run(String key) { WORK_BOXED(key) } }
                """ + BY_GENERIC);
        ALL.put("generic default method", """
                interface UseCase<R> { R make(String key); @@ default R run(String key) { return make(key); } }
                class Target implements UseCase<BOXED> { public BOXED make(String key) { WORK_BOXED(key) } }
                """ + BY_GENERIC);
        ALL.put("covariant interface", """
                interface UseCase { Object run(String key); }
                class Target implements UseCase { @@ public BOXED run(String key) { WORK_BOXED(key) } }
                """ + BY_USE_CASE);
        ALL.put("covariant superclass", """
                abstract class UseCase { public abstract Object run(String key); }
                class Target extends UseCase { @@ public BOXED run(String key) { WORK_BOXED(key) } }
                """ + BY_USE_CASE);
        ALL.put(
                "two levels",
                """
                interface Top<C, R> { R run(C key); }
                abstract class UseCase<R> implements Top<String, R> { public abstract R run(String key); }
                class Target extends UseCase<BOXED> { @@ public BOXED run(String key) { WORK_BOXED(key) } }
                """
                        + BY_GENERIC.replace(
                                "class Routes {",
                                "class Routes { static Object top(Top<String, BOXED> bean, String key) { CALL(bean.run(key)) }"));
    }

    private static void inherited() {
        ALL.put("generic superclass", """
                abstract class UseCase<R> { public abstract R run(String key); }
                class Target extends UseCase<BOXED> { @@ public BOXED run(String key) { WORK_BOXED(key) } }
                """ + BY_GENERIC);
        ALL.put("generic template", """
                abstract class UseCase<R> {
                    protected abstract R make(String key);
                    @@ public R run(String key) { return make(key); }
                }
                class Target extends UseCase<BOXED> { protected BOXED make(String key) { WORK_BOXED(key) } }
                """ + BY_GENERIC);
        ALL.put("inherited", "class UseCase { " + RUN + " } class Target extends UseCase { }" + BY_USE_CASE);
        ALL.put(
                "inherited by a public class",
                "class UseCase { " + RUN + " } public class Target extends UseCase { }" + BY_USE_CASE);
        ALL.put(
                "overridden",
                "class UseCase { @@ public RESULT run(String key) { throw new AssertionError(); } }"
                        + " class Target extends UseCase { public RESULT run(String key) { WORK(key) } }"
                        + BY_USE_CASE);
        ALL.put(
                "two heirs of one method",
                "class UseCase { " + RUN
                        + " } class Target extends UseCase { } class Other extends UseCase { }"
                        + " @Configuration class Setup { @Bean Target bean() { return new Target(); }"
                        + " @Bean Other other() { return new Other(); } }"
                        + " class Routes { static Object bean(Target bean, String key) { CALL(bean.run(key)) } }");
    }

    private static void unreachable() {
        ALL.put(
                "private method",
                SIMPLE.replace("class Target {", "class Target { RESULT call(String key) { CALL_SELF(run(key)) }")
                        .replace("public RESULT", "private RESULT")
                        .replace("bean.run", "bean.call"));
        ALL.put("static method", SIMPLE.replace("public RESULT", "public static RESULT"));
        ALL.put("final method", SIMPLE.replace("public RESULT", "public final RESULT"));
        ALL.put("final class", "final " + SIMPLE);
        ALL.put("final class, interface", WITH_INTERFACE.replace("class Target", "final class Target") + BY_USE_CASE);
        ALL.put(
                "sealed class",
                SIMPLE.replace("class Target", "sealed class Target permits Other")
                        .replace("class Routes", "final class Other extends Target { } class Routes"));
        ALL.put("record", WITH_INTERFACE.replace("class Target", "record Target()") + BY_USE_CASE);
        ALL.put("package-private method of another package", """
                package .base;
                public class UseCase { @@ RESULT run(String key) { WORK(key) } }
                class Routes { static Object useCase(UseCase bean, String key) { CALL(bean.run(key)) } }
                package .heir;
                class Target extends cell.base.UseCase { }
                """);
        ALL.put(
                "package-private method, other class loader",
                SIMPLE.replace("public RESULT", "RESULT")
                        .replace("class Target {", "public class Target { public Target() {}"));
        ALL.put(
                "equals",
                "class Target { @@ public boolean equals(Object key) { Effects.of(key); return true; } }"
                        + " class Routes { static Object bean(Target bean, String key) { return bean.equals(key); } }");
    }

    private static void calledByThemselves() {
        String call = "class Routes { static Object bean(Target bean, String key) { CALL(bean.call(key)) } }";
        ALL.put(
                "self-invoked",
                "class Target { public RESULT call(String key) { CALL_SELF(run(key)) } " + RUN + " }" + call);
        ALL.put(
                "self-invoked among arguments",
                "class Target { long calls; public RESULT call(String key) {"
                        + " if (key == null || calls > 7L) { throw new IllegalStateException(); }"
                        + " CALL_SELF(this.run(key.isEmpty() ? \"none\" + calls : key)) } " + RUN + " }" + call);
        ALL.put(
                "self-invoked in a lambda",
                "class Target { public void call(String key) {"
                        + " List.of(key).forEach(each -> { run(each); }); } " + RUN + " }"
                        + call.replace("CALL(bean.call(key))", "bean.call(key); return null;"));
        ALL.put(
                "self-invoked by reference",
                "class Target { public void call(String key) {"
                        + " List.of(key).forEach(this::run); } " + RUN + " }"
                        + call.replace("CALL(bean.call(key))", "bean.call(key); return null;"));
        ALL.put("self-invoked by a template", """
                abstract class UseCase<R> {
                    public R call(String key) { return run(key); }
                    protected abstract R run(String key);
                }
                class Target extends UseCase<BOXED> { @@ protected BOXED run(String key) { WORK_BOXED(key) } }
                """ + BY_GENERIC.replace("bean.run", "bean.call"));
        ALL.put("self-invoked by a default method", """
                interface UseCase<R> { default R call(String key) { return run(key); } R run(String key); }
                class Target implements UseCase<BOXED> { @@ public BOXED run(String key) { WORK_BOXED(key) } }
                """ + BY_GENERIC.replace("bean.run", "bean.call"));
        ALL.put(
                "self-invoked through super",
                "class UseCase { " + RUN + " }"
                        + " class Target extends UseCase { public RESULT call(String key) { CALL_SELF(super.run(key)) } }"
                        + call);
        ALL.put(
                "invoked through an injected self",
                "class Target { @Autowired @Lazy Target self;"
                        + " public RESULT call(String key) { CALL_SELF(self.run(key)) } " + RUN + " }" + call);
        ALL.put(
                "calls super of its own",
                "class UseCase { public RESULT run(String key) { WORK(key) } }"
                        + " class Target extends UseCase { @@ public RESULT run(String key) { CALL_SELF(super.run(key)) } }"
                        + BY_USE_CASE);
    }

    private static void madeByTheContainer() {
        String setup = "class Routes { static Object setup(Setup bean, String key) { CALL(bean.run(key)) } }";
        ALL.put("full configuration", "@Configuration class Setup { " + RUN + " }" + setup);
        ALL.put("lite configuration", "@Configuration(proxyBeanMethods = false) class Setup { " + RUN + " }" + setup);
        ALL.put(
                "bean method",
                WITH_INTERFACE + BY_USE_CASE
                        + "@Configuration class Setup { @Bean UseCase bean() { return new Target(); } }");
        ALL.put(
                "lambda",
                "interface UseCase { @@ RESULT run(String key); }"
                        + " @Configuration class Setup { @Bean UseCase bean() { return key -> { WORK(key) }; } }"
                        + " class Routes { static Object useCase(UseCase bean, String key) { CALL(bean.run(key)) } }");
        ALL.put(
                "anonymous class",
                "interface UseCase { RESULT run(String key); }"
                        + " @Configuration class Setup { @Bean UseCase bean() { return new UseCase() { " + RUN
                        + " }; } }"
                        + " class Routes { static Object useCase(UseCase bean, String key) { CALL(bean.run(key)) } }");
        ALL.put(
                "prototype",
                WITH_INTERFACE.replace("class Target", "@Scope(\"prototype\") class Target") + BY_USE_CASE);
        ALL.put("lazy", WITH_INTERFACE.replace("class Target", "@Lazy class Target") + BY_USE_CASE);
        ALL.put(
                "lazy, of unknown class",
                WITH_INTERFACE
                        + "class Routes { static Object useCase(UseCase bean, String key) { CALL(bean.run(key)) } }"
                        + "@Configuration class Setup { @Bean @Lazy UseCase bean() { return new Target(); } }");
        ALL.put(
                "lazy, of unknown class, without the method",
                SIMPLE.replace("class Target", "class Target implements Named")
                                .replace(RUN, "public String name() { return \"none\"; } " + RUN)
                                .replace("bean(Target bean", "named(Named bean")
                                .replace("CALL(bean", "CALL(((Target) bean)")
                        + "interface Named { String name(); }"
                        + " @Configuration class Setup { @Bean @Lazy Named bean() { return new Target(); } }");
        ALL.put(
                "scoped, proxied class",
                WITH_INTERFACE.replace(
                                "class Target",
                                "@Scope(scopeName = \"thread\", proxyMode = ScopedProxyMode.TARGET_CLASS) class Target")
                        + BY_USE_CASE);
        ALL.put(
                "scoped, proxied interface",
                WITH_INTERFACE.replace(
                                "class Target",
                                "@Scope(scopeName = \"thread\", proxyMode = ScopedProxyMode.INTERFACES) class Target")
                        + BY_USE_CASE);
        ALL.put("factory bean", WITH_INTERFACE + BY_USE_CASE + """
                class Factory implements FactoryBean<Target> {
                    public Target getObject() { return new Target(); }
                    public Class<?> getObjectType() { return Target.class; }
                }
                @Import(Factory.class) class Setup { }
                """);
        ALL.put("factory bean of a dynamic proxy", """
                interface UseCase { @@ RESULT run(String key); }
                class Factory implements FactoryBean<UseCase> {
                    public UseCase getObject() {
                        return (UseCase) Proxy.newProxyInstance(
                                UseCase.class.getClassLoader(), new Class<?>[] {UseCase.class}, (self, method, given) ->
                                        method.getName().equals("run") ? work((String) given[0]) : null);
                    }
                    private BOXED work(String key) { WORK_BOXED(key) }
                    public Class<?> getObjectType() { return UseCase.class; }
                }
                @Import(Factory.class) class Setup { }
                class Routes { static Object useCase(UseCase bean, String key) { CALL(bean.run(key)) } }
                """);
        ALL.put(
                "circular reference",
                WITH_INTERFACE.replace(
                                "class Target implements UseCase {",
                                "class Target implements UseCase { @Autowired Other other;")
                        + BY_USE_CASE
                        + "class Other { @Autowired UseCase useCase; } @Import({Target.class, Other.class}) class Setup { }");
        ALL.put(
                "lazy circular reference",
                WITH_INTERFACE.replace(
                                "class Target implements UseCase {",
                                "@Lazy class Target implements UseCase { @Autowired Other other;")
                        + BY_USE_CASE
                        + "@Lazy class Other { @Autowired UseCase useCase; } @Import({Target.class, Other.class}) class Setup { }");
    }

    private static void madeElsewhere() {
        ALL.put("made for a post-processor", SIMPLE + """
                class First implements BeanPostProcessor { First(Target bean) {} }
                @Import({Target.class, First.class}) class Setup { }
                """);
        ALL.put("made for the first post-processor", SIMPLE + """
                class First implements BeanPostProcessor, PriorityOrdered {
                    public int getOrder() { return 0; }
                }
                @Configuration @Import(Target.class) class Setup {
                    @Bean static First first(Target bean) { return new First(); }
                }
                """);
        ALL.put(
                "prototype for the first post-processor",
                SIMPLE.replace("class Target", "@Scope(\"prototype\") class Target") + """
                class First implements BeanPostProcessor, PriorityOrdered {
                    public int getOrder() { return 0; }
                }
                @Configuration @Import(Target.class) class Setup {
                    @Bean static First first(Target bean) { return new First(); }
                }
                """);
        ALL.put("registered as an object", SIMPLE + """
                class Setup implements BeanFactoryPostProcessor {
                    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
                        beans.registerSingleton("bean", new Target());
                    }
                }
                """);
        ALL.put("behind a wrapper", WITH_INTERFACE + """
                class Wrapping implements BeanPostProcessor {
                    public Object postProcessBeforeInitialization(Object bean, String name) {
                        return bean instanceof Target raw ? (UseCase) key -> raw.run(key) : bean;
                    }
                }
                @Import({Target.class, Wrapping.class}) class Setup { }
                class Routes { static Object useCase(UseCase bean, String key) { CALL(bean.run(key)) } }
                """);
        ALL.put("behind a wrapper of the proxy", WITH_INTERFACE + """
                class Wrapping implements BeanPostProcessor, Ordered {
                    public Object postProcessAfterInitialization(Object bean, String name) {
                        return bean instanceof UseCase raw ? (UseCase) key -> raw.run(key) : bean;
                    }
                    public int getOrder() { return Ordered.LOWEST_PRECEDENCE; }
                }
                @Import({Target.class, Wrapping.class}) class Setup { }
                class Routes { static Object useCase(UseCase bean, String key) { CALL(bean.run(key)) } }
                """);
        ALL.put("original instance", SIMPLE + """
                class Setup implements BeanDefinitionRegistryPostProcessor {
                    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry beans) {
                        beans.registerBeanDefinition(Target.class.getName() + ".ORIGINAL", new RootBeanDefinition(Target.class));
                    }
                    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {}
                }
                """);
        ALL.put("context of a parent", SIMPLE);
        ALL.put(
                "called after construction",
                SIMPLE.replace(
                                "(String key) { WORK(key) }",
                                "() { String key = \"made\" + Target.class.getPackageName(); WORK(key) }")
                        .replace("@@ public", "@@ @jakarta.annotation.PostConstruct public")
                        .replace("bean.run(key)", "bean.run()"));
        ALL.put(
                "initializing bean",
                SIMPLE.replace("class Target", "class Target implements InitializingBean")
                        .replace("RESULT run(String key)", "void afterPropertiesSet()")
                        .replace("WORK(key)", "Effects.of(\"made\" + Target.class.getPackageName());")
                        .replace("CALL(bean.run(key))", "bean.afterPropertiesSet(); return null;"));
    }
}
