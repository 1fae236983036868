// The service of echo.proto by grpc-go. It prints its port, ends with its standard input, and then prints as JSON what it
// has seen. It says its types by reflection.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

const (
	gap       = 10 * time.Millisecond
	mostBytes = 20_000_000
	patience  = 10 * time.Second
)

type counts struct {
	Calls     int    `json:"calls"`
	Received  int    `json:"received"`
	Sent      int    `json:"sent"`
	Cancelled int    `json:"cancelled"`
	Deadlines int    `json:"deadlines"`
	Metadata  string `json:"metadata"`
}

var (
	seen  counts
	guard sync.Mutex
)

func note(change func(*counts)) {
	guard.Lock()
	defer guard.Unlock()
	change(&seen)
}

func noteCall(ctx context.Context) {
	_, hasDeadline := ctx.Deadline()
	users := metadata.ValueFromIncomingContext(ctx, "x-user")
	note(func(s *counts) {
		s.Calls++
		if hasDeadline {
			s.Deadlines++
		}
		if s.Metadata == "" && len(users) > 0 {
			s.Metadata = users[0]
		}
	})
}

// Waits until the client gives up.
func cancelled(ctx context.Context) error {
	<-ctx.Done()
	note(func(s *counts) { s.Cancelled++ })
	return status.FromContextError(ctx.Err()).Err()
}

// As protoc would make it of echo.proto, whose second file is in it.
func echoFile() protoreflect.FileDescriptor {
	field := func(name string, number int32, kind descriptorpb.FieldDescriptorProto_Type) *descriptorpb.FieldDescriptorProto {
		return &descriptorpb.FieldDescriptorProto{
			Name: proto.String(name), Number: proto.Int32(number), Type: kind.Enum(),
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
		}
	}
	method := func(name string, requests, responses bool) *descriptorpb.MethodDescriptorProto {
		message := proto.String(".conformance.EchoMessage")
		return &descriptorpb.MethodDescriptorProto{
			Name: proto.String(name), InputType: message, OutputType: message,
			ClientStreaming: proto.Bool(requests), ServerStreaming: proto.Bool(responses),
		}
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("echo.proto"), Package: proto.String("conformance"), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{{
			Name: proto.String("EchoMessage"),
			Field: []*descriptorpb.FieldDescriptorProto{
				field("text", 1, descriptorpb.FieldDescriptorProto_TYPE_STRING),
				field("n", 2, descriptorpb.FieldDescriptorProto_TYPE_INT64),
				field("load", 3, descriptorpb.FieldDescriptorProto_TYPE_BYTES),
			},
		}},
		Service: []*descriptorpb.ServiceDescriptorProto{{
			Name: proto.String("Echo"),
			Method: []*descriptorpb.MethodDescriptorProto{
				method("One", false, false), method("Many", false, true),
				method("Sum", true, false), method("Chat", true, true),
			},
		}},
	}, nil)
	must(err)
	return file
}

var (
	file        = echoFile()
	echoMessage = file.Messages().ByName("EchoMessage")
	textField   = echoMessage.Fields().ByName("text")
	nField      = echoMessage.Fields().ByName("n")
)

func text(message *dynamicpb.Message) string { return message.Get(textField).String() }
func number(message *dynamicpb.Message) int64 { return message.Get(nField).Int() }

func received(read func(any) error) (*dynamicpb.Message, error) {
	message := dynamicpb.NewMessage(echoMessage)
	if err := read(message); err != nil {
		return nil, err
	}
	note(func(s *counts) { s.Received++ })
	return message, nil
}

func send(stream grpc.ServerStream, message *dynamicpb.Message) error {
	note(func(s *counts) { s.Sent++ })
	return stream.SendMsg(message)
}

func one(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	noteCall(ctx)
	message, err := received(decode)
	if err != nil {
		return nil, err
	}
	switch text(message) {
	case "slow":
		return nil, cancelled(ctx)
	case "fail":
		return nil, status.Error(codes.NotFound, "no such näme")
	}
	note(func(s *counts) { s.Sent++ })
	return message, nil
}

func many(_ any, stream grpc.ServerStream) error {
	noteCall(stream.Context())
	message, err := received(stream.RecvMsg)
	if err != nil {
		return err
	}
	for left := number(message); left > 0 || text(message) == "endless"; left-- {
		if err := send(stream, message); err != nil {
			return cancelled(stream.Context())
		}
		select {
		case <-stream.Context().Done():
			return cancelled(stream.Context())
		case <-time.After(gap):
		}
	}
	if text(message) == "fail" {
		return status.Error(codes.Aborted, "enough")
	}
	return nil
}

func sum(_ any, stream grpc.ServerStream) error {
	noteCall(stream.Context())
	var n int64
	for {
		message, err := received(stream.RecvMsg)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		n += number(message)
	}
	total := dynamicpb.NewMessage(echoMessage)
	total.Set(nField, protoreflect.ValueOfInt64(n))
	return send(stream, total)
}

func chat(_ any, stream grpc.ServerStream) error {
	noteCall(stream.Context())
	for {
		message, err := received(stream.RecvMsg)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := send(stream, message); err != nil {
			return err
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	must(protoregistry.GlobalFiles.RegisterFile(file)) // where reflection looks
	server := grpc.NewServer(grpc.MaxRecvMsgSize(mostBytes), grpc.MaxSendMsgSize(mostBytes))
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "conformance.Echo",
		Methods:     []grpc.MethodDesc{{MethodName: "One", Handler: one}},
		Streams: []grpc.StreamDesc{
			{StreamName: "Many", Handler: many, ServerStreams: true},
			{StreamName: "Sum", Handler: sum, ClientStreams: true},
			{StreamName: "Chat", Handler: chat, ClientStreams: true, ServerStreams: true},
		},
		Metadata: "echo.proto",
	}, nil)
	reflection.Register(server)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	go func() { must(server.Serve(listener)) }()

	_, err = io.Copy(io.Discard, os.Stdin)
	must(err)
	// Calls that the client has given up are over when the server has heard of it.
	time.AfterFunc(patience, server.Stop)
	server.GracefulStop()
	guard.Lock()
	defer guard.Unlock()
	must(json.NewEncoder(os.Stdout).Encode(seen))
}
