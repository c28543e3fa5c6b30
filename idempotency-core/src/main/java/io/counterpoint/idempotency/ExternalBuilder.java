package io.counterpoint.idempotency;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Predicate;

/** The settings of operations with an external effect. */
abstract sealed class ExternalBuilder<S extends ExternalBuilder<S, C, R>, C, R> extends OperationBuilder<S>
        permits ExternalOperation.Builder, PlannedExternalOperation.Builder {

    final OperationOptions<C, R> options;

    ExternalBuilder(OperationOptions<C, R> options) {
        super(options);
        this.options = options;
    }

    /**
     * Sets what follows the effect in the store's own database, such as a booking or a message. It commits in one
     * transaction with {@code Succeeded}, no matter who finds out that the effect is there: the leader, the end of asynchronous
     * work, a later call whose lookup finds it, {@link Resolvable#settle}, an operator.
     *
     * <p>What it throws never makes the attempt fail, and never releases the key, since the effect is there. The call ends
     * with {@link IdempotencyException.Reason#FOLLOW_UP_OWED}, and the next one goes on with the follow-up alone. A
     * process whose operation has no follow-up ends no such attempt.
     *
     * <p>The promise holds as long as the record lives. Give what it writes a unique column with the identity of the
     * effect, so that nothing is written twice after the retention.
     *
     * @param followUp takes the handle, the key and the result
     * @return this
     * @throws IllegalArgumentException if one is already set
     */
    public S then(ExternalOperation.FollowUp<? super C, ? super R> followUp) {
        Objects.requireNonNull(followUp, "followUp");
        options.followedBy(followUp::run);
        return self();
    }

    /**
     * States for how long the other side remembers what was done under a key. The build refuses a retention that is
     * shorter: the record has to answer for at least as long. Default: not stated.
     *
     * @param memory how long
     * @return this
     * @throws IllegalArgumentException if not positive or longer than 3650 days
     */
    public S rememberedFor(Duration memory) {
        options.remembered(memory);
        return self();
    }

    /**
     * Declares which objects, thrown by the work or by the lookup, mean a refusal for good: the other side keeps it under
     * the key, and answers every later request the same, such as a card that is declined. The attempt is then {@code
     * Failed}, with what {@link #describeFailure} says. Default: none.
     *
     * @param thrown true for the thrown objects that mean this
     * @return this
     */
    public S refusedWhen(Predicate<? super Throwable> thrown) {
        options.refused = CommonOptions.either(options.refused, thrown);
        return self();
    }

    /**
     * Declares which objects, thrown by the work, mean that this request did nothing and never will: the other side was
     * never reached. The attempt is then {@code Failed}. Default: none. A timeout is not one of them. The lookup is not
     * asked about them: that it could not reach the other side says nothing about the work. Declare nothing here if the
     * lookup sends the request itself: then the lookup of another call may have its effect.
     *
     * @param thrown true for the thrown objects that mean this
     * @return this
     */
    public S noEffectWhen(Predicate<? super Throwable> thrown) {
        options.noEffect = CommonOptions.either(options.noEffect, thrown);
        return self();
    }

    /**
     * Declares the same, with the same limit, and removes the claim instead of writing {@code Failed}, so that the key can
     * be used again.
     *
     * @param thrown true for the thrown objects that mean this
     * @return this
     */
    public S releaseWhenNoEffect(Predicate<? super Throwable> thrown) {
        options.releases = CommonOptions.either(options.releases, thrown);
        return self();
    }
}
