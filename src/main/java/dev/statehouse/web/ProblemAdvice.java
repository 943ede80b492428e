package dev.statehouse.web;

import java.util.Map;
import java.util.stream.Collectors;

import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.Problem;
import dev.statehouse.problem.ProblemCode;
import dev.statehouse.problem.Unavailable;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.catalina.connector.ClientAbortException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.TypeMismatchException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.HttpMediaTypeException;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.MissingRequestHeaderException;
import org.springframework.web.bind.MissingServletRequestParameterException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Turns what a call throws into a problem; what nobody foresaw is logged and told without its innards. */
@RestControllerAdvice
final class ProblemAdvice extends ResponseEntityExceptionHandler {

    private static final Logger LOG = LoggerFactory.getLogger(ProblemAdvice.class);

    @ExceptionHandler
    ResponseEntity<Object> problem(Problem problem, WebRequest request) {
        if (problem instanceof Unavailable unavailable) {
            // Without its cause: that may quote data, and who met it has logged what may be.
            LOG.warn("{}: {}", unavailable.code().code(), unavailable.detail());
        }
        failIfBegun(request, problem);
        return ProblemDocument.of(problem, servletRequest(request)).toResponse();
    }

    @ExceptionHandler
    @Nullable
    ResponseEntity<Object> unforeseen(Exception failure, WebRequest request) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof Problem problem) {
                return problem(problem, request);
            } else if (cause instanceof ClientAbortException gone) {
                LOG.info("Nobody reads the answer to {} to its end: {}", request.getDescription(false),
                        gone.getMessage());
                return null;
            }
        }
        LOG.error("Unforeseen failure of {}", request.getDescription(false), failure);
        return answer(ProblemCode.INTERNAL_ERROR, 500,
                "The service failed at this call; its log says more under this request id.", new HttpHeaders(), failure,
                request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleTypeMismatch(TypeMismatchException failure, HttpHeaders headers,
            HttpStatusCode status, WebRequest request) {
        if (failure.getRootCause() instanceof Problem problem) {
            return problem(problem, request);
        }
        String name = failure instanceof MethodArgumentTypeMismatchException argument
                ? argument.getName()
                : String.valueOf(failure.getPropertyName());
        return problem(new InvalidInput(ProblemCode.INVALID_PARAMETER,
                "The value '%s' of '%s' is not of the kind %s.".formatted(failure.getValue(), name, kind(failure))),
                request);
    }

    private static String kind(TypeMismatchException failure) {
        Class<?> type = failure.getRequiredType();
        return type == null ? "expected" : type.getSimpleName().toLowerCase(java.util.Locale.ROOT);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleExceptionInternal(Exception failure, @Nullable Object body,
            HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        ProblemCode code = failure instanceof MissingRequestHeaderException
                ? ProblemCode.INVALID_HEADER
                : failure instanceof MissingServletRequestParameterException
                        ? ProblemCode.INVALID_PARAMETER
                        : ProblemStatus.codeOf(status.value());
        if (status.is5xxServerError()) {
            return unforeseen(failure, request);
        }
        HttpHeaders kept = new HttpHeaders();
        kept.putAll(headers);
        return answer(code, status.value(), detail(failure), kept, failure, request);
    }

    private static String detail(Exception failure) {
        return switch (failure) {
            case HttpRequestMethodNotSupportedException e -> "The method " + e.getMethod()
                    + " is not allowed here; allowed are " + String.join(", ", orEmpty(e.getSupportedMethods())) + ".";
            case HttpMediaTypeNotSupportedException e -> e.getContentType() == null
                    ? "The body needs a Content-Type; this call takes " + types(e) + "."
                    : "The body is said to be " + e.getContentType() + "; this call takes " + types(e)
                            + ". Send the header Content-Type; curl does with --json.";
            case HttpMediaTypeNotAcceptableException e ->
                "Nothing that the Accept header takes can be had here; there is " + types(e) + ".";
            case MissingServletRequestParameterException e ->
                "The query parameter '" + e.getParameterName() + "' is missing or empty.";
            case MissingRequestHeaderException e -> "The header " + e.getHeaderName() + " is missing.";
            default -> failure instanceof org.springframework.web.ErrorResponse e
                    && e.getStatusCode().value() == 404
                            ? "There is no such page. The calls are listed in /openapi.yaml; in an id, write / as %2F."
                            : "The request could not be read.";
        };
    }

    private static String types(HttpMediaTypeException e) {
        return e.getSupportedMediaTypes().stream().map(MediaType::toString).collect(Collectors.joining(", "));
    }

    private static String[] orEmpty(String @Nullable [] values) {
        return values == null ? new String[0] : values;
    }

    private static ResponseEntity<Object> answer(ProblemCode code, int status, String detail, HttpHeaders headers,
            Exception failure, WebRequest request) {
        failIfBegun(request, failure);
        return ProblemDocument.of(code, status, detail, Map.of(), headers, servletRequest(request)).toResponse();
    }

    /** An answer that has begun cannot become a problem; throwing on has the connection cut. */
    private static void failIfBegun(WebRequest request, Exception failure) {
        var response = ((ServletWebRequest) request).getResponse();
        if (response != null && response.isCommitted()) {
            throw new AnswerCutShort(failure);
        }
    }

    private static HttpServletRequest servletRequest(WebRequest request) {
        return ((ServletWebRequest) request).getRequest();
    }

    private static final class AnswerCutShort extends RuntimeException {

        AnswerCutShort(Exception cause) {
            super("The answer had begun when the call failed; the connection is cut.", cause);
        }
    }
}
