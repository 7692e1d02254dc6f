package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

func TestReviewFindsVerifiesAndPlaces(t *testing.T) {
	t.Parallel()
	m := &scripted{generate: findings(division()), verify: confirmAll}
	in := sampleChange(t)
	in.Models = models(m)
	res := review(t, in, Deps{})
	if len(res.Findings) != 1 {
		t.Fatalf("findings: %+v, dropped %v", res.Findings, res.Stats.Dropped)
	}
	f := res.Findings[0]
	if f.Route != domain.RouteInline || f.Verdict != domain.VerdictConfirmed || f.Anchor.Level != domain.AnchorLine {
		t.Errorf("route %s, verdict %s, anchor %+v", f.Route, f.Verdict, f.Anchor)
	}
	if f.RuleID != "llm/correctness/division-by-zero" || f.ID == "" || f.Fingerprints.Exact == "" || f.Anchor.Symbol != "Average" {
		t.Errorf("rule %q, id %q, prints %+v, symbol %q", f.RuleID, f.ID, f.Fingerprints, f.Anchor.Symbol)
	}
	if f.Suggestion == nil || !f.Suggestion.Applies || f.Suggestion.Parses != "yes" {
		t.Errorf("suggestion: %+v", f.Suggestion)
	}
	if got := newGo; !strings.Contains(strings.Split(got, "\n")[f.Anchor.StartLine-1], "Total(items) / len") {
		t.Errorf("anchor at line %d", f.Anchor.StartLine)
	}
	if res.ModelState != ModelComplete || res.Tier != tierT1 || len(res.Hunks) == 0 || res.Stats.Published != 1 {
		t.Errorf("state %s (%s), tier %s, hunks %v, stats %+v", res.ModelState, res.ModelNote, res.Tier, res.Hunks, res.Stats)
	}
	if len(res.Coverage.Reviewed) != 1 || res.Coverage.Reviewed[0].Path != "shop/shop.go" {
		t.Errorf("coverage: %+v", res.Coverage)
	}
}

func TestVerifierDecides(t *testing.T) {
	t.Parallel()
	noQuote := func(_ int, user string) (llm.Response, error) {
		v := verdicts(user, "confirmed")
		for i := range v {
			v[i].ConfirmingQuotes = []string{"this text is nowhere in the code"}
		}
		return say(map[string]any{"verdicts": v})
	}
	tests := map[string]struct {
		verify  func(int, string) (llm.Response, error)
		verdict domain.Verdict
		route   domain.Route
	}{
		"confirmed":               {confirmAll, domain.VerdictConfirmed, domain.RouteInline},
		"refuted":                 {refuteAll, domain.VerdictRefuted, domain.RouteStored},
		"confirmed without quote": {noQuote, domain.VerdictUnproven, domain.RouteSummary},
		"no answer for the claim": {func(int, string) (llm.Response, error) { return say(map[string]any{"verdicts": []verdict{}}) }, domain.VerdictUnproven, domain.RouteSummary},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.Models = models(&scripted{generate: findings(division()), verify: tt.verify})
			f := review(t, in, Deps{}).Findings[0]
			if f.Verdict != tt.verdict || f.Route != tt.route {
				t.Errorf("verdict %s, route %s (confidence %.2f); want %s, %s", f.Verdict, f.Route, f.Confidence, tt.verdict, tt.route)
			}
		})
	}
}

func TestInventedFindingsAreDropped(t *testing.T) {
	t.Parallel()
	invented := division()
	invented.Quote = "	return database.Query(userInput + secretTable)"
	badSeverity := division()
	badSeverity.Severity = "apocalyptic"
	elsewhere := division()
	elsewhere.Path = "other/file.go"
	for name, tt := range map[string]struct {
		c          candidate
		why, state string
	}{
		"invented quote":   {invented, whyAnchor, ModelComplete},
		"unknown severity": {badSeverity, whySchema, ModelPartial}, "unknown file": {elsewhere, whySchema, ModelPartial},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.Models = models(&scripted{generate: findings(tt.c), verify: confirmAll})
			res := review(t, in, Deps{})
			if len(res.Findings) != 0 || res.Stats.Dropped[tt.why] != 1 || res.ModelState != tt.state {
				t.Errorf("findings %d, dropped %v, %s; want %q, %s", len(res.Findings), res.Stats.Dropped, res.ModelState, tt.why, tt.state)
			}
		})
	}
}

