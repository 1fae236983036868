//! axum, which is hyper: main HTTP1 TLS, with CERT, KEY and LOG in the environment.
use std::{env, fs::OpenOptions, io::Write, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, Request},
    http::{HeaderMap, StatusCode},
    middleware::{Next, from_fn},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use axum_server::tls_rustls::RustlsConfig;
use tokio::time::sleep;
use tokio_stream::{StreamExt, iter};

const SMALL: &str = "Hello, field!\n";
/// `SMALL`, compressed by gzip.
const ZIPPED: &[u8] = &[
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 243, 72, 205, 201, 201, 215, 81, 72, 203, 76, 205, 73, 81, 228,
    2, 0, 237, 152, 101, 190, 14, 0, 0, 0,
];

async fn log(request: Request, next: Next) -> Response {
    let mut file = OpenOptions::new().create(true).append(true).open(env::var("LOG").unwrap()).unwrap();
    // In one write, because others write to the same file.
    file.write_all(format!("{}\n", request.uri()).as_bytes()).unwrap();
    next.run(request).await
}

fn pieces(texts: Vec<Result<&'static str, std::io::Error>>) -> Body {
    Body::from_stream(iter(texts).then(|text| async {
        sleep(Duration::from_millis(5)).await;
        text
    }))
}

async fn slow() -> &'static str {
    sleep(Duration::from_millis(300)).await;
    SMALL
}

async fn gzip(headers: HeaderMap) -> Response {
    let accepted = headers.get("accept-encoding").and_then(|value| value.to_str().ok());
    match accepted {
        Some(codings) if codings.contains("gzip") => ([("content-encoding", "gzip")], ZIPPED).into_response(),
        _ => SMALL.into_response(),
    }
}

async fn cut() -> Response {
    let body = pieces(vec![Ok("short"), Err(std::io::Error::other("cut"))]);
    ([("content-length", "100")], body).into_response()
}

async fn crash() -> &'static str {
    panic!("crash")
}

#[tokio::main]
async fn main() {
    let app = Router::new()
        .route("/small", get(SMALL))
        .route("/big", get(|| async { "x".repeat(1_000_000) }))
        .route("/204", get(StatusCode::NO_CONTENT))
        .route("/304", get(StatusCode::NOT_MODIFIED))
        .route("/503", get((StatusCode::SERVICE_UNAVAILABLE, "no\n")))
        .route("/post", post(|body: Bytes| async move { body.len().to_string() }))
        .route("/limited", post((StatusCode::PAYLOAD_TOO_LARGE, "too large\n")))
        .route("/slow", get(slow))
        .route("/chunked", get(|| async { pieces(vec![Ok("one\n"), Ok("two\n"), Ok("three\n")]) }))
        .route("/gzip", get(gzip))
        .route("/cut", get(cut))
        .route("/crash", get(crash))
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn(log));
    let port = |at: usize| format!("127.0.0.1:{}", env::args().nth(at).unwrap()).parse().unwrap();
    let identity = RustlsConfig::from_pem_file(env::var("CERT").unwrap(), env::var("KEY").unwrap()).await.unwrap();
    let mut plain = axum_server::bind(port(1));
    plain.http_builder().http2().max_concurrent_streams(8);
    let mut secure = axum_server::bind_rustls(port(2), identity);
    secure.http_builder().http2().max_concurrent_streams(8);
    let (plain, secure) = tokio::join!(plain.serve(app.clone().into_make_service()), secure.serve(app.into_make_service()));
    plain.unwrap();
    secure.unwrap();
}
