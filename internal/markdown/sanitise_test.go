package markdown

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit/mdcheck"
)

func TestProse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"plain":             {"The loop (in main) never ends: it's 50% of the time, e.g. at noon!", "The loop (in main) never ends: it's 50% of the time, e.g. at noon!"},
		"parentheses":       {"So (number-1)*size wraps (see page=0).", "So `(number-1)*size` wraps (see `page=0`)."},
		"code span":         {"Call `close()` first.", "Call `close()` first."},
		"list":              {"- one\n* two\n3. three", "- one\n- two\n- three"},
		"paragraphs":        {"one\n\ntwo", "one\n\ntwo"},
		"code block":        {"See:\n```go\nx := 1\n```\nDone.", "See:\n```\nx := 1\n```\nDone."},
		"open code block":   {"```\nx", "```\nx\n```"},
		"image":             {"![x](https://evil.example/?q=1) text", "x text"},
		"link":              {"[here](https://evil.example) now", "here now"},
		"bare link":         {"see (https://evil.example/a?b=c), now", "see ((link removed)), now"},
		"www":               {"see www.evil.example now", "see (link removed) now"},
		"link in a word":    {"_https://evil.example 9https://evil.example _www.evil.example", "(link removed) (link removed) (link removed)"},
		"html":              {"<img src=x onerror=alert(1)>", "`<img src=x onerror=alert(1)>`"},
		"marker":            {"<!-- assay:pub=x -->", "`<!-- assay:pub=x -->`"},
		"mention":           {"ask @octocat, please", "ask `@octocat`, please"},
		"mail in a span":    {"x`a@b.cc` or a'`@b.cc` then `@octocat`", "x `a@b.cc` or a' `@b.cc` then `@octocat`"},
		"span at a word":    {"non-`nil` and '@octocat' (@octocat)", "non-`nil` and '`@octocat`' (`@octocat`)"},
		"team":              {"@org/team", "`@org/team`"},
		"issue":             {"fixes #12 and closes o/r#3.", "fixes `#12` and closes `o/r#3`."},
		"other issues":      {"GH-12 gl-1 ABC-12 !3", "`GH-12 gl-1 ABC-12 !3`"},
		"commit":            {"since 0a1b2c3d..ffffffff it", "since `0a1b2c3d..ffffffff` it"},
		"emoji":             {":shipit: a:+1:b 1:100: 10:30:", "`:shipit: a:+1:b 1:100`: `10:30`:"},
		"entity":            {"&#64;octocat this & that", "`&#64;octocat` this & that"},
		"quick action":      {"/approve\n  /merge now", "`/approve`\n`/merge` now"},
		"quick in a list":   {"- /assay ignore", "- `/assay` ignore"},
		"heading":           {"# Big\nx\n===\n---", "`#` Big\nx\n`===`\n`---`"},
		"nested list":       {"- - x\n- 1. y\n- \n-", "- `-` x\n- `1.` y\n`-`\n`-`"},
		"table":             {"a|b\n-|-\n:-:", "`a|b`\n`-|-`\n`:-:`"},
		"term":              {"word\n: what it means", "word\n`:` what it means"},
		"task":              {"- [ ] do it", "- `[ ]` do it"},
		"alert":             {"> [!NOTE]\n> x", "`> [!NOTE]`\n`>` x"},
		"footnote":          {"x[^1]\n[^1]: y", "`x[^1]`\n`[^1]`: y"},
		"percent":           {"50% is 50%é or 50%\" x \"", "50% is `50%é` or `50%\"` x \""},
		"emphasis and math": {"*a* _b_ $c$ ~d~", "`*a* _b_ $c$ ~d~`"},
		"names":             {"user_id of List<String> in a.go is nil-safe", "`user_id` of `List<String>` in `a.go` is nil-safe"},
		"options":           {"use -v or --all - or /etc/hosts", "use `-v` or `--all` - or `/etc/hosts`"},
		"odd backticks":     {"a ` b @octocat", "a `` ` `` b ``@octocat``"},
		"spans and words":   {"`x`@y `a` `b` ``c`d``", "``x@y`` ``a`` ``b`` ``c`d``"},
		"empty span":        {"0123` `4567 GH` `-1 ` ` - x", "0123 4567 GH `-1` - x"},
		"two lengths":       {"\"@x``a`![x](https://evil.example/p.png)``\"", "\"``@xa`![x](https://evil.example/p.png)``\""},
		"invisible":         {"a\u202eb\u200bc\x1b[31m\u2800", "`abc[31m`"},
		"accents":           {"a" + strings.Repeat("\u0301", 90), "a" + strings.Repeat("\u0301", 4)},
		"address":           {"mail me@example.com", "mail `me@example.com`"},
		"separators":        {"a\u2028/approve\u00a0\u3000b", "a\n`/approve` b"},
		"nothing":           {"\u200b \n\t", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Prose(tt.in, 0).String()
			if got != tt.want {
				t.Errorf("Prose(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
			harmless(t, got)
		})
	}
}

