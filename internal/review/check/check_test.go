package check

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/wording"
)

type files map[string]string // "RIGHT:path" to content

func (f files) Blob(_ context.Context, side domain.Side, path string) ([]byte, error) {
	if s, ok := f[string(side)+":"+path]; ok {
		return []byte(s), nil
	}
	return nil, fs.ErrNotExist
}

// Values that look real are put together here, so that scanners of this
// repository stay quiet.
func awsKey() string  { return "AKIA" + "Q3EGRX7N5B2VKJ4M" }
func ghToken() string { return "ghp_" + "Zk8Qm2Xr7Tn4Vw9Lp3Hs6Jd1Fg5Bc0YaEuRi" }
func pemKey() string {
	var b strings.Builder
	b.WriteString("-----BEGIN RSA " + "PRIVATE KEY-----\n")
	for i := range 6 {
		for j := range 64 {
			b.WriteByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[(i*37+j*29+j*j)%64])
		}
		b.WriteByte('\n')
	}
	return b.String() + "-----END RSA " + "PRIVATE KEY-----"
}

func checker(t testing.TB) *Checker {
	t.Helper()
	s, err := NewScanner()
	if err != nil {
		t.Fatal(err)
	}
	return &Checker{Scanner: s}
}

// change makes the diff that turns one text into the other after equal first
// lines: simple, but with real numbers.
func change(t testing.TB, path, before, after string) *diff.Set {
	t.Helper()
	o, n := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	o, n = o[:len(o)-1], n[:len(n)-1]
	same := 0
	for same < len(o) && same < len(n) && o[same] == n[same] {
		same++
	}
	var b strings.Builder
	for _, l := range o[:same] {
		b.WriteString(" " + l)
	}
	for _, l := range o[same:] {
		b.WriteString("-" + l)
	}
	for _, l := range n[same:] {
		b.WriteString("+" + l)
	}
	start := func(n int) int {
		if n == 0 {
			return 0
		}
		return 1
	}
	status := diff.Modified
	if before == "" {
		status = diff.Added
	}
	set, err := diff.FromPatches([]diff.Patch{{Path: path, Status: status,
		Text: fmt.Sprintf("@@ -%d,%d +%d,%d @@\n%s", start(len(o)), len(o), start(len(n)), len(n), b.String())}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func run(t *testing.T, path, before, after string) Result {
	t.Helper()
	set := change(t, path, before, after)
	src := files{"RIGHT:" + path: after}
	if before != "" {
		src["LEFT:"+path] = before
	}
	res, err := checker(t).Run(t.Context(), set, src, Options{Secrets: true, Static: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range res.Findings {
		if f.Verdict != domain.VerdictSkipped || f.Confidence != 1 || !f.Origin.Deterministic() || f.Explanation == "" || len([]rune(f.Title)) > 80 {
			t.Errorf("incomplete finding: %+v", f)
		}
		if !wording.Titles.Knows(f.Title) || !wording.Explanations.Knows(f.Explanation) {
			t.Errorf("%q has no explanation: %q", f.Title, f.Explanation)
		}
	}
	return res
}

func summary(res Result) string {
	var out []string
	for _, f := range res.Findings {
		out = append(out, fmt.Sprintf("%s@%d-%d/%s/%s", f.RuleID, f.Anchor.StartLine, f.Anchor.EndLine, f.Anchor.Level, f.Severity))
	}
	return strings.Join(out, " ")
}

func TestChecks(t *testing.T) {
	t.Parallel()
	const wf = ".gitea/workflows/ci.yml"
	steps := "jobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n"
	for _, tt := range []struct{ name, path, before, after, want string }{
		{"cloud key", "a.py", "", "import x\n\nkey = '" + awsKey() + "'\n", "gitleaks/aws-access-token@3-3/line/critical"},
		{"two on one file", "a.py", "", "k = '" + awsKey() + "'\nx = 1\nt = '" + ghToken() + "'\n",
			"gitleaks/aws-access-token@1-1/line/critical gitleaks/github-pat@3-3/line/critical"},
		{"last line without newline", "a.py", "x = 1\n", "x = 1\nt = '" + ghToken() + "'\n", "gitleaks/github-pat@2-2/line/critical"},
		{"private key over lines", "k.txt", "a\n", "a\nb\n" + pemKey() + "\nc\n", "gitleaks/private-key@3-10/line/critical"},
		{"allow comment does not help", "a.py", "", "t = '" + ghToken() + "' # gitleaks" + ":allow\n", "gitleaks/github-pat@1-1/line/critical"},
		{"unchanged secret is not reported", "a.py", "t = '" + ghToken() + "'\n", "t = '" + ghToken() + "'\nx = 1\n", ""},
		{"removed secret is not reported", "a.py", "t = '" + ghToken() + "'\n", "x = 1\n", ""},
		{"documented sample value", "a.py", "", "key = 'AKIAIOSFODNN7EXAMPLE'\n", ""},
		{"nothing", "a.py", "", "x = 1\n", ""},
		{"bidi", "a.js", "", "if (x) {\n // \u202e} \u2066\n}\n", "assay/unicode-bidi@2-2/line/high"},
		{"bidi in docs", "a.md", "", "x\u202ey\n", "assay/unicode-bidi@1-1/line/medium"},
		{"tag text", "a.py", "", "# hi\U000E0069\U000E0067\n", "assay/unicode-tag@1-1/line/high"},
		{"zero width twice", "a.py", "", "ad\u200bmin = 1\nx\ny\u2060 = 2\n", "assay/unicode-zero-width@1-1/line/medium assay/unicode-zero-width@3-3/line/medium"},
		{"zero width on many lines", "a.py", "", strings.Repeat("ad\u200bmin = 1\n", 9), "assay/unicode-zero-width@1-1/line/medium " +
			"assay/unicode-zero-width@2-2/line/medium assay/unicode-zero-width@3-3/line/medium assay/unicode-zero-width@4-4/line/medium " +
			"assay/unicode-zero-width@5-5/line/medium"},
		{"byte order mark first", "a.py", "", "\uFEFFx = 1\n", ""},
		{"byte order mark inside", "a.py", "", "x\uFEFF = 1\n", "assay/unicode-zero-width@1-1/line/medium"},
		{"emoji, flag and Persian", "a.py", "", "x = '👩\u200d💻 می\u200cخواهم \U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F'\n", ""},
		{"conflict", "a.py", "", "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> b\n", "assay/conflict-marker@1-1/line/high"},
		{"two conflicts", "a.py", "", strings.Repeat("<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> b\n", 2),
			"assay/conflict-marker@1-1/line/high assay/conflict-marker@6-6/line/high"},
		{"a heading is not a conflict", "a.rst", "", "T\n=======\n", ""},
		{"go broken", "a.go", "package a\n", "package a\n\nfunc f( {\n}\n", "assay/go-syntax@3-3/line/high"},
		{"go broken in testdata", "testdata/a.go", "", "package a\n\nfunc f( {\n}\n", ""},
		{"go fine", "a.go", "", "package a\n\nfunc f() {}\n", ""},
		{"write-all", wf, "on: push\n", "on: push\npermissions: write-all\n", "assay/ci-permissions@2-2/line/high"},
		{"write-all quoted by escape", wf, "on: push\n", "on: push\npermissions: \"\\x77rite-all\"\n", "assay/ci-permissions@2-2/line/high"},
		{"flow form in a job", wf, "on: push\n", "on: push\njobs:\n  a:\n    permissions: {contents: write, issues: read}\n", "assay/ci-permissions@4-4/line/high"},
		{"minor scope", wf, "on: push\n", "on: push\npermissions:\n  issues: write\n", "assay/ci-permissions@3-3/line/medium"},
		{"moved, not wider", wf, "permissions:\n  issues: write\non: push\n", "on: push\npermissions:\n  issues: write\n", ""},
		{"job narrower than workflow", wf, "permissions: write-all\n", "on: push\njobs:\n  a:\n    permissions:\n      contents: write\n", ""},
		{"untrusted checkout", wf, "", "on: pull_request_target\n" + steps, "assay/ci-untrusted-checkout@7-7/line/critical"},
		{"another untrusted checkout", wf, "on: pull_request_target\n" + steps, "on: pull_request_target\n" + steps +
			strings.Replace(strings.TrimPrefix(steps, "jobs:\n"), "  a:", "  b:", 1), "assay/ci-untrusted-checkout@12-12/line/critical"},
		{"trigger added later", wf, steps, "on:\n  pull_request_target:\n    types: [opened]\n" + steps, "assay/ci-untrusted-checkout@9-9/line/critical"},
		{"safe trigger", wf, "", "on: [pull_request]\n" + steps, ""},
		{"target without head", wf, "", "on: pull_request_target\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n", ""},
		{"not YAML", wf, "", "on: [push\npermissions: write-all\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res := run(t, tt.path, tt.before, tt.after)
			if got := summary(res); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			out, _ := json.Marshal(res.Findings)
			for _, secret := range []string{awsKey(), ghToken(), "ABCDEFGHIJ"} {
				if strings.Contains(string(out), secret) {
					t.Error("a finding holds the value of a secret")
				}
			}
			if Hidden(string(out)) {
				t.Error("a finding holds hidden characters")
			}
		})
	}
}

func TestOptionsAndFileRule(t *testing.T) {
	t.Parallel()
	set := change(t, "a.py", "", "t = '"+ghToken()+"' # \u202e\n")
	set.Files = append(set.Files, &diff.File{Path: "cert/server.p12", Status: diff.Added, Binary: true, Class: diff.ClassBinary},
		&diff.File{Path: "../../../raw/x.p12", Status: diff.Added, Omitted: diff.OmittedPath}) // a path outside the tree is not reported
	for _, tt := range []struct {
		opt  Options
		want string
	}{
		{Options{}, ""},
		{Options{Secrets: true}, "gitleaks/github-pat@1-1/line/critical gitleaks/pkcs12-file@0-0/file/critical"},
		{Options{Static: true}, "assay/unicode-bidi@1-1/line/high"},
	} {
		res, err := checker(t).Run(t.Context(), set, nil, tt.opt)
		if err != nil || summary(res) != tt.want {
			t.Errorf("%+v: %s, %v", tt.opt, summary(res), err)
		}
		if got := res.Redactor.Text("x " + ghToken() + " y"); got != "x [redacted:github-pat] y" {
			t.Errorf("%+v: the redactor must know secrets in any case: %s", tt.opt, got)
		}
	}
}

func TestRunEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := checker(t).Run(ctx, change(t, "a.py", "", "x = 1\n"), nil, Options{Secrets: true}); err == nil {
		t.Error("an ended context must be an error, not an empty result")
	}
}

// subjectsOf lists the subjects of the findings of a new file.
func subjectsOf(t *testing.T, path, text string) (out []string) {
	for _, f := range run(t, path, "", text).Findings {
		out = append(out, f.Subject)
	}
	return out
}

// A further place changes the subject of the last finding that a file has room for, or makes a finding of its own.
func TestEveryPlaceCounts(t *testing.T) {
	t.Parallel()
	const checkout = "      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.head_ref }}-%d\n"
	many := func(form string, n int) (out string) {
		for i := range n {
			out += strings.ReplaceAll(form, "%d", fmt.Sprint(i))
		}
		return out
	}
	for name, tt := range map[string]struct {
		path, head, form string
		own              int // findings that the file has room for
	}{
		"hidden characters":   {"a.py", "", "# a\u202eb %d\n", maxPlaceFindings},
		"conflicts":           {"a.py", "", "<<<<<<< HEAD\nx = %d\n=======\ny\n>>>>>>> b\n", maxPlaceFindings},
		"untrusted checkouts": {workflowFile, "on: pull_request_target\njobs:\n  a:\n    steps:\n", checkout, maxPlaceFindings},
		"errors of Go":        {"a.go", "package a\n", "\nfunc f%d( {\n}\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var before []string
			for n := 1; n < 15; n++ {
				got := subjectsOf(t, tt.path, tt.head+many(tt.form, n))
				if len(got) != min(n, tt.own) {
					t.Fatalf("%d places: %d findings", n, len(got))
				}
				if slices.Equal(got, before) || len(got) > 1 && got[0] != before[0] {
					t.Errorf("%d places: %q, before %q", n, got, before)
				}
				before = got
			}
		})
	}
}
