package sarif

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

var update = flag.Bool("update", false, "write the golden files")

// log returns a document with one run.
func log(run string) string { return `{"version":"2.1.0","runs":[` + run + `]}` }

// one returns a document with one result.
func one(result string) string {
	return log(`{"tool":{"driver":{"name":"x","rules":[{"id":"R0"},{"id":"R1","defaultConfiguration":{"level":"error"}}]}},"results":[` + result + `]}`)
}

func read(t *testing.T, text string) Document {
	t.Helper()
	doc, err := Read(t.Context(), strings.NewReader(text), Limits{})
	testkit.OK(t, err)
	return doc
}

func TestResults(t *testing.T) {
	t.Parallel()
	at := func(uri, region string) string {
		return `"locations":[{"physicalLocation":{"artifactLocation":{"uri":"` + uri + `"},"region":{` + region + `}}}]`
	}
	for name, tt := range map[string]struct{ result, want string }{
		"all of it":                 {`{"ruleId":"R0","level":"note","message":{"text":"m"},` + at("a/b.go", `"startLine":3,"endLine":5`) + `}`, "R0 note m a/b.go:3-5"},
		"no end":                    {`{"ruleId":"R0","message":{"text":"m"},` + at("b.go", `"startLine":3`) + `}`, "R0 warning m b.go:3-3"},
		"an end before the start":   {`{"ruleId":"R0","message":{"text":"m"},` + at("b.go", `"startLine":3,"endLine":1`) + `}`, "R0 warning m b.go:3-3"},
		"no region":                 {`{"ruleId":"R0","message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"b.go"}}}]}`, "R0 warning m b.go:0-0"},
		"a line beyond all files":   {`{"ruleId":"R0","message":{"text":"m"},` + at("b.go", `"startLine":99999999999`) + `}`, "R0 warning m b.go:0-0"},
		"a line that is a text":     {`{"ruleId":"R0","message":{"text":"m"},` + at("b.go", `"startLine":"3"`) + `}`, "R0 warning m b.go:0-0"},
		"no location":               {`{"ruleId":"R0","message":{"text":"m"}}`, "R0 warning m :0-0"},
		"the level of the rule":     {`{"ruleId":"R1","message":{"text":"m"}}`, "R1 error m :0-0"},
		"the rule by its place":     {`{"ruleIndex":1,"message":{"text":"m"}}`, "R1 error m :0-0"},
		"the rule by its reference": {`{"rule":{"index":1},"message":{"text":"m"}}`, "R1 error m :0-0"},
		"a place beyond the rules":  {`{"ruleIndex":7,"message":{"text":"m"}}`, " warning m :0-0"},
		"a place before the rules":  {`{"ruleIndex":-1,"message":{"text":"m"}}`, " warning m :0-0"},
		"an unknown level":          {`{"ruleId":"R0","level":"fatal","message":{"text":"m"}}`, "R0 warning m :0-0"},
		"an escaped path":           {`{"ruleId":"R0","message":{"text":"m"},` + at("a%20b/%C3%BC.go", `"startLine":1`) + `}`, "R0 warning m a b/ü.go:1-1"},
		"a path with a colon":       {`{"ruleId":"R0","message":{"text":"m"},` + at("./a:b.py", `"startLine":1`) + `}`, "R0 warning m a:b.py:1-1"},
		"a path with a percentage":  {`{"ruleId":"R0","message":{"text":"m"},` + at("100%.go", `"startLine":1`) + `}`, "R0 warning m 100%.go:1-1"},
		"a path with a hash":        {`{"ruleId":"R0","message":{"text":"m"},` + at("a#b.go", `"startLine":1`) + `}`, "R0 warning m a#b.go:1-1"},
		"a file address":            {`{"ruleId":"R0","message":{"text":"m"},` + at("file:///w/a.go", `"startLine":1`) + `}`, "R0 warning m /w/a.go:1-1"},
		"a Windows path":            {`{"ruleId":"R0","message":{"text":"m"},` + at(`src\\a.go`, `"startLine":1`) + `}`, "R0 warning m src/a.go:1-1"},
		"a Windows drive":           {`{"ruleId":"R0","message":{"text":"m"},` + at(`C:\\w\\a.go`, `"startLine":1`) + `}`, "R0 warning m C:/w/a.go:1-1"},
		"a Windows address":         {`{"ruleId":"R0","message":{"text":"m"},` + at(`file:///C:/w/a.go`, `"startLine":1`) + `}`, "R0 warning m C:/w/a.go:1-1"},
		"a path out of the root":    {`{"ruleId":"R0","message":{"text":"m"},` + at("a/../../etc/passwd", `"startLine":1`) + `}`, "R0 warning m ../etc/passwd:1-1 outside"},
		"an escaped way out":        {`{"ruleId":"R0","message":{"text":"m"},` + at("%2e%2e/etc/passwd", `"startLine":1`) + `}`, "R0 warning m ../etc/passwd:1-1 outside"},
		"an address of the web":     {`{"ruleId":"R0","message":{"text":"m"},` + at("https://example.org/a.go", `"startLine":1`) + `}`, "R0 warning m :1-1 outside"},
		"another machine":           {`{"ruleId":"R0","message":{"text":"m"},` + at("file://host/a.go", `"startLine":1`) + `}`, "R0 warning m :1-1 outside"},
		"a path with NUL":           {`{"ruleId":"R0","message":{"text":"m"},` + at("a%00.go", `"startLine":1`) + `}`, "R0 warning m :1-1 outside"},
		"suppressed":                {`{"ruleId":"R0","message":{"text":"m"},"suppressions":[{"kind":"inSource"}]}`, "R0 warning m :0-0 suppressed"},
		"suppression under review":  {`{"ruleId":"R0","message":{"text":"m"},"suppressions":[{"status":"underReview"}]}`, "R0 warning m :0-0"},
		"no suppression":            {`{"ruleId":"R0","message":{"text":"m"},"suppressions":[]}`, "R0 warning m :0-0"},
		"in the base":               {`{"ruleId":"R0","message":{"text":"m"},"baselineState":"unchanged"}`, "R0 warning m :0-0 unchanged"},
		"a message with arguments":  {`{"ruleId":"R0","message":{"text":"m {0}"}}`, "R0 warning m {0} :0-0"},
		"a message of the rule":     {`{"ruleId":"R0","message":{"id":"d","arguments":["x","y"]}}`, "R0 warning  :0-0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := read(t, one(tt.result)).Runs[0]
			testkit.Equal(t, "results", len(run.Results), 1)
			r := run.Results[0]
			got := fmt.Sprintf("%s %s %s %s:%d-%d", r.RuleID, r.Level, r.Message, r.Path, r.StartLine, r.EndLine)
			for word, is := range map[string]bool{" outside": r.Outside, " suppressed": r.Suppressed, " unchanged": r.Unchanged} {
				if is {
					got += word
				}
			}
			testkit.Equal(t, "result", got, tt.want)
		})
	}
}

