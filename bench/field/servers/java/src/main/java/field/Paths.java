package field;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;

/** The paths of the field as a servlet, which Jetty, Tomcat and Undertow run; LOG in the environment. */
public class Paths extends HttpServlet {
  static final byte[] SMALL = "Hello, field!\n".getBytes(StandardCharsets.US_ASCII);
  static final byte[] BIG = "x".repeat(1_000_000).getBytes(StandardCharsets.US_ASCII);

  static void note(String uri) throws IOException {
    try (var file = new FileOutputStream(System.getenv("LOG"), true)) {
      file.write((uri + "\n").getBytes(StandardCharsets.US_ASCII));
    }
  }

  static byte[] zipped(byte[] text) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(bytes)) {
      gzip.write(text);
    }
    return bytes.toByteArray();
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
    var path = request.getRequestURI();
    note(path + "?" + request.getQueryString());
    switch (path) {
      case "/big" -> say(request, response, 200, BIG);
      case "/204", "/304" -> response.setStatus(Integer.parseInt(path.substring(1)));
      case "/503" -> say(request, response, 503, "no\n".getBytes());
      case "/limited" -> say(request, response, 413, "too large\n".getBytes());
      case "/post" -> {
        long count = 0;
        var buffer = new byte[65536];
        for (int n; (n = request.getInputStream().read(buffer)) >= 0; ) count += n;
        say(request, response, 200, Long.toString(count).getBytes());
      }
      case "/slow" -> {
        pause(300);
        say(request, response, 200, SMALL);
      }
      case "/chunked" -> {
        for (var piece : new String[] {"one\n", "two\n", "three\n"}) {
          response.getOutputStream().write(piece.getBytes());
          response.flushBuffer();
          pause(5);
        }
      }
      case "/gzip" -> {
        var accepted = request.getHeader("accept-encoding");
        if (accepted == null || !accepted.contains("gzip")) {
          say(request, response, 200, SMALL);
        } else {
          response.setHeader("content-encoding", "gzip");
          say(request, response, 200, zipped(SMALL));
        }
      }
      case "/crash" -> throw new IllegalStateException("crash");
      case "/cut" -> {
        response.setContentLength(100);
        response.getOutputStream().write("short".getBytes());
        response.flushBuffer();
        pause(5);
        throw new IllegalStateException("cut");
      }
      default -> say(request, response, 200, SMALL);
    }
  }

  private static void say(HttpServletRequest request, HttpServletResponse response, int status, byte[] body)
      throws IOException {
    response.setStatus(status);
    response.setContentLength(body.length);
    if (!request.getMethod().equals("HEAD")) response.getOutputStream().write(body);
  }

  private static void pause(int ms) {
    try {
      Thread.sleep(ms);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
