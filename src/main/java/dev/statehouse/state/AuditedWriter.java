package dev.statehouse.state;

import java.util.List;

import dev.statehouse.auth.Audit;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Primary;
import org.springframework.stereotype.Component;

/** Has a line written for each state that a call changes, whichever call it is. */
@Component
@Primary
final class AuditedWriter implements StateWriter {

    /** The name of the writer that writes. */
    static final String PLAIN = "plainStateWriter";

    private final StateWriter writer;
    private final Audit audit;

    AuditedWriter(@Qualifier(PLAIN) StateWriter writer, Audit audit) {
        this.writer = writer;
        this.audit = audit;
    }

    @Override
    public List<Outcome> write(List<Write> writes) {
        List<Outcome> outcomes;
        try {
            outcomes = writer.write(writes);
        } catch (Unavailable outage) {
            if (outage.code() == ProblemCode.WRITE_UNCONFIRMED) {
                writes.forEach(write -> audit.unconfirmed(write.id()));
            }
            throw outage;
        }
        for (int i = 0; i < writes.size(); i++) {
            tell(writes.get(i), outcomes.get(i));
        }
        return outcomes;
    }

    private void tell(Write write, Outcome outcome) {
        switch (outcome) {
            case Outcome.Done done when done.state().version() > 0 ->
                audit.changed(write.id(), done.state().version());
            case Outcome.Refused refused when refused.problem().code() == ProblemCode.WRITE_UNCONFIRMED ->
                audit.unconfirmed(write.id());
            default -> {
            }
        }
    }
}
