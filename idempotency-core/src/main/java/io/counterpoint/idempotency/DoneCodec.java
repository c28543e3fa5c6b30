package io.counterpoint.idempotency;

/** The codec of the only result that there is without a result. An operation with it knows what it will store. */
enum DoneCodec implements ResultCodec<Done> {
    INSTANCE;

    @Override
    public byte[] encode(Done result) {
        return new byte[0];
    }

    @Override
    public Done decode(byte[] bytes) {
        return Done.DONE;
    }
}
