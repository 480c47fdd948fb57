// The page of the demo in a real browser: every failure is picked, and what a person then sees is reported.
// Runs with the folder of the packages as its working directory.

import { chromium } from "playwright-core";

const plan = JSON.parse(process.env.AON_PLAN);
const browser = await chromium.launch({ executablePath: plan.browser, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1440, height: 1000 } });
const complaints = [];
page.on("pageerror", (error) => complaints.push(String(error)));
page.on("console", (message) => {
  // The browser notes every answer with a failing status; they are what the page is for.
  if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) complaints.push(message.text());
});
const outside = [];
page.on("request", (request) => {
  const url = request.url();
  if (!url.startsWith(plan.base) && !url.startsWith("data:")) outside.push(url);
});
await page.goto(plan.base);
await page.waitForFunction(() => document.body.dataset.state === "done");

// The page numbers its answers. A pick is sent from the `hashchange` event, some time after the click, so the
// state before the click must not be taken for the state after it.
const answered = () => page.evaluate(() => Number(document.body.dataset.answered ?? 0));
const after = async (act, scenario) => {
  const before = await answered();
  await act();
  await page.waitForFunction(
    ([before, scenario]) => {
      const { state, answered, scenario: shown } = document.body.dataset;
      return state !== "sending" && Number(answered ?? 0) > before && (scenario === undefined || shown === scenario);
    },
    [before, scenario],
  );
};
const seen = () =>
  page.evaluate(() => {
    const surfaces = {};
    for (const name of ["rest", "mcp", "a2a"]) {
      const section = document.getElementById(name);
      const box = section.getBoundingClientRect();
      const story = {};
      const list = section.querySelector(".story");
      for (const term of list.querySelectorAll("dt")) story[term.textContent] = term.nextElementSibling.innerText;
      surfaces[name] = {
        box: [box.left, box.top, box.width, box.height].map(Math.round),
        meta: section.querySelector(".meta").textContent,
        story,
        envelope: section.querySelector(".envelope").textContent,
        renamed: [...section.querySelectorAll("mark.renamed")].map((mark) => mark.textContent),
        differs: [...section.querySelectorAll("mark.differs")].map((mark) => mark.textContent),
      };
    }
    return { verdict: document.querySelector("#verdict").textContent, surfaces, overflow: document.documentElement.scrollWidth - window.innerWidth };
  });
const shot = (name) => (plan.shots ? page.screenshot({ path: `${plan.shots}/${name}.png`, fullPage: true }) : undefined);

const picks = {};
for (const button of await page.locator(".pick").all()) {
  const name = await button.getAttribute("data-scenario");
  await after(() => button.click(), name);
  picks[name] = await seen();
}
await after(() => page.locator('.pick[data-scenario="invalid"]').click(), "invalid");
await shot("wide");

const typed = {};
for (const version of ["1.0", "0.3"]) {
  for (const era of ["2026-07-28", "2025-11-25"]) {
    await page.locator("#arguments").fill('{"id": "acme", "auth_ux": "custm"}');
    await page.locator("#version").selectOption(version);
    await page.locator("#era").selectOption(era);
    await after(() => page.locator("#send").click());
    typed[`${version}, ${era}`] = await seen();
  }
}
await page.setViewportSize({ width: 390, height: 800 });
const narrow = await seen();
await shot("narrow");
await page.emulateMedia({ colorScheme: "dark" });
await page.setViewportSize({ width: 1440, height: 1000 });
await shot("dark");
await browser.close();
console.log(JSON.stringify({ picks, typed, narrow, complaints, outside }));