// A model that quotes a text that is not on a line of the change is asked once more, with the reason.
func TestAFalseQuotationIsAskedForAgain(t *testing.T) {
	t.Parallel()
	invented, mangled, right := division(), division(), division()
	invented.Quote = "	return database.Query(userInput + secretTable)"
	mangled.Quote = "Total(items) is divided by len(items) in this return"
	away := mangled
	away.Start, away.End = 4000, 4000
	unplaced := mangled
	unplaced.Start, unplaced.End = 0, 0
	for name, tt := range map[string]struct {
		first    candidate
		second   []candidate
		state    string
		findings int
	}{
		"then right":          {mangled, []candidate{right}, ModelComplete, 1},
		"then false":          {mangled, []candidate{mangled}, ModelPartial, 0},
		"then left out":       {mangled, []candidate{}, ModelPartial, 0},
		"an invention":        {invented, nil, ModelComplete, 0},
		"without a line":      {unplaced, []candidate{unplaced}, ModelPartial, 0},
		"a line of no change": {away, nil, ModelComplete, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			s := &scripted{verify: confirmAll, generate: func(n int, user string) (llm.Response, error) {
				if strings.Contains(user, "quote is not code of the file") {
					return findings(tt.second...)(n, user)
				}
				return findings(tt.first)(n, user)
			}}
			in.Models = models(s)
			res := review(t, in, Deps{})
			if res.ModelState != tt.state || len(res.Findings) != tt.findings || tt.second == nil && s.count("generate") != res.Stats.Chunks {
				t.Errorf("%s (%s), %d findings, %d calls; dropped %v", res.ModelState, res.ModelNote, len(res.Findings), s.count("generate"), res.Stats.Dropped)
			}
		})
	}
}

// A finding whose own place is right is not lost because another of its quotes is wrong.
func TestFalseEvidenceIsLeftOut(t *testing.T) {
	t.Parallel()
	c := division()
	c.Evidence = []citation{
		{Path: "shop/shop.go", Start: 1, End: 1, Quote: "func DoesNotExist() { panic(1) }"}, {Path: "docs.example.org", Quote: "the divisor is zero"},
		{Path: "shop/shop.go", Start: 7, End: 9, Quote: "func Total(items []Item) int {\n\t..."},
	}
	in := sampleChange(t)
	in.Models = models(&scripted{generate: findings(c), verify: confirmAll})
	res := review(t, in, Deps{})
	if len(res.Findings) != 1 || len(res.Findings[0].Evidence) != 1 || res.ModelState != ModelComplete || res.Findings[0].Verdict != domain.VerdictConfirmed {
		t.Fatalf("%s, %+v, dropped %v", res.ModelState, res.Findings, res.Stats.Dropped)
	}
}

// A quotation in a verdict with the usual decoration proves the same as the code in it. An ellipsis
// proves nothing more.
func TestQuotationsOfVerdictsWithDecoration(t *testing.T) {
	t.Parallel()
	for quote, want := range map[string]domain.Verdict{
		"func Average(items []Item) int {\n\t...\n}":  domain.VerdictUnproven,
		"Line 20: return Total(items) / len(items)":   domain.VerdictConfirmed,
		"return Total(items) / ... // <-- here":       domain.VerdictConfirmed,
		"func Average(items []Item) int { ... panics": domain.VerdictUnproven,
		"...": domain.VerdictUnproven,
	} {
		in := sampleChange(t)
		in.Models = models(&scripted{generate: findings(division()), verify: func(_ int, user string) (llm.Response, error) {
			v := verdicts(user, "confirmed")
			for i := range v {
				v[i].ConfirmingQuotes = []string{quote}
			}
			return say(map[string]any{"verdicts": v})
		}})
		if f := review(t, in, Deps{}).Findings[0]; f.Verdict != want {
			t.Errorf("%q: %s, want %s", quote, f.Verdict, want)
		}
	}
}

