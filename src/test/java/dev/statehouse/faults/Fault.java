package dev.statehouse.faults;

/** What befalls the statements on their way. Its methods may take their time: the statement waits. */
interface Fault {

    Fault NONE = new Fault() {
    };

    /** What to do with a statement. */
    enum Fate {
        /** Forward it and its answer. */
        PASS,
        /** Forward it twice, as a network or a driver might; the first answer is given. */
        TWICE,
        /** Forward it, and cut the connection instead of giving the answer. */
        LOSE_ANSWER,
        /** Forward it, and cut the connection in the middle of the answer. */
        CUT_ANSWER,
        /** Cut the connection without forwarding it. */
        LOSE_REQUEST
    }

    /** Before it is forwarded. */
    default Fate before(Statement statement) throws InterruptedException {
        return Fate.PASS;
    }

    /** ClickHouse has answered, and the instance does not know it yet. */
    default void after(Statement statement) throws InterruptedException {}

    /** The request that is forwarded, headers and all. */
    default HttpMessage disguise(HttpMessage request) {
        return request;
    }

    /** What is forwarded in its place. */
    default String rewrite(String text) {
        return text;
    }
}
