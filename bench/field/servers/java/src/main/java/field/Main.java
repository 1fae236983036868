package field;

import java.io.FileInputStream;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Main SERVER HTTP1 TLS, with STORE, a PKCS #12 file, and LOG in the environment. */
public class Main {
  static final char[] PASSWORD = "field".toCharArray();
  static final int STREAMS = 8;
  static final int REQUESTS = 100;
  static final int IDLE_MS = 3_000;

  public static void main(String[] args) throws Exception {
    int http1 = Integer.parseInt(args[1]);
    int tls = Integer.parseInt(args[2]);
    switch (args[0]) {
      case "jetty" -> jetty(http1, tls);
      case "tomcat" -> tomcat(http1, tls);
      case "undertow" -> undertow(http1, tls);
      default -> Vertx.start(http1, tls);
    }
  }

  private static void jetty(int http1, int tls) throws Exception {
    var server = new org.eclipse.jetty.server.Server();
    var plain = new org.eclipse.jetty.server.HttpConfiguration();
    var h2c = new org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory(plain);
    h2c.setMaxConcurrentStreams(STREAMS);
    var open = new org.eclipse.jetty.server.ServerConnector(
        server, new org.eclipse.jetty.server.HttpConnectionFactory(plain), h2c);
    var secured = new org.eclipse.jetty.server.HttpConfiguration();
    var customizer = new org.eclipse.jetty.server.SecureRequestCustomizer();
    customizer.setSniHostCheck(false);
    secured.addCustomizer(customizer);
    var h2 = new org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory(secured);
    h2.setMaxConcurrentStreams(STREAMS);
    var alpn = new org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory();
    alpn.setDefaultProtocol("http/1.1");
    var context = new org.eclipse.jetty.util.ssl.SslContextFactory.Server();
    context.setKeyStorePath(System.getenv("STORE"));
    context.setKeyStorePassword(new String(PASSWORD));
    var secure = new org.eclipse.jetty.server.ServerConnector(
        server,
        new org.eclipse.jetty.server.SslConnectionFactory(context, "alpn"),
        alpn,
        h2,
        new org.eclipse.jetty.server.HttpConnectionFactory(secured));
    open.setPort(http1);
    secure.setPort(tls);
    for (var connector : new org.eclipse.jetty.server.ServerConnector[] {open, secure}) {
      connector.setHost("127.0.0.1");
      connector.setIdleTimeout(IDLE_MS);
      server.addConnector(connector);
    }
    var handler = new org.eclipse.jetty.ee10.servlet.ServletContextHandler();
    handler.addServlet(Paths.class, "/*");
    server.setHandler(handler);
    server.start();
  }

  private static void tomcat(int http1, int tls) throws Exception {
    var tomcat = new org.apache.catalina.startup.Tomcat();
    tomcat.setBaseDir(System.getProperty("user.dir"));
    var context = tomcat.addContext("", null);
    org.apache.catalina.startup.Tomcat.addServlet(context, "paths", new Paths());
    context.addServletMappingDecoded("/*", "paths");
    for (int port : new int[] {http1, tls}) {
      var connector = new org.apache.catalina.connector.Connector();
      connector.setPort(port);
      connector.setProperty("address", "127.0.0.1");
      connector.setProperty("maxKeepAliveRequests", "" + REQUESTS);
      connector.setProperty("keepAliveTimeout", "" + IDLE_MS);
      var http2 = new org.apache.coyote.http2.Http2Protocol();
      http2.setMaxConcurrentStreams(STREAMS);
      http2.setKeepAliveTimeout(IDLE_MS);
      connector.addUpgradeProtocol(http2);
      if (port == tls) {
        connector.setSecure(true);
        connector.setScheme("https");
        connector.setProperty("SSLEnabled", "true");
        var host = new org.apache.tomcat.util.net.SSLHostConfig();
        var certificate = new org.apache.tomcat.util.net.SSLHostConfigCertificate(
            host, org.apache.tomcat.util.net.SSLHostConfigCertificate.Type.UNDEFINED);
        certificate.setCertificateKeystoreFile(System.getenv("STORE"));
        certificate.setCertificateKeystorePassword(new String(PASSWORD));
        certificate.setCertificateKeystoreType("PKCS12");
        host.addCertificate(certificate);
        connector.addSslHostConfig(host);
      }
      tomcat.getService().addConnector(connector);
    }
    tomcat.start();
    tomcat.getServer().await();
  }

  private static void undertow(int http1, int tls) throws Exception {
    var deployment = io.undertow.servlet.Servlets.deployment()
        .setClassLoader(Main.class.getClassLoader())
        .setContextPath("/")
        .setDeploymentName("field")
        .addServlet(io.undertow.servlet.Servlets.servlet("paths", Paths.class).addMapping("/*"));
    var manager = io.undertow.servlet.Servlets.defaultContainer().addDeployment(deployment);
    manager.deploy();
    io.undertow.Undertow.builder()
        .setServerOption(io.undertow.UndertowOptions.ENABLE_HTTP2, true)
        .setServerOption(io.undertow.UndertowOptions.HTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, STREAMS)
        .setServerOption(io.undertow.UndertowOptions.NO_REQUEST_TIMEOUT, IDLE_MS)
        .addHttpListener(http1, "127.0.0.1")
        .addHttpsListener(tls, "127.0.0.1", sslContext())
        .setHandler(manager.start())
        .build()
        .start();
  }

  private static SSLContext sslContext() throws Exception {
    var store = KeyStore.getInstance("PKCS12");
    try (var file = new FileInputStream(System.getenv("STORE"))) {
      store.load(file, PASSWORD);
    }
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD);
    var context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }
}
