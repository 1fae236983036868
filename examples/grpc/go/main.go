package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"

	"example/greeter"
	"google.golang.org/grpc"
)

type server struct {
	greeter.UnimplementedGreeterServer
}

func (server) SayHello(_ context.Context, request *greeter.HelloRequest) (*greeter.HelloReply, error) {
	return &greeter.HelloReply{Text: "Hello, " + request.GetName()}, nil
}

func (server) SayHellos(request *greeter.HelloRequest, stream grpc.ServerStreamingServer[greeter.HelloReply]) error {
	for i := int32(1); i <= request.GetCount(); i++ {
		reply := &greeter.HelloReply{Text: fmt.Sprintf("Hello, %s: %d", request.GetName(), i)}
		if err := stream.Send(reply); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	service := grpc.NewServer()
	greeter.RegisterGreeterServer(service, server{})
	log.Fatal(service.Serve(listener))
}
