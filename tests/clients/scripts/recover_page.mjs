// The page where a careless call recovers, as a person uses it.
import { chromium } from "playwright-core";

const plan = JSON.parse(process.env.AON_PLAN);
const browser = await chromium.launch({ executablePath: plan.browser, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
const complaints = [];
const outside = [];
page.on("pageerror", (error) => complaints.push(String(error)));
page.on("console", (message) => {
  // The refusal of a call that is not one is what the page shows.
  if (message.type() === "error" && !message.text().includes("status of 4")) complaints.push(message.text());
});
page.on("request", (request) => {
  if (!request.url().startsWith(plan.base)) outside.push(request.url());
});

const steps = async () =>
  page.$$eval("#steps li", (items) =>
    items.map((item) => ({ kind: item.className, text: item.firstChild.textContent, answer: item.querySelector("pre")?.textContent ?? null })),
  );
// The last line is the end of the story.
const ended = async (before) => {
  await page.waitForFunction(() => {
    const last = document.querySelector("#steps li:last-child");
    return last !== null && (/^(Recovered|Given up)/.test(last.textContent) || document.querySelectorAll("#steps li").length === 1);
  });
  await before;
  return steps();
};

await page.goto(`${plan.base}/recover`);
const picks = {};
for (const button of await page.$$("#picks button")) {
  const name = await button.textContent();
  const answered = page.waitForResponse((response) => response.url().endsWith("/recover/run"));
  await button.click();
  await answered;
  picks[name] = await ended();
  if (plan.shots) await page.screenshot({ path: `${plan.shots}/recover-${name.replaceAll(" ", "-")}.png`, fullPage: true });
}

const typed = {};
const own = {
  form: { operation: "update_possibility_auth", arguments: { id: "acme", auth_ux: "hosting" } },
  nothing: { operation: "get_possibility_auth" },
};
for (const [name, call] of Object.entries({ ...own, text: "not json" })) {
  await page.fill("#call", typeof call === "string" ? call : JSON.stringify(call));
  await page.click("#send");
  await page.waitForTimeout(300);
  typed[name] = await ended();
}
await page.setViewportSize({ width: 390, height: 800 });
const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
console.log(JSON.stringify({ complaints, outside, picks, typed, wide }));
await browser.close();
