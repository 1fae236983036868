import { loadPackageDefinition, Server, ServerCredentials } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(new URL("../greeter.proto", import.meta.url));
const { greeter } = loadPackageDefinition(loadSync(file));

const server = new Server();
server.addService(greeter.Greeter.service, {
  SayHello({ request: { name } }, respond) {
    respond(null, { text: `Hello, ${name}` });
  },
  SayHellos(call) {
    const { name, count } = call.request;
    for (let i = 1; i <= count; i++) call.write({ text: `Hello, ${name}: ${i}` });
    call.end();
  },
});

server.bindAsync(`127.0.0.1:${process.env.PORT}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
});
