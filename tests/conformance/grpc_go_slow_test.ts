/** Calls of gRPC to a server of grpc-go. Where Go has compiled none before, that takes a minute of CPU time. */
import { testCalls } from "./call_suite.ts";

testCalls("grpc-go");