// Tools write the parts of a run in any order, and leave most of them out.
func TestRuns(t *testing.T) {
	t.Parallel()
	doc := read(t, "\ufeff"+log(`{"results":[{"ruleIndex":0,"message":{"id":"d","arguments":["x"]},
		"locations":[{"physicalLocation":{"artifactLocation":{"uri":"b.go","uriBaseId":"SRC"},"region":{"startLine":2}}}]},
		{"kind":"pass","ruleId":"P","message":{"text":"m"}},
		{"rule":{"index":0,"toolComponent":{"index":0}},"message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{"index":0}}}]},
		{"ruleId":"A","message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"file:///w/repo/c.go"}}}]},
		7],
		"artifacts":[{"location":{"uri":"deep/d.go"}}],
		"originalUriBaseIds":{"SRC":{"uri":"src/","uriBaseId":"ROOT"},"ROOT":{"uri":"file:///w/repo/"}},
		"invocations":[{"executionSuccessful":false,"startTimeUtc":"2026-01-02T03:04:05Z","endTimeUtc":"2026-01-02T03:04:07.5Z",
			"toolExecutionNotifications":[{"level":"error","message":{"text":"broken"}},{"level":"note","message":{"text":"fine"}}]}],
		"tool":{"driver":{"name":"x","version":"1","semanticVersion":"1.2.3","rules":[{"id":"D","messageStrings":{"d":{"text":"says {0}"}},
			"helpUri":"https://example.org/D","properties":{"security-severity":"8.1","tags":["security"]}}]},
			"extensions":[{"rules":[{"id":"E","helpUri":"javascript:x"}]}]}}`))
	run := doc.Runs[0]
	testkit.Equal(t, "tool", run.Tool+" "+run.Version, "x 1.2.3")
	testkit.Equal(t, "successful", run.Successful, false)
	testkit.Equal(t, "duration", run.Duration, 2500*time.Millisecond)
	testkit.Equal(t, "notes", strings.Join(run.Notes, ","), "broken")
	testkit.Equal(t, "counts", fmt.Sprint(len(run.Results), run.Passed, run.Unreadable), "3 1 1")
	testkit.Equal(t, "first", run.Results[0].RuleID+" "+run.Results[0].Message+" "+run.Results[0].Path, "D says x src/b.go")
	testkit.Equal(t, "rule of an extension", run.Results[1].RuleID+" "+run.Results[1].Path, "E deep/d.go")
	testkit.Equal(t, "below the root", run.Results[2].Path, "c.go")
	testkit.Equal(t, "severity", run.Rules["D"].Security, 8.1)
	testkit.Equal(t, "help", run.Rules["D"].Help+run.Rules["E"].Help, "https://example.org/D")
}

