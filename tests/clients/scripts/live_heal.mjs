// The form of the playground: a person repairs a step, declines, and comes too late.
import { chromium } from "playwright-core";

const plan = JSON.parse(process.env.AON_PLAN);
const browser = await chromium.launch({ executablePath: plan.browser, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
const complaints = [];
page.on("pageerror", (error) => complaints.push(String(error)));
const sent = [];
page.on("request", (request) => {
  if (request.method() === "POST" && request.url().includes("/healing/")) sent.push({ type: request.headers()["content-type"], base: request.headers()["if-match"], body: request.postData() });
});
await page.goto(`${plan.base}/live`);
const asked = () => page.waitForSelector("#asks:not([hidden]) form button", { timeout: 30_000 });
const gone = () => page.waitForSelector("#asks", { state: "hidden", timeout: 30_000 });
const ended = () => page.waitForFunction(() => document.body.dataset.state === "done", undefined, { timeout: 30_000 });
const countdown = () => page.textContent("#countdown");
const play = async (script) => {
  if (script) await page.fill("#script", JSON.stringify(script));
  else await page.click('#presets button:has-text("a step that needs you")');
  await page.click("#play");
  await asked();
};
const outcome = async () => {
  await ended();
  return { kind: await page.evaluate(() => document.querySelector("#outcome").dataset.outcome), text: await page.textContent("#outcome") };
};
const answer = (word) => page.click(`#asks button[data-answer="${word}"]`);

await play();
const form = await page.evaluate(() => ({
  words: document.querySelector("#asks form p").textContent,
  fields: [...document.querySelectorAll("#asks form input, #asks form select")].map((field) => ({
    path: field.name, kind: field.tagName, value: field.value,
    label: document.querySelector(`#asks label[for="${field.id}"]`)?.textContent,
    choices: [...(field.options ?? [])].map((option) => option.value),
  })),
  all: document.querySelector("#asks").textContent,
}));
const early = await countdown();
await page.waitForTimeout(2200);
const later = await countdown();
if (plan.shots) await page.screenshot({ path: `${plan.shots}/live-heal.png` });
await page.fill('#asks [name="/userId"]', "zzz");
await answer("Send");
await page.waitForFunction(() => document.querySelector("#asks .why").textContent !== "");
const refused = { why: await page.textContent("#asks .why"), open: await page.isVisible("#asks") };
await page.fill('#asks [name="/userId"]', "u7");
await page.selectOption('#asks [name="/plan"]', "team");
await answer("Send");
await gone();
const repaired = await outcome();

await play();
await answer("Deny");
await gone();
const denied = await outcome();

const steps = [{ do: "step", name: "store_user", fail: "until_patched", ask: { paths: ["/userId"], within_ms: 1500, type: { userId: { pattern: "^u[0-9]+$" } } } }];
await play({ payload: { userId: "ann" }, steps });
const url = await page.evaluate(() => asked.patch_url);
await gone();
const late = await outcome();
// Somebody who kept the address and sends what was right a moment ago.
late.status = (await page.request.post(plan.base + url, { headers: { "content-type": "application/json-patch+json" }, data: '[{"op":"replace","path":"/userId","value":"u1"}]' })).status();
await browser.close();
console.log(JSON.stringify({ form, early, later, refused, repaired, denied, late, sent, complaints }));
