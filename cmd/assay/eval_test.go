package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/record"
	"github.com/assay-dev/assay/internal/eval/score"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

func measured(t *testing.T, report score.Report, rule string, m score.Measure) float64 {
	t.Helper()
	got := report.QualityBy(rule).Measures[m]
	if got == nil {
		t.Fatalf("%s has no %s", rule, m)
	}
	return got.Value
}

// The engine loses nothing of an oracle's answers, in any language: all its findings in the seeded
// cases are published at their lines, and clean changes get no findings. A lazy model finds nothing.
// Findings that a liar confirms by quotes that prove nothing are not published.
func TestScriptedRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	reports := map[string]score.Report{}
	for _, name := range []string{"oracle", "noisy", "obedient", "lazy", "liar"} {
		args := []string{"eval", "run", "--scripted", name, "--held", "with", "--format", "json", "--output", filepath.Join(dir, name)}
		if name != "oracle" {
			args = append(args, "--limit", "24")
		}
		out := good(t, command(t, nil, args...))
		r := decode[score.Report](t, out)
		testkit.Equal(t, "failed of "+name, r.Counts.Failed+r.Counts.Skipped+r.Counts.Incomplete, 0)
		reports[name] = r
	}
	oracle := reports["oracle"]
	if oracle.Counts.Cases < 120 || oracle.Counts.Held == 0 {
		t.Errorf("%+v", oracle.Counts)
	}
	for _, m := range []score.Measure{score.Recall, score.Precision, score.LineAccuracy, score.LineIoU, score.CleanSilence} {
		testkit.Equal(t, string(m), measured(t, oracle, "strict", m), 1)
	}
	testkit.Equal(t, "of a lazy model", measured(t, reports["lazy"], "loose", score.Recall), 0)
	if got := measured(t, reports["noisy"], "loose", score.Recall); got < 0.3 || got > 0.7 {
		t.Errorf("a model that knows a half finds %v", got)
	}
	liar := reports["liar"]
	testkit.Equal(t, "clean changes of a liar whose quotes prove nothing", measured(t, liar, "loose", score.CleanSilence), 1)
	steps := liar.Funnel.Steps
	if steps[0].Findings == 0 || steps[1].Hit == 0 {
		t.Error("the liar said nothing, so it shows nothing")
	}
	testkit.Equal(t, "true findings that quotes which prove nothing refute", steps[2].Lost, 0)
	testkit.Equal(t, "findings that they confirm", steps[3].Findings, 0)
	testkit.Equal(t, "clean changes of an obedient one", measured(t, reports["obedient"], "strict", score.CleanSilence), 1)

	text := good(t, command(t, nil, "eval", "report", filepath.Join(dir, "noisy")))
	for _, want := range []string{"models: all noisy", "Funnel", "generated", "By language"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the report:\n%s", want, text)
		}
	}
	markdown := good(t, command(t, nil, "eval", "compare", filepath.Join(dir, "oracle"), filepath.Join(dir, "lazy"), "--format", "markdown"))
	if !strings.Contains(markdown, "recall") || !strings.Contains(markdown, "|") {
		t.Error(markdown)
	}
}

// The seeded cases can be written out, and are the same when they are read again.
func TestExportedCases(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cases")
	good(t, command(t, nil, "eval", "export", dir))
	list := func(args ...string) (out []eval.Case) {
		return decode[[]eval.Case](t, good(t, command(t, nil, append([]string{"eval", "cases", "--json"}, args...)...)))
	}
	own, read := list("--held", "with"), list("--folder", dir, "--held", "with")
	testkit.Equal(t, "cases", len(read), len(own))
	testkit.Equal(t, "clean ones in Go", len(list("--folder", dir, "--held", "with", "--kind", "clean", "--language", "go")), len(list("--held", "with", "--kind", "clean", "--language", "Go")))
	testkit.Equal(t, "five of them", len(list("--held", "with", "--limit", "5")), 5)
	run := decode[score.Report](t, good(t, command(t, nil, "eval", "run", "--folder", dir, "--only", "^ledger", "--held", "with", "--scripted", "oracle", "--format", "json")))
	testkit.Equal(t, "recall", measured(t, run, "strict", score.Recall), 1)
}

