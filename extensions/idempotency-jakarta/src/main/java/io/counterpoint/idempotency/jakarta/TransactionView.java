package io.counterpoint.idempotency.jakarta;

import jakarta.transaction.Transaction;
import java.lang.reflect.InvocationTargetException;
import java.util.Map;

/** Details of a transaction that a store needs and that Jakarta's interfaces do not provide. */
public interface TransactionView {

    /**
     * Returns how many resources are enlisted. With more than one, the effect and its record could have different
     * outcomes.
     *
     * @param transaction the transaction
     * @return the number
     */
    int resources(Transaction transaction);

    /**
     * Returns how many synchronizations have been registered so far. The store uses this to verify that its own was the
     * last one.
     *
     * @param transaction the transaction; also called in {@code afterCompletion} of the synchronization that was
     *     registered last
     * @return the number
     */
    int synchronizations(Transaction transaction);

    /**
     * Returns the view for Narayana, which Quarkus, WildFly and Helidon use.
     *
     * @return the view, which throws an {@link IllegalStateException} for transactions of another manager
     */
    static TransactionView narayana() {
        return new TransactionView() {
            @Override
            public int resources(Transaction transaction) {
                return sizeOf(transaction, "getResources");
            }

            @Override
            public int synchronizations(Transaction transaction) {
                return sizeOf(transaction, "getSynchronizations");
            }
        };
    }

    private static int sizeOf(Transaction transaction, String getter) {
        try {
            Class<?> type = Class.forName(
                    "com.arjuna.ats.jta.transaction.Transaction",
                    false,
                    transaction.getClass().getClassLoader());
            Object viewed = type.isInstance(transaction) ? transaction : wrappedIn(transaction, type);
            return ((Map<?, ?>) type.getMethod(getter).invoke(viewed)).size();
        } catch (ClassNotFoundException | NoSuchMethodException | IllegalAccessException | IllegalArgumentException e) {
            throw new IllegalStateException(
                    "Expected a transaction of Narayana, found "
                            + transaction.getClass().getName() + ". The store"
                            + " must see how many resources are enlisted: give its builder a TransactionView for this"
                            + " transaction manager.",
                    e);
        } catch (InvocationTargetException thrown) {
            throw new IllegalStateException("Narayana could not be queried for " + getter + ".", thrown.getCause());
        }
    }

    /** WildFly wraps Narayana's transactions and makes them accessible. */
    private static Object wrappedIn(Transaction transaction, Class<?> type)
            throws NoSuchMethodException, IllegalAccessException, InvocationTargetException {
        Object wrapped = transaction
                .getClass()
                .getMethod("getProviderInterface", Class.class)
                .invoke(transaction, type);
        if (wrapped == null) {
            throw new IllegalArgumentException("There is no " + type.getName() + " in it.");
        }
        return wrapped;
    }
}
