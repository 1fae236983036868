// A token that expires: each run logs in before its load, and renews the token while the load goes on.
import { env, experiment } from "plateau";

const password = env("SHOP_PASSWORD");

async function login(url: string) {
  const response = await fetch(`${url}/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ user: "ada", password }),
  });
  if (!response.ok) throw new Error(`no token: ${response.status}`);
  return await response.json() as { token: string };
}

export default ({ target = "http://127.0.0.1:8080", every = "4m" }) =>
  experiment({
    name: "login",
    title: "Does the account stay fast while tokens are renewed?",
    targets: { shop: { url: target } },
    setup: ({ url }) => login(url),
    refresh: { every, by: (_, { url }) => login(url) },
    scenarios: {
      account: {
        get: "/account",
        before(request, user) {
          request.headers.authorization = `Bearer ${user.data.token}`;
        },
      },
    },
    load: { rate: "100/s", connections: 20, duration: "10m" },
    repeat: 1,
  });
