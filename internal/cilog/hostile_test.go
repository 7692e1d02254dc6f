package cilog_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/cilog"
)

// endless repeats a text without end.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[e.at]
		e.at = (e.at + 1) % len(e.text)
	}
	return len(p), nil
}

const failure = "--- FAIL: TestHalf (0.00s)\n    half_test.go:6: Half(4) = 1, want 2\n"

// A hostile log costs bounded memory, and a failure in it is kept.
func TestHostileLogs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before string // repeated up to size
		size   int
		log    string
	}{
		"one line":        {"x", 4 << 20, "\n" + failure},
		"empty lines":     {"\n", 500_000, failure},
		"returns":         {"\r", 1_000_000, failure},
		"escapes":         {"\x1b[31m\x1b]0;title\x1b[", 1 << 20, "\n" + failure},
		"NUL":             {"\x00\x00\n", 1 << 20, strings.ReplaceAll(failure, "A", "\x00A")},
		"invalid":         {"\xff\xfe\xc3\n", 1 << 20, strings.ReplaceAll(failure, "A", "\xff"+"A")},
		"hidden":          {"\u200b\u202e", 1 << 20, "\n" + strings.ReplaceAll(failure, "A", "\u200bA")},
		"errors":          {"error: FAIL: panic: exception\n", 1 << 18, failure},
		"fake failures":   {"--- FAIL: TestFake (0.00s)\n    fake_test.go:1: fake\n", 1 << 18, failure},
		"named failures":  {"FAILED a.py::b - c\n", 1 << 18, failure},
		"ends of a title": {"\x1b]0;never ends\n", 1 << 20, failure},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := io.MultiReader(io.LimitReader(&endless{text: c.before}, int64(c.size/len(c.before)*len(c.before))), strings.NewReader(c.log))
			got, err := cilog.Cut(t.Context(), in, redactor(t))
			if err != nil {
				t.Fatal(err)
			}
			text := got.Text()
			if !strings.Contains(text, "Half(4) = 1, want 2") || !strings.Contains(text, "FAIL: TestHalf") {
				t.Errorf("the failure is lost:\n%.3000s", text)
			}
			checkBounds(t, got)
		})
	}
}

func checkBounds(t *testing.T, e cilog.Excerpt) {
	t.Helper()
	text := e.Text()
	if len(e.Lines) > cilog.MaxLines || len(e.Failures) > cilog.MaxFailures || !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b\r\u200b\u202e") {
		t.Errorf("%d lines, %d failures, or invisible characters", len(e.Lines), len(e.Failures))
	}
	last := 0
	for _, l := range e.Lines {
		if len(l.Text) > cilog.MaxLineBytes || l.Number < last || l.Number > e.Total || strings.Contains(l.Text, "\n") {
			t.Errorf("line %d of %d has %d bytes", l.Number, e.Total, len(l.Text))
		}
		last = l.Number
	}
	for _, f := range e.Failures {
		if len(f.Name) > cilog.MaxField || len(f.File) > cilog.MaxField || len(f.Message) > cilog.MaxField || f.LogLine < 1 || f.LogLine > e.Total {
			t.Errorf("a failure is out of bounds: %+v", f)
		}
	}
}

// A log without an end is read up to the bound, with few allocations for each line that is not kept.
func TestEndlessLog(t *testing.T) {
	r := redactor(t)
	cut(t, "warm up")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const limit = cilog.MaxRead / 50
	got, err := cilog.CutAt(t.Context(), &endless{text: noise(1000)}, limit, r)
	runtime.ReadMemStats(&after)
	if err != nil || got.Bytes != limit || !got.CutEnd || got.Total < 15_000 {
		t.Fatalf("%d bytes, %d lines, cut %v, %v", got.Bytes, got.Total, got.CutEnd, err)
	}
	if !strings.HasSuffix(got.Text(), "… the end of the log is missing …\n") {
		t.Errorf("the cut is not named: %s", got.Text())
	}
	if each := float64(after.TotalAlloc-before.TotalAlloc) / limit; each > 6 {
		t.Errorf("%.1f bytes are allocated for each byte of the log", each)
	}
}

