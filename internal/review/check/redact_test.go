package check

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

func TestRedactSet(t *testing.T) {
	t.Parallel()
	before := "a = 1\nold = '" + awsKey() + "'\n"
	after := "a = 1\nnew = '" + ghToken() + "'\n" + pemKey() + "\nz = 1\n"
	set := change(t, "a.py", before, after)
	res, err := checker(t).Run(t.Context(), set, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	clean, err := Redact(t.Context(), set, res.Redactor)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for i, l := range clean.Files[0].Hunks[0].Lines {
		was := set.Files[0].Hunks[0].Lines[i]
		if l.Old != was.Old || l.New != was.New || l.Op != was.Op {
			t.Fatalf("line %d changed its place", i)
		}
		got += string(l.Op) + l.Text + "\n"
	}
	want := " a = 1\n-old = '[redacted:aws-access-token]'\n+new = '[redacted:github-pat]'\n" + strings.Repeat("+[redacted:private-key]\n", 8) + "+z = 1\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if clean.Files[0].Hunks[0].ID != set.Files[0].Hunks[0].ID {
		t.Error("the hunk lost its identifier")
	}
	if set.Files[0].Hunks[0].Lines[1].Text != "old = '"+awsKey()+"'" {
		t.Error("the original set was changed")
	}
	crlf := strings.ReplaceAll(pemKey(), "\n", "\r\n")
	if s := res.Redactor.Text(crlf); strings.Contains(s, "BEGIN") || strings.Count(s, "\n") != strings.Count(crlf, "\n") {
		t.Errorf("CRLF form: %q", s)
	}
	if s := res.Redactor.Text("  " + strings.Split(pemKey(), "\n")[3]); s != "  [redacted:private-key]" {
		t.Errorf("one line of a key: %q", s)
	}
}

func TestRedactedSource(t *testing.T) {
	t.Parallel()
	res, err := checker(t).Run(t.Context(), &diff.Set{}, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	src := &RedactedSource{Source: files{"RIGHT:b.py": "t = '" + ghToken() + "'\n"}, Redactor: res.Redactor}
	for range 2 {
		b, err := src.Blob(t.Context(), domain.Right, "b.py")
		if err != nil || string(b) != "t = '[redacted:github-pat]'\n" {
			t.Errorf("%q, %v", b, err)
		}
	}
	if res.Redactor.Text(ghToken()) != "[redacted:github-pat]" {
		t.Error("the redactor did not learn the value")
	}
}

func TestSecretCannotBePrinted(t *testing.T) {
	t.Parallel()
	text := "first\nt = '" + ghToken() + "' and again '" + ghToken() + "'"
	found, err := checker(t).Scanner.ScanText(t.Context(), text)
	if err != nil || len(found) == 0 {
		t.Fatalf("%v, %v", found, err)
	}
	s := found[0]
	if s.First != 2 || s.Last != 2 || text[s.Start:s.End] != ghToken() {
		t.Errorf("place: %+v", s)
	}
	j, _ := s.MarshalJSON()
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "secret", s)
	if out := fmt.Sprintf("%v %+v %#v %s %s %s", s, s, s, s, j, log.String()); strings.Contains(out, ghToken()) {
		t.Errorf("printed: %s", out)
	}
	res, _ := checker(t).Run(t.Context(), change(t, "x", "", text+"\n"), nil, Options{})
	if out := fmt.Sprintf("%v %+v %#v", res.Redactor, res.Redactor, res); strings.Contains(out, ghToken()) {
		t.Error("the redactor can be printed")
	}
}

func TestScanMapsLinesOverFragments(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("x = compute(y)\n", maxFragment/15+100)
	text := filler + "t = '" + ghToken() + "'\n" + filler + "u = '" + awsKey() + "'\n"
	found, err := checker(t).Scanner.ScanText(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	n := strings.Count(filler, "\n")
	if len(found) != 2 || found[0].First != n+1 || found[1].First != 2*n+2 || text[found[1].Start:found[1].End] != awsKey() {
		t.Errorf("%v", found)
	}
}

func TestScannerIsConcurrent(t *testing.T) {
	t.Parallel()
	c := checker(t)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			text := strings.Repeat("\n", i) + "t = '" + ghToken() + "'\n"
			found, err := c.Scanner.ScanText(t.Context(), text)
			if err != nil || len(found) != 1 || found[0].First != i+1 {
				t.Errorf("%d: %v, %v", i, found, err)
			}
		})
	}
	wg.Wait()
}

func FuzzReadWorkflow(f *testing.F) {
	f.Add([]byte("on: pull_request_target\npermissions: write-all\njobs:\n  a:\n    permissions: &x {contents: write}\n    steps:\n      - run: |\n          gh pr checkout 1\n  b: *x\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, g := range facts(b).grants {
			if slices.Min(g.lines) < 0 {
				t.Error("negative line")
			}
		}
	})
}

func FuzzScanText(f *testing.F) {
	f.Add("a\nkey = '" + ghToken() + "'")
	f.Fuzz(func(t *testing.T, s string) {
		c := checker(t)
		found, err := c.Scanner.ScanText(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range found {
			if x.Start < 0 || x.End > len(s) || x.Start > x.End || x.First < 1 || x.Last < x.First || x.Last > strings.Count(s, "\n")+1 {
				t.Errorf("place %v", x)
			}
		}
	})
}

func BenchmarkScanHunks(b *testing.B) {
	c := checker(b)
	text := strings.Repeat("\tif err := s.store.Save(ctx, item); err != nil {\n\t\treturn fmt.Errorf(\"save: %w\", err)\n\t}\n", 20)
	set := &diff.Set{}
	for i := range 100 {
		set.Files = append(set.Files, change(b, fmt.Sprintf("f%d.go", i), "", text).Files...)
	}
	b.SetBytes(int64(100 * len(text)))
	for b.Loop() {
		if _, err := c.Run(b.Context(), set, nil, Options{Secrets: true}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBuildScanner(b *testing.B) {
	for b.Loop() {
		if _, err := buildScanner(); err != nil {
			b.Fatal(err)
		}
	}
}

func facts(b []byte) workflowFacts {
	w, _ := readWorkflow(b)
	return w
}

// Names of tables and columns about credentials stay in texts about a migration. Values with the same separators go.
func TestNamesOfCredentialsAreNotRedacted(t *testing.T) {
	t.Parallel()
	s, err := NewScanner()
	if err != nil {
		t.Fatal(err)
	}
	for text, hides := range map[string]bool{
		"the table of the token: oauth2_access_token_session":    false,
		"api_key, user_access_token_expires":                     false,
		"api_key = refresh_token_request_idx":                    false,
		"api_key = '" + random(7, 8) + "_token_" + random(8, 12): true,
		"api_key = 'sk_live_token_" + random(9, 24) + "'":        true,
		"password = 'violet_lantern_harbor_maple_42'":            true,
	} {
		clean, err := NewRedactor(s).Clean(t.Context(), "db/migrations/1.sql", []byte(text))
		if err != nil || (string(clean) != text) != hides {
			t.Errorf("%q became %q (%v)", text, clean, err)
		}
	}
}
