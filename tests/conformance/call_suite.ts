/**
 * What every gRPC server must agree with us about, as it counts on its side: all four kinds of calls, deadlines, statuses,
 * cancellation, compression, large messages and reflection, with both drivers.
 */
import assert from "node:assert/strict";
import { valueAtPercentile } from "../../runner/stats/histogram/histogram.ts";
import { reflectOn } from "../../runner/grpc/ready_calls.ts";
import { testWith } from "../needs.ts";
import { called, type MakerName, needsOf, serving } from "./calls.ts";
import { DRIVER_NAMES } from "./ways.ts";

function testOf(maker: MakerName, sentence: string, test: () => Promise<void>): void {
  testWith(needsOf(maker), `${maker}, ${sentence}`, test);
}

export function testCalls(maker: MakerName): void {
  for (const driver of DRIVER_NAMES) {
    testOf(maker, `${driver}: all four kinds of calls bring what the server has sent`, async () => {
      await using server = await serving(maker);
      const one = await called(driver, server, {
        grpc: "conformance.Echo/One",
        message: { text: "ada", n: "1234567" },
        headers: { "x-user": "ada" },
        expect: { json: { text: "ada", n: "1234567" } },
      }, { requests: 20 });
      const { completed, checksPassed } = one.totals;
      assert.deepEqual([completed, checksPassed, one.statuses], [20, 20, { OK: 20 }]);
      assert.equal(one.totals.messages, undefined, "a response that is one message is no stream");

      const many = await called(driver, server, {
        grpc: "conformance.Echo/Many",
        message: { text: "x", n: 4 },
      }, { requests: 6 });
      assert.deepEqual([many.totals.checksPassed, many.statuses], [6, { OK: 6 }]);
      const { messages: [messages] = [] } = many.totals;
      assert.ok(messages);
      const { due, received, failed, unfinished, whole } = messages;
      assert.deepEqual([due, received, failed, unfinished, whole], [24, 24, 0, 0, 6]);
      assert.deepEqual([messages.first.all.count, messages.gap.all.count], [6, 18]);
      assert.ok(valueAtPercentile(messages.gap.all, 90) >= 5_000, "the server waits between them");

      const sum = await called(driver, server, {
        grpc: "conformance.Echo/Sum",
        messages: [{ n: 1 }, { n: 2 }, { n: -5 }],
        expect: { json: { n: "-2" } },
      }, { requests: 6 });
      assert.deepEqual([sum.totals.checksPassed, sum.statuses], [6, { OK: 6 }]);

      const chat = await called(driver, server, {
        grpc: "conformance.Echo/Chat",
        messages: [{ text: "a" }, { text: "b" }],
        expect: { json: { text: "b" } },
      }, { requests: 6 });
      assert.deepEqual([chat.totals.checksPassed, chat.totals.messages?.[0].received], [6, 12]);

      const seen = await server.end();
      assert.deepEqual([seen.calls, seen.cancelled, seen.metadata], [38, 0, "ada"]);
      assert.equal(seen.received, 20 + 6 + 18 + 12, "messages that were sent");
      assert.equal(seen.sent, 20 + 24 + 6 + 12);
      assert.equal(seen.deadlines, 26, "the time-out is the deadline where one message responds");
    });

    testOf(
      maker,
      `${driver}: a status other than OK is a wrong response, by its name`,
      async () => {
        await using server = await serving(maker);
        const fail = { grpc: "conformance.Echo/One", message: { text: "fail" } };
        const wrong = await called(driver, server, fail, { requests: 8 });
        const { completed, failed, checksFailed } = wrong.totals;
        assert.deepEqual([completed, failed, checksFailed], [8, 0, 8]);
        assert.deepEqual(wrong.statuses, { NOT_FOUND: 8 });
        const expect = { grpcStatus: ["OK", "NOT_FOUND"] };
        const expected = await called(driver, server, { ...fail, expect }, { requests: 8 });
        assert.equal(expected.totals.checksPassed, 8);

        const midway = { grpc: "conformance.Echo/Many", message: { text: "fail", n: 3 } };
        const { totals, statuses } = await called(driver, server, midway, { requests: 4 });
        assert.deepEqual([totals.checksFailed, statuses], [4, { ABORTED: 4 }]);
        const { received, failed: cut, whole } = totals.messages?.[0] ?? {};
        assert.deepEqual([received, cut, whole], [12, 4, 0], "a message was due behind the last");
        assert.equal((await server.end()).sent, 12);
      },
    );

    testOf(
      maker,
      `${driver}: a call ends at its deadline, and a stream when its user leaves it`,
      async () => {
        await using server = await serving(maker);
        const slow = { grpc: "conformance.Echo/One", message: { text: "slow" } };
        const timed = await called(driver, server, slow, { requests: 4, timeoutMs: 200 });
        // The server's clock or ours, whichever is first.
        const { checksFailed, failed } = timed.totals;
        assert.equal(checksFailed + failed, 4);
        assert.deepEqual(
          Object.keys(timed.statuses).filter((name) => name !== "DEADLINE_EXCEEDED"),
          [],
        );
        assert.deepEqual(Object.keys(timed.errors).filter((kind) => kind !== "timeout"), []);

        const endless = {
          grpc: "conformance.Echo/Many",
          message: { text: "endless" },
          hold: "100ms",
        };
        const left = await called(driver, server, endless, { requests: 4 });
        const { totals, statuses } = left;
        assert.deepEqual([totals.completed, totals.checksPassed, statuses], [4, 4, { none: 4 }]);
        const { due, received, unfinished } = totals.messages?.[0] ?? {};
        assert.deepEqual([due, unfinished], [Number(received) + 4, 4]);
        const { calls, cancelled, deadlines } = await server.end();
        // A slow call may be given up before the server sees it.
        assert.equal(calls - deadlines, 4, "a stream that goes on has none");
        assert.ok(cancelled >= 4, `${cancelled} cancelled`);
      },
    );

    testOf(maker, `${driver}: messages go compressed, and go and come with 4 MB`, async () => {
      await using server = await serving(maker);
      const text = "a".repeat(10_000);
      const zipped = await called(driver, server, {
        grpc: "conformance.Echo/One",
        message: { text },
        compress: "gzip",
        expect: { json: { text } },
      }, { requests: 8 });
      assert.equal(zipped.totals.checksPassed, 8);
      const { bytesOut } = zipped.totals;
      assert.ok(bytesOut < 20_000, `${bytesOut} bytes out`);

      const large = await called(driver, server, {
        grpc: "conformance.Echo/One",
        message: { load: new Uint8Array(4_000_000).toBase64() },
      }, { requests: 3 });
      assert.deepEqual([large.totals.checksPassed, large.statuses], [3, { OK: 3 }]);
      assert.ok(large.totals.bytesIn > 12_000_000 && large.totals.bytesOut > 12_000_000);
      await server.end();
    });
  }

  // grpcio takes any content-type for its own.
  for (const driver of maker === "grpcio" ? [] : DRIVER_NAMES) {
    testOf(
      maker,
      `${driver}: a call that the server takes for no gRPC call is wrong`,
      async () => {
        await using server = await serving(maker);
        const { totals } = await called(driver, server, {
          grpc: "conformance.Echo/One",
          message: { text: "ada" },
          headers: { "content-type": "text/plain" },
        }, { requests: 4 });
        const { completed, checksFailed } = totals;
        assert.deepEqual([completed, checksFailed], [4, 4]);
        assert.equal((await server.end()).calls, 0);
      },
    );
  }

  testOf(maker, "the server says its types by reflection", async () => {
    await using server = await serving(maker);
    const { endpoint, end } = server;
    const origin = { origin: `http://127.0.0.1:${endpoint.port}`, endpoint };
    const reflect = reflectOn(origin, 20_000, new AbortController().signal);
    const types = await reflect(["conformance.Echo/Many", "conformance.Echo/Sum"]);
    const many = types.get("conformance.Echo/Many");
    assert.deepEqual([many?.clientStreams, many?.serverStreams], [false, true]);
    assert.deepEqual(
      many?.input.types.messages["conformance.EchoMessage"].map((
        { name, id, kind },
      ) => [name, id, kind]),
      [["text", 1, "string"], ["n", 2, "int64"], ["load", 3, "bytes"]],
    );
    assert.equal(types.get("conformance.Echo/Sum")?.clientStreams, true);
    await assert.rejects(reflect(["conformance.Echo/Non"]), /Cannot find the method Non/);
    await assert.rejects(reflect(["conformance.Ecco/One"]), /^(?!.*UNIMPLEMENTED)/s);
    await end();
  });
}
