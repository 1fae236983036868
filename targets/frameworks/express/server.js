import express from "express";
import { query, validationResult } from "express-validator";
import morgan from "morgan";
import { createClient } from "redis";

const { HOST = "127.0.0.1", LOGGING, PORT, REDIS_URL, TRACE } = process.env;

const redis = REDIS_URL ? await createClient({ url: REDIS_URL }).connect() : null;
await redis?.set("plateau:counter", 1);

function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 2) + fibonacci(n - 1);
}

const app = express();

if (LOGGING === "on") app.use(morgan("combined"));

app.get("/static", (req, res) => {
  res.json({ ok: true });
});

app.get("/fib", (req, res) => {
  res.json({ res: fibonacci(23) });
});

app.get("/redis", async (req, res) => {
  if (redis === null) return res.status(503).json({ error: "there is no Redis" });
  res.json({ value: await redis.get("plateau:counter") });
});

app.get(
  "/validation",
  query("number").isInt(),
  query("string").isLength({ min: 5 }),
  (req, res) => {
    const errors = validationResult(req);
    if (!errors.isEmpty()) return res.status(400).json({ errors: errors.array() });
    res.json({ ok: true });
  },
);

app.get("/error/:id", (req, res) => {
  const id = Number(req.params.id);
  if (id === 1) throw new TypeError("Division by 0");
  res.json({ value: id / (id - 1) });
});

app.use((error, req, res, next) => {
  if (res.headersSent) return next(error);
  if (TRACE === "on") console.error(error.stack);
  res.status(500).json({ error: error.message });
});

app.listen(Number(PORT), HOST);
