package dev.statehouse.state;

import java.io.IOException;
import java.io.OutputStream;

/** JSON that is written while it is read, so that it need not fit into memory. */
@FunctionalInterface
interface StreamedBody {

    /** A failure leaves the answer cut short, never ended cleanly. */
    void writeTo(OutputStream out) throws IOException;
}
