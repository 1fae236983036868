// Sets up the blog's owner, as its first visitor does.
import process from "node:process";

const [origin] = process.argv.slice(2);
const owner = {
  name: "Ada",
  email: "ada@example.org",
  password: "Notes of 1843",
  blogTitle: "Notes",
};
const response = await fetch(`${origin}/ghost/api/admin/authentication/setup/`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ setup: [owner] }),
});
if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
