// The page of the playground: a person plays, cuts, resumes, overruns the ring.
import { chromium } from "playwright-core";

const plan = JSON.parse(process.env.AON_PLAN);
const browser = await chromium.launch({ executablePath: plan.browser, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
const complaints = [];
page.on("pageerror", (error) => complaints.push(String(error)));
await page.goto(`${plan.base}/live`);
const shot = async (name) => plan.shots && (await page.screenshot({ path: `${plan.shots}/live-${name}.png` }));
const ended = () => page.waitForFunction(() => document.body.dataset.state === "done", undefined, { timeout: 60_000 });
const both = () => page.waitForFunction(() => [...document.querySelectorAll("[data-pane] .state")].every((state) => state.textContent === "ended"));
const shown = (pane) =>
  page.evaluate((pane) => [...document.querySelectorAll(`[data-pane=${pane}] li:not(.note)`)].map((item) => item.textContent), pane);
const preset = (name) => page.click(`#presets button:has-text("${name}")`);
const outcome = () => page.evaluate(() => document.querySelector("#outcome").dataset.outcome);

await preset("a little of everything");
await page.click("#play");
await ended();
await both();
const everything = { ndjson: await shown("ndjson"), sse: await shown("sse"), outcome: await outcome() };
await shot("everything");

const steps = Array.from({ length: 6 }, (_, n) => [{ do: "status", message: `step ${n}` }, { do: "sleep", ms: 400 }]).flat();
await page.fill("#script", JSON.stringify({ payload: "done", steps }));
await page.click("#play");
await page.waitForSelector("[data-pane=ndjson] li.status");
await page.click("[data-pane=ndjson] [data-do=cut]");
await page.waitForTimeout(900);
await page.click("[data-pane=ndjson] [data-do=resume]");
await both();
const resumed = {
  outcome: await outcome(),
  numbers: await page.evaluate(() => [...document.querySelectorAll("[data-pane=ndjson] li .n")].map((n) => n.textContent).filter(Boolean).map(Number)),
  notes: await page.evaluate(() => [...document.querySelectorAll("[data-pane=ndjson] li.note")].map((item) => item.textContent).join("; ")),
};
await shot("resumed");

await page.fill("#script", JSON.stringify({ payload: "all", steps: [{ do: "status", message: "cut me" }, { do: "sleep", ms: 1500 }, { do: "burst", count: 40, message: "event {n}" }, { do: "sleep", ms: 2500 }] }));
await page.click("#play");
await page.waitForSelector("[data-pane=ndjson] li.status");
await page.click("[data-pane=ndjson] [data-do=cut]");
await page.waitForFunction(() => document.querySelectorAll("#ring i").length > 20);
await page.click("[data-pane=ndjson] [data-do=resume]");
await page.waitForSelector("[data-pane=ndjson] li.gap");
await ended();
await page.waitForTimeout(200);
const gap = await page.evaluate(() => ({
  line: document.querySelector("[data-pane=ndjson] li.gap").textContent,
  ring: document.querySelector("#ringstate").textContent,
  lost: document.querySelectorAll("#ring i.lost").length,
  missed: document.querySelectorAll("#ring i.missed").length,
}));
await shot("gap");

await preset("a problem");
await page.click("#play");
await ended();
const problem = await page.textContent("#outcome");
await browser.close();
console.log(JSON.stringify({ everything, resumed, gap, problem, complaints }));
