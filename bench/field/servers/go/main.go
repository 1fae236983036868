// Go's net/http on three ports: main HTTP1 TLS TLS12, with CERT, KEY and LOG in the environment.
package main

import (
	"compress/gzip"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

const small = "Hello, field!\n"

var big = strings.Repeat("x", 1_000_000)

func main() {
	file, err := os.OpenFile(os.Getenv("LOG"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		log.Fatal(err)
	}
	var requests atomic.Int64
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(file, r.URL.RequestURI())
		// In HTTP/2 this is a GOAWAY, which Go sends before the responses that are due.
		if requests.Add(1)%100 == 0 {
			w.Header().Set("Connection", "close")
		}
		serve(w, r)
	})
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	listen := func(port string, config *tls.Config) {
		server := http.Server{
			Addr: "127.0.0.1:" + port, Handler: handler, IdleTimeout: 3 * time.Second, TLSConfig: config,
			Protocols: &protocols, HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 8},
			ErrorLog: log.New(io.Discard, "", 0),
		}
		if config == nil {
			log.Fatal(server.ListenAndServe())
		}
		log.Fatal(server.ListenAndServeTLS(os.Getenv("CERT"), os.Getenv("KEY")))
	}
	go listen(os.Args[1], nil)
	go listen(os.Args[2], &tls.Config{MinVersion: tls.VersionTLS13})
	listen(os.Args[3], &tls.Config{MaxVersion: tls.VersionTLS12})
}

func serve(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/big":
		w.Header().Set("Content-Length", fmt.Sprint(len(big)))
		io.WriteString(w, big)
	case "/204":
		w.WriteHeader(http.StatusNoContent)
	case "/304":
		w.WriteHeader(http.StatusNotModified)
	case "/503":
		http.Error(w, "no", http.StatusServiceUnavailable)
	case "/post":
		n, _ := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n)
	case "/slow":
		time.Sleep(300 * time.Millisecond)
		io.WriteString(w, small)
	case "/chunked":
		for _, piece := range []string{"one\n", "two\n", "three\n"} {
			io.WriteString(w, piece)
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	case "/gzip":
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			packed := gzip.NewWriter(w)
			io.WriteString(packed, small)
			packed.Close()
			return
		}
		io.WriteString(w, small)
	case "/crash":
		panic(http.ErrAbortHandler)
	case "/cut":
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "short")
		w.(http.Flusher).Flush()
		time.Sleep(5 * time.Millisecond)
		panic(http.ErrAbortHandler)
	case "/limited":
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
	default:
		io.WriteString(w, small)
	}
}
