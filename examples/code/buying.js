// A script of k6: plateau init buying.ts --from buying.js
import http from "k6/http";
import { check, group, sleep } from "k6";
import { hmac } from "k6/crypto";
import { Trend } from "k6/metrics";

const BASE = "http://127.0.0.1:8080";
const sizes = new Trend("sizes");

export const options = { vus: 5, duration: "10s" };

function signed(body) {
  const text = JSON.stringify(body);
  const time = String(Date.now());
  return http.post(`${BASE}/signed/orders`, text, {
    headers: {
      "content-type": "application/json",
      "x-time": time,
      "x-signature": hmac("sha256", __ENV.SHOP_KEY, `${time}.${text}`, "hex"),
    },
    tags: { name: "order" },
  });
}

export function setup() {
  const user = JSON.stringify({ user: "ada", password: __ENV.SHOP_PASSWORD });
  const headers = { "content-type": "application/json" };
  return { token: http.post(`${BASE}/token`, user, { headers }).json("token") };
}

export default function (data) {
  const products = http.get(`${BASE}/products`).json();
  sizes.add(products.length);
  group("carts", () => {
    for (let i = 0; i < 2; i++) {
      const cart = http.post(`${BASE}/carts`).json("id");
      const items = JSON.stringify([{ ...products[i], count: __ITER % 3 + 1 }]);
      const put = http.put(`${BASE}/carts/${cart}/items`, items);
      check(put, { "has items": (r) => r.status === 200 && r.json("count") === 1 });
    }
  });
  sleep(Math.random() * 0.01);
  const order = signed({ id: `${__VU}-${__ITER}`, count: products.length });
  check(order, {
    "is made": (r) => r.status === 201,
    "is fast": (r) => r.timings.duration < 200,
  });
}
