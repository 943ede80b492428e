package dev.statehouse.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.util.unit.DataSize;

class ExactResponseTest {

    private final MockHttpServletResponse answer = new MockHttpServletResponse();
    private final ExactResponse exact = new ExactResponse(answer, new MockHttpServletRequest(),
            new WebProperties(DataSize.ofMegabytes(1), Duration.ofSeconds(20), DataSize.ofKilobytes(16)));

    @Test
    void whatIsWrittenAsCharactersArrivesThoughItsWriterFlushesNothing() throws Exception {
        exact.getWriter().write("ü");
        assertThat(answer.getContentAsString()).isEqualTo("ü");
    }

    @Test
    void whatIsWrittenAsBytesArrives() throws Exception {
        exact.getOutputStream().write("written".getBytes(answer.getCharacterEncoding()), 1, 5);
        exact.getOutputStream().write('!');
        assertThat(answer.getContentAsString()).isEqualTo("ritte!");
    }
}
