package repofile_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/repofile"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

var update = flag.Bool("update", false, "write the expected messages and the schema")

// messages returns what an author sees about a file.
func messages(f policy.File) (out []string) {
	if f.Broken != nil {
		return []string{f.Broken.String()}
	}
	for _, n := range f.Refused {
		out = append(out, n.String())
	}
	return out
}

// Every broken file has exactly the messages that testdata/broken.txt has behind it.
func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	file := filepath.Join("testdata", "broken.txt")
	raw, err := os.ReadFile(file)
	testkit.OK(t, err)
	var b strings.Builder
	count := 0
	for part := range strings.SplitSeq(string(raw), "=== ") {
		if part == "" {
			continue
		}
		count++
		name, rest, _ := strings.Cut(part, "\n")
		text, _, found := strings.Cut(rest, "\n--- \n")
		if !found {
			t.Fatalf("%s has no messages", name)
		}
		got := messages(repofile.Parse([]byte(text)))
		if len(got) == 0 {
			t.Errorf("%s: no message", name)
		}
		fmt.Fprintf(&b, "=== %s\n%s\n--- \n", name, text)
		for _, m := range got {
			b.WriteString(m + "\n")
		}
	}
	if count < 60 {
		t.Errorf("%d broken files, want at least 60", count)
	}
	if *update {
		testkit.OK(t, os.WriteFile(file, []byte(b.String()), 0o644))
	} else if b.String() != string(raw) {
		t.Errorf("testdata/broken.txt differs from the messages: run go test ./internal/review/repofile -update and read them.\n%s", b.String())
	}
}

const whole = `# yaml-language-server: $schema=https://example.com/schema.json
paths:
  include: [src/**]
  exclude: ["**/*.gen.go"]
profile: quiet
categories: {docs: false, static-analysis: false}
minSeverity: low
minConfidence: 0.5
maxInlineComments: 5
quietWhenNothingNew: true
cleanReview: check
fixes: off
language: de
deterministic: {secrets: true, staticAnalysis: false}
guidelineFiles: true
rules:
  - title: No sleep
    instruction: Never call time.Sleep in tests.
    paths: ["**/*_test.go"]
    languages: [Go]
    severity: medium
instructions:
  - paths: [services/api/**]
    text: |
      Handlers return problem documents.
`

// A file with everything has every setting, and no message.
func TestWholeFile(t *testing.T) {
	t.Parallel()
	f := repofile.Parse([]byte(strings.ReplaceAll("\ufeff"+whole, "\n", "\r\n")))
	if m := messages(f); len(m) > 0 {
		t.Fatal(m)
	}
	want := `paths.include=["src/**"] paths.exclude=["**/*.gen.go"] profile="quiet" categories.docs=false categories.static-analysis=false ` +
		`minSeverity="low" minConfidence=0.5 maxInlineComments=5 quietWhenNothingNew=true cleanReview="check" fixes="off" language="de" ` +
		`deterministic.secrets=true deterministic.staticAnalysis=false guidelineFiles=true`
	var got []string
	for _, v := range f.Values {
		got = append(got, v.Name+"="+string(v.Value))
	}
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if len(f.Rules) != 2 || f.Rules[0].Severity != "medium" || f.Rules[0].Languages[0] != "go" || f.Rules[1].Kind != policy.FileInstructions ||
		f.Rules[1].Severity != "low" || f.Rules[1].Title != "Handlers return problem documents." || f.Rules[0].ID == f.Rules[1].ID {
		t.Errorf("%+v", f.Rules)
	}
	for _, empty := range []string{"", "# only a comment\n", "---\n"} {
		if f := repofile.Parse([]byte(empty)); len(messages(f)) > 0 || !f.Present || len(f.Values) > 0 {
			t.Errorf("%q: %+v", empty, f)
		}
	}
}

