package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The contract is worth something: it tells every wrong store from a right one, by the test that is there for it. */
class WrongStoresTest {

    @ParameterizedTest
    @EnumSource
    void wrongStoreFailsTheTestThatIsThereForIt(WrongStore wrong) {
        TestExecutionSummary summary = run(wrong);

        assertThat(summary.getTestsFoundCount()).isEqualTo(1);
        assertThat(summary.getTestsFailedCount()).isEqualTo(1);
    }

    private static TestExecutionSummary run(WrongStore wrong) {
        ContractOfAWrongStore.wrong = wrong;
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(ContractOfAWrongStore.class))
                                .filters(only(wrong.test()))
                                .build(),
                        listener);
        return listener.getSummary();
    }

    private static PostDiscoveryFilter only(String name) {
        return test -> FilterResult.includedIf(test.getSource()
                .filter(source -> source instanceof MethodSource method
                        && method.getMethodName().equals(name))
                .isPresent());
    }

    /** Not a test of its own: run for one wrong store after the other. */
    static class ContractOfAWrongStore extends IdempotencyStoreContract<Transaction> {
        private static WrongStore wrong;

        @Override
        protected IdempotencyStore<Transaction> store() {
            return wrong.create();
        }

        @Override
        protected Domain<Transaction> domain() {
            return new MemoryDomain();
        }
    }
}
