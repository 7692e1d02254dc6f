package text

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/tracker"
)

const most = tracker.MaxText

func adf(content string) json.RawMessage {
	return json.RawMessage(`{"type":"doc","version":1,"content":[` + content + `]}`)
}

func para(s string) string {
	raw, _ := json.Marshal(s) // a string is always JSON
	return `{"type":"paragraph","content":[{"type":"text","text":` + string(raw) + `}]}`
}

func TestFromADF(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"heading": {`{"type":"heading","attrs":{"level":2},"content":[{"type":"text","text":"Acceptance criteria"}]},` + para("Then."), "## Acceptance criteria\n\nThen."},
		"nested": {`{"type":"bulletList","content":[{"type":"listItem","content":[` + para("One") + `,{"type":"orderedList","content":[{"type":"listItem","content":[` + para("Deep") + `,` + para("More") + `]}]}]},{"type":"listItem","content":[` + para("Two") + `]}]}`,
			"- One\n  1. Deep\n\n     More\n- Two"},
		"tasks": {`{"type":"taskList","attrs":{"localId":"a"},"content":[{"type":"taskItem","attrs":{"localId":"b","state":"DONE"},"content":[{"type":"text","text":"Done"}]},{"type":"taskItem","attrs":{"state":"TODO"},"content":[{"type":"text","text":"Open"}]},{"type":"taskList","content":[{"type":"taskItem","attrs":{"state":"TODO"},"content":[{"type":"text","text":"Below"}]}]}]}`,
			"- [x] Done\n- [ ] Open\n  - [ ] Below"},
		"table": {`{"type":"table","content":[{"type":"tableRow","content":[{"type":"tableHeader","content":[` + para("A|B") + `]},{"type":"tableHeader","content":[` + para("C") + `]}]},{"type":"tableRow","content":[{"type":"tableCell","content":[` + para("one") + `,` + para("two") + `]},{"type":"tableCell","content":[]}]}]}`,
			"| A\\|B | C |\n| --- | --- |\n| one<br><br>two |  |"},
		"fences": {`{"type":"codeBlock","attrs":{"language":"md"},"content":[{"type":"text","text":"` + "```" + `go\nx\n` + "```" + `"}]}`, "````md\n```go\nx\n```\n````"},
		"panel":  {`{"type":"panel","attrs":{"panelType":"info"},"content":[` + para("Mind") + `]}`, "> Mind"},
		"inline": {`{"type":"paragraph","content":[{"type":"mention","attrs":{"id":"1","text":"@Ann"}},{"type":"text","text":" says "},{"type":"text","text":"now ","marks":[{"type":"strong"}]},{"type":"hardBreak"},{"type":"text","text":"see","marks":[{"type":"link","attrs":{"href":"https://a.example/x"}}]},{"type":"emoji","attrs":{"shortName":":ok:","text":"👍"}},{"type":"date","attrs":{"timestamp":"1790000000000"}},{"type":"status","attrs":{"text":"OPEN","color":"red"}},{"type":"text","text":"x","marks":[{"type":"link","attrs":{"href":"javascript:alert(1)"}}]}]}`,
			"@Ann says **now** \n[see](https://a.example/x)👍2026-09-21OPENx"},
		"unknown": {`{"type":"somethingNew","content":[` + para("Kept") + `]},{"type":"mediaSingle","content":[{"type":"media","attrs":{"id":"1"}}]}`, "Kept"},
		"wrong":   {`{"type":"heading","attrs":{"level":"two"},"content":[{"type":"text","text":"Kept"}]}`, "# Kept"},
	} {
		got, cut := FromADF(adf(c.in), most)
		want := strings.ReplaceAll(c.want, " \n", "\n")
		if got != want || cut {
			t.Errorf("%s: cut %v\n%s\nwant\n%s", name, cut, got, want)
		}
	}
	for in, want := range map[string]string{`null`: "", ``: "", `"a line"`: "a line", `{"type":"doc"}`: "", `7`: "", `{`: ""} {
		if got, _ := FromADF(json.RawMessage(in), most); got != want {
			t.Errorf("%s: %q", in, got)
		}
	}
}

