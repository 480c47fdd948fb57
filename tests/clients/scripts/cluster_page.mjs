// The page of several nodes: a person starts a session on one node, kills it, and watches the other go on.
import { chromium } from "playwright-core";

const plan = JSON.parse(process.env.AON_PLAN);
const browser = await chromium.launch({ executablePath: plan.browser, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
const complaints = [];
page.on("pageerror", (error) => complaints.push(String(error)));
await page.goto(`${plan.nodes[0]}/cluster`);
await page.waitForFunction((count) => document.querySelectorAll("iframe").length === count, plan.nodes.length);
const frame = async (at) => {
  for (let tries = 0; tries < 100; tries += 1) {
    const found = page.frames().find((frame) => frame.url() === `${plan.nodes[at]}/cluster/node`);
    if (found) return found;
    await page.waitForTimeout(50);
  }
  throw new Error(`no frame of ${plan.nodes[at]}`);
};
const [first, second] = [await frame(0), await frame(1)];
const up = (frame) => frame.waitForFunction(() => document.querySelector("#state").textContent.startsWith("up"), undefined, { timeout: 30_000 });
await Promise.all([up(first), up(second)]);
const names = await Promise.all([first, second].map((frame) => frame.textContent("#name")));
await first.click("#start");
const shows = (frame, count) => frame.waitForFunction((count) => document.querySelectorAll("li[data-seq]").length >= count, count, { timeout: 30_000 });
await Promise.all([shows(first, 5), shows(second, 5)]);
await first.click("#kill");
await first.waitForFunction(() => document.querySelector("#state").textContent === "gone", undefined, { timeout: 30_000 });
const state = await second.textContent("#state");
await second.waitForFunction(() => document.querySelector("li[data-type=result], li[data-type=error]"), undefined, { timeout: 60_000 });
const shown = (frame) =>
  frame.evaluate(() => [...document.querySelectorAll("li")].map((item) => ({ seq: item.dataset.seq, type: item.dataset.type, text: item.textContent })));
const report = { complaints, names, state, first: await shown(first), second: await shown(second) };
if (plan.shots) await page.screenshot({ path: `${plan.shots}/cluster.png` });
console.log(JSON.stringify(report));
await browser.close();
