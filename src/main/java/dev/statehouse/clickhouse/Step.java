package dev.statehouse.clickhouse;

import java.util.Locale;

/** What is asked of ClickHouse, for logs and metrics. */
enum Step {

    READ("Reading states"), LOOK("Looking at the ledger"), READ_AND_LOOK("Reading states and the ledger"), SNAPSHOT(
            "Looking for a snapshot"), APPEND("Appending to the ledger"), VERSIONS("Reading versions"), STORE(
                    "Writing states"), STORE_IF(
                            "Writing a state by the ledger"), HELP("Helping a write"), LIST("Listing states"), PAGE(
                                    "Reading a page of states"), COUNT("Counting states"), LIST_LOCKS(
                                            "Listing locks"), READ_LOCKS("Looking at the lock table"), ADD_LOCK(
                                                    "Writing to the lock table"), REMOVE_LOCK(
                                                            "Deleting from the lock table"), SIZES(
                                                                    "Looking at the sizes of the tables");

    private final String inWords;

    Step(String inWords) {
        this.inWords = inWords;
    }

    /** For the log. */
    String inWords() {
        return inWords;
    }

    /** For metrics. */
    String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
