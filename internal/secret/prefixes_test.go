package secret

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// Every kind of token of this package is in the list by which tokens are scrubbed.
func TestEveryKindOfTokenIsScrubbed(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "token.go", nil, 0)
	testkit.OK(t, err)
	var named []Kind
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			if id, ok := v.Type.(*ast.Ident); ok && id.Name == "Kind" {
				text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				testkit.OK(t, err)
				named = append(named, Kind(text))
			}
		}
		return true
	})
	slices.Sort(named)
	listed := slices.Sorted(slices.Values(kinds))
	if len(named) < 9 || !slices.Equal(named, listed) {
		t.Errorf("named are %v, listed %v", named, listed)
	}
	for _, kind := range named {
		made := NewToken(kind).Reveal()
		if got := Scrub("at " + made); got != "at "+Redacted {
			t.Errorf("%s: %q", kind, got)
		}
		if shown := Prefix(made); Scrub(shown) != shown {
			t.Errorf("%s: what lists show is scrubbed: %q", kind, Scrub(shown))
		}
	}
}

// No other package spells the prefix of a token that the product makes. Code that makes tokens takes
// the prefix from the list.
func TestMakersShareTheList(t *testing.T) {
	t.Parallel()
	begins := []string{`"` + SigningPrefix}
	for _, k := range kinds {
		begins = append(begins, `"`+ours+string(k)+`_`)
	}
	testkit.OK(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || path == filepath.Join("..", "secret", "prefixes.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			for _, begin := range begins {
				if strings.Contains(line, begin) && !strings.HasPrefix(strings.TrimSpace(line), "//") {
					t.Errorf("%s spells %s…: take it from package secret", path, begin)
				}
			}
		}
		return err
	}))
}

func TestTokensOfOthersAreScrubbed(t *testing.T) {
	t.Parallel()
	const tail = "Ab3Zz9kQ0pLm7XcV5tRw"
	for maker, list := range foreign {
		for _, begin := range list {
			for _, text := range []string{begin + tail, begin + tail + "." + tail, begin + tail[:6]} {
				if got := Scrub("refused " + text + ", again"); got != "refused "+Redacted+", again" {
					t.Errorf("%s: %q", maker, got)
				}
			}
		}
	}
	for _, begin := range short {
		if got := Scrub("refused " + begin + tail); got != "refused "+Redacted {
			t.Errorf("%s: %q", begin, got)
		}
	}
	for name, c := range map[string]struct{ in, want string }{
		"Azure DevOps":              {"pat " + strings.Repeat("a1B2", 19) + "AZ" + "DO" + "a1B2.", "pat " + Redacted + "."},
		"Azure":                     {"key " + strings.Repeat("a1B2", 13) + "JQ" + "QJ9" + "9" + strings.Repeat("a1B2", 6) + ".", "key " + Redacted + "."},
		"a webhook of Slack":        {"POST https://hooks.slack." + "com/services/T0000/B0000/" + tail + ": refused", "POST https://" + Redacted + ": refused"},
		"a webhook of Discord":      {"POST https://discord." + "com/api/webhooks/123/" + tail + ": refused", "POST https://" + Redacted + ": refused"},
		"a header of GitLab":        {"PRIVATE-TOKEN: " + tail + " refused", "PRIVATE-TOKEN: " + Redacted + " refused"},
		"a header of Go":            {"map[X-Api-Key:[" + tail + "] A:[b]]", "map[X-Api-Key:[" + Redacted + "] A:[b]]"},
		"a header in JSON":          {`{"api-key": "` + tail + `"}`, `{"api-key": "` + Redacted + `"}`},
		"behind an escape of JSON":  {`{"a":"b\n` + "gl" + "pat-" + tail + `"}`, `{"a":"b` + Redacted + `"}`},
		"behind an escaped equals":  {`{"a":"b\u003d` + "gl" + "rt-" + tail + `"}`, `{"a":"b` + Redacted + `"}`},
		"behind an escape of a URL": {"state%3D" + "assay_" + "state_" + tail, "state" + Redacted},
	} {
		if got := Scrub(c.in); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

// Words that only begin like a token stay readable.
func TestNamesThatBeginLikeTokensStay(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0f3c2a1b4d5e6f708192a3b4c5d6e7f801234567", "task-forces of hf_hub and fw_version", "assay_webhook_deliveries_total", "assay_session and assay_setup", "glorious-night",
		"the key-value store", "a private-token is missing", "api-key: none", "https://discord.com/api/webhooks", "ASIA and AKIA", "a signature whsec_"} {
		if got := Scrub(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
