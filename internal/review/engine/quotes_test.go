package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/testkit"
)

const (
	spoolBefore = `package spool

func (s *Spool) Drain() error {
	files, err := s.list()
	if err != nil {
		return err
	}
	defer s.unlockFolder()
	for _, f := range files {
		s.send(f)
	}
	return nil
}
`
	spoolAfter = `package spool

func (s *Spool) Drain() error {
	files, err := s.list()
	if err != nil {
		return err
	}
	s.metrics.count(len(files)) // the folder is unlocked by send
	for _, f := range files {
		s.send(f)
	}
	return nil
}

func (s *Spool) Close() error { return s.flushPending() }
`
	spoolPatch = `diff --git a/spool.go b/spool.go
--- a/spool.go
+++ b/spool.go
@@ -5,9 +5,11 @@
 	if err != nil {
 		return err
 	}
-	defer s.unlockFolder()
+	s.metrics.count(len(files)) // the folder is unlocked by send
 	for _, f := range files {
 		s.send(f)
 	}
 	return nil
 }
+
+func (s *Spool) Close() error { return s.flushPending() }
`
	spoolLock = "package spool\n\nfunc (s *Spool) list() ([]string, error) {\n\ts.lockFolder(s.dir)\n\treturn s.read(s.dir)\n}\n"
)

// claimAbout makes the claim that lines of a version of spool.go are defective. The quotation is that of the lines.
func claimAbout(t *testing.T, side domain.Side, line int, evidence ...domain.Evidence) claim {
	t.Helper()
	set, err := diff.Parse([]byte(spoolPatch))
	if err != nil {
		t.Fatal(err)
	}
	src := enginetest.Files{"LEFT:spool.go": spoolBefore, "RIGHT:spool.go": spoolAfter, "LEFT:lock.go": spoolLock, "RIGHT:lock.go": spoolLock}
	text := map[domain.Side]string{domain.Left: spoolBefore, domain.Right: spoolAfter}[side]
	return scene{set: set, src: src}.claim(t.Context(), &finding.Item{Finding: domain.Finding{Title: "The folder stays locked", Evidence: evidence,
		Anchor: domain.Anchor{Path: "spool.go", Side: side, StartLine: line, EndLine: line, Symbol: "(*Spool).Drain",
			Quote: strings.Split(text, "\n")[line-1]}}}, view{margin: 3})
}

// A claim about removed lines is proved by them, by the lines in their place, and by evidence of either version.
func TestQuotesForRemovedLines(t *testing.T) {
	t.Parallel()
	locks := domain.Evidence{Kind: "code", Path: "lock.go", Start: 4, End: 4, Quote: "s.lockFolder(s.dir)"}
	closes := domain.Evidence{Kind: "code", Path: "spool.go", Start: 15, End: 15, Quote: "return s.flushPending()"} // a line of the new version
	for name, c := range map[string]struct {
		evidence []domain.Evidence
		quote    string
		want     bool
	}{
		"the removed line":                           {nil, "defer s.unlockFolder()", true},
		"the line in its place":                      {nil, "s.metrics.count(len(files))", true},
		"the line beside it":                         {nil, "for _, f := range files {", true},
		"a line further on":                          {nil, "files, err := s.list()", false},
		"the removed line, and another file":         {[]domain.Evidence{locks}, "defer s.unlockFolder()", true},
		"the other file":                             {[]domain.Evidence{locks}, "s.lockFolder(s.dir)", true},
		"evidence from the new version":              {[]domain.Evidence{closes}, "return s.flushPending()", true},
		"the same line without the evidence":         {nil, "return s.flushPending()", false},
		"a line that neither version has":            {nil, "defer s.metrics.close()", false},
		"a comment in the place of the removed line": {nil, "// the folder is unlocked by send", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testkit.Equal(t, "confirms", claimAbout(t, domain.Left, 8, c.evidence...).confirms(c.quote), c.want)
		})
	}
	text := claimAbout(t, domain.Left, 8, closes).Text
	for _, want := range []string{"in its place now:\n```\n    4   \tfiles, err := s.list()\n", "    8 + \ts.metrics.count(len(files)) // the folder is unlocked by send\n",
		"--- spool.go:12-15\n", "proof: spool.go:8-8; spool.go:15-15; the lines in its place now\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the claim does not show %q:\n%s", want, text)
		}
	}
	if text := claimAbout(t, domain.Right, 8).Text; strings.Contains(text, "in its place now:") {
		t.Error("an added line has a replacement")
	}
}

// Evidence of the claimed file is shown and proves the claim, also beyond the lines around the claim.
func TestQuotesOfEvidenceFurtherOn(t *testing.T) {
	t.Parallel()
	closes := domain.Evidence{Kind: "code", Path: "spool.go", Start: 15, End: 15, Quote: "return s.flushPending()"}
	c := claimAbout(t, domain.Right, 4, closes)
	if !strings.Contains(c.Text, "--- spool.go:12-15\n") || !c.confirms("return s.flushPending()") || !c.confirms("files, err := s.list()") {
		t.Errorf("the evidence is not shown:\n%s", c.Text)
	}
	if c := claimAbout(t, domain.Right, 4); c.confirms("return s.flushPending()") {
		t.Error("code that was not shown confirms")
	}
}

