package engine

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

func TestSeveritiesOfOtherScales(t *testing.T) {
	t.Parallel()
	for want, list := range map[domain.Severity]string{
		domain.Critical: "critical|CRITICAL|Blocker|fatal|P0|S0|sev-1|Sev 1|severity 1|10|9.8|CVSS 9.8|10/10|5/5|95%|🚨|1|5|level 5|priority 0|kritisch|Crítica|致命的",
		domain.High:     "high| High |**high**|`HIGH`|\"high\"|High.|major|Error|severe|serious|P1|S2|sev2|priority 1|🔴|🔴 High|High (security)|HIGH - data loss|8|7.5|8/10|4 out of 5|75%|2|4|hoch|élevée|高|严重程度：高",
		domain.Medium:   "medium|MODERATE|med|Warning|warn|normal|P2|S3|priority: 2|🟠|🟡|⚠️|6|5/10|50%|3|3/5",
		domain.Low:      "low|minor|P3|S4|🟢|3/10|25%",
		domain.Info:     "info|informational|note|nit|nitpick|trivial|style|P4|none|💡|1/10|0%|1/5",
	} {
		for said := range strings.SplitSeq(list, "|") {
			if got, ok := readSeverity(said); !ok || got != want {
				t.Errorf("%q is %s, %v; want %s", said, got, ok, want)
			}
		}
	}
	for _, said := range []string{"", "apocalyptic", "not critical", "non-critical", "11", "-1", "12/10", "200%", "P9", "?", strings.Repeat("high ", 100)} {
		if got, ok := readSeverity(said); ok {
			t.Errorf("%q is %s", said, got)
		}
	}
}