// Secrets reach neither lines nor failures, wherever a line or a bound divides them.
func TestSecrets(t *testing.T) {
	t.Parallel()
	const token = "ghp_" + "x7Rk2mQp9LvT4nWc8YbZ1dFg6HsJ3aKe5UiO"
	basic := base64.StdEncoding.EncodeToString([]byte("deploy:correct-horse-battery"))
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIEpAIBAAKCAQEA7Vb9cQ1hXyZ0pLmNoPqRsTuVwXyZaBcDeFgHiJkLmNoPqRsT\n", 25) + "AbCdEf==\n-----END RSA PRIVATE KEY-----\n"
	putty := "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: deploy\nPrivate-Lines: 3\n" +
		strings.Repeat("MIIEpAIBAAKCAQEA7Vb9cQ1hXyZ0pLmNoPqRsTuVwXyZaBcDeFgHiJkLmNoPqRsT\n", 2) + "AbCdEf==\nPrivate-MAC: 0123456789abcdef\n"
	body := base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"deploy","aud":"` + strings.Repeat("correct-horse-battery ", 12) + `"}`))
	signed := "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9." + body + "." + body
	for name, log := range map[string]string{
		"folded":         "error: bad\n" + folded(token, 10) + "\nfailed\n",
		"long, folded":   folded("error: bad "+signed, 80) + "\nfailed\n",
		"long, in steps": eachLine(folded("error: bad "+signed, 80)+"\nfailed\n", "#9 0.1 "),
		"key in steps":   eachLine("error: cannot use\n"+key+"error: gave up\n", "#9 0.1 "),
		"key in output":  eachLine("error: cannot use\n"+key+"error: gave up\n", "pkg/a test: "),
		"numbered key":   eachLine("error: cannot use\n"+key+"error: gave up\n", "  12 | "),
		"key after time": eachLine("error: cannot use\n"+strings.ReplaceAll(key, "AbCdEf==\n", "")+"error: gave up\n", "[12:00:01] web "),
		"YAML":           "env:\n  DB_PASSWORD: correct-horse-battery\nerror: failed\n",
		"PowerShell":     "error: $env:API_TOKEN = 'correct-horse-battery'\n",
		"YAML entry":     "auth:\n  password: correct-horse-battery\nerror: failed\n",
		"YAML in a step": "#9 0.1 - token: 'correct-horse-battery'\n#9 0.1 error: failed\n",
		".pgpass":        "error: cannot use\ndb.example:5432:shop:deploy:correct-horse-battery\n*:*:*:deploy:correct-horse\n",
		"PuTTY's key":    "error: cannot use\n" + putty + "error: gave up\n",
		"PuTTY in steps": eachLine("error: cannot use\n"+putty+"error: gave up\n", "#9 0.1 "),
		"escaped":        "error: {\"a\": \"\\u0067\\u0068p_" + token[4:] + "\"}\n",
		"escaped twice":  "error: \\\\u0067hp\\\\x5f" + token[4:] + "\n",
		"escaped, =":     "error: DB_PASSWORD\\u003dcorrect-horse-battery\n",
		"full width":     "error: ｇｈｐ＿" + token[4:] + "\n",
		".netrc":         "error: machine h login deploy password correct-horse-battery\n",
		"in a line":      "--- FAIL: TestHalf (0.00s)\n    half_test.go:6: token " + token + "\n",
		"in a name":      "--- FAIL: TestHalf/" + token + " (0.00s)\n    half_test.go:6: x\n",
		"across lines":   "error: bad token\n" + token[:20] + "\n" + token[20:] + "\nfailed\n",
		"at the bound":   "error: " + strings.Repeat("a ", cilog.MaxLineBytes-10) + token + "\n",
		"at the edge":    "error: " + strings.Repeat("a ", cilog.MaxLineBytes/2-10) + token + "\n",
		"basic":          "error: AUTHORIZATION: basic " + basic + "\n",
		"address":        "fatal: cannot read https://deploy:correct-horse-battery@git.example/x.git\n",
		"a key":          "error: cannot use\n" + key + "error: gave up\n",
		"a key, stamped": eachLine("error: cannot use\n"+key+"error: gave up\n", "2026-11-23T05:00:00.1234567Z "),
		"coloured":       "error: token " + token[:9] + "\x1b[31m" + token[9:] + "\n",
		"across stamps":  eachLine("error: bad token\n"+token[:20]+"\n"+token[20:]+"\nfailed\n", "2026-11-23T05:00:00.1234567Z "),
		"across steps":   "#9 0.1 error: bad " + token[:20] + "\n#9 0.1 " + token[20:] + "\nfailed\n",
		"across output":  "pkg/a test: error: bad " + token[:20] + "\npkg/a test: " + token[20:] + "\nfailed\n",
		"go test -json":  `{"Time":"x","Action":"output","Output":"error: ` + token[:9] + `\u001b[31m` + token[9:] + `\n"}` + "\n",
		"environment":    "declare -x DB_PASSWORD=\"correct-horse-battery\"\nAWS_SECRET=correct-horse\nerror: failed\n",
		"a command":      "+ docker login -u x --password correct-horse-battery\n+ mysql -uroot -pcorrect-horse\nerror: failed\n",
		"JSON":           "error: {\"client_secret\": \"correct-horse-battery\"}\n",
		"a cookie":       "> Set-Cookie: session=correct-horse-battery; Path=/\nerror: failed\n",
		"invisible":      "error: token " + token[:9] + "\u200b" + token[9:] + "\n",
	} {
		got := cut(t, noise(50)+log)
		all := got.Text()
		for _, f := range got.Failures {
			all += f.Name + f.File + f.Message
		}
		for _, part := range []string{token[4:16], token[22:], body[:20], body[100:120], body[len(body)-20:], basic[:12], "correct-horse", "MIIEpAIBAAKC", "AbCdEf=="} {
			if strings.Contains(all, part) {
				t.Errorf("%s: %q is kept in\n%s", name, part, all)
			}
		}
		if !strings.Contains(all, "edacted") && !strings.Contains(all, "…\n") {
			t.Errorf("%s: nothing was redacted in\n%s", name, all)
		}
	}
	if text := cut(t, "-----BEGIN RSA PRIVATE KEY-----\nerror: this line is not a key\n").Text(); !strings.Contains(text, "error: this line is not a key") {
		t.Errorf("the beginning of a key hides what follows:\n%s", text)
	}
}

// folded breaks a text into lines of n bytes.
func folded(text string, n int) string {
	var b strings.Builder
	for ; len(text) > n; text = text[n:] {
		b.WriteString(text[:n] + "\n")
	}
	return b.String() + text
}

// A message after a token, and after a private key, is kept.
func TestMessagesAfterSecrets(t *testing.T) {
	t.Parallel()
	for _, log := range []string{
		"error: bad ghp_x7Rk2mQp9LvT4nWc8YbZ1dFg6HsJ3aKe5UiO\nThe token was refused\n",
		"#9 0.1 -----BEGIN PRIVATE KEY-----\n#9 0.1 AAAA\n#9 0.2 error: The token was refused by the server\n",
		"error: test_secret: not found\nThe token was refused\n",
	} {
		if text := cut(t, log).Text(); !strings.Contains(text, "token was refused") {
			t.Errorf("%s becomes\n%s", log, text)
		}
	}
}

// Lines that only resemble an entry with a password, or an escape, stay as they are.
func TestOrdinaryLinesAreKept(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"password: cannot be blank",
		"error: password: must have 8 characters",
		"  token: unexpected",
		"token: ${{ secrets.TOKEN_1 }}",
		"token: $DEPLOY_TOKEN_1",
		"secret: ***",
		"error: unexpected token: first_item_2",
		"token: src/lexer.go:12",
		"error: main.go:12:5:undefined:first_item",
		"error: 127.0.0.1:5432: connection refused",
		`error: got "\u003cnil\u003e"`,
		"error: 失敗：テスト（３）",
	} {
		if text := cut(t, line+"\nerror: failed\n").Text(); !strings.Contains(text, strings.ReplaceAll(line, "３", "3")) {
			t.Errorf("%s becomes\n%s", line, text)
		}
	}
}

// broken fails after a part of a log.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

func TestErrors(t *testing.T) {
	t.Parallel()
	lost := errors.New("connection lost")
	got, err := cilog.Cut(t.Context(), io.MultiReader(strings.NewReader(failure), broken{lost}), redactor(t))
	if !errors.Is(err, lost) || len(got.Lines) != 0 {
		t.Errorf("a broken log: %+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err = cilog.Cut(ctx, strings.NewReader(failure), redactor(t)); !errors.Is(err, context.Canceled) || len(got.Lines) != 0 {
		t.Errorf("an ended context: %+v, %v", got, err)
	}
	if got = cut(t, ""); got.Total != 0 || len(got.Lines) != 0 || got.Text() != "" {
		t.Errorf("an empty log: %+v", got)
	}
	if got = cut(t, failure+"Job's log exceeded limit of 4194304 bytes.\n"); !got.CutEnd || got.CutStart {
		t.Errorf("a log that its host cut: %+v", got)
	}
}

// passing keeps every text, so that the fuzzer looks at the cutter alone.
type passing struct{}

func (passing) Clean(_ context.Context, _ string, text []byte) ([]byte, error) { return text, nil }

func FuzzCut(f *testing.F) {
	for _, log := range written {
		f.Add(log)
	}
	f.Add("\x1b]0;x\r\n\u200b\xff##[error]x\n-----BEGIN PRIVATE KEY-----\nAAAA\n")
	f.Fuzz(func(t *testing.T, log string) {
		got, err := cilog.Cut(t.Context(), strings.NewReader(log), passing{})
		if err != nil {
			t.Fatal(err)
		}
		checkBounds(t, got)
	})
}
