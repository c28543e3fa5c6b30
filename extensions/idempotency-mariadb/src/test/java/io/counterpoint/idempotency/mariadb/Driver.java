package io.counterpoint.idempotency.mariadb;

/** The two drivers, which both speak to both servers. */
enum Driver {
    MARIADB("mariadb", "disable"),
    MYSQL("mysql", "DISABLED");

    private final String protocol;
    private final String withoutEncryption;

    Driver(String protocol, String withoutEncryption) {
        this.protocol = protocol;
        this.withoutEncryption = withoutEncryption;
    }

    /** The URL of the tests' server for this driver. */
    String url(String url) {
        return url.replaceFirst("^jdbc:\\w+:", "jdbc:" + protocol + ":")
                .replaceFirst("sslMode=\\w+", "sslMode=" + withoutEncryption);
    }
}
