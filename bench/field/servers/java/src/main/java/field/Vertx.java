package field;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PfxOptions;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Vert.x, which is Netty. */
final class Vertx {
  private static final io.vertx.core.Vertx vertx = io.vertx.core.Vertx.vertx();

  static void start(int http1, int tls) throws Exception {
    var settings = new Http2Settings().setMaxConcurrentStreams(Main.STREAMS);
    var plain = new HttpServerOptions()
        .setInitialSettings(settings)
        .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
        .setIdleTimeout(Main.IDLE_MS)
        .setHost("127.0.0.1");
    var secure = new HttpServerOptions(plain)
        .setSsl(true)
        .setUseAlpn(true)
        .setKeyCertOptions(new PfxOptions().setPath(System.getenv("STORE")).setPassword("field"));
    vertx.createHttpServer(plain).requestHandler(Vertx::handle).listen(http1);
    vertx.createHttpServer(secure).requestHandler(Vertx::handle).listen(tls);
  }

  private static void handle(HttpServerRequest request) {
    try {
      Paths.note(request.uri());
      serve(request);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void serve(HttpServerRequest request) throws IOException {
    var response = request.response();
    switch (request.path()) {
      case "/big" -> say(request, 200, Paths.BIG);
      case "/204", "/304" -> response.setStatusCode(Integer.parseInt(request.path().substring(1))).end();
      case "/503" -> say(request, 503, "no\n".getBytes());
      case "/limited" -> say(request, 413, "too large\n".getBytes());
      case "/post" -> request.body().onSuccess(
          body -> say(request, 200, Integer.toString(body.length()).getBytes()));
      case "/slow" -> vertx.setTimer(300, id -> say(request, 200, Paths.SMALL));
      case "/chunked" -> {
        response.setChunked(true).write("one\n");
        vertx.setTimer(5, id -> {
          response.write("two\n");
          response.end("three\n");
        });
      }
      case "/gzip" -> {
        var accepted = request.getHeader("accept-encoding");
        if (accepted == null || !accepted.contains("gzip")) {
          say(request, 200, Paths.SMALL);
        } else {
          response.putHeader("content-encoding", "gzip");
          say(request, 200, Paths.zipped(Paths.SMALL));
        }
      }
      case "/crash" -> response.reset();
      case "/cut" -> {
        response.putHeader("content-length", "100").write("short");
        vertx.setTimer(5, id -> response.reset());
      }
      default -> say(request, 200, Paths.SMALL);
    }
  }

  private static void say(HttpServerRequest request, int status, byte[] body) {
    var response = request.response();
    response.setStatusCode(status).putHeader("content-length", "" + body.length);
    if (request.method().name().equals("HEAD")) response.end();
    else response.end(Buffer.buffer(body));
  }
}