func TestFromHTML(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"blocks":  {"<div>One</div><div>Two<br>Three</div><p> </p><h2>Acceptance <b>criteria</b></h2><hr>", "One\n\nTwo\nThree\n\n## Acceptance **criteria**\n\n---"},
		"lists":   {"<ul><li>One<ol><li>Deep</li></ol></li><li><p>Two</p></li></ul>", "- One\n  1. Deep\n- Two"},
		"open":    {"<ul><li>One<li>Two<ul><li>Below</ul></ul>After", "- One\n- Two\n  - Below\n\nAfter"},
		"astray":  {"<ul><li>One</li><ul><li>Below</li></ul></ul>", "- One\n- - Below"},
		"tasks":   {`<ul><li><input type="checkbox" checked> Done</li><li>☐ Open</li></ul>`, "- [x] Done\n- [ ] Open"},
		"table":   {"<table><tbody><tr><th>A|B</th><th>C</th></tr><tr><td>one<br>two</td><td><ul><li>x</li></ul></td></tr></tbody></table>", "| A\\|B | C |\n| --- | --- |\n| one<br>two | - x |"},
		"code":    {"<pre><code>if a &lt; b {\n\treturn\n}\n```\n</code></pre>", "````\nif a < b {\n\treturn\n}\n```\n````"},
		"inline":  {`<p>See&nbsp;<a href="https://a.example/x">the <i>page </i></a>, <code>x</code> <a href="javascript:alert(1)">y</a> <b></b><s>no</s></p>`, "See [the *page*](https://a.example/x) , `x` y ~~no~~"},
		"mention": {`<div>By <a href="#" data-vss-mention="version:2.0,1">@Ann Lee</a></div>`, "By @Ann Lee"},
		"unread":  {`<style>p{}</style><script>alert(1)</script>Hi<img src=x onerror=alert(1)><svg><text>no</text></svg>!`, "Hi!"},
		"quote":   {"<blockquote><p>One</p><p>Two</p></blockquote>", "> One\n>\n> Two"},
		"plain":   {"a < b &amp;&amp; c > d", "a < b && c > d"},
	} {
		got, cut := FromHTML(c.in, most)
		if got != c.want || cut {
			t.Errorf("%s: cut %v\n%s\nwant\n%s", name, cut, got, c.want)
		}
	}
}

func TestFromWiki(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"blocks":    {"h2. Acceptance criteria\nOne\nTwo\n\n----\nbq. Said", "## Acceptance criteria\n\nOne\nTwo\n\n---\n\n> Said"},
		"lists":     {"* One\n** Deep\n*# Number\n* Two\nmore of two\n\n# First\n# Second\n- Dash", "- One\n  - Deep\n  1. Number\n- Two\n  more of two\n\n1. First\n2. Second\n\n- Dash"},
		"skips":     {"*** Deep\n* One", "- Deep\n- One"},
		"code":      {"{code:java|title=A.java}\nif (a) {\n  *b*\n}\n{code}\nAfter {{x | y}}\n{noformat}h1. no{noformat}", "```java\nif (a) {\n  *b*\n}\n```\n\nAfter `x | y`\n\n```\nh1. no\n```"},
		"table":     {"||Given||Then||\n|a [x|https://a.example/]|b|\nAfter", "| Given | Then |\n| --- | --- |\n| a [x](https://a.example/) | b |\n\nAfter"},
		"panel":     {"{panel:title=Mind|borderStyle=solid}\nText\n{panel}\n{quote}Said{quote}\nAfter", "> **Mind**\n>\n> Text\n\n> Said\n\nAfter"},
		"inline":    {"*bold* _it_ -gone- [~ann] {color:red}red{color} !a.png|thumbnail! 2 * 3 * 4 snake_case_name well-known \\*", "**bold** *it* ~~gone~~ @ann red  2 * 3 * 4 snake_case_name well-known *"},
		"open":      {"{quote}\nsaid\n{code}\nx", "> said\n>\n> ```\n> x\n> ```"},
		"tasks":     {"* [ ] Open\n* [x] Done", "- [ ] Open\n- [x] Done"},
		"addressed": {"[https://a.example/x] [evil|javascript:alert(1)]", "https://a.example/x [evil|javascript:alert(1)]"},
	} {
		got, cut := FromWiki(c.in, most)
		if got != c.want || cut {
			t.Errorf("%s: cut %v\n%s\nwant\n%s", name, cut, got, c.want)
		}
	}
}

// nasty returns texts that could make readers slow, deep or large.
func nasty() map[string]string {
	deep := 10_000
	return map[string]string{
		"html lists":    strings.Repeat("<ul><li>x", deep),
		"html closed":   strings.Repeat("<ul><li>", deep) + "x" + strings.Repeat("</li></ul>", deep),
		"html tables":   strings.Repeat("<table><tr><td>x", deep),
		"html marks":    strings.Repeat("<b>x</b><i>", 100_000),
		"html open":     strings.Repeat("<b>", 300_000) + "x",
		"html attrs":    "<p " + strings.Repeat("a=b ", 250_000) + ">x</p>",
		"html quotes":   strings.Repeat("<blockquote>", deep) + "x",
		"html words":    strings.Repeat("word ", 250_000),
		"html breaks":   strings.Repeat("<br>", 250_000),
		"html code":     "<pre>" + strings.Repeat("`", 1_000_000),
		"html comment":  "<!--" + strings.Repeat("x", 2_000_000),
		"wiki stars":    strings.Repeat("*", 1_000_000),
		"wiki item":     strings.Repeat("*", deep) + " x\n" + strings.Repeat("#", deep) + " y",
		"wiki brackets": strings.Repeat("[a|", 300_000),
		"wiki braces":   strings.Repeat("{{a", 300_000),
		"wiki colours":  strings.Repeat("{color:", 150_000),
		"wiki bars":     strings.Repeat("|", 1_000_000),
		"wiki quotes":   strings.Repeat("{quote}\n{panel}\n", 50_000),
		"wiki bangs":    strings.Repeat("!a.png", 150_000),
		"wiki code":     strings.Repeat("{code}\n", 150_000),
		"adf lists":     `{"type":"doc","content":[` + strings.Repeat(`{"type":"bulletList","content":[{"type":"listItem","content":[{"type":"text","text":"x"},`, 2_000) + para("y") + strings.Repeat("]}]}", 2_000) + "]}",
		"adf beyond":    strings.Repeat(`{"type":"blockquote","content":[`, deep) + para("kept") + strings.Repeat("]}", deep),
		"adf cut off":   strings.Repeat(`{"type":"blockquote","content":[`, deep),
		"adf words":     string(adf(strings.Repeat(para("word")+",", 20_000) + para("end"))),
		"adf cells":     string(adf(`{"type":"table","content":[` + strings.Repeat(`{"type":"tableRow","content":[`+strings.Repeat(`{"type":"tableCell","content":[]},`, 50)+`{"type":"tableCell"}]},`, 500) + `{"type":"tableRow"}]}`)),
		"adf one line":  string(adf(para(strings.Repeat("x", 1_000_000)))),
		"controls":      strings.Repeat("a\x00\x1b[31m\u202e\r\n", 100_000),
		"not UTF-8":     strings.Repeat("\xff\xfe", 500_000),
	}
}

