// The page of plots and the page of the teaching example, as a person sees them.
import { chromium } from "playwright-core";

const plan = JSON.parse(process.env.AON_PLAN);
const browser = await chromium.launch({ executablePath: plan.browser, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1100, height: 700 } });
const complaints = [], elsewhere = [];
page.on("pageerror", (error) => complaints.push(String(error)));
page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
page.on("request", (request) => [plan.demo, plan.tutor].some((base) => request.url().startsWith(base)) || elsewhere.push(request.url()));
const shot = async (name) => plan.shots && (await page.screenshot({ path: `${plan.shots}/${name}.png` }));

const work = (body) =>
  fetch(`${plan.demo}/live/users`, { method: "POST", headers: { accept: "application/x-ndjson", "content-type": "application/json" }, body: JSON.stringify(body) }).then((answer) => answer.text());
await page.goto(`${plan.demo}/aon/live`);
await page.waitForFunction(() => Number(document.documentElement.dataset.samples) >= 2);
const before = await page.screenshot();
const busy = (async () => { for (let n = 0; n < 12; n++) await Promise.all([work({ user_name: "ann" }), work({ role: "king" }), fetch(`${plan.demo}/nowhere`)]); })();
await page.waitForFunction(() => Number(document.getElementById("events").textContent) > 0 && document.querySelectorAll("#codes .row").length >= 2);
await page.waitForFunction((n) => Number(document.documentElement.dataset.samples) >= n, 5);
const after = await page.screenshot();
await shot("plots");
await busy;
const plots = {
  moved: !before.equals(after),
  lines: await page.evaluate(() => [...document.querySelectorAll("svg polyline")].map((line) => line.getAttribute("points").split(" ").length)),
  codes: await page.evaluate(() => [...document.querySelectorAll("#codes .row span")].map((item) => item.textContent)),
  healing: await page.evaluate(() => document.querySelectorAll("#healing .row").length),
  events: await page.evaluate(() => document.getElementById("events").textContent),
  wide: await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
};
await page.setViewportSize({ width: 380, height: 800 });
plots.narrow = await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

await page.setViewportSize({ width: 900, height: 800 });
await page.goto(plan.tutor);
await page.click("#begin");
await page.waitForSelector("li.lesson");
const session = await page.evaluate(() => document.body.dataset.session);
const ask = (text) =>
  fetch(`${plan.tutor}/chat/send`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ sessionId: session, text, questionId: "q-1", forceRoute: "CHAT_NOW" }) });
await ask("What is a ring?");
await ask("What is a ring?");
await page.fill("#text", "What is a gap?");
await page.click("#ask button");
await page.waitForFunction(() => document.querySelectorAll("li.insert").length >= 2);
await shot("tutor");
await page.waitForFunction(() => document.body.dataset.state === "done", undefined, { timeout: 30_000 });
const tutor = {
  inserts: await page.evaluate(() => document.querySelectorAll("li.insert").length),
  decisions: await page.evaluate(() => document.querySelectorAll("li.judge_decision").length),
  forced: await page.evaluate(() => [...document.querySelectorAll("li.judge_decision")].filter((item) => item.textContent.includes("(forced)")).length),
  kept: await page.evaluate(() => JSON.parse(localStorage.getItem("tutor-offset"))),
  open: await page.evaluate(() => source.readyState),
};
// The rules of coming back, without waiting for them.
await page.evaluate(() => { over = false; wait = BASE; document.body.dataset.waits = ""; window.setTimeout = () => 0; for (let n = 0; n < 6; n++) again("test"); });
tutor.waits = await page.evaluate(() => document.body.dataset.waits);
tutor.window = await page.evaluate(() => WINDOW);
await browser.close();
console.log(JSON.stringify({ complaints, elsewhere, plots, tutor, session }));
