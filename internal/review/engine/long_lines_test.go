package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// Prompts show the beginning of a long line and say so. Findings about it are placed by the shown text,
// quote no more, and replace nothing. The review names the file.
func TestLongLines(t *testing.T) {
	t.Parallel()
	table := func(word string) string { return "var table = []int{" + strings.Repeat(word+", ", 3000) + "}" }
	for name, c := range map[string]struct {
		line  string
		quote func(shown string) string
		found bool
		notes bool
	}{
		"all of the shown text":           {table("1234"), func(shown string) string { return shown }, true, true},
		"without the word on the rest":    {table("1234"), func(shown string) string { return shown[:strings.Index(shown, " […")] }, true, true},
		"a part of it":                    {table("1234"), func(string) string { return "var table = []int{1234, 1234" }, true, true},
		"another script":                  {table("\"時刻表の項目\""), func(shown string) string { return shown }, true, true},
		"one word":                        {"var certificate = " + strings.Repeat("a", 9000), func(string) string { return "var certificate =" }, true, true},
		"the text before it":              {"var certificate = " + strings.Repeat("a", 9000), func(shown string) string { return shown }, true, true},
		"nothing but a word":              {strings.Repeat("a", 9000), func(shown string) string { return shown }, false, true},
		"a text that is not there":        {table("1234"), func(string) string { return "var table = []int{9999, 9999" }, false, true},
		"a line that is not yet too long": {"var table = \"" + strings.Repeat("a ", 990) + "\"", func(shown string) string { return shown }, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &scripted{verify: confirmAll, generate: func(_ int, user string) (llm.Response, error) {
				shown := ""
				for l := range strings.Lines(user) {
					if rest, ok := strings.CutPrefix(strings.TrimRight(l, "\n"), "    3 + "); ok {
						shown = rest
					}
				}
				if n := utf8.RuneCountInString(shown); n == 0 || n > anchor.MaxLine+40 || strings.HasSuffix(shown, " more characters]") != c.notes {
					t.Errorf("%d characters are shown: …%s", n, shown[max(len(shown)-60, 0):])
				}
				return findings(candidate{Path: "a.go", Side: "RIGHT", Start: 3, End: 3, Quote: c.quote(shown), Category: domain.CategoryBug, RuleKey: "other", Severity: "high",
					Title: "Wrong table", Explanation: "The table is wrong.", Trigger: "Any call.", Evidence: []citation{}, Fix: &fix{New: "var table = []int{}"}})(0, "")
			}}
			in := sampleChange(t)
			in.Models = models(m)
			in.shows(enginetest.Tree{}, enginetest.Tree{"a.go": "package x\n\n" + c.line + "\n\nvar other = 1\n"}, nil)
			in.Policy.Deterministic.StaticAnalysis = false // not all of it is Go
			res := review(t, in, Deps{})
			if len(res.Findings) > 0 != c.found {
				t.Fatalf("findings %d, dropped %v", len(res.Findings), res.Stats.Dropped)
			}
			for _, f := range res.Findings {
				if utf8.RuneCountInString(f.Anchor.Quote) > anchor.MaxLine || f.Anchor.StartLine != 3 || f.Route != domain.RouteInline || c.notes && f.Suggestion != nil {
					t.Errorf("line %d, %s, a quotation of %d bytes, suggestion %v", f.Anchor.StartLine, f.Route, len(f.Anchor.Quote), f.Suggestion != nil)
				}
			}
			if c.found { // the next run recognises the place
				for i := range res.Findings {
					res.Findings[i].Known = true
				}
				again := in
				again.Known, again.ReviewedHunks = res.Findings, map[string]bool{res.Hunks[0]: true}
				if next := review(t, again, Deps{}); len(next.Resolved) != 0 || len(next.Findings) != 1 || next.Findings[0].ID != res.Findings[0].ID || next.Findings[0].Anchor.StartLine != 3 {
					t.Errorf("in the next run: %d findings, resolved %v", len(next.Findings), next.Resolved)
				}
			}
			want := fmt.Sprintf("Only the first %d characters of longer lines were reviewed by a model in: a.go.", anchor.MaxLine)
			if slices.Contains(res.Notices, want) != c.notes {
				t.Errorf("notices %q", res.Notices)
			}
		})
	}
}

// A file that a change only deletes has no lines to show, and does not count as read.
func TestADeletedFileIsNotRead(t *testing.T) {
	in := sampleChange(t)
	in.Models = models(&scripted{generate: findings(), verify: confirmAll})
	in.Diff = []byte(gitDiff("auth.py", "", "check()\n", ""))
	in.Source = enginetest.Files{"LEFT:auth.py": "check()\n"}
	res := review(t, in, Deps{})
	if len(res.Coverage.Reviewed) != 1 || res.Coverage.Reviewed[0].Extent != ExtentChecked {
		t.Errorf("the coverage is %+v", res.Coverage)
	}
}