// Beyond the bounds nothing is read.
func TestBounds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ raw, want string }{
		"64 KiB":   {"profile: quiet\n#" + strings.Repeat("x", 64<<10), "at most 64 KiB"},
		"UTF-8":    {"profile: quiet\n# \xff", "text in UTF-8"},
		"a zero":   {"profile: quiet\n# \x00", "text in UTF-8"},
		"anchors":  {strings.Repeat("&a ", 64<<10/3), "anchors or aliases"},
		"aliases":  {"a: &a 1\nb: [" + strings.Repeat("*a,", 20_000) + "]", "anchors or aliases"},
		"quotes":   {strings.Repeat("@", 60_000), "quotes and reserved characters"},
		"brackets": {"paths: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "must not nest"},
	} {
		f := repofile.Parse([]byte(c.raw))
		if f.Broken == nil || len(f.Values) > 0 || !strings.Contains(strings.Join(messages(f), ""), c.want) {
			t.Errorf("%s: %+v %v", name, f, messages(f))
		}
	}
	if f := repofile.Parse([]byte("profile: quiet\n#" + strings.Repeat("x", 64<<10-16))); f.Broken != nil || len(f.Values) != 1 {
		t.Errorf("exactly 64 KiB: %+v", f)
	}
}

type tree struct {
	text string
	err  error
}

func (t tree) Blob(context.Context, string) ([]byte, error) { return []byte(t.text), t.err }

func TestRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tree tree
		want string
	}{
		"a file":    {tree{text: "profile: quiet"}, ""},
		"no file":   {tree{err: fs.ErrNotExist}, ""},
		"too large": {tree{err: errs.New(errs.TooLarge, "x", "x")}, ".assay.yaml: must have at most 64 KiB; nothing in the file has an effect"},
	} {
		f, err := repofile.Read(t.Context(), c.tree, "c0ffee")
		testkit.OK(t, err)
		if got := strings.Join(messages(f), "\n"); got != c.want || f.Commit != "c0ffee" || f.Present != (name != "no file") {
			t.Errorf("%s: %+v", name, f)
		}
	}
	down := errors.New("password in an error")
	if _, err := repofile.Read(t.Context(), tree{err: down}, "c0ffee"); !errors.Is(err, down) {
		t.Error(err)
	}
	want := ".assay.yaml: could not be read from the base commit; nothing in the file has an effect"
	testkit.Equal(t, "a file that cannot be read", strings.Join(messages(repofile.Unread("c0ffee")), "\n"), want)
}

// The published schema is in step with the reader.
func TestSchema(t *testing.T) {
	t.Parallel()
	file := filepath.Join("..", "..", "..", "api", "repository-file.schema.json")
	want := repofile.Schema()
	if *update {
		testkit.OK(t, os.WriteFile(file, want, 0o644))
	}
	raw, err := os.ReadFile(file)
	testkit.OK(t, err)
	if string(raw) != string(want) {
		t.Error("api/repository-file.schema.json differs from the code: run go test ./internal/review/repofile -update")
	}
	for _, s := range policy.FileSettings() {
		if v := policy.ValueTypeOf(s.Name); v.Doc == "" || v.Type == "string" && len(v.Enum) == 0 && s.Name != "language" {
			t.Errorf("%s is not described: %+v", s.Name, v)
		}
	}
}

// A file never makes the reader panic, and what it accepts can be stored, resolved and is within the bounds.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	raw, err := os.ReadFile(filepath.Join("testdata", "broken.txt"))
	testkit.OK(f, err)
	for part := range strings.SplitSeq(string(raw), "=== ") {
		_, rest, _ := strings.Cut(part, "\n")
		text, _, _ := strings.Cut(rest, "\n--- \n")
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := repofile.Parse(raw)
		stored, err := json.Marshal(got)
		testkit.OK(t, err)
		if got.Broken != nil && len(got.Values)+len(got.Rules)+len(got.Refused) > 0 {
			t.Fatalf("broken, and yet with an effect: %s", stored)
		}
		if len(got.Refused) > 50 || len(got.Rules) > 80 {
			t.Fatalf("beyond the bounds: %s", stored)
		}
		for _, m := range messages(got) {
			if len(m) > 300 || strings.ContainsAny(m, "\n\r\x1b") {
				t.Fatalf("%q", m)
			}
		}
		for _, mode := range []string{policy.FileNarrow, policy.FileFull} {
			src := sources(mode)
			src.File = string(stored)
			if _, err := policy.ResolveAll(src); err != nil {
				t.Fatalf("%s: %v", stored, err)
			}
		}
	})
}

func sources(mode string) store.PolicySources {
	return store.PolicySources{Repository: `{"repositoryFile":"` + mode + `"}`}
}
