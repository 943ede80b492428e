package dev.statehouse.auth;

import java.util.List;

import dev.statehouse.id.StateId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.stereotype.Component;

/**
 * Says in a line of the log {@code statehouse.audit} who changed what, and who was kept from it: the call, the id, the
 * version, the caller with the name of its token, and the request; never what is in a state, a token, or a
 * {@code lock_id}. To be used on the thread of the call.
 */
@Component
public final class Audit {

    /** Where the word for the present call stands, as {@link Needs} has it. */
    public static final String CALL = "call";

    private static final Logger LOG = LoggerFactory.getLogger("statehouse.audit");
    private static final String REQUEST = "request_id";

    private final Access access;

    Audit(Access access) {
        this.access = access;
    }

    /** A state has been written, or cleared, and now has this version. */
    public void changed(StateId id, long version) {
        line(access.caller(), "done", List.of(id), " version=" + version);
    }

    /** A state may have been written: nobody knows. */
    public void unconfirmed(StateId id) {
        line(access.caller(), "unconfirmed", List.of(id), "");
    }

    /** A lock has been granted, renewed or ended. */
    public void locked(StateId id, String what) {
        line(access.caller(), "done", List.of(id), what);
    }

    /** The caller may not do this. */
    static void denied(Caller caller, Role role, List<StateId> ids) {
        line(caller, "denied", ids, " missing=" + role.word());
    }

    private static void line(Caller caller, String outcome, List<StateId> ids, String more) {
        if (LOG.isInfoEnabled()) {
            StringBuilder line = new StringBuilder(160);
            line.append(MDC.get(CALL)).append(' ').append(outcome);
            ids.forEach(id -> quoted(line.append(" id="), id.value()));
            line.append(more);
            quoted(line.append(" subject="), caller.subject());
            quoted(line.append(" token="), caller.token());
            LOG.info(line.append(" request=").append(MDC.get(REQUEST)).toString());
        }
    }

    /** As a JSON string, with all escaped that could end a line, or make it look like another. */
    private static void quoted(StringBuilder line, String text) {
        line.append('"');
        text.codePoints().forEach(c -> {
            if (c == '"' || c == '\\') {
                line.append('\\').append((char) c);
            } else if (isPlain(c)) {
                line.appendCodePoint(c);
            } else {
                for (char half : Character.toChars(c)) {
                    line.append("\\u%04x".formatted((int) half));
                }
            }
        });
        line.append('"');
    }

    private static boolean isPlain(int c) {
        return c < 128 ? c >= ' ' && c != 127 : switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED ->
                false;
            default -> true;
        };
    }
}
