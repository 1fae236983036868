// A server with a cause of slowness, which its first argument names; without one it has none. For each request, `work S
// P` takes S rounds of one function and P of another; `vary N` takes 1 to 2N - 1 rounds, each number equally often, and
// allocates some 50 kB that are collected later; `lock` waits for 5 ms, one request at a time; `waiting` waits for 20
// ms; `redis` makes Redis compute; `storm` allocates while much other memory stays in use; `fsync FOLDER` writes a
// megabyte to storage; `resolve NAME` looks a name up; `capped N` waits for 20 ms, with at most N open connections.
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"net"
	"net/http"
	_ "net/http/pprof"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"
)

const round = 100000

//go:noinline
func steady(rounds int) (sum int) {
	for i := 0; i < rounds*round; i++ {
		sum += i * i % 7
	}
	return
}

//go:noinline
func planted(rounds int) (sum int) {
	for i := 0; i < rounds*round; i++ {
		sum += i * i % 5
	}
	return
}

type node struct {
	left, right *node
	data        [4]int
}

func tree(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{left: tree(depth - 1), right: tree(depth - 1)}
}

var stays, last *node

const compute = "local i = 0 while i < 100000 do i = i + 1 end return 1"

var redis struct {
	sync.Mutex
	free []*bufio.ReadWriter
}

func connection() *bufio.ReadWriter {
	redis.Lock()
	defer redis.Unlock()
	if count := len(redis.free); count > 0 {
		taken := redis.free[count-1]
		redis.free = redis.free[:count-1]
		return taken
	}
	at, _ := url.Parse(os.Getenv("REDIS_URL"))
	socket, err := net.Dial("tcp", at.Host)
	if err != nil {
		panic(err)
	}
	return bufio.NewReadWriter(bufio.NewReader(socket), bufio.NewWriter(socket))
}

func askRedis() {
	used := connection()
	fmt.Fprintf(used, "*3\r\n$4\r\nEVAL\r\n$%d\r\n%s\r\n$1\r\n0\r\n", len(compute), compute)
	used.Flush()
	used.ReadString('\n')
	redis.Lock()
	redis.free = append(redis.free, used)
	redis.Unlock()
}

var lock sync.Mutex

var record = make([]byte, 1000000)

func journal(folder string) *os.File {
	file, err := os.CreateTemp(folder, "records-")
	if err != nil {
		panic(err)
	}
	return file
}

// Takes a connection when one of its places is free.
type capped struct {
	net.Listener
	places chan struct{}
}

func (listener capped) Accept() (net.Conn, error) {
	listener.places <- struct{}{}
	conn, err := listener.Listener.Accept()
	return &placed{Conn: conn, places: listener.places}, err
}

type placed struct {
	net.Conn
	places chan struct{}
	once   sync.Once
}

func (conn *placed) Close() error {
	conn.once.Do(func() { <-conn.places })
	return conn.Conn.Close()
}

func number(at int) int {
	value, _ := strconv.Atoi(os.Args[at])
	return value
}

func handler() func() {
	if len(os.Args) < 2 {
		return func() {}
	}
	switch os.Args[1] {
	case "work":
		rounds, plantedRounds := number(2), number(3)
		return func() { steady(rounds); planted(plantedRounds) }
	case "vary":
		rounds := number(2)
		return func() { last = tree(9); steady(1 + rand.Intn(2*rounds-1)) }
	case "lock":
		return func() {
			lock.Lock()
			time.Sleep(5 * time.Millisecond)
			lock.Unlock()
		}
	case "fsync":
		file := journal(os.Args[2])
		return func() { file.WriteAt(record, 0); file.Sync() }
	case "resolve":
		return func() { net.LookupHost(os.Args[2]) }
	case "waiting", "capped":
		return func() { time.Sleep(20 * time.Millisecond) }
	case "redis":
		return askRedis
	case "storm":
		stays = tree(16)
		return func() { last = tree(12) }
	}
	panic(os.Args[1])
}

func main() {
	handle := handler()
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		handle()
		w.Write([]byte("right"))
	})
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		panic(err)
	}
	if len(os.Args) > 1 && os.Args[1] == "capped" {
		listener = capped{Listener: listener, places: make(chan struct{}, number(2))}
	}
	http.Serve(listener, nil)
}
