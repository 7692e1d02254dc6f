package markdown

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit/mdcheck"
)

func TestTextsArePutTogether(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		got  Text
		want string
	}{
		"format":                        {Format("%s at %s.", Number(3), Span("abc")), "3 at `abc`."},
		"spans do not touch":            {Format("%s%s", Span("a"), Span("b")), "`a` `b`"},
		"spans do not touch a constant": {Format("`x`%s`y`", Span("a")), "`x` `a` `y`"},
		"too few":                       {Format("%s, %s", Number(3)), "3, "},
		"too many":                      {Format("%s", Number(3), Number(4)), "3"},
		"a place in a text":             {Format("%s %s", Line("%s", 0), Number(1)), "`%s` 1"},
		"join":                          {Join(", ", Number(1), Text{}, Number(2)), "1, 2"},
		"blocks":                        {Blocks(Const("a"), Text{}, Const("b")), "a\n\nb"},
		"bold":                          {Bold(Const("a")), "**a**"},
		"nothing bold":                  {Bold(Text{}), ""},
		"nothing struck":                {Struck(Text{}), ""},
		"fill":                          {Fill("{1} of {0}{2}", Number(1), Line("{0}", 0)), "`{0}` of 1"},
		"fill with spans":               {Fill("{0}{1}", Span("a"), Span("b")), "`a` `b`"},
		"hexadecimal":                   {Hex("0af9 `X\n<b>"), "0af9b"},
		"amount":                        {Amount("1.234,5 <\u00a0`"), "1.234,5\u00a0"},
		"list":                          {List(Const("a"), Const("b\n\n```\nx\n```")), "- a\n- b\n\n  ```\n  x\n  ```"},
		"fold":                          {Fold(Const("2 two"), Const("x")), "<details><summary>2 two</summary>\n\nx\n\n</details>"},
		"fold in Japanese":              {Fold(Const("軽微な指摘 2 件"), Const("x")), "<details><summary>軽微な指摘 2 件</summary>\n\nx\n\n</details>"},
		"fold without words":            {Fold(Const("<>"), Const("x")), "<details><summary>…</summary>\n\nx\n\n</details>"},
		"fold with HTML":                {Fold(Line("<img src=x>", 0), Const("x")), "<details><summary>img srcx</summary>\n\nx\n\n</details>"},
		"link":                          {Link(Span("a"), "https://h.example/x?y=1#z"), "[`a`](https://h.example/x?y=1#z)"},
		"link without label":            {Link(Text{}, "https://h.example"), ""},
		"hidden":                        {first(Hidden("<!-- assay:ans=a mac=v2.00 -->")), "<!-- assay:ans=a mac=v2.00 -->"},
		"hidden HTML":                   {first(Hidden("<!-- assay:ans=a --><img src=x> -->")), ""},
		"hidden lines":                  {first(Hidden("<!-- assay:ans=a -->\nx")), ""},
		"without marks":                 {Const("a\n\n<!-- assay:fp=v1:a mac=00 -->\n").WithoutMarks(), "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.got.String() != tt.want {
				t.Errorf("got %q, want %q", tt.got, tt.want)
			}
		})
	}
}

// cutNote is the tests' note where a text was cut.
const cutNote = "(cut here: too long for this place)"

func first(t Text, _ bool) Text { return t }

func TestLinkable(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "javascript:alert(1)", "//h.example", "https://h.example/a b", "https://h.example/)", "https://h.example/(", "https://h.example/\n",
		"https://h.example/<", "https://h.example/`", "https://h.example/\"", "https://h.example/\\", "https://h.example/\u202e", "https://", "ftp://h.example", "https://h.example/'"} {
		if Linkable(bad) || Link(Const("a"), bad).String() != "a" {
			t.Errorf("%q is linked", bad)
		}
	}
	for _, good := range []string{"https://h.example", "http://127.0.0.1:8080/t/a_b/c-d~e%20?x=[1]&y=@z#L1-L2"} {
		if !Linkable(good) {
			t.Errorf("%q is not linked", good)
		}
	}
	// The path ends with a bracket. Together with its lines it would define a reference.
	if got := Link(Span("]:1-9"), "https://h.example").String(); got != "`]:1-9`" {
		t.Errorf("%q begins like the definition of a reference", got)
	}
	if got := Link(Span("app/[id]/page.tsx:1-9"), "https://h.example").String(); got != "[`app/[id]/page.tsx:1-9`](https://h.example)" {
		t.Errorf("%q is not linked", got)
	}
}