func TestModelFailures(t *testing.T) {
	t.Parallel()
	fail := func(err error) func(int, string) (llm.Response, error) {
		return func(int, string) (llm.Response, error) { return llm.Response{}, err }
	}
	text := func(s string) func(int, string) (llm.Response, error) {
		return func(int, string) (llm.Response, error) { return enginetest.Reply(s), nil }
	}
	t.Run("down is returned", func(t *testing.T) {
		t.Parallel()
		in := sampleChange(t)
		in.Models = models(&scripted{generate: fail(enginetest.Down())})
		_, err := New(Deps{Checks: newChecker(t)}).Review(t.Context(), in)
		if _, ok := errors.AsType[*llm.Error](err); !ok {
			t.Fatalf("error %v, want an *llm.Error", err)
		}
	})
	t.Run("refused for good is returned", func(t *testing.T) {
		t.Parallel()
		in := sampleChange(t)
		in.Models = models(&scripted{generate: fail(enginetest.Final())})
		_, err := New(Deps{Checks: newChecker(t)}).Review(t.Context(), in)
		if _, ok := errors.AsType[*llm.Error](err); !ok {
			t.Fatalf("error %v, want an *llm.Error", err)
		}
	})
	t.Run("nonsense is not a clean review", func(t *testing.T) {
		t.Parallel()
		in := sampleChange(t)
		m := &scripted{generate: text("I could not find any problems!")}
		in.Models = models(m)
		res := review(t, in, Deps{})
		if res.ModelState != ModelUnavailable || len(res.Hunks) != 0 || m.count("generate") != 2 {
			t.Errorf("state %s, hunks %v, calls %d (one repair expected)", res.ModelState, res.Hunks, m.count("generate"))
		}
	})
	t.Run("repair helps", func(t *testing.T) {
		t.Parallel()
		in := sampleChange(t)
		in.Models = models(&scripted{verify: confirmAll, generate: func(n int, user string) (llm.Response, error) {
			if n == 0 {
				return enginetest.Reply(`{"findings": [{"path": `), nil
			}
			return findings(division())(n, user)
		}})
		if res := review(t, in, Deps{}); len(res.Findings) != 1 || res.ModelState != ModelComplete {
			t.Errorf("findings %d, state %s", len(res.Findings), res.ModelState)
		}
	})
	t.Run("truncated answer is salvaged", func(t *testing.T) {
		t.Parallel()
		in := sampleChange(t)
		whole, _ := findings(division())(0, "")
		in.Models = models(&scripted{verify: confirmAll, generate: func(int, string) (llm.Response, error) {
			return enginetest.Broken(strings.TrimSuffix(whole.Text, "]}") + `, {"path": "shop/`), nil
		}})
		res := review(t, in, Deps{})
		if len(res.Findings) != 1 || res.ModelState != ModelPartial {
			t.Errorf("findings %d, state %s (%s)", len(res.Findings), res.ModelState, res.ModelNote)
		}
	})
	t.Run("budget ends model work", func(t *testing.T) {
		t.Parallel()
		in := sampleChange(t)
		in.Models = models(&scripted{})
		res := review(t, in, Deps{Recorder: refusing{}})
		if res.ModelState != ModelUnavailable || res.ModelNote != NoteBudget {
			t.Errorf("state %s, note %q", res.ModelState, res.ModelNote)
		}
	})
	t.Run("verifier out of order is partial", func(t *testing.T) {
		t.Parallel()
		in := sampleChange(t)
		in.Models = models(&scripted{generate: findings(division()), verify: fail(enginetest.Final())})
		res := review(t, in, Deps{})
		if res.ModelState != ModelPartial || res.Findings[0].Verdict != domain.VerdictUnproven {
			t.Errorf("state %s, verdict %s", res.ModelState, res.Findings[0].Verdict)
		}
	})
}

type refusing struct{ ask.NopRecorder }

func (refusing) Before(context.Context, ask.Call) (string, error) {
	return "", errs.Wrap(ask.ErrBudget, errs.Conflict, "budget_exhausted", "The budget is used up.")
}

func TestWithoutModel(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ note, state string }{
		"not configured": {NoteNotConfigured, ModelNone}, "unavailable": {NoteUnavailable, ModelUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.ModelNote = tt.note
			res := review(t, in, Deps{})
			if res.ModelState != tt.state || res.ModelNote != tt.note || len(res.Hunks) != 0 || len(res.Coverage.Skimmed) != 1 {
				t.Errorf("state %s, note %q, hunks %v, coverage %+v", res.ModelState, res.ModelNote, res.Hunks, res.Coverage)
			}
		})
	}
}

