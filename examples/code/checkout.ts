// A checkout whose last request has a total that follows from the responses before it.
import { experiment } from "plateau";

interface Product {
  id: number;
  cents: number;
}

const VAT = 0.19;

export default ({ target = "http://127.0.0.1:8080" }) =>
  experiment({
    name: "checkout",
    title: "How many purchases a second does the shop serve?",
    targets: { shop: { url: target } },
    scenarios: {
      purchase: {
        flow: [
          {
            name: "products",
            get: "/products",
            after(response, user) {
              const products: Product[] = JSON.parse(response.body);
              const chosen = products.filter(() => user.random() < 0.5);
              user.vars.items = (chosen.length > 0 ? chosen : products)
                .map(({ id, cents }) => ({ id, cents, count: 1 + Math.floor(user.random() * 3) }));
            },
          },
          { name: "cart", post: "/carts", expect: { status: 201 }, capture: { cart: { json: "id" } } },
          {
            name: "items",
            put: "/carts/{{ cart }}/items",
            headers: { "content-type": "application/json" },
            before(request, user) {
              request.body = JSON.stringify(user.vars.items);
            },
          },
          {
            name: "pay",
            post: "/carts/{{ cart }}/payment",
            headers: { "content-type": "application/json" },
            expect: { json: { paid: true } },
            before(request, user) {
              const items: (Product & { count: number })[] = user.vars.items;
              const net = items.reduce((sum, { cents, count }) => sum + cents * count, 0);
              request.body = JSON.stringify({ total: Math.round(net * (1 + VAT)) });
            },
          },
        ],
      },
    },
    load: { connections: 10, duration: "10s" },
    repeat: 3,
  });