func TestNasty(t *testing.T) {
	for name, s := range nasty() {
		for format, read := range map[string]func(string, int) (string, bool){"html": FromHTML, "wiki": FromWiki,
			"adf": func(s string, n int) (string, bool) { return FromADF(json.RawMessage(s), n) }} {
			got, _ := read(s, most)
			check(t, name+" as "+format, got, most)
		}
	}
	if got, _ := FromADF(json.RawMessage(nasty()["adf beyond"]), most); !strings.Contains(got, "kept") {
		t.Errorf("a document that is too deep lost its words: %q", got)
	}
	for _, name := range []string{"adf one line", "adf words"} {
		if got, cut := FromADF(json.RawMessage(nasty()[name]), 5000); !cut || len(got) < 4000 {
			t.Errorf("%s: %d bytes, cut %v", name, len(got), cut)
		}
	}
}

func check(t *testing.T, name, got string, n int) {
	t.Helper()
	if len(got) > n {
		t.Errorf("%s: %d bytes", name, len(got))
	}
	if strings.ToValidUTF8(got, "") != got || strings.ContainsAny(got, "\x00\x1b\r\u202e") {
		t.Errorf("%s: characters that must not be there", name)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"<ul><li>x</ul>", "h1. x\n* y\n{code}z", string(adf(para("x"))), "||a||\n|b|", "<table><td><pre>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, n := range []int{100, 5000} {
			got, _ := FromHTML(s, n)
			check(t, "html", got, n)
			got, _ = FromWiki(s, n)
			check(t, "wiki", got, n)
			got, _ = FromADF(json.RawMessage(s), n)
			check(t, "adf", got, n)
		}
	})
}

const report = "# Two of three\n\n**2 of 3** are met, see [#7](https://github.com/octo/demo/pull/7) and *more* ~~less~~ `code_x`.\n\n| Criterion | Verdict |\n| --- | --- |\n| Runs at 2\\|3 | met |\n\n- one\n  - deep\n- two\n\n> said\n\n```go\nif x {\n\treturn\n}\n```\n\n---"

// TestThereAndBack: a text written in each format is read back unchanged.
func TestThereAndBack(t *testing.T) {
	doc, err := ToADF(report, "")
	if err != nil {
		t.Fatal(err)
	}
	page, err := ToHTML(report)
	if err != nil {
		t.Fatal(err)
	}
	fromADF, _ := FromADF(doc, most)
	fromHTML, _ := FromHTML(page, most)
	fromWiki, _ := FromWiki(ToWiki(report), most)
	noLang := strings.Replace(report, "```go", "```", 1)
	for name, c := range map[string][2]string{"adf": {fromADF, report}, "html": {fromHTML, noLang}, "wiki": {fromWiki, noLang}} {
		if c[0] != c[1] {
			t.Errorf("%s:\n%s\nwant\n%s", name, c[0], c[1])
		}
	}
}

// TestWritesNothingElse: the words cannot add HTML, scripts or marks of wiki text.
func TestWritesNothingElse(t *testing.T) {
	evil := "<script>alert(1)</script> [x](javascript:alert(1)) {color:red}x{color} !http://evil.example/a.png! [y|http://evil.example] {quote} &amp;lt; `{{a}}`"
	doc, err := ToADF(evil, "m")
	if err != nil || strings.Contains(string(doc), "script") || strings.Contains(string(doc), `"href"`) {
		t.Errorf("%s %v", doc, err)
	}
	if page, err := ToHTML(evil); err != nil || strings.Contains(page, "<script") || strings.Contains(page, "javascript:") {
		t.Errorf("%s %v", page, err)
	}
	if wiki := ToWiki(evil); strings.Contains(wiki, " {color") || strings.Contains(wiki, " !http") || strings.Contains(wiki, " [y|") || strings.Contains(wiki, "script") {
		t.Errorf("%s", wiki)
	}
}
