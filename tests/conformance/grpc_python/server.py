"""
The service of echo.proto by grpcio. It prints its port, ends with its standard input, and then prints as JSON what it has
seen. It says its types by reflection, of the alpha version.
"""

import json
import sys
import threading
from concurrent import futures

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_reflection.v1alpha import reflection

GAP_S = 0.01
MOST_BYTES = 20_000_000
PATIENCE_S = 10
# A call without a deadline has one that is centuries away.
FOREVER_S = 1e6

KINDS = {"One": (False, False), "Many": (False, True), "Sum": (True, False), "Chat": (True, True)}

seen = {"calls": 0, "received": 0, "sent": 0, "cancelled": 0, "deadlines": 0, "metadata": ""}
guard = threading.Lock()


def note(what):
    with guard:
        seen[what] += 1


def echo_file():
    """As protoc would make it of echo.proto, whose second file is in it."""
    file = descriptor_pb2.FileDescriptorProto(name="echo.proto", package="conformance", syntax="proto3")
    message = file.message_type.add(name="EchoMessage")
    of = descriptor_pb2.FieldDescriptorProto
    for number, (name, kind) in enumerate(
        [("text", of.TYPE_STRING), ("n", of.TYPE_INT64), ("load", of.TYPE_BYTES)], start=1
    ):
        message.field.add(name=name, number=number, type=kind, label=of.LABEL_OPTIONAL)
    service = file.service.add(name="Echo")
    for name, (requests, responses) in KINDS.items():
        service.method.add(
            name=name,
            input_type=".conformance.EchoMessage",
            output_type=".conformance.EchoMessage",
            client_streaming=requests,
            server_streaming=responses,
        )
    return file


pool = descriptor_pool.DescriptorPool()
pool.Add(echo_file())
EchoMessage = message_factory.GetMessageClass(pool.FindMessageTypeByName("conformance.EchoMessage"))


def deserialized(octets):
    note("received")
    return EchoMessage.FromString(octets)


class Call:
    """One that is noted, and whether the client gave it up before it had ended."""

    def __init__(self, context):
        self.has_ended = False
        self.given_up = threading.Event()
        note("calls")
        if context.time_remaining() < FOREVER_S:
            note("deadlines")
        user = dict(context.invocation_metadata()).get("x-user", "")
        with guard:
            seen["metadata"] = seen["metadata"] or user
        if not context.add_callback(self.over):
            self.over()

    def over(self):
        if not self.has_ended:
            note("cancelled")
            self.given_up.set()

    def end(self):
        self.has_ended = True


def sent(message):
    note("sent")
    return message


def one(request, context):
    call = Call(context)
    if request.text == "slow":
        call.given_up.wait()
        return request
    call.end()
    if request.text == "fail":
        context.abort(grpc.StatusCode.NOT_FOUND, "no such näme")
    if request.load:
        context.disable_next_message_compression()  # that it is as large on the way
    return sent(request)


def many(request, context):
    call = Call(context)
    left = request.n
    while left > 0 or request.text == "endless":
        yield sent(request)
        left -= 1
        if call.given_up.wait(GAP_S):
            return
    call.end()
    if request.text == "fail":
        context.abort(grpc.StatusCode.ABORTED, "enough")


def total(requests, context):
    call = Call(context)
    n = sum(request.n for request in requests)
    call.end()
    return sent(EchoMessage(n=n))


def chat(requests, context):
    call = Call(context)
    for request in requests:
        yield sent(request)
    call.end()


def handler_of(kind, behaviour):
    makes = {
        (False, False): grpc.unary_unary_rpc_method_handler,
        (False, True): grpc.unary_stream_rpc_method_handler,
        (True, False): grpc.stream_unary_rpc_method_handler,
        (True, True): grpc.stream_stream_rpc_method_handler,
    }
    return makes[kind](behaviour, deserialized, EchoMessage.SerializeToString)


server = grpc.server(
    futures.ThreadPoolExecutor(max_workers=8),
    options=[("grpc.max_receive_message_length", MOST_BYTES), ("grpc.max_send_message_length", MOST_BYTES)],
    compression=grpc.Compression.Gzip,
)
behaviours = {"One": one, "Many": many, "Sum": total, "Chat": chat}
handlers = {name: handler_of(KINDS[name], behaviour) for name, behaviour in behaviours.items()}
server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("conformance.Echo", handlers)])
reflection.enable_server_reflection(["conformance.Echo"], server, pool)
print(server.add_insecure_port("127.0.0.1:0"), flush=True)
server.start()
sys.stdin.read()
# Calls that the client has given up are over when the server has heard of it.
server.stop(PATIENCE_S).wait()
print(json.dumps(seen))