// The answers of a real endpoint are recorded, and the recording gives the same report without it.
func TestRecordedRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	scripted, err := model.New(model.Options{APIKey: "sk-sim"})
	testkit.OK(t, err)
	sim := httptest.NewServer(scripted.Handler())
	args := []string{"eval", "run", "--only", "^ledger", "--format", "json"}
	vars := map[string]string{"ASSAY_REVIEW_MODEL_KEY": "sk-sim"}
	live := append(args, "--model-url", sim.URL+"/v1", "--model", "scripted", "--record", filepath.Join(dir, "tape"), "--output", filepath.Join(dir, "live"))
	first := decode[score.Report](t, good(t, command(t, vars, live...)))
	sim.Close()
	again := command(t, vars, live...) // the endpoint is gone
	if r := decode[score.Report](t, good(t, again)); r.Costs.Total.Calls != first.Costs.Total.Calls || !strings.Contains(again.stderr, "answers, which are not requested again") {
		t.Errorf("recorded again: %d calls of %d\n%s", r.Costs.Total.Calls, first.Costs.Total.Calls, again.stderr)
	}
	testkit.Equal(t, "mode", first.Made.Mode, "live")
	if first.Costs.Total.Calls == 0 {
		t.Error("no call was counted")
	}
	second := decode[score.Report](t, good(t, command(t, nil, append(args, "--replay", filepath.Join(dir, "tape"))...)))
	testkit.Equal(t, "calls", second.Costs.Total.Calls, first.Costs.Total.Calls)
	testkit.Equal(t, "tokens", second.Costs.Total.InputTokens, first.Costs.Total.InputTokens)
	for _, name := range []string{"tape", "live"} {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		testkit.OK(t, err)
		if strings.Contains(string(raw), "sk-sim") {
			t.Errorf("the key is in %s", name)
		}
	}
}

// Judges ask an endpoint, and their verdicts are kept with the run. If no judge is reachable, the run keeps its
// other results.
func TestJudgedRuns(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "run")
	good(t, command(t, nil, "eval", "run", "--only", "^seeded/ledger", "--scripted", "oracle", "--output", file))
	scripted, err := model.New(model.Options{APIKey: "k"})
	testkit.OK(t, err)
	sim := httptest.NewServer(scripted.Handler())
	args := []string{"eval", "judge", file, "--model-url", sim.URL + "/v1", "--model", "judge", "--model-wait", "0s"}
	vars := map[string]string{"ASSAY_REVIEW_MODEL_KEY": "k"}
	r := command(t, vars, args...)
	good(t, r)
	if !strings.Contains(r.stderr, "The judges were asked") {
		t.Errorf("the output does not say what the judges have used: %s", r.stderr)
	}
	judged := decode[score.Report](t, good(t, command(t, nil, "eval", "report", file, "--format", "json")))
	if judged.Judges == nil || judged.Judges.Pairs == 0 || fmt.Sprint(judged.Made.Judges) != "[judge]" {
		t.Fatalf("%+v of %v", judged.Judges, judged.Made.Judges)
	}
	sim.Close()
	if r := command(t, vars, append(args, "--second-model", "another")...); r.code == 0 {
		t.Errorf("judges that are not there: %s", r.stderr)
	}
	after := decode[score.Report](t, good(t, command(t, nil, "eval", "report", file, "--format", "json")))
	testkit.Equal(t, "pairs", after.Judges.Pairs, judged.Judges.Pairs)
	testkit.Equal(t, "judges", fmt.Sprint(after.Made.Judges), "[judge]")
}

// A run is entered into the list of an instance, where administrators see it.
func TestStoredRuns(t *testing.T) {
	onBoth(t, func(t *testing.T, vars map[string]string, s *store.Store, _ storetest.World) {
		good(t, command(t, vars, "eval", "run", "--only", "^ledger", "--scripted", "oracle", "--store"))
		list, err := s.EvalRuns(t.Context(), store.Cursor{}, 10)
		testkit.OK(t, err)
		testkit.Equal(t, "runs", len(list), 1)
		testkit.Equal(t, "suite and routing", list[0].Suite+", "+list[0].Routing, "seeded, scripted: all oracle")
		testkit.Equal(t, "recall and precision", [2]int64{list[0].Recall, list[0].Precision}, [2]int64{1_000_000, 1_000_000})
		if r := command(t, vars, "eval", "run", "--only", "^ledger", "--kind", "clean", "--scripted", "oracle", "--store"); r.code == 0 || !strings.Contains(r.stderr, "no defects to find") {
			t.Errorf("a run that measured nothing: %d %s", r.code, r.stderr)
		}
	})
}

func TestEvalUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "bad"), []byte(`{"run":7}`), 0o600))
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "good"), []byte(`{"run":2}`), 0o600))
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "notes"), []byte("remember the milk"), 0o600))
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"two answers":            {[]string{"run", "--scripted", "oracle", "--replay", "x"}, "name one"},
		"two of three answers":   {[]string{"run", "--by-hand", dir, "--replay", "x"}, "name one"},
		"a file for a folder":    {[]string{"run", "--by-hand", filepath.Join(dir, "bad")}, "--by-hand"},
		"another file recorded":  {[]string{"run", "--by-hand", filepath.Join(dir, "hand"), "--record", filepath.Join(dir, "bad")}, "is not of a cassette"},
		"record without a model": {[]string{"run", "--record", "x"}, "--model"},
		"no such case":           {[]string{"run", "--only", "^nothing$"}, "no case is left"},
		"bad expression":         {[]string{"run", "--only", "("}, "--only must be a regular expression"},
		"no such kind":           {[]string{"cases", "--kind", "x"}, `--kind must be one of "defect", "clean", not "x"`},
		"no such model":          {[]string{"run", "--scripted", "x"}, `--scripted must be one of "oracle", "noisy", "obedient", "lazy", "liar", "forger", "looper", not "x"`},
		"no such depth":          {[]string{"run", "--depth", "x"}, `--depth must be one of "full", "reduced", not "x"`},
		"recall":                 {[]string{"run", "--scripted", "noisy", "--recall", "2"}, "--recall must be between 0 and 1"},
		"no such set/id":         {[]string{"run", "--scripted", "lazy", "--only", "^other/ledger"}, "no case is left"},
		"runs":                   {[]string{"run", "--runs", "0"}, "--runs must be"},
		"no folder":              {[]string{"run", "--folder", filepath.Join(dir, "none")}, "none"},
		"no cassette":            {[]string{"run", "--replay", filepath.Join(dir, "bad")}, "is not of a cassette"},
		"another version":        {[]string{"report", filepath.Join(dir, "bad")}, "another version"},
		"no judge":               {[]string{"judge", filepath.Join(dir, "bad")}, "--model must name the judge"},
		"a plan of one run":      {[]string{"plan", "--recall", "0.5", filepath.Join(dir, "bad")}, "name 2 to 20 runs"},
		"a run named twice":      {[]string{"plan", "--recall", "0.5", filepath.Join(dir, "good"), filepath.Join(dir, "good")}, "named twice"},
		"a run by two paths":     {[]string{"plan", "--recall", "0.5", filepath.Join(dir, "good"), dir + "/./good"}, "are the same file: name each run once"},
		"a plan of a folder":     {[]string{"plan", "--recall", "0.5", filepath.Join(dir, "good"), dir}, "is a directory"},
		"a plan of no run":       {[]string{"plan", "--recall", "0.5", filepath.Join(dir, "bad"), "x"}, "another version"},
		"a plan of notes":        {[]string{"plan", "--recall", "0.5", filepath.Join(dir, "notes"), "x"}, "is not a file that assay eval run --output wrote"},
		"a recall of nothing":    {[]string{"plan", "--recall", "0", "a", "b"}, "--recall must be above 0"},
		"a recall of no number":  {[]string{"plan", "--recall", "NaN", "a", "b"}, "--recall must be above 0"},
		"noise of no number":     {[]string{"run", "--scripted", "noisy", "--recall", "NaN"}, "--recall must be between 0 and 1"},
		"no recall":              {[]string{"plan", "a", "b"}, "--recall"},
		"a price in words":       {[]string{"plan", "--recall", "0.5", "--price", "cheap", "a", "b"}, "--price: the price must have the form"},
		"a price below nothing":  {[]string{"plan", "--recall", "0.5", "--price=-1/2", "a", "b"}, "--price: the price must have the form"},
		"nothing to mine":        {[]string{"mine", "--output", dir}, "name a repository or --modules"},
		"modules, no cache":      {[]string{"mine", "--modules", "x", "--output", dir}, "--modcache"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := command(t, nil, append([]string{"eval"}, c.args...)...); r.code == 0 || !strings.Contains(r.stderr, c.want) {
				t.Errorf("%d, want %q:\n%s%s", r.code, c.want, r.stdout, r.stderr)
			}
		})
	}
}

// Progress is a line every few seconds, not one for every step.
func TestTellingIsPaced(t *testing.T) {
	t.Parallel()
	now, said := time.Unix(0, 0), []string{}
	tell := throttledProgress(func() time.Time { return now }, func(format string, args ...any) {
		said = append(said, fmt.Sprintf(format, args...))
	})
	for i := range 120 { // twelve seconds
		now = now.Add(100 * time.Millisecond)
		tell("cases written", i, 120)
	}
	testkit.Equal(t, "lines", strings.Join(said, "; "), "cases written: 49 of 120; cases written: 99 of 120")
}

