package main

import (
	"context"
	"flag"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/redis/go-redis/v9"
)

const counter = "plateau:counter"

type query struct {
	Number *integer `form:"number" binding:"required"`
	String string   `form:"string" binding:"required,min=5"`
}

// integer refuses an empty text, which Gin takes for 0.
type integer int

func (i *integer) UnmarshalParam(text string) error {
	value, err := strconv.Atoi(text)
	*i = integer(value)
	return err
}

func fibonacci(n int) int {
	if n < 2 {
		return n
	}
	return fibonacci(n-2) + fibonacci(n-1)
}

// connect returns nil when there is no Redis.
func connect(url string) *redis.Client {
	if url == "" {
		return nil
	}
	options, err := redis.ParseURL(url)
	if err != nil {
		panic(err)
	}
	client := redis.NewClient(options)
	if err := client.Set(context.Background(), counter, 1, 0).Err(); err != nil {
		panic(err)
	}
	return client
}

func fail(c *gin.Context, recovered any) {
	c.AbortWithStatusJSON(http.StatusInternalServerError, gin.H{"error": "Internal Server Error"})
}

func newEngine(logging, trace bool) *gin.Engine {
	r := gin.New()
	if logging {
		r.Use(gin.Logger())
	}
	if trace {
		r.Use(gin.CustomRecovery(fail))
	} else {
		r.Use(gin.CustomRecoveryWithWriter(nil, fail)) // logs no stack
	}
	return r
}

func main() {
	cores := flag.Int("cores", 0, "cores that run Go code at a time; 0: all")
	flag.Parse()
	runtime.GOMAXPROCS(*cores) // 0 changes nothing
	client := connect(os.Getenv("REDIS_URL"))
	r := newEngine(os.Getenv("LOGGING") == "on", os.Getenv("TRACE") == "on")

	r.GET("/static", func(c *gin.Context) {
		c.JSON(http.StatusOK, gin.H{"ok": true})
	})

	r.GET("/fib", func(c *gin.Context) {
		c.JSON(http.StatusOK, gin.H{"res": fibonacci(23)})
	})

	r.GET("/redis", func(c *gin.Context) {
		if client == nil {
			c.JSON(http.StatusServiceUnavailable, gin.H{"error": "there is no Redis"})
			return
		}
		value, err := client.Get(c.Request.Context(), counter).Result()
		if err != nil {
			panic(err)
		}
		c.JSON(http.StatusOK, gin.H{"value": value})
	})

	r.GET("/validation", func(c *gin.Context) {
		var q query
		if err := c.ShouldBindQuery(&q); err != nil {
			c.JSON(http.StatusBadRequest, gin.H{"error": err.Error()})
			return
		}
		c.JSON(http.StatusOK, gin.H{"ok": true})
	})

	r.GET("/error/:id", func(c *gin.Context) {
		id, err := strconv.Atoi(c.Param("id"))
		if err != nil {
			c.JSON(http.StatusBadRequest, gin.H{"error": err.Error()})
			return
		}
		if id == 1 {
			panic("Division by 0")
		}
		c.JSON(http.StatusOK, gin.H{"value": float64(id)/float64(id-1) + 0}) // + 0 takes the sign from -0
	})

	host := os.Getenv("HOST")
	if host == "" {
		host = "127.0.0.1"
	}
	if err := r.Run(net.JoinHostPort(host, os.Getenv("PORT"))); err != nil {
		panic(err)
	}
}
