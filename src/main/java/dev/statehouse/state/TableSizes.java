package dev.statehouse.state;

import java.util.List;

/** The port to what the store says of its own tables. */
public interface TableSizes {

    /**
     * One of the tables.
     *
     * @param name {@code state} or {@code ledger}, whatever it is called in the store
     * @param parts how many pieces it is made of now
     * @param rows how many rows are in it, those that others have replaced included
     * @param bytes what it takes on disk
     */
    record TableSize(String name, long parts, long rows, long bytes) {}

    /** Of the tables that this service's user may see. */
    List<TableSize> sizes();
}
