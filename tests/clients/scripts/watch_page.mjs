// The page of the playground: a person watches what MCP and A2A clients have begun.
import { chromium } from "playwright-core";

const plan = JSON.parse(process.env.AON_PLAN);
const browser = await chromium.launch({ executablePath: plan.browser, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
const complaints = [];
page.on("pageerror", (error) => complaints.push(String(error)));
await page.goto(`${plan.base}/live`);
const shown = (pane) =>
  page.evaluate((pane) => [...document.querySelectorAll(`[data-pane=${pane}] li:not(.note)`)].map((item) => item.textContent), pane);
const both = () => page.waitForFunction(() => [...document.querySelectorAll("[data-pane] .state")].every((state) => state.textContent === "ended"), undefined, { timeout: 30_000 });
const report = {};
for (const [name, id] of Object.entries(plan.watched)) {
  // By its id, and by the address that MCP and A2A answers name.
  await page.fill("#watched", name === "task" ? `/aon/sessions/${id}/events` : id);
  await page.click("#watch");
  await both();
  if (plan.shots) await page.screenshot({ path: `${plan.shots}/watch-${name}.png` });
  report[name] = {
    ndjson: await shown("ndjson"),
    sse: await shown("sse"),
    outcome: await page.evaluate(() => document.querySelector("#outcome").dataset.outcome),
    text: await page.textContent("#outcome"),
  };
}
await page.fill("#watched", "0123456789abcdef0123456789abcdef");
await page.click("#watch");
await page.waitForFunction(() => document.body.dataset.state === "done");
report.gone = await page.textContent("[data-pane=ndjson]");
await browser.close();
console.log(JSON.stringify({ ...report, complaints }));
