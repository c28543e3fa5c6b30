package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Rejects classes that call an annotated method on {@code this}, because such a call does not pass through the proxy.
 * Calls from other annotated methods are permitted, because an operation protects them. Calls are detected in the byte
 * code, including that of superclasses, default methods and lambdas. Not detected: calls through a variable or from an
 * inner class, and calls in byte code that cannot be read.
 */
final class SelfCalls {

    private final Class<?> type;
    /** Call targets as named in byte code, with the annotated methods that they lead to. */
    private final Map<String, Method> annotated = new LinkedHashMap<>();

    private SelfCalls(Class<?> type) {
        this.type = type;
    }

    static void refuse(Class<?> type, Set<Method> methods) {
        SelfCalls calls = new SelfCalls(type);
        Set<Class<?>> hierarchy = new LinkedHashSet<>(ClassUtils.getAllInterfacesForClassAsSet(type));
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            hierarchy.add(each);
        }
        for (Class<?> each : hierarchy) {
            for (Method declared : ReflectionUtils.getDeclaredMethods(each)) {
                Method method = AopUtils.getMostSpecificMethod(declared, type);
                if (methods.contains(method)) {
                    calls.annotated.put(nameOf(declared), method);
                }
            }
        }
        if (!methods.isEmpty()) {
            hierarchy.forEach(calls::read);
        }
    }

    private static String nameOf(Method method) {
        return method.getName() + Type.getMethodDescriptor(method);
    }

    private void read(Class<?> each) {
        ClassLoader loader = each.getClassLoader();
        if (loader == null) {
            return;
        }
        try (InputStream bytes = loader.getResourceAsStream(
                ClassUtils.convertClassNameToResourcePath(each.getName()) + ClassUtils.CLASS_FILE_SUFFIX)) {
            if (bytes != null) {
                new ClassReader(bytes).accept(new Reader(each), ClassReader.EXPAND_FRAMES | ClassReader.SKIP_DEBUG);
            }
        } catch (IOException | IllegalArgumentException unreadable) {
            // A class file from a newer JDK than Spring supports. Its calls are unknown.
        }
    }

    private void refuse(Class<?> caller, String name, Method called) {
        throw new InvalidIdempotentMethodException(
                called,
                caller.getName() + "." + name + " calls it on the object itself, bypassing the proxy"
                        + (caller == type ? "." : ", in a " + type.getName() + "."),
                "Move one of the two methods to another bean, or annotate the caller instead.");
    }

    private final class Reader extends ClassVisitor {
        private final Class<?> caller;

        Reader(Class<?> caller) {
            super(SpringAsmInfo.ASM_VERSION);
            this.caller = caller;
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access,
                String name,
                String descriptor,
                @Nullable String signature,
                String @Nullable [] exceptions) {
            boolean protectedByItself = annotated.containsKey(name + descriptor);
            return (access & (Opcodes.ACC_STATIC | Opcodes.ACC_BRIDGE)) != 0 || protectedByItself
                    ? null
                    : new Body(caller, name);
        }
    }

    /** Tracks the positions of {@code this} on the operand stack. */
    private final class Body extends MethodVisitor {

        /** The stack effect of each instruction with a fixed effect, from A for -4 to G for 2. */
        private static final String ADDED =
                "EFFFFFFFFGGFFFGGFFFEEFGFGFEEEEEEEEEEEEEEEEEEEEDEDEDDDDDCDCDEEEEEEEEEEEEEEEEEEEEBABABBBBDCFFFGGGE"
                        + "DCDCDCDCDCDCDCDCDCDCEEEEDDDDDDDCDCDCEFEFDDEEFFDEDEEEBDDBBDDDDDDCCCCCCCCEFEDDDCDCDEEEEEEEEEEFEEEE"
                        + "EEDDEEDDEE";

        private final Class<?> caller;
        private final String name;
        private final BitSet self = new BitSet();
        private int depth;

        Body(Class<?> caller, String name) {
            super(SpringAsmInfo.ASM_VERSION);
            this.caller = caller;
            this.name = name;
        }

        private void replace(int popped, int pushed) {
            depth = Math.max(0, depth - popped);
            self.clear(depth, Math.max(depth, self.length()));
            depth += pushed;
        }

        private void add(int opcode) {
            int added = ADDED.charAt(opcode) - 'E';
            replace(Math.max(0, -added), Math.max(0, added));
        }

        private void called(String method, String descriptor, int popped) {
            Method found = annotated.get(method + descriptor);
            if (found != null && depth >= popped && self.get(depth - popped)) {
                refuse(caller, name, found);
            }
        }

        @Override
        public void visitInsn(int opcode) {
            boolean copied = opcode == Opcodes.DUP && depth > 0 && self.get(depth - 1);
            if (opcode > Opcodes.DUP && opcode <= Opcodes.SWAP) {
                self.clear(Math.max(0, depth - 4), depth);
            }
            add(opcode);
            if (copied) {
                self.set(depth - 1);
            }
        }

        @Override
        public void visitIntInsn(int opcode, int operand) {
            add(opcode);
        }

        @Override
        public void visitVarInsn(int opcode, int variable) {
            add(opcode);
            if (opcode == Opcodes.ALOAD && variable == 0) {
                self.set(depth - 1);
            }
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            add(opcode);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
            int size = Type.getType(descriptor).getSize();
            boolean ofObject = opcode == Opcodes.GETFIELD || opcode == Opcodes.PUTFIELD;
            boolean read = opcode == Opcodes.GETFIELD || opcode == Opcodes.GETSTATIC;
            replace((ofObject ? 1 : 0) + (read ? 0 : size), read ? size : 0);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String method, String descriptor, boolean ofInterface) {
            int sizes = Type.getArgumentsAndReturnSizes(descriptor);
            int popped = (sizes >> 2) - (opcode == Opcodes.INVOKESTATIC ? 1 : 0);
            if (opcode != Opcodes.INVOKESTATIC
                    && (opcode != Opcodes.INVOKESPECIAL || isItself(owner, method, descriptor))) {
                called(method, descriptor, popped);
            }
            replace(popped, sizes & 3);
        }

        /**
         * Whether a call through {@code super} targets an annotated method itself rather than one that it overrides.
         */
        private boolean isItself(String owner, String method, String descriptor) {
            Method found = annotated.get(method + descriptor);
            return found != null
                    && Type.getInternalName(found.getDeclaringClass()).equals(owner);
        }

        @Override
        public void visitInvokeDynamicInsn(String method, String descriptor, Handle bootstrap, Object... arguments) {
            int sizes = Type.getArgumentsAndReturnSizes(descriptor);
            int popped = (sizes >> 2) - 1;
            for (Object argument : arguments) {
                if (argument instanceof Handle handle && popped > 0) {
                    called(handle.getName(), handle.getDesc(), popped);
                }
            }
            replace(popped, sizes & 3);
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            add(opcode);
        }

        @Override
        public void visitLdcInsn(Object value) {
            replace(0, value instanceof Long || value instanceof Double ? 2 : 1);
        }

        @Override
        public void visitTableSwitchInsn(int min, int max, Label other, Label... labels) {
            replace(1, 0);
        }

        @Override
        public void visitLookupSwitchInsn(Label other, int[] keys, Label[] labels) {
            replace(1, 0);
        }

        @Override
        public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
            replace(dimensions, 1);
        }

        /** Where paths merge, the class file describes the stack. */
        @Override
        public void visitFrame(int kind, int locals, Object[] local, int count, Object[] stack) {
            depth = 0;
            for (int i = 0; i < count; i++) {
                self.set(depth, self.get(depth) && Type.getInternalName(caller).equals(stack[i]));
                depth += stack[i] == Opcodes.LONG || stack[i] == Opcodes.DOUBLE ? 2 : 1;
            }
            self.clear(depth, Math.max(depth, self.length()));
        }
    }
}
