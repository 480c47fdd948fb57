// The generated stream reader in a real browser, on a page of the same origin as the server.
import { chromium } from "playwright-core";
import { readFile } from "node:fs/promises";

const plan = JSON.parse(process.env.AON_PLAN);
// The page comes from the test and not from the network, so the browser cannot know that it is as local as the server.
const browser = await chromium.launch({ executablePath: plan.browser, args: ["--no-sandbox", "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets"] });
const one = async ({ url, channel, cuts }) => {
  const page = await browser.newPage();
  const origin = new URL(url).origin;
  await page.route(`${origin}/__test/**`, async (route) => {
    const path = new URL(route.request().url()).pathname.replace("/__test/", "");
    if (path === "page") {
      const map = JSON.stringify({ imports: { zod: "/__test/zod/index.js" } });
      return route.fulfill({ contentType: "text/html", body: `<script type="importmap">${map}</script><p>test</p>` });
    }
    const file = path.startsWith("zod/") ? `${plan.zod}/${path.slice(4)}` : `${plan.folder}/${path}`;
    return route.fulfill({ contentType: "text/javascript", body: await readFile(file) });
  });
  await page.goto(`${origin}/__test/page`);
  const result = await page.evaluate(
      async ({ url, channel, cuts }) => {
        const { follow } = await import("/__test/stream.js");
        const notices = [];
        const path = new URL(url).pathname;
        const stream = follow(path, { method: "POST", body: "{}", channel, onNotice: (notice) => notices.push(notice.notice) });
        const events = [];
        for await (const event of stream) if (event.seq !== undefined) events.push([event.seq, event.type]);
        const { outcome, reason, data } = await stream.outcome;
        return { channel, cuts, events, outcome, reason, data, notices };
      },
      { url, channel, cuts },
  );
  await page.close();
  return result;
};
const results = await Promise.all(plan.cases.map(one));
await browser.close();
console.log(JSON.stringify({ cases: results }));
