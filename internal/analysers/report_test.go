package analysers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/sarif"
)

func TestReportsBecomeSARIF(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		format    Format
		raw, want string // results as rule level path:first-last, separated by spaces
	}{
		"shellcheck": {FormatShellcheck, `{"comments":[{"file":"./a.sh","line":3,"endLine":4,"column":1,"level":"info","code":2086,"message":"Quote"}]}`,
			"SC2086 note a.sh:3-4"},
		"shellcheck, clean": {FormatShellcheck, `{"comments":[]}`, ""},
		"oxlint": {FormatOxlint, `{"diagnostics":[{"message":"m","code":"eslint(no-debugger)","severity":"warning","url":"https://x.example/r","help":"h",` +
			`"filename":"a.js","labels":[{"span":{"offset":1,"length":2,"line":7,"column":1}}]}],"number_of_files":1}`, "eslint/no-debugger warning a.js:7-7"},
		"oxlint, a broken file": {FormatOxlint, `{"diagnostics":[{"message":"m","severity":"error","filename":"a.js","labels":[]}]}`, "syntax error a.js:0-0"},
		"json":                  {FormatJSON, `{"results":[{"rule":"r","level":"warning","message":"m","path":"x/../a.go","line":1},{}]}`, "r warning a.go:1-1  note .:0-0"},
		"json, negative lines":  {FormatJSON, `{"results":[{"rule":"r","path":"a.go","line":-5,"endLine":-9}]}`, "r note a.go:0-0"},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := parse(t.Context(), tc.format, []byte(tc.raw))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range doc.Runs[0].Results {
				got = append(got, fmt.Sprintf("%s %s %s:%d-%d", r.RuleID, r.Level, r.Path, r.StartLine, r.EndLine))
			}
			if s := strings.Join(got, " "); s != tc.want || !doc.Runs[0].Successful {
				t.Errorf("%q, want %q", s, tc.want)
			}
		})
	}
}

// More results than one review may have are counted.
func TestAReportIsCut(t *testing.T) {
	t.Parallel()
	most := sarif.DefaultLimits().Results
	raw := `{"results":[` + strings.Repeat(`{"rule":"`+strings.Repeat("r", 300)+`","path":"a"},`, most) + `{"rule":"r"}]}`
	doc, err := parse(t.Context(), FormatJSON, []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	run := doc.Runs[0]
	if len(run.Results) != most || run.CutResults != 1 || len(run.Results[0].RuleID) > maxRuleID {
		t.Errorf("%d results, %d cut, rule of %d bytes", len(run.Results), run.CutResults, len(run.Results[0].RuleID))
	}
}

// The error of a report has no text of the report.
func TestABrokenReport(t *testing.T) {
	t.Parallel()
	for _, format := range []Format{FormatJSON, FormatShellcheck, FormatOxlint, FormatSARIF} {
		for _, raw := range []string{"", "{", "[]", `"PRIVATE"`, `{"results":"PRIVATE","comments":"PRIVATE","diagnostics":"PRIVATE","version":"PRIVATE"}`,
			strings.Repeat(`{"a":`, 20_000)} {
			if _, err := parse(t.Context(), format, []byte(raw)); err == nil || strings.Contains(err.Error(), "PRIVATE") {
				t.Errorf("%s, %.40q: %v", format, raw, err)
			}
		}
	}
}

func FuzzReport(f *testing.F) {
	f.Add("shellcheck", []byte(`{"comments":[{"file":"a","line":1,"level":"error","code":1}]}`))
	f.Add("oxlint", []byte(`{"diagnostics":[{"code":"a(b)","labels":[{"span":{"line":1}}]}]}`))
	f.Add("json", []byte(`{"results":[{"rule":"r","path":"a","line":1}]}`))
	f.Fuzz(func(t *testing.T, format string, raw []byte) {
		doc, err := parse(t.Context(), Format(format), raw)
		if err != nil {
			return
		}
		w := &workspace{tree: "/tree", given: []string{"a"}}
		belong(&doc, w)
		for _, run := range doc.Runs {
			for _, r := range run.Results {
				if r.Path != "a" || r.StartLine < 0 || r.EndLine < r.StartLine {
					t.Errorf("%+v", r)
				}
			}
		}
	})
}