func TestCodeFlows(t *testing.T) {
	t.Parallel()
	steps := strings.Repeat(`{"location":{"message":{"text":"s"},"physicalLocation":{"artifactLocation":{"uri":"a.go"},"region":{"startLine":4}}}},`, 30)
	r := read(t, one(`{"ruleId":"R0","message":{"text":"m"},"codeFlows":[{"threadFlows":[{"locations":[`+strings.TrimSuffix(steps, ",")+`]}]}]}`)).Runs[0].Results[0]
	testkit.Equal(t, "steps", fmt.Sprint(len(r.Flow), r.CutSteps), "20 10")
	testkit.Equal(t, "step", fmt.Sprint(r.Flow[0]), "{a.go false 4 s}")
}

func TestWhatIsNotSARIF(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want error
		says string
	}{
		"nothing":            {"", ErrInvalid, "ends too early"},
		"not JSON":           {"<xml>", ErrInvalid, "grammar of JSON"},
		"an array":           {"[]", ErrInvalid, "log must be an object"},
		"no version":         {`{"runs":[]}`, ErrInvalid, "version must be 2.1.0"},
		"UTF-16":             {"\xff\xfe{\x00", ErrInvalid, "must be UTF-8, and is UTF-16"},
		"UTF-16, big-endian": {"\xfe\xff\x00{", ErrInvalid, "must be UTF-8, and is UTF-16"},
		"an old version":     {`{"version":"2.0.0","runs":[]}`, ErrInvalid, "version must be 2.1.0"},
		"no runs":            {`{"version":"2.1.0"}`, ErrInvalid, "runs is missing"},
		"runs of text":       {`{"version":"2.1.0","runs":"x"}`, ErrInvalid, "runs must be an array"},
		"a run of text":      {`{"version":"2.1.0","runs":["x"]}`, ErrInvalid, "every run must be an object"},
		"cut off":            {`{"version":"2.1.0","runs":[{"results":[{"ruleId":"a"`, ErrInvalid, "ends too early"},
		"something after it": {`{"version":"2.1.0","runs":[]} {}`, ErrInvalid, "text follows"},
		"deep":               {`{"version":"2.1.0","x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `,"runs":[]}`, ErrTooLarge, "nested too deeply"},
		"deep in a text":     {`{"version":"2.1.0","x":"` + strings.Repeat("[", 100) + `","runs":[]}`, nil, ""},
		"large":              {`{"version":"2.1.0","x":"` + strings.Repeat("a", 2000) + `","runs":[]}`, ErrTooLarge, "more bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Read(t.Context(), strings.NewReader(tt.text), Limits{Bytes: 1000})
			if !errors.Is(err, tt.want) || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Fatal(err)
			}
		})
	}
}

func TestGzip(t *testing.T) {
	t.Parallel()
	pack := func(text io.Reader) *bytes.Buffer {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := io.Copy(z, text)
		testkit.OK(t, err)
		testkit.OK(t, z.Close())
		return &b
	}
	doc, err := Read(t.Context(), pack(strings.NewReader(one(`{"ruleId":"R0","message":{"text":"m"}}`))), Limits{})
	testkit.OK(t, err)
	testkit.Equal(t, "results", len(doc.Runs[0].Results), 1)

	_, err = Read(t.Context(), pack(pack(strings.NewReader(one("")))), Limits{})
	testkit.Equal(t, "packed twice", errors.Is(err, ErrPackedTwice), true)

	bomb := pack(io.MultiReader(strings.NewReader(`{"version":"2.1.0","x":"`), io.LimitReader(zeros{}, 200<<20)))
	if bomb.Len() > 1<<20 {
		t.Fatal("the bomb is not small")
	}
	_, err = Read(t.Context(), bomb, Limits{})
	testkit.Equal(t, "a bomb", errors.Is(err, ErrTooLarge), true)

	broken := pack(strings.NewReader(one(`{"ruleId":"R0","message":{"text":"m"}}`))).Bytes()
	broken[len(broken)-6] ^= 1 // the checksum
	_, err = Read(t.Context(), bytes.NewReader(broken), Limits{})
	testkit.Equal(t, "a wrong checksum", errors.Is(err, ErrInvalid), true)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// A million results end in a count, not in memory.
func TestAMillionResults(t *testing.T) {
	t.Parallel()
	text := io.MultiReader(strings.NewReader(`{"version":"2.1.0","runs":[{"results":[`), &repeated{"{},", 1_000_000},
		strings.NewReader(`{}],"tool":{"driver":{"name":"x"}}}]}`))
	doc, err := Read(t.Context(), text, Limits{})
	testkit.OK(t, err)
	testkit.Equal(t, "kept and cut", fmt.Sprint(len(doc.Runs[0].Results), doc.Runs[0].CutResults), "25000 975001")

	text = io.MultiReader(strings.NewReader(`{"version":"2.1.0","runs":[`), &repeated{`{"results":[{}]},`, 100}, strings.NewReader(`{}]}`))
	doc, err = Read(t.Context(), text, Limits{Results: 5})
	testkit.OK(t, err)
	testkit.Equal(t, "runs", fmt.Sprint(len(doc.Runs), doc.CutRuns), "20 81")
	testkit.Equal(t, "results of all runs", fmt.Sprint(len(doc.Runs[4].Results), len(doc.Runs[5].Results), doc.Runs[5].CutResults), "1 0 1")

	text = io.MultiReader(strings.NewReader(`{"version":"2.1.0","runs":[{"tool":{"driver":{"rules":[`), &repeated{`{"id":"a"},`, 30_000},
		strings.NewReader(`{}]}}}]}`))
	doc, err = Read(t.Context(), text, Limits{})
	testkit.OK(t, err)
	testkit.Equal(t, "rules", doc.Runs[0].CutRules, 5001)
}

// repeated is a text many times, in small memory.
type repeated struct {
	text string
	n    int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	if r.n == 0 {
		return 0, io.EOF
	}
	for r.n > 0 && len(p)-n >= len(r.text) {
		n += copy(p[n:], r.text)
		r.n--
	}
	return n, nil
}

func TestReadingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Read(ctx, strings.NewReader(one("{}")), Limits{})
	testkit.Equal(t, "error", errors.Is(err, context.Canceled), true)
}

// Documents of real tools, over small programs with known faults.
func TestRealTools(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.sarif")
	testkit.OK(t, err)
	if len(files) < 5 {
		t.Fatal("documents are missing")
	}
	var got strings.Builder
	for _, name := range files {
		raw, err := os.ReadFile(name)
		testkit.OK(t, err)
		for _, run := range read(t, string(raw)).Runs {
			fmt.Fprintf(&got, "%s: %s %s, %d rules, unreadable %d\n", filepath.Base(name), run.Tool, run.Version, len(run.Rules), run.Unreadable)
			for _, r := range run.Results {
				rule, known := run.Rules[r.RuleID]
				fmt.Fprintf(&got, "  %s %s %s:%d-%d rule %t help %t\n", r.RuleID, r.Level, r.Path, r.StartLine, r.EndLine, known, rule.Help != "")
			}
		}
	}
	if *update {
		testkit.OK(t, os.WriteFile("testdata/tools.txt", []byte(got.String()), 0o600))
	}
	want, err := os.ReadFile("testdata/tools.txt")
	testkit.OK(t, err)
	testkit.Equal(t, "results", got.String(), string(want))
}

// A broken run does not take the others with it, and its place is known.
func TestBrokenRuns(t *testing.T) {
	t.Parallel()
	good := `{"tool":{"driver":{"name":"%s"}},"results":[{"ruleId":"r","message":{"text":"m"}}]}`
	for name, bad := range map[string]string{"null": "null", "text": `"x"`, "an array": `[{"a":[1]},2]`, "without properties": "{}",
		"results that are an object": `{"tool":{"driver":{"name":"x"}},"results":{"a":[{}]},"columnKind":"x"}`,
		"results twice":              `{"results":[{"ruleId":"r"}],"results":5}`} {
		doc, err := Read(t.Context(), strings.NewReader(`{"version":"2.1.0","runs":[`+fmt.Sprintf(good, "a")+","+bad+","+fmt.Sprintf(good, "b")+`]}`),
			Limits{Results: 2})
		if err != nil || len(doc.Runs) != 2 || doc.Runs[1].Tool != "b" || len(doc.Runs[1].Results) != 1 || !slices.Equal(doc.Broken, []int{1}) {
			t.Errorf("%s: %+v, %v", name, doc, err)
		}
	}
	doc, err := Read(t.Context(), strings.NewReader(`{"version":"2.1.0","runs":[`+strings.Repeat("null,", 30)+fmt.Sprintf(good, "a")+`]}`), Limits{})
	if !errors.Is(err, ErrInvalid) || len(doc.Broken) > 20 {
		t.Errorf("beyond the bound of runs: %d broken, %v", len(doc.Broken), err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(one(`{"ruleId":"R0","message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a/b.go"},"region":{"startLine":3}}}]}`)))
	f.Add([]byte(log(`{"results":[{"ruleIndex":-1,"codeFlows":[{"threadFlows":[{"locations":[{}]}]}]}],"artifacts":[null],"invocations":null}`)))
	f.Add([]byte(`{"version":"2.1.0","runs":[null,{"tool":null,"results":null}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		l := Limits{Bytes: 1 << 20, Results: 50, Runs: 3}
		doc, err := Read(t.Context(), bytes.NewReader(raw), l)
		if err != nil {
			return
		}
		n := 0
		for _, run := range doc.Runs {
			n += len(run.Results)
			for _, r := range run.Results {
				if len(r.Message) > maxMessage || len(r.Fingerprints) > maxPrints || r.EndLine < r.StartLine || len(r.Flow) > 20 ||
					strings.ContainsAny(r.Path, "\x00\n\r") || !r.Outside && strings.HasPrefix(r.Path, "../") {
					t.Fatalf("%+v", r)
				}
			}
		}
		if n > l.Results || len(doc.Runs) > l.Runs {
			t.Fatal(n, len(doc.Runs))
		}
	})
}
