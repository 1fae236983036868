/**
 * `run --live`: serves the report of a running experiment on loopback. Pages are rendered only between runs. A browser
 * that connects during a run gets the newest page, followed by the figures of each interval (250 ms or longer) of that
 * run, as the interval ends.
 */
import { messageOf } from "../../base/errors.ts";
import { mostOf } from "../../base/limits.ts";
import { LOOPBACK } from "../../base/net/listen.ts";
import { secrets } from "../../base/secrets.ts";
import { type ReportModel, reportModel } from "../../report/model.ts";
import type { Grouped } from "../../report/cells/cells.ts";
import {
  advanceStatus,
  brokenStatus,
  endedStatus,
  GETTING_READY,
  pointOf,
  renderLivePage,
} from "../../report/render/html/live_page.ts";
import type { LiveStatus } from "../../report/render/html/live_status.ts";
import type { OnProgress } from "../../runner/result/progress.ts";
import type { OnSaved } from "../../runner/result/result_file.ts";
import { type LiveHead, type LiveResponse, plain } from "./connection.ts";
import { LiveServer } from "./server.ts";
import { Viewers } from "./viewers.ts";

interface LiveReportOptions {
  /** Port to listen on; 0: a free one is chosen. */
  readonly port: number;
  /** The results that thresholds compare with; null: none. */
  readonly baseline: Grouped | null;
  /**
   * Rendering may take at most this share of the time since the start. As long as it has taken more, no page is
   * rendered after a run, so the next page shows several new runs.
   */
  readonly mostRatio?: number;
  /** Receives a line about a defect of the server. */
  readonly onNote?: (text: string) => void;
}

/**
 * Default of `mostRatio`: up to this share, rendering a page after every run is affordable. CPU time measured for one
 * page with 9 cells, on one core of a Xeon: 0.1 s after 9 runs of 10 s, 0.7 s after 81 runs, and 1.2 s after 135 runs
 * (0.7 s for the model with its confidence intervals, the rest for the page). All 135 pages together take 5 % of the
 * experiment's time.
 */
const MOST_RATIO = 0.05;
/**
 * The next run waits at most this long for browsers to draw the page, because a browser on this machine would take CPU
 * time from the target.
 */
const DRAW_MS = 1_500;
const END_MS = 3_000;
/** Time that connections have to end by themselves. */
const CLOSE_MS = 500;

export class LiveReport implements AsyncDisposable {
  readonly url: string;
  readonly #server: LiveServer;
  readonly #viewers = new Viewers();
  readonly #baseline: Grouped | null;
  readonly #mostRatio: number;
  readonly #beganMs = performance.now();
  readonly #first = Promise.withResolvers<void>();
  #renderedMs = 0;
  #page = 0;
  #body: Uint8Array<ArrayBuffer> | null = null;
  #status: LiveStatus = GETTING_READY;
  #updatedMs = performance.now();
  #isOver = false;

  /** Throws a TargetError if the server can't listen. */
  constructor({ port, baseline, mostRatio = MOST_RATIO, onNote = () => {} }: LiveReportOptions) {
    this.#mostRatio = mostRatio;
    this.#baseline = baseline;
    const respond = (head: LiveHead, body: string): Promise<LiveResponse> =>
      this.#respond(head, body);
    this.#server = new LiveServer({ hostname: LOOPBACK, port }, respond, onNote);
    this.url = `http://${LOOPBACK}:${this.#server.port}/`;
  }

  readonly onProgress: OnProgress = (event) => {
    if (event.kind === "live") return this.#viewers.addPoint(pointOf(event));
    if (event.kind === "starting") this.#viewers.beginRun();
    const status = advanceStatus(this.#status, event);
    if (status !== this.#status) this.#update(status);
  };

  /** Renders the page while no load runs, and gives browsers time to draw it. */
  readonly onSaved: OnSaved = async (results) => {
    if (results.state !== "running" || this.#isBehind()) return;
    try {
      this.#render(() => [reportModel(results, this.#baseline)]);
    } catch (error) {
      // A defect of the page must not end a measurement that takes hours. The final report would
      // show the same defect.
      this.#update({ ...this.#status, text: `Cannot show the newest runs: ${messageOf(error)}` });
      return;
    }
    await this.#viewers.show(this.#page, DRAW_MS);
  };

  /**
   * Sends the final page, which browsers keep showing. Resolves when they show it, or after some seconds.
   * @param last Whether the experiment is complete, and the path of the file with the same page.
   */
  async end(
    models: readonly ReportModel[],
    last: { readonly isWhole: boolean; readonly path: string },
  ): Promise<void> {
    this.#isOver = true;
    this.#status = endedStatus(this.#status, last);
    this.#render(() => models);
    await this.#viewers.end({ page: this.#page, status: this.#status }, END_MS);
  }

  /** Stops the server. If the experiment was cut short, tells the browsers so first. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOver) {
      this.#status = brokenStatus(this.#status);
      await this.#viewers.end({ page: this.#page, status: this.#status }, END_MS);
    }
    this.#first.resolve();
    this.#viewers.close();
    await this.#server.close(CLOSE_MS);
  }

  /** Whether rendering has taken more than its share of the time so far; never true before the first page. */
  #isBehind(): boolean {
    return this.#renderedMs > this.#mostRatio * (performance.now() - this.#beganMs);
  }

  #render(models: () => readonly ReportModel[]): void {
    const beganMs = performance.now();
    const page = this.#page + 1;
    const text = renderLivePage(models(), {
      page,
      status: this.#statusNow(),
    });
    this.#body = new TextEncoder().encode(secrets.form(text));
    this.#page = page;
    this.#first.resolve();
    this.#renderedMs += performance.now() - beganMs;
  }

  #update(status: LiveStatus): void {
    this.#status = { ...status, text: secrets.sentence(status.text) };
    this.#updatedMs = performance.now();
    this.#viewers.send(this.#status);
  }

  /** The current status for a browser that connects now: the time left is reduced by the time since the last update. */
  #statusNow(): LiveStatus {
    const { leftMs } = this.#status;
    const elapsedMs = performance.now() - this.#updatedMs;
    return { ...this.#status, leftMs: leftMs === null ? null : Math.max(0, leftMs - elapsedMs) };
  }

  async #respond({ path }: LiveHead, body: string): Promise<LiveResponse> {
    switch (path) {
      case "/events":
        return this.#events();
      case "/shown":
        return this.#viewers.hasShown(body)
          ? { status: 204, body: new Uint8Array() }
          : plain({ status: 400, text: "This is not a receipt" });
      default:
        await this.#first.promise;
        return this.#body === null
          ? plain({ status: 503, text: "The experiment ended before its first run" })
          : { status: 200, type: "text/html; charset=utf-8", body: this.#body };
    }
  }

  #events(): LiveResponse {
    const body = this.#viewers.add({ status: this.#statusNow(), page: this.#page });
    return body === null
      ? plain({
        status: 503,
        text: `${
          mostOf("liveReaders")
        } browser tabs already show this page: close one of them first`,
      })
      : { status: 200, type: "text/event-stream", body };
  }
}