func TestCategoriesInOtherWords(t *testing.T) {
	t.Parallel()
	for said, want := range map[domain.Category]domain.Category{
		"Bug": "bug", "logic error": "bug", "Correctness": "bug", "Security/Injection": "security", "perf": "performance", "race condition": "concurrency", "Code Quality": "maintainability",
		"breaking-change": "api", "unit tests": "test", "documentation": "docs", "secret": "", "": "", "whatever": "",
	} {
		if got := readCategory(said); got != want {
			t.Errorf("%q is %q, want %q", said, got, want)
		}
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{"c1": "c1", " C1 ": "c1", "claim c12": "c12", "claim 3": "c3", "#2": "c2", "04": "c4", "first": "first", "": ""} {
		if got := ask.Label("c", said); got != want {
			t.Errorf("%q is %q, want %q", said, got, want)
		}
	}
}

// Paths of a model are compared with those of the change letter by letter first, so that one file is
// not taken for another.
func TestPathsAsModelsWriteThem(t *testing.T) {
	t.Parallel()
	var raw strings.Builder
	for _, p := range []string{"src/mean.py", "lib/util/mean_test.py", "a/x.go", "README.md", "src/two.go", "lib/two.go", "we ird/ü.go", "doc#L1"} {
		raw.WriteString(enginetest.Unified(p, "old\n", "new\n"))
	}
	set, err := diff.Parse([]byte(raw.String()))
	if err != nil {
		t.Fatal(err)
	}
	src := enginetest.Files{"RIGHT:other/mean.py": "x", "RIGHT:two.go": "x", "LEFT:gone.py": "x"}
	for said, want := range map[string]citedPath{
		"src/mean.py": {"src/mean.py", 0, 0, false}, "./src/mean.py": {path: "src/mean.py"}, "/src/mean.py": {path: "src/mean.py"}, "b/src/mean.py": {path: "src/mean.py"}, "a/x.go": {path: "a/x.go"},
		"b/a/x.go": {path: "a/x.go"}, "src//mean.py": {path: "src/mean.py"}, `src\mean.py`: {path: "src/mean.py"}, "src/mean.py:2": {"src/mean.py", 2, 2, false}, "src/mean.py:12:5": {"src/mean.py", 12, 12, false},
		"src/mean.py:12-14": {"src/mean.py", 12, 14, false}, "src/mean.py#L12": {"src/mean.py", 12, 12, false}, "src/mean.py#L12-L20": {"src/mean.py", 12, 20, false}, "src/mean.py (line 3)": {"src/mean.py", 3, 3, false},
		"src/mean.py, lines 3-5": {"src/mean.py", 3, 5, false}, "file:///home/ci/work/src/mean.py": {path: "src/mean.py"}, "file://src/mean.py:4": {"src/mean.py", 4, 4, false}, "#/src~1mean.py": {path: "src/mean.py"},
		"src%2Fmean.py": {path: "src/mean.py"}, "`src/mean.py`": {path: "src/mean.py"}, "'src/mean.py'": {path: "src/mean.py"}, "/home/runner/work/r/r/src/mean.py": {path: "src/mean.py"}, `D:\a\r\src\mean.py:7`: {"src/mean.py", 7, 7, false},
		"mean_test.py": {path: "lib/util/mean_test.py"}, "util/mean_test.py": {path: "lib/util/mean_test.py"}, "readme.md": {path: "README.md"}, "we%20ird/%C3%BC.go": {path: "we ird/ü.go"}, "doc#L1": {path: "doc#L1"},
		"old/x.py => src/mean.py": {path: "src/mean.py"}, "repo/src/mean.py": {path: "src/mean.py"}, "../src/mean.py": {path: "src/mean.py"}, "src/mean.py::mean": {path: "src/mean.py"}, "In src/mean.py, function mean": {path: "src/mean.py"}, "=== src/mean.py": {path: "src/mean.py"}, "src/mean.py (modified)": {path: "src/mean.py"}, "https://host/r/blob/main/src/mean.py#L9": {"src/mean.py", 9, 9, false},
	} {
		got, found, _ := resolvePath(t.Context(), said, set, src)
		if got.absolute = false; !found || got != want {
			t.Errorf("%q is %+v, %v; want %+v", said, got, found, want)
		}
	}
	for said, elsewhere := range map[string]bool{"other/mean.py": true, "gone.py": true, "two.go": true, "": false, "none.py": false, "../../etc/passwd": false, "other/none/two.go": false, "/": false, "src": false, ".git/config": false,
		strings.Repeat("x/", 4000): false} {
		if got, found, is := resolvePath(t.Context(), said, set, src); found || is != elsewhere {
			t.Errorf("%.40q is %+v, %v, elsewhere %v", said, got, found, is)
		}
	}
}

// A model is asked once more about an element that cannot be read, with the reason. A finding that is
// then lost leaves its part unreviewed.
func TestFindingsAreAskedForAgain(t *testing.T) {
	t.Parallel()
	odd, other := division(), division()
	odd.Severity = "apocalyptic"
	other.Title, other.Quote, other.Start, other.End = "First fails for no items", "	return &items[0]", 16, 16
	elsewhere, mistaken := division(), division()
	elsewhere.Path, mistaken.Path = "shop/tax.go", "shop/list.go"
	for name, tt := range map[string]struct {
		first, second []candidate
		calls, found  int
		state         string
	}{
		"it is mended":              {[]candidate{odd}, []candidate{division()}, 2, 1, ModelComplete},
		"it is left out":            {[]candidate{odd}, []candidate{}, 2, 0, ModelPartial},
		"another one is there":      {[]candidate{odd, other}, []candidate{other}, 2, 1, ModelPartial},
		"both are there":            {[]candidate{odd, other}, []candidate{division(), other}, 2, 2, ModelComplete},
		"the second answer is less": {[]candidate{odd, other}, []candidate{}, 2, 1, ModelPartial},
		"nothing changes":           {[]candidate{odd}, []candidate{odd}, 2, 0, ModelPartial},
		"nothing is wrong":          {[]candidate{other}, nil, 1, 1, ModelComplete},
		"the path of another file":  {[]candidate{mistaken}, []candidate{division()}, 2, 1, ModelComplete},
		"a file outside the change": {[]candidate{elsewhere}, nil, 1, 0, ModelComplete},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.Source.(enginetest.Files)["RIGHT:shop/tax.go"] = "package shop\n\nfunc Share(items []Item) int {\n	return Total(items) / len(items)\n}\n"
			in.Source.(enginetest.Files)["RIGHT:shop/list.go"] = "package shop\n"
			m := &scripted{verify: confirmAll, generate: func(n int, user string) (llm.Response, error) {
				if n == 0 {
					return findings(tt.first...)(n, user)
				}
				if !strings.Contains(user, "finding 1: severity must be one of") && !strings.Contains(user, "finding 1: path must be one") {
					t.Errorf("the model is not told why")
				}
				return findings(tt.second...)(n, user)
			}}
			in.Models = models(m)
			res := review(t, in, Deps{})
			if m.count("generate") != tt.calls || len(res.Findings) != tt.found || res.ModelState != tt.state {
				t.Errorf("%d calls, %d findings, %s (%s); dropped %v", m.count("generate"), len(res.Findings), res.ModelState, res.ModelNote, res.Stats.Dropped)
			}
		})
	}
}

