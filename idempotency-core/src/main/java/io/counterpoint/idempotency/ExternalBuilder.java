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
     * Sets the follow-up of the effect in the store's own database, such as a booking or a message. It commits in one
     * transaction with {@code Succeeded}, no matter which finds the effect: the leader, the end of asynchronous work, a
     * later call whose lookup finds it, {@link Resolvable#settle}, or an operator.
     *
     * <p>An exception thrown by it never fails the attempt or releases the key, because the effect exists. The call
     * ends with {@link IdempotencyException.Reason#FOLLOW_UP_OWED}, and the next one runs only the follow-up. A process
     * whose operation has no follow-up never ends such an attempt.
     *
     * <p>This is guaranteed for as long as the record exists. Store the effect's identifier in a unique column, so that
     * nothing is written twice after the retention.
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
     * Declares how long the other side remembers what was done under a key. The build rejects a shorter retention,
     * because the record must be kept for at least as long. Default: not stated.
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
     * Declares which objects, thrown by the work or by the lookup, mean a permanent refusal, such as a declined card:
     * the other side keeps it under the key, and refuses every later request in the same way. The attempt is then
     * {@code Failed}, as {@link #describeFailure} describes it. Default: none.
     *
     * @param thrown true for such thrown objects
     * @return this
     */
    public S refusedWhen(Predicate<? super Throwable> thrown) {
        options.refused = CommonOptions.either(options.refused, thrown);
        return self();
    }

    /**
     * Declares which objects, thrown by the work, mean that this request did nothing and never will: the other side was
     * never reached. The attempt is then {@code Failed}. Default: none. A timeout is not one of them. It does not apply
     * to the lookup, because a lookup that cannot reach the other side says nothing about the work. Declare nothing
     * here if the lookup sends the request itself, because another call's lookup may then have the effect.
     *
     * @param thrown true for such thrown objects
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
     * @param thrown true for such thrown objects
     * @return this
     */
    public S releaseWhenNoEffect(Predicate<? super Throwable> thrown) {
        options.releases = CommonOptions.either(options.releases, thrown);
        return self();
    }
}