func TestFinishedCallsAreNotPaidTwice(t *testing.T) {
	t.Parallel()
	stages := &memoryStages{m: map[string][]byte{}}
	in := sampleChange(t)
	m := &scripted{generate: findings(division()), verify: func(int, string) (llm.Response, error) { return llm.Response{}, enginetest.Down() }}
	in.Models = models(m)
	if _, err := New(Deps{Checks: newChecker(t), Stages: stages}).Review(t.Context(), in); err == nil {
		t.Fatal("the verifier is down, but the review succeeded")
	}
	m.verify = confirmAll
	res := review(t, in, Deps{Stages: stages})
	if m.count("generate") != 1 || res.Stats.CachedStages != 1 || len(res.Findings) != 1 {
		t.Errorf("generation calls %d, cached %d, findings %d", m.count("generate"), res.Stats.CachedStages, len(res.Findings))
	}
	in.PullRequest.Title = "Something else"
	review(t, in, Deps{Stages: stages})
	if m.count("generate") != 2 {
		t.Errorf("another input used the stored answer")
	}
}

type memoryStages struct{ m map[string][]byte }

func (s *memoryStages) Load(_ context.Context, stage, hash string) ([]byte, bool, error) {
	b, ok := s.m[stage+hash]
	return b, ok, nil
}

func (s *memoryStages) Save(_ context.Context, stage, hash string, out []byte) error {
	s.m[stage+hash] = out
	return nil
}

func TestRefusalsOfTheAccountEndTheReview(t *testing.T) {
	t.Parallel()
	for _, class := range []llm.Class{llm.ClassCredential, llm.ClassQuota, llm.ClassEffort, llm.ClassRetryable} {
		t.Run(string(class), func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.Models = models(&scripted{generate: func(int, string) (llm.Response, error) {
				return llm.Response{}, &llm.Error{Class: class, ProviderMessage: "the provider's words"}
			}})
			_, err := New(Deps{Checks: newChecker(t)}).Review(t.Context(), in)
			e, ok := errors.AsType[*llm.Error](err)
			if !ok || e.Class != class || e.ProviderMessage != "the provider's words" {
				t.Fatalf("error %v", err)
			}
		})
	}
}

func TestSomeChunksFail(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	var diff strings.Builder
	source := enginetest.Files{}
	for _, name := range []string{"a", "b", "c"} {
		before := "package x\n"
		after := before + strings.Repeat("var _ = 1 // a line that takes some room in the prompt of this test\n", 900)
		diff.WriteString(enginetest.Unified(name+".go", before, after))
		source["LEFT:"+name+".go"], source["RIGHT:"+name+".go"] = before, after
	}
	in.Diff, in.Source = []byte(diff.String()), source
	in.Models = models(&scripted{verify: confirmAll, generate: func(n int, user string) (llm.Response, error) {
		if strings.Contains(user, "=== b.go") {
			return llm.Response{}, enginetest.Final()
		}
		return findings()(n, user)
	}})
	res := review(t, in, Deps{})
	if res.ModelState != ModelPartial || !strings.Contains(res.ModelNote, "2 of 3 parts") || len(res.Hunks) != 2 {
		t.Errorf("state %s, note %q, hunks %d", res.ModelState, res.ModelNote, len(res.Hunks))
	}
	if len(res.Coverage.Skimmed) != 1 || res.Coverage.Skimmed[0].Path != "b.go" {
		t.Errorf("coverage %+v", res.Coverage)
	}
}

func TestTooLongForTheModelIsHalved(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	var diff strings.Builder
	source := enginetest.Files{}
	for _, name := range []string{"a", "b", "c", "d"} {
		diff.WriteString(enginetest.Unified(name+".go", "package x\n", "package x\n\nvar V = 1\n"))
		source["LEFT:"+name+".go"], source["RIGHT:"+name+".go"] = "package x\n", "package x\n\nvar V = 1\n"
	}
	in.Diff, in.Source, in.Tier = []byte(diff.String()), source, tierT2
	m := &scripted{verify: confirmAll, generate: func(n int, user string) (llm.Response, error) {
		if strings.Count(user, "=== ") > 1 {
			return llm.Response{}, enginetest.Overflow()
		}
		return findings()(n, user)
	}}
	in.Models = models(m)
	res := review(t, in, Deps{})
	if res.ModelState != ModelComplete || len(res.Hunks) != 4 || m.count("generate") != 7 {
		t.Errorf("state %s (%s), hunks %d, calls %d", res.ModelState, res.ModelNote, len(res.Hunks), m.count("generate"))
	}
}