// A text has the same form in JSON as before it had a type, also in data that older versions have frozen.
func TestJSON(t *testing.T) {
	t.Parallel()
	in := Const("**a** <b> `c`\n")
	raw, err := json.Marshal(in)
	plain, _ := json.Marshal(in.String())
	if err != nil || string(raw) != string(plain) {
		t.Fatalf("%s, %v, want %s", raw, err, plain)
	}
	var out Text
	if err := json.Unmarshal(raw, &out); err != nil || out != in {
		t.Errorf("%q, %v", out, err)
	}
}

// A cut text is closed: its note, and any text after it, is outside code.
func TestCut(t *testing.T) {
	t.Parallel()
	code := Code(strings.Repeat("x @octocat\n", 12), "")
	long := Blocks(Line(strings.Repeat("word `@a` ", 20), 0), Fold(Const("Why"), List(Blocks(Span("<details>"), code), Blocks(Const("b"), code))), code, Const("the end"))
	for n := 1; n <= long.Len()+1; n++ {
		got := long.Cut(n, Const(cutNote))
		if got.Len() > n {
			t.Fatalf("%d characters of %d", got.Len(), n)
		}
		if n >= long.Len() {
			if got != long {
				t.Errorf("a text within the bound was cut at %d", n)
			}
			continue
		}
		if n > 40 && !strings.HasSuffix(got.String(), cutNote) {
			t.Errorf("the note is missing for a text that was cut at %d: %q", n, got)
		}
		if n%7 > 0 {
			continue
		}
		for _, p := range mdcheck.Goldmark(got.String(), mdcheck.Allowed{Frame: true}) {
			t.Errorf("%s in %q", p, got)
		}
		if !strings.Contains(lastParagraph(got.String()), cutNote) && n > 40 {
			t.Errorf("the note of %q is lost", got)
		}
	}
}

// lastParagraph returns the text of the last block if it is a paragraph.
func lastParagraph(md string) string {
	if found := mdcheck.Goldmark(md+"\n\n<!-- open -->", mdcheck.Allowed{Frame: true}); len(found) == 0 {
		return "" // the comment became a part of the text
	}
	return md[strings.LastIndex(md, "\n\n")+1:]
}

// A secret that is visible only in the finished text is removed without damaging the Markdown around it.
func TestScan(t *testing.T) {
	t.Parallel()
	text := Blocks(Const("clean"), Format("%s and %s", Span("key: s3"), Span("cret @octocat")), Fold(Const("Why"), Code("a s3 b", "")), Const("end"))
	got := text.Scan(func(s string) string {
		return strings.ReplaceAll(strings.ReplaceAll(s, "s3` and `cret", "[redacted]"), "s3", "[redacted]")
	}).String()
	if strings.Contains(got, "s3") || !strings.Contains(got, "clean\n\n```\n`key: [redacted] @octocat`\n```\n\n<details>") {
		t.Errorf("got %q", got)
	}
	for _, p := range mdcheck.Goldmark(got, mdcheck.Allowed{Frame: true}) {
		t.Errorf("%s in %q", p, got)
	}
	if same := text.Scan(func(s string) string { return s }); same != text {
		t.Errorf("a text without a secret became %q", same)
	}
	across := Blocks(Const("a"), Const("b")).Scan(func(s string) string { return strings.ReplaceAll(s, "a\n\nb", "x") })
	if across.String() != "```\nx\n```" {
		t.Errorf("a secret across paragraphs: %q", across)
	}
}

// A mark that an adapter keeps beside the text comes back as the last line. Only a mark at the end leaves the
// text, so that quotations of marks stay.
func TestAMarkIsKeptBesideAText(t *testing.T) {
	t.Parallel()
	mark := "[assay:pub=p1 sha=0123456789abcdef mac=v2.00]: " + MarkAddress
	for whole, want := range map[string][2]string{
		"Text.\n\n" + mark:                        {"Text.", mark},
		"Text.\n\n" + mark + "\n":                 {"Text.", mark},
		"Text.\n\n" + mark + "\n\nMore.":          {"Text.\n\n" + mark + "\n\nMore.", ""},
		"Text.\n\n" + mark + "\n\n" + mark:        {"Text.\n\n" + mark, mark},
		"Text.\n\n<!-- assay:ans=a1 mac=v2.0 -->": {"Text.", "<!-- assay:ans=a1 mac=v2.0 -->"},
		"Text.": {"Text.", ""},
		"":      {"", ""},
		mark:    {"", mark},
	} {
		text, kept := Stored(whole).SplitMark()
		if text != want[0] || kept != want[1] {
			t.Errorf("%q: %q and %q", whole, text, kept)
		}
		if again, m := Stored(JoinMark(text, kept)).SplitMark(); again != text || m != kept {
			t.Errorf("%q: joined and split again: %q and %q", whole, again, m)
		}
	}
}