// A run that becomes too large to be kept stops there, and the part that fits is kept.
func TestARunThatBecomesTooLarge(t *testing.T) {
	t.Parallel()
	c := evalRunCmd{Scripted: "oracle", Runs: 1, Jobs: 1, Output: "x", Quiet: true, caseFlags: caseFlags{Held: "without", Only: "^(ledger|clinic|depot)"}}
	list, err := c.choose(t.Context(), nil)
	testkit.OK(t, err)
	const most = 56_000
	if err := c.checkRoom(list, *record.NewRoom(7_000)); err == nil || !strings.Contains(err.Error(), "more than 7000 bytes") {
		t.Errorf("cases alone: %v", err)
	}
	run, err := c.review(t.Context(), &env{stderr: &bytes.Buffer{}}, list, record.NewRoom(most))
	if err == nil || !strings.Contains(err.Error(), "--output: the run has more than 56000 bytes") {
		t.Errorf("the error is %v", err)
	}
	raw, err := json.Marshal(run)
	testkit.OK(t, err)
	if len(run.Outcomes) < 3 || len(run.Outcomes) >= len(list[0].cases) || len(raw) > most {
		t.Errorf("%d of %d outcomes in %d bytes", len(run.Outcomes), len(list[0].cases), len(raw))
	}
}

// The contract of ReviewBench: its variables are read, and the findings are written to the named file.
func TestReviewBench(t *testing.T) {
	checkout(t, leaky())
	git(t, "add", ".")
	git(t, "commit", "-q", "-m", "second")
	base, head := revision(t, "HEAD~1"), revision(t, "HEAD")
	write(t, map[string]string{"pr.json": `{"repo":"https://github.com/o/r","pr_number":3,"title":"Add a key","body":null}`, "diff.patch": ""})
	vars := map[string]string{"RB_NWO": "o/r", "RB_PR_NUMBER": "3", "RB_BASE": base, "RB_HEAD": head, "RB_AGENT": "mine", "RB_OUT": "out.json", "RB_PR_JSON": "pr.json", "RB_DIFF": "diff.patch"}
	good(t, command(t, vars, "review", "--contract", "reviewbench"))
	raw, err := os.ReadFile("out.json")
	testkit.OK(t, err)
	type finding struct {
		File      string `json:"file"`
		StartLine int    `json:"start_line"`
		EndLine   int    `json:"end_line"`
		Message   string `json:"message"`
		Producer  string `json:"producer"`
	}
	got := decode[struct {
		PR struct {
			Repo       string `json:"repo"`
			Number     int    `json:"pr_number"`
			Base, Head string
		} `json:"pr"`
		Agent    string    `json:"agent"`
		Findings []finding `json:"findings"`
	}](t, string(raw))
	testkit.Equal(t, "pull request", got.PR.Repo+got.PR.Base+got.PR.Head+got.Agent, "https://github.com/o/r"+base+head+"mine")
	if len(got.Findings) != 1 || got.Findings[0].File != "keys.go" || got.Findings[0].StartLine != 3 || got.Findings[0].Producer != "mine" || strings.Contains(string(raw), leak()) {
		t.Errorf("%s", raw)
	}
	for name, missing := range map[string]string{"RB_NWO": "RB_NWO", "RB_PR_NUMBER": "RB_PR_NUMBER", "RB_BASE": "RB_BASE", "RB_OUT": "RB_OUT"} {
		less := map[string]string{}
		for k, v := range vars {
			if k != name {
				less[k] = v
			}
		}
		if r := command(t, less, "review", "--contract", "reviewbench"); r.code != 2 || !strings.Contains(r.stderr, missing) {
			t.Errorf("without %s: %d %s", name, r.code, r.stderr)
		}
	}
	vars["RB_CONFIG_MODEL"], vars["RB_MODEL_BASE_URL"] = "m", "http://127.0.0.1:1/v1"
	testkit.OK(t, os.Remove("out.json"))
	if r := command(t, vars, "review", "--contract", "reviewbench", "--model-wait", "0s"); r.code != 2 {
		t.Errorf("a review without its model: %d %s", r.code, r.stderr)
	}
	if _, err := os.Stat("out.json"); err == nil {
		t.Error("an incomplete review was written")
	}
}

func revision(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(testkit.Git(t, ".", "rev-parse", name))
}