// Looked-up code refutes a claim if it has a name of its lines, also that of a function that they define.
func TestQuotesOfLookedUpCode(t *testing.T) {
	t.Parallel()
	looked := func(lines ...string) change.Exhibit {
		e := change.NewExhibit("Go", lines, 0, 1, change.Span{First: 1, Last: len(lines)})
		e.Path = "worker.go"
		return e
	}
	for name, c := range map[string]struct {
		seen    change.Exhibit
		quote   string
		refutes bool
	}{
		"a caller's guard":         {looked("if !s.locked.Load() {", "\ts.Drain()", "}"), "if !s.locked.Load() {", true},
		"the body of a definition": {looked("func (s *Spool) unlockFolder() {", "\tos.Remove(s.lockPath)", "}"), "os.Remove(s.lockPath)", true},
		"a short piece of it":      {looked("func (s *Spool) unlockFolder() {", "\ts.mu.Unlock()", "}"), "mu.Unlock()", false},
		"code without a name":      {looked("func other() { s.dropEverything() }"), "func other() { s.dropEverything() }", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			claim := claimAbout(t, domain.Left, 8)
			claim.seen = []change.Exhibit{c.seen}
			testkit.Equal(t, "confirms", claim.confirms(c.quote), false)
			testkit.Equal(t, "refutes", claim.refutes(c.quote), c.refutes)
		})
	}
}

// A verdict whose quote proves nothing is asked for once more in the same conversation, with the places of proof in the
// claim. Other verdicts are kept.
func TestQuotesAreAskedForOnceMore(t *testing.T) {
	t.Parallel()
	const right, elsewhere, comment = "return Total(items) / len(items)", "func First(items []Item) *Item {", "// Average is safe"
	unproven := func() (llm.Response, error) { return judged("unproven", "") }
	says := func(word, quote string) func() (llm.Response, error) {
		return func() (llm.Response, error) { return judged(word, quote) }
	}
	for name, c := range map[string]struct {
		first, second func() (llm.Response, error)
		asked         int
		verdict       domain.Verdict
	}{
		"a quote that proves":              {says("confirmed", right), nil, 1, domain.VerdictConfirmed},
		"no verdict":                       {unproven, nil, 1, domain.VerdictUnproven},
		"a quote of other lines":           {says("confirmed", elsewhere), says("confirmed", right), 2, domain.VerdictConfirmed},
		"a refutation by a comment":        {says("refuted", comment), says("refuted", elsewhere), 2, domain.VerdictRefuted},
		"the same quote again":             {says("confirmed", elsewhere), says("confirmed", elsewhere), 2, domain.VerdictUnproven},
		"another verdict with proof":       {says("confirmed", elsewhere), says("refuted", elsewhere), 2, domain.VerdictUnproven},
		"no verdict the second time":       {says("confirmed", elsewhere), unproven, 2, domain.VerdictUnproven},
		"an answer that cannot be read":    {says("confirmed", elsewhere), func() (llm.Response, error) { return llm.Response{Text: "no"}, nil }, 3, domain.VerdictUnproven},
		"a provider that refuses to go on": {says("confirmed", elsewhere), func() (llm.Response, error) { return llm.Response{}, enginetest.Final() }, 2, domain.VerdictUnproven},
		"a call that is refused":           {says("confirmed", elsewhere), func() (llm.Response, error) { return llm.Response{}, ask.ErrBudget }, 2, domain.VerdictUnproven},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := judging(func(n int, r llm.Request) (llm.Response, error) {
				if n == 0 {
					return c.first()
				}
				if n > 1 { // a repair
					return c.second()
				}
				if len(r.Tools) > 0 || strings.Contains(r.System, "with the tools") {
					t.Error("the second request offers tools")
				}
				last := r.Messages[len(r.Messages)-1]
				if len(r.Messages) != 3 || last.Role != llm.User || !strings.HasPrefix(last.Text, "The quotes of these verdicts do not prove them: c1 (") {
					t.Errorf("asked with %d messages: %s", len(r.Messages), last.Text)
				}
				return c.second()
			})
			in := looking(t, m)
			in.Models.Standard = in.Models.Strong // the second opinion is the same model's
			in.Depth = ""
			asked := 0
			answer := m.Answer
			m.Answer = func(n int, r llm.Request) (llm.Response, error) {
				switch {
				case strings.Contains(r.System, "Try to refute"):
					return unproven()
				case strings.HasPrefix(r.System, "stage: verify"):
					asked++
				}
				return answer(n, r)
			}
			res := review(t, in, Deps{})
			if len(res.Findings) != 1 || res.Findings[0].Verdict != c.verdict || asked != c.asked {
				t.Fatalf("asked %d times: %s", asked, fmt.Sprint(res.Findings))
			}
		})
	}
}

