// A shop behind a login, as small as one can be with the middleware that real ones use.
import { scryptSync, timingSafeEqual } from "node:crypto";
import compression from "compression";
import express from "express";
import session from "express-session";
import multer from "multer";

const PRODUCTS = Array.from({ length: 200 }, (_, i) => ({
  id: i + 1,
  name: `Product ${i + 1}`,
  about: "Made to last, and mended free of charge where it does not.",
  cents: 199 + 37 * i,
}));

const hashOf = (password) => scryptSync(password, "shop", 16, { N: 1024 });
const users = new Map([["ada", hashOf("lovelace")], ["grace", hashOf("hopper")]]);

const app = express();
app.use(compression());
app.use(session({ secret: "not a secret", resave: false, saveUninitialized: false }));
app.use(express.urlencoded({ extended: false }));

app.post("/login", (request, response) => {
  const { name = "", password = "" } = request.body;
  const hash = users.get(name);
  if (!hash || !timingSafeEqual(hash, hashOf(password))) return response.sendStatus(403);
  request.session.user = name;
  request.session.cart = [];
  response.redirect(303, "/products");
});

app.get("/health", (_request, response) => response.json({ ok: true }));

app.use((request, response, next) => {
  if (request.session.user) return next();
  response.sendStatus(401);
});

app.get("/products", (request, response) => {
  response.json({ user: request.session.user, products: PRODUCTS });
});

app.post("/cart", (request, response) => {
  const product = PRODUCTS.find(({ id }) => id === Number(request.body.product));
  if (!product) return response.sendStatus(404);
  request.session.cart.push(product.id);
  response.redirect(303, "/cart");
});

app.get("/cart", (request, response) => {
  const lines = request.session.cart.map((id) => PRODUCTS[id - 1]);
  response.json({ lines, cents: lines.reduce((sum, { cents }) => sum + cents, 0) });
});

app.post("/photos", multer().single("photo"), (request, response) => {
  response.status(201).json({ title: request.body.title, bytes: request.file.size });
});

app.post("/logout", (request, response) => {
  request.session.destroy(() => response.clearCookie("connect.sid").sendStatus(204));
});

app.listen(Number(process.env.PORT), "127.0.0.1");
