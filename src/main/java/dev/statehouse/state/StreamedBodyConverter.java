package dev.statehouse.state;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;

import org.springframework.http.HttpInputMessage;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.MediaType;
import org.springframework.http.converter.AbstractHttpMessageConverter;
import org.springframework.http.converter.HttpMessageConverters;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Writes a {@link StreamedBody} on the thread of the request, which is a virtual one: a failure then reaches the server
 * as it is, and the connection is cut.
 */
@Component
final class StreamedBodyConverter extends AbstractHttpMessageConverter<StreamedBody> implements WebMvcConfigurer {

    private static final int BUFFER_BYTES = 64 * 1024;

    StreamedBodyConverter() {
        super(MediaType.APPLICATION_JSON);
    }

    @Override
    public void configureMessageConverters(HttpMessageConverters.ServerBuilder builder) {
        builder.addCustomConverter(this);
    }

    @Override
    protected boolean supports(Class<?> type) {
        return StreamedBody.class.isAssignableFrom(type);
    }

    @Override
    protected boolean canRead(org.springframework.http.@org.jspecify.annotations.Nullable MediaType mediaType) {
        return false;
    }

    @Override
    protected StreamedBody readInternal(Class<? extends StreamedBody> type, HttpInputMessage input) {
        throw new HttpMessageNotReadableException("This body is for answers alone.", input);
    }

    @Override
    protected void writeInternal(StreamedBody body, HttpOutputMessage output) throws IOException {
        OutputStream out = new BufferedOutputStream(output.getBody(), BUFFER_BYTES);
        body.writeTo(out);
        out.flush();
    }
}