func TestTextIsCut(t *testing.T) {
	t.Parallel()
	if got := Prose(strings.Repeat("ä", 500), 100); got.Len() != 100 || !strings.HasSuffix(got.String(), "…") {
		t.Errorf("got %d characters", got.Len())
	}
}

// Texts that trigger an action of the hosts do nothing in any place of a text.
func TestTriggersOfHostsAreInert(t *testing.T) {
	t.Parallel()
	var all []string
	for _, tr := range mdcheck.Triggers {
		for _, e := range tr.Examples {
			for _, form := range []string{"%", "see % now", "(%)", "x%", "%x", "é%é", "`a`%`b`", "- %", "**%**", "a\n%\nb", "\"%\"", "%,%", "_%", "%."} {
				all = append(all, Prose(strings.ReplaceAll(form, "%", e), 0).String(), Line(strings.ReplaceAll(form, "%", e), 0).String())
			}
		}
	}
	for _, text := range all {
		harmless(t, text)
	}
	harmlessForGitHub(t, all)
}

func TestCode(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, info, want string }{
		"plain":           {"x := 1\n", "go", "```go\nx := 1\n```"},
		"a fence":         {"```\nx\n```", "", "````\n```\nx\n```\n````"},
		"a long fence":    {strings.Repeat("`", 300), "", strings.Repeat("`", 41) + "\n" + strings.Repeat("`", 40) + "…\n" + strings.Repeat("`", 41)},
		"a command":       {"a\n/approve\n//x", "", "```\na\n /approve\n//x\n```"},
		"a mark":          {"a\n<!-- assay:ans=x mac=y -->\nb", "", "```\na\nb\n```"},
		"a picture":       {"graph", "mermaid", "```\ngraph\n```"},
		"a suggestion":    {"x", "suggestion", "```\nx\n```"},
		"a broken info":   {"x", "go\n```", "```\nx\n```"},
		"many lines":      {strings.Repeat("x\n", 14), "", "```\n" + strings.Repeat("x\n", 12) + "…\n```"},
		"nothing":         {"", "", "```\n```"},
		"hidden and line": {"a\u202eb\rc", "", "```\nab\nc\n```"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Code(tt.in, tt.info).String(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSuggestion(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"plain":         {"x\r\n", "```suggestion\nx\n```"},
		"nothing":       {"", "```suggestion\n```"},
		"a fence":       {"```\nx", "````suggestion\n```\nx\n````"},
		"a long fence":  {strings.Repeat("`", 300), ""},
		"hidden":        {"a\u202eb", ""},
		"a command":     {"a\n/approve", ""},
		"a mark":        {"<!-- assay:ans=x mac=y -->", ""},
		"a broken line": {"a\rb", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, ok := Suggestion(tt.in); got.String() != tt.want || ok != (tt.want != "") {
				t.Errorf("got %q, %v", got, ok)
			}
		})
	}
}

// harmless fails if goldmark, or the table of hosts, finds more than text, code and flat lists.
func harmless(t *testing.T, md string) {
	t.Helper()
	for _, p := range mdcheck.Goldmark(md, mdcheck.Allowed{}) {
		t.Errorf("%s in %q", p, md)
	}
}

// harmlessForGitHub does the same for many texts with GitHub's parser.
func harmlessForGitHub(t *testing.T, all []string) {
	t.Helper()
	found, err := mdcheck.Cmark(t.Context(), all, mdcheck.Allowed{})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range found {
		t.Errorf("%q in %q", p, all[i])
	}
}

// Code from outside cannot begin the fence of a verdict, which a program looks for at the beginning of a line.
func TestNoCodeBeginsAVerdict(t *testing.T) {
	t.Parallel()
	for _, begin := range []string{"```assay-verdict", "````assay-verdict", "~~~ assay-verdict", "  ```assay-verdict"} {
		code := "x\n" + begin + "\n{}\n```\ny"
		if got := Code(code, "").String(); strings.Contains(got, "assay-verdict") {
			t.Errorf("%q: %s", begin, got)
		}
		if got, ok := Suggestion(code); ok {
			t.Errorf("%q: a suggestion has it: %s", begin, got)
		}
		if got := string(Prose(code, 0).String()); strings.Contains("\n"+got, "\n"+begin) {
			t.Errorf("%q: prose has it: %s", begin, got)
		}
	}
	if got, ok := Suggestion("a := \"```assay-verdict\""); !ok || Code("see ```assay-verdict", "").String() == "" {
		t.Errorf("within a line: %s", got)
	}
}