// Code behind the columns that a model sees leaves the file read in part, and the review
// incomplete.
func TestCodeBehindTheShownColumnsIsNotRead(t *testing.T) {
	in := sampleChange(t)
	in.Models = models(&scripted{generate: findings(), verify: confirmAll})
	in.Diff = []byte(gitDiff("", "a.py", "", "y = 1;"+strings.Repeat(" ", 3000)+"evil()\n"))
	in.Source = enginetest.Files{"RIGHT:a.py": "y = 1;" + strings.Repeat(" ", 3000) + "evil()\n"}
	res := review(t, in, Deps{})
	if len(res.Coverage.Reviewed) != 1 || res.Coverage.Reviewed[0].Extent != ExtentPart || !res.Incomplete() {
		t.Errorf("the coverage is %+v", res.Coverage)
	}
	if _, ends := res.UnreviewedEnds()[domain.UnreviewedIncomplete]; !ends || res.Clean(nil) {
		t.Errorf("the ends are %v, clean %v", res.UnreviewedEnds(), res.Clean(nil))
	}
	var strict domain.Policy
	strict.Check.Unreviewed.Preset = domain.PresetStrict
	if c := res.Conclude(nil, strict); c != domain.CheckFailure {
		t.Errorf("under strict the check is %s", c)
	}
}

// A model that could not see a part of a hunk in one review has not seen it in the next one, although the hunk is not
// shown again.
func TestTheNextReviewIsAsIncomplete(t *testing.T) {
	t.Parallel()
	const hunk = "@@ -38,3 +39,4 @@\n pass\n pass\n pass\n+more()\n"
	hidden := "y = 1;" + strings.Repeat(" ", 3000) + "evil()\n"
	data := "[\"" + strings.Repeat("a b ", 1000) + "\"]\n"
	rest := strings.Repeat("pass\n", 40)
	for name, c := range map[string]struct {
		path          string
		before, after string
		later         string // text at the head of the second review; "" as it was
		push          string // a further hunk of the second review
		large         bool   // no version of the file can be read whole
		extent, why   string // in the second review
		shown         bool   // the second review shows the file to the model
		ends          bool
	}{
		"hidden code":                     {"a.py", "", hidden, "", "", false, ExtentPart, "", false, true},
		"hidden code, a push to the file": {"a.py", rest, hidden + rest, hidden + rest + "more()\n", hunk, false, ExtentPart, "", true, true},
		"the hidden code is taken back":   {"a.py", "", hidden, "y = 1\n", "", false, ExtentRead, "", true, false},
		"hidden data":                     {"a.json", "", data, "", "", false, ExtentPart, whyLongData, false, false},
		"a file that is too large":        {"a.py", rest, "more()\n" + rest, "", "", true, ExtentPart, change.WhyLargeFile, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &scripted{generate: findings(), verify: confirmAll}
			in := sampleChange(t)
			in.Models, in.ReviewedHunks = models(m), map[string]bool{}
			look := func(head, push string) (Result, FileNote) {
				in.Diff = []byte(enginetest.Unified(c.path, c.before, c.after) + push)
				if push == "" && head != c.after {
					in.Diff = []byte(enginetest.Unified(c.path, c.before, head))
				}
				files := enginetest.Files{"LEFT:" + c.path: c.before, "RIGHT:" + c.path: head}
				if in.Source = files; c.large {
					in.Source = withLarge{files, c.path}
				}
				res := review(t, in, Deps{})
				in.publish(res)
				notes := slices.Concat(res.Coverage.Reviewed, res.Coverage.Skimmed)
				if len(notes) != 1 {
					t.Fatalf("the coverage is %+v", res.Coverage)
				}
				return res, notes[0]
			}
			_, before := look(c.after, "")
			asked := m.count("generate")
			res, note := look(cmp.Or(c.later, c.after), c.push)
			if shown := m.count("generate") > asked; shown != c.shown {
				t.Fatalf("shown again %v", shown)
			}
			if note.Extent != c.extent || note.Why != c.why {
				t.Errorf("first %+v, then %+v", before, note)
			}
			if _, ends := res.UnreviewedEnds()[domain.UnreviewedIncomplete]; ends != c.ends || res.Clean(nil) == c.ends {
				t.Errorf("the ends are %v, clean %v", res.UnreviewedEnds(), res.Clean(nil))
			}
			named := slices.ContainsFunc(res.Notices, func(s string) bool { return strings.HasPrefix(s, "Only the first") })
			if named != (c.ends && !c.large) {
				t.Errorf("notices %q", res.Notices)
			}
		})
	}
}
