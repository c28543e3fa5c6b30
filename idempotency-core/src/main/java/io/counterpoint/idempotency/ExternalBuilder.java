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
     * transaction with {@code Succeeded}, no matter who establishes that the effect exists: the leader, the completion
     * of asynchronous work, a later call whose lookup finds it, {@link Resolvable#settle} or an operator.
     *
     * <p>Because the effect exists, an exception of the follow-up never makes the attempt fail and never releases the
     * key. The call ends with {@link IdempotencyException.Reason#FOLLOW_UP_OWED}, and the next call resumes with the
     * follow-up alone. A process whose operation has no follow-up cannot complete such an attempt.
     *
     * <p>The promise holds only while the record exists. Add a unique column with the identity of the effect to
     * whatever the follow-up writes, so that nothing is written twice after the retention period.
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
     * States how long the other side remembers what was done under a key. {@code build()} rejects a shorter retention,
     * because the record has to answer retries for at least as long. Default: not stated.
     *
     * @param memory the duration
     * @return this
     * @throws IllegalArgumentException if not positive or longer than 3650 days
     */
    public S rememberedFor(Duration memory) {
        options.remembered(memory);
        return self();
    }

    /**
     * Declares which exceptions of the work or the lookup mean a permanent refusal, such as a declined card: the other
     * side remembers it under the key and responds to every later request in the same way. The attempt is then {@code
     * Failed}, with the description from {@link #describeFailure}. Default: none.
     *
     * @param thrown true for the exceptions that mean this
     * @return this
     */
    public S refusedWhen(Predicate<? super Throwable> thrown) {
        options.refused = CommonOptions.either(options.refused, thrown);
        return self();
    }

    /**
     * Declares which exceptions of the work mean that this request did nothing and never will, because the other side
     * was never reached. The attempt is then {@code Failed}. Default: none. A timeout is not such an exception. The
     * predicate is not applied to exceptions of the lookup: a lookup that cannot reach the other side says nothing
     * about the work. Declare nothing here if the lookup sends the request itself, because the lookup of another call
     * may then have taken effect.
     *
     * @param thrown true for the exceptions that mean this
     * @return this
     */
    public S noEffectWhen(Predicate<? super Throwable> thrown) {
        options.noEffect = CommonOptions.either(options.noEffect, thrown);
        return self();
    }

    /**
     * Like {@link #noEffectWhen}, with the same limit, but removes the claim instead of writing {@code Failed}, so that
     * the key can be used again.
     *
     * @param thrown true for the exceptions that mean this
     * @return this
     */
    public S releaseWhenNoEffect(Predicate<? super Throwable> thrown) {
        options.releases = CommonOptions.either(options.releases, thrown);
        return self();
    }
}
