import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "@/test/render";
import { reviewText as texts } from "@/texts/approval";
import { longest, Markdown } from "./Markdown";

/** Shows a text, and returns its element when it is rendered. */
async function rendered(says: string): Promise<HTMLElement> {
  show(<Markdown says={`${says}\n\nend of the text`} label="The text" />);
  await screen.findByText("end of the text");
  return screen.getByLabelText("The text");
}

test("a review is shown as hosts render it", async () => {
  const e = await rendered("**Bold**\nnext, `code`, ~~gone~~\n\n- [x] done\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```suggestion\nreturn nil\n```\n\n<details>\n<summary>More</summary>\n\n*inside*\n\n</details>\n\n<sub>small</sub>");
  expect(e.querySelector("strong")?.textContent).toBe("Bold");
  expect(e.querySelector("strong + br")).toBeTruthy();
  expect(e.querySelector("td")?.textContent).toBe("1");
  expect(e.querySelector("details summary")?.textContent).toBe("More");
  expect(e.querySelector("details em")?.textContent).toBe("inside");
  expect(e.querySelector("sub")?.textContent).toBe("small");
  expect(e.querySelector("pre")?.textContent).toContain(`${texts.suggestion}return nil`);
  expect(e.textContent).not.toContain("```");
});

const hostile = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg onload=alert(1)><script>alert(1)</script></svg>",
  "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></table></mtext></math>",
  "<iframe src='https://evil.example'></iframe>",
  "<a href='javascript:alert(1)' onclick='alert(1)' target=_top style='position:fixed'>x</a>",
  "[x](javascript:alert(1)) [y](JaVaScRiPt:alert(1)) [z](data:text/html,<script>1</script>) [v](vbscript:x)",
  "[x](\u0001javascript:alert(1)) [y](java\nscript:alert(1)) <javascript:alert(1)>",
  "![x](javascript:alert(1)) ![y](data:image/svg+xml,<svg>)",
  "<details open ontoggle=alert(1)><summary>x</summary></details>",
  "<form action='https://evil.example'><input name=password autofocus onfocus=alert(1)><button>Send</button></form>",
  "<style>*{display:none}</style><link rel=stylesheet href='https://evil.example/x.css'><base href='https://evil.example/'><meta http-equiv=refresh content='0;url=https://evil.example'>",
  "<p id=root name=root class='visually-hidden' style='position:fixed;inset:0' data-x=1>x</p>",
  "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
  "<object data='https://evil.example'></object><embed src='https://evil.example'><video src='https://evil.example' autoplay></video><picture><source srcset='https://evil.example/1.png'><img src='https://evil.example/2.png' srcset='https://evil.example/3.png'></picture>",
];

test.each(hostile)("nothing of a stranger runs, is styled or is loaded: %s", async (text) => {
  const e = await rendered(text);
  expect(e.querySelectorAll("script, style, iframe, svg, math, img, form, button, input, object, embed, video, picture, source, link, base, meta").length).toBe(0);
  for (const one of e.querySelectorAll("*")) {
    for (const name of one.getAttributeNames()) {
      expect(name.startsWith("on"), name).toBe(false);
      if (name === "href") expect(one.getAttribute(name)).toMatch(/^https?:\/\//);
      expect(["src", "srcset", "style", "id", "name", "target", "srcdoc", "action"]).not.toContain(name);
    }
  }
  expect(e.querySelector(".visually-hidden")).toBeNull();
});

test("links lead to the web without telling it from where; others are text", async () => {
  const e = await rendered("[one](https://host.example/a) [two](/relative) [three](#here) [four](mailto:a@b.example) www.auto.example");
  expect([...e.querySelectorAll("a")].map((a) => [a.textContent, a.getAttribute("href"), a.getAttribute("rel")])).toEqual([
    ["one", "https://host.example/a", "noreferrer nofollow"],
    ["www.auto.example", "http://www.auto.example/", "noreferrer nofollow"],
  ]);
  for (const word of ["two", "three", "four"]) expect(e.textContent).toContain(word);
});

test("an image is named and not loaded", async () => {
  const e = await rendered("![a *chart*](https://evil.example/pixel.png)");
  expect(e.querySelector("img")).toBeNull();
  expect(e.textContent).toContain(texts.image("a chart"));
  expect(e.querySelector("a")?.getAttribute("href")).toBe("https://evil.example/pixel.png");
});

test("hidden characters are named", async () => {
  const e = await rendered("evil \u202Etxt `a\u200Bb`");
  expect(e.textContent).toContain("[U+202E]");
  expect(e.querySelector("code")?.textContent).toBe("a[U+200B]b");
});

test("a text that is too long is shown raw, and says so", async () => {
  show(<Markdown says={"x".repeat(longest + 1)} label="The text" />);
  await waitFor(() => expect(screen.getByText(texts.tooLong)).toBeTruthy());
});