// Verdicts are handled in the same way: their words and labels are read leniently, and a claim whose
// verdict is lost is not verified.
func TestVerdictsAreAskedForAgain(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		bend    func(v *verdict)
		calls   int
		verdict domain.Verdict
		state   string
	}{
		"in other words":  {func(v *verdict) { v.Claim, v.Verdict, v.Severity, v.Scope = "Claim 1", "True Positive", "major", "new" }, 1, domain.VerdictConfirmed, ModelComplete},
		"without a label": {func(v *verdict) { v.Claim = "" }, 1, domain.VerdictConfirmed, ModelComplete},
		"a word unknown":  {func(v *verdict) { v.Verdict = "hmm" }, 2, domain.VerdictUnproven, ModelPartial},
		"another label":   {func(v *verdict) { v.Claim = "c7" }, 2, domain.VerdictUnproven, ModelPartial},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			m := &scripted{generate: findings(division()), verify: func(_ int, user string) (llm.Response, error) {
				list := verdicts(user, "confirmed")
				tt.bend(&list[0])
				return say(map[string]any{"verdicts": list[:1]})
			}}
			in.Models = models(m)
			res := review(t, in, Deps{})
			if m.count("verify") < tt.calls || len(res.Findings) != 1 || res.Findings[0].Verdict != tt.verdict || res.ModelState != tt.state {
				t.Errorf("%d calls, %s (%s), %+v", m.count("verify"), res.ModelState, res.ModelNote, res.Findings)
			}
		})
	}
}

// A claim without a verdict is not verified, and the review is incomplete.
func TestAVerdictThatIsLeftOut(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	in.Models = models(&scripted{generate: findings(division()), verify: func(int, string) (llm.Response, error) {
		return say(map[string]any{"verdicts": []any{}})
	}})
	if res := review(t, in, Deps{}); res.ModelState != ModelPartial || !res.Incomplete() {
		t.Errorf("%s, %+v", res.ModelState, res.Findings)
	}
}

// Some servers return an answer as a tool call that the request did not offer.
func TestAnAnswerAsACall(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	in.Models = models(&scripted{verify: confirmAll, generate: func(n int, user string) (llm.Response, error) {
		out, err := findings(division())(n, user)
		out.ToolCalls, out.Text, out.StopReason = []llm.ToolCall{{Name: "json", Arguments: out.Text}}, "", llm.StopTools
		return out, err
	}})
	if res := review(t, in, Deps{}); len(res.Findings) != 1 || res.ModelState != ModelComplete {
		t.Errorf("%d findings, %s", len(res.Findings), res.ModelState)
	}
}
