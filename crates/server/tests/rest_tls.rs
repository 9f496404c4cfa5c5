//! Listening with and without TLS, and how it ends.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::net::SocketAddr;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::routing::get;
use reqwest::Client;
use server::rest::{ServeError, Tls, serve};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

#[tokio::test]
async fn with_a_certificate_it_speaks_tls_and_knows_who_asks() {
    let folder = TempDir::new().unwrap();
    let tls = files(&folder, CERTIFICATE, KEY);
    let client = Client::builder().tls_danger_accept_invalid_certs(true).build().unwrap();
    assert_serves("https", Some(tls), &client).await;
}

#[tokio::test]
async fn without_one_it_speaks_http() {
    assert_serves("http", None, &Client::new()).await;
}

#[tokio::test]
async fn a_certificate_that_is_none_is_named() {
    let folder = TempDir::new().unwrap();
    let tls = files(&folder, "nothing", KEY);
    assert!(matches!(tls.check().await, Err(ServeError::Tls { .. })));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let refused = serve(listener, Some(tls), Router::new(), std::future::pending()).await;
    let refused = refused.unwrap_err();
    assert!(matches!(refused, ServeError::Tls { .. }));
    assert!(refused.to_string().contains("cert.pem"), "{refused}");
}

async fn assert_serves(scheme: &str, tls: Option<Tls>, client: &Client) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let who = |ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.ip().to_string() };
    let router = Router::new().route("/", get(who));
    let (stop, stopped) = oneshot::channel::<()>();
    let shutdown = async { drop(stopped.await) };
    let serving = tokio::spawn(serve(listener, tls, router, shutdown));
    let answer = client.get(format!("{scheme}://{address}/")).send().await.unwrap();
    assert_eq!(answer.text().await.unwrap(), "127.0.0.1");
    stop.send(()).unwrap();
    serving.await.unwrap().unwrap();
}

fn files(folder: &TempDir, certificate: &str, key: &str) -> Tls {
    let tls =
        Tls { certificate: folder.path().join("cert.pem"), key: folder.path().join("key.pem") };
    std::fs::write(&tls.certificate, certificate).unwrap();
    std::fs::write(&tls.key, key).unwrap();
    tls
}

/// Of `localhost`, signed by itself, good for nothing else.
const CERTIFICATE: &str = "\
-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUbl1WN5izpl6iOZy+7aVlFFClGEgwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNTE5Mzg0MloYDzIxMjYxMDIy
MTkzODQyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATsrpzeFZO1NaXDw2bZwkOuTm3CvCrA9Dls+IIcW6Po4Oh5xwsgZDqI
Gt6/e+VWIHuAeCtXn/gb1yDXxvWtXqZdo28wbTAdBgNVHQ4EFgQUIc8fy1+2GRMY
BJQ63uqiSpr4SLQwHwYDVR0jBBgwFoAUIc8fy1+2GRMYBJQ63uqiSpr4SLQwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhALLZoPZbAKCKJpaS4dcKWZg/ghcM/WefVotFpCRnT2gTAiBa
Gr0qTKI68NL5wdGNVP0eMIPnZs2fPjtOramSqnug2w==
-----END CERTIFICATE-----
";

/// Its key, which protects nothing.
const KEY: &str = "\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg1a+uN8sJ8Ai105Yn
8dKaQXdCeBO8GZqsIW+NA8T4GUShRANCAATsrpzeFZO1NaXDw2bZwkOuTm3CvCrA
9Dls+IIcW6Po4Oh5xwsgZDqIGt6/e+VWIHuAeCtXn/gb1yDXxvWtXqZd
-----END PRIVATE KEY-----
";
