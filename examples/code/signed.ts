// Orders that are signed: HMAC with SHA-256 over a timestamp and the body, in a header field.
import { env, experiment } from "plateau";

const key = env("SHOP_KEY");

export default ({ target = "http://127.0.0.1:8080" }) =>
  experiment({
    name: "signed",
    title: "What does an order cost that is signed?",
    targets: { shop: { url: target } },
    scenarios: {
      order: {
        post: "/signed/orders",
        headers: { "content-type": "application/json" },
        expect: { status: 201 },
        before(request, user) {
          const time = `${user.now()}`;
          request.body = JSON.stringify({ id: user.uuid(), count: 1 + user.iteration % 5 });
          request.headers["x-time"] = time;
          request.headers["x-signature"] = user.hmac("sha256", key, `${time}.${request.body}`);
        },
      },
    },
    load: { connections: 10, duration: "10s" },
    repeat: 3,
  });
