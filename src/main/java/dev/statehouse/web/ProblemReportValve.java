package dev.statehouse.web;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.Map;

import dev.statehouse.problem.ProblemCode;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.coyote.http11.Http11InputBuffer;
import org.apache.tomcat.util.ExceptionUtils;
import org.apache.tomcat.util.http.MimeHeaders;
import org.apache.tomcat.util.res.StringManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;

/**
 * Answers what Tomcat itself refuses (a bad request line, headers that are too long) as a problem, where Tomcat would
 * write a page of HTML. A failure after the answer has begun closes the connection, so that no client takes the half
 * for the whole. Public because Tomcat makes it by its class name.
 */
public final class ProblemReportValve extends ErrorReportValve {

    private static final Logger LOG = LoggerFactory.getLogger(ProblemReportValve.class);
    private static final String TOO_LONG = StringManager.getManager(Http11InputBuffer.class)
            .getString("iib.requestheadertoolarge.error");
    private static final String TOO_MANY = StringManager.getManager(MimeHeaders.class)
            .getString("headers.maxCountFail", "|")
            .split("\\|", 2)[0];

    @Override
    protected void report(Request request, Response response, @Nullable Throwable failure) {
        int status = response.getStatus();
        if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
            return;
        }
        if (status >= 500 && failure != null) {
            LOG.error("{} {} failed", request.getMethod(), request.getRequestURI(), failure);
        }
        ProblemCode code = isSilence(failure)
                ? ProblemCode.REQUEST_TIMEOUT
                : isTooLong(failure) ? ProblemCode.HEADERS_TOO_LARGE : ProblemStatus.codeOf(status);
        try {
            ProblemDocument.of(code, detail(code), Map.of(), new HttpHeaders(), request).writeTo(response);
            response.finishResponse();
        } catch (IOException | IllegalStateException | LinkageError e) {
            ExceptionUtils.handleThrowable(e);
        }
    }

    /** Tomcat tells what is too long from what is malformed by the text of its exception alone, so that text is asked. */
    private static boolean isTooLong(@Nullable Throwable failure) {
        String message = failure == null ? null : failure.getMessage();
        return message != null && (message.equals(TOO_LONG) || message.startsWith(TOO_MANY));
    }

    /** Whether a body stayed away for the server's whole connection-timeout. */
    private static boolean isSilence(@Nullable Throwable failure) {
        return failure instanceof SocketTimeoutException || failure != null && isSilence(failure.getCause());
    }

    private static String detail(ProblemCode code) {
        return switch (code) {
            case BAD_REQUEST ->
                "The request is not valid HTTP: look at its request line, its headers and how its body is framed.";
            case REQUEST_TIMEOUT ->
                "The body did not come: the connection was silent for server.tomcat.connection-timeout.";
            case HEADERS_TOO_LARGE -> "The URL and the headers together are longer than this service takes.";
            case NOT_FOUND -> "There is no such page.";
            case METHOD_NOT_ALLOWED -> "This method is not allowed here.";
            default -> "The request could not be served.";
        };
    }
}