// Tests and documents that the change touches prove nothing about other files. Untouched ones count.
func TestQuotesOfTestsInTheChange(t *testing.T) {
	t.Parallel()
	const before, after = "package spool\n\nfunc TestDrain(t *testing.T) { expectLocked(t) }\n", "package spool\n\nfunc TestDrain(t *testing.T) { expectUnlocked(t, s.Drain()) }\n"
	for name, c := range map[string]struct {
		patch string
		want  bool
	}{
		"a test of the change": {enginetest.Unified("spool_test.go", before, after), false},
		"a test beside it":     {"", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, err := diff.Parse([]byte(spoolPatch + c.patch))
			if err != nil {
				t.Fatal(err)
			}
			src := enginetest.Files{"LEFT:spool.go": spoolBefore, "RIGHT:spool.go": spoolAfter, "RIGHT:spool_test.go": after}
			const quote = "expectUnlocked(t, s.Drain())"
			cited := scene{set: set, src: src}.claim(t.Context(), &finding.Item{Finding: domain.Finding{Title: "The folder stays locked",
				Evidence: []domain.Evidence{{Kind: "code", Path: "spool_test.go", Start: 3, End: 3, Quote: quote}},
				Anchor:   domain.Anchor{Path: "spool.go", Side: domain.Right, StartLine: 8, EndLine: 8, Symbol: "(*Spool).Drain", Quote: "s.metrics.count(len(files))"}}}, view{margin: 3})
			testkit.Equal(t, "cited, confirms", cited.confirms(quote), c.want)
			testkit.Equal(t, "cited, refutes", cited.refutes(quote), c.want)
			looked := cited
			looked.cited = nil
			e := change.NewExhibit("Go", strings.Split(after, "\n"), 0, 1)
			e.Path = "spool_test.go"
			looked.seen = []change.Exhibit{e}
			testkit.Equal(t, "looked up, confirms", looked.confirms(quote), c.want)
			testkit.Equal(t, "looked up, refutes", looked.refutes(quote), c.want)
			testkit.Equal(t, "says so", strings.Contains(cited.Text, "(a test or document of this change, which proves nothing)"), !c.want)
		})
	}
}

// A claim about a test of the change is proved by the test. Changed text without a known language is a document.
func TestQuotesOfTheClaimedTest(t *testing.T) {
	t.Parallel()
	const test, text = "package spool\n\nfunc TestDrain(t *testing.T) { expectUnlocked(t, s.Drain()) }\n", "Drain unlocks the folder, always.\n"
	set, err := diff.Parse([]byte(enginetest.Unified("spool_test.go", "package spool\n", test) + enginetest.Unified("GUARANTEES.txt", "none\n", text)))
	if err != nil {
		t.Fatal(err)
	}
	src := enginetest.Files{"RIGHT:spool_test.go": test, "RIGHT:GUARANTEES.txt": text}
	c := scene{set: set, src: src}.claim(t.Context(), &finding.Item{Finding: domain.Finding{
		Evidence: []domain.Evidence{{Kind: "code", Path: "GUARANTEES.txt", Start: 1, End: 1, Quote: "Drain unlocks the folder"}},
		Anchor:   domain.Anchor{Path: "spool_test.go", Side: domain.Right, Level: domain.AnchorFile, Quote: "expectUnlocked(t, s.Drain())"}}}, view{margin: 3})
	if !c.confirms("expectUnlocked(t, s.Drain())") {
		t.Error("the claimed test proves nothing")
	}
	if c.confirms("Drain unlocks the folder") || c.refutes("Drain unlocks the folder") {
		t.Error("a document of the change proves something")
	}
	if want := "proof: spool_test.go:3-3\n"; !strings.Contains(c.Text, want) { // a finding on the file has the line of its quotation
		t.Errorf("the claim does not say %q:\n%s", want, c.Text)
	}
}

// Long lines and long evidence are cut where a claim shows them.
func TestCitedLinesAreBounded(t *testing.T) {
	t.Parallel()
	long := "var table = []string{" + strings.Repeat("\"entry\", ", 100_000) + "}"
	code := "package spool\n" + long + "\nfunc first() {}\n" + strings.Repeat("\n", 5000) + "func last() { finishAll() }\n"
	set, err := diff.Parse([]byte(spoolPatch))
	if err != nil {
		t.Fatal(err)
	}
	cites := domain.Evidence{Kind: "code", Path: "table.go", Start: 3, End: 5004, Quote: "func first() {}func last() { finishAll() }"}
	c := scene{set: set, src: enginetest.Files{"RIGHT:spool.go": spoolAfter, "RIGHT:table.go": code}}.claim(t.Context(), &finding.Item{Finding: domain.Finding{
		Evidence: []domain.Evidence{cites}, Anchor: domain.Anchor{Path: "spool.go", Side: domain.Right, StartLine: 8, EndLine: 8, Quote: "s.metrics.count(len(files))"}}}, view{margin: 3})
	if len(c.Text) > 16<<10 || !c.confirms("s.metrics.count(len(files))") {
		t.Errorf("%d bytes of prompt", len(c.Text))
	}
}
