package engine

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/ask/asktest"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// helper is a file that the change does not touch and that the claim is about.
const helper = "package shop\n\nfunc NonEmpty(items []Item) []Item {\n\tif len(items) == 0 {\n\t\treturn []Item{{Price: 1, Count: 1}}\n\t}\n\treturn items\n}\n"

// judging answers the stages: a division is found, and a verifier looks at it.
func judging(verify func(n int, r llm.Request) (llm.Response, error), evidence ...citation) *enginetest.Turns {
	m, asked := &enginetest.Turns{}, 0
	m.Answer = func(_ int, r llm.Request) (llm.Response, error) {
		switch system, user := enginetest.Prompt(r); {
		case strings.HasPrefix(system, "stage: generate"):
			d := division()
			d.Evidence = append(d.Evidence, evidence...)
			return findings(d)(0, user)
		case strings.HasPrefix(system, "stage: verify"):
			asked++
			return verify(asked-1, r)
		}
		return say(intent{})
	}
	return m
}

func judged(word, quote string) (llm.Response, error) {
	v := verdict{Claim: "c1", Verdict: word, Scope: "introduced", Reachable: "yes", Severity: "high"}
	if v.RefutationQuote = quote; word == "confirmed" {
		v.ConfirmingQuotes, v.RefutationQuote = []string{quote}, ""
	}
	return say(map[string]any{"verdicts": []verdict{v}})
}

// looking is the change with a file beside it.
func looking(t *testing.T, m llm.Client) Input {
	in := sampleChange(t)
	in.Source = enginetest.Files{"LEFT:shop/shop.go": oldGo, "RIGHT:shop/shop.go": newGo, "LEFT:shop/helper.go": helper, "RIGHT:shop/helper.go": helper}
	in.Models = models(m)
	return in
}

// A verifier looks at another file before it decides, and may prove its verdict with it.
func TestAVerifierLooks(t *testing.T) {
	t.Parallel()
	cited := citation{Path: "shop/helper.go", Start: 7, End: 7, Quote: "return items"}
	for name, c := range map[string]struct {
		word, quote string
		evidence    []citation
		verdict     domain.Verdict
	}{
		"confirmed there":            {"confirmed", "\treturn []Item{{Price: 1, Count: 1}}\n\t}\n\treturn items", []citation{cited}, domain.VerdictConfirmed},
		"confirmed at its own place": {"confirmed", "return Total(items) / len(items)", []citation{cited}, domain.VerdictConfirmed},
		"refuted there":              {"refuted", "return []Item{{Price: 1, Count: 1}}", []citation{cited}, domain.VerdictRefuted},
		"refuted with a stranger":    {"refuted", "return []Item{{Price: 1, Count: 1}}", nil, domain.VerdictUnproven},
		"code that was not shown":    {"refuted", "if items == nil { return errNone }", []citation{cited}, domain.VerdictUnproven},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec := &asktest.Recorder{}
			m := judging(func(n int, r llm.Request) (llm.Response, error) {
				if n == 0 {
					if !strings.Contains(r.System, "6 calls for this claim.") {
						t.Error("nothing says what may be looked up")
					}
					return enginetest.Calling(llm.ToolCall{ID: "a", Name: "read_file", Arguments: `{"path":"shop/helper.go","from":null,"to":null,"side":"RIGHT"}`})
				}
				if n == 1 && !strings.Contains(enginetest.SaidTo(r), "Price: 1, Count: 1") {
					t.Errorf("the file was not shown: %s", enginetest.SaidTo(r))
				}
				return judged(c.word, c.quote)
			}, c.evidence...)
			in := looking(t, m)
			in.Models.Standard = ask.Route{} // no second opinion by another model
			res := review(t, in, Deps{Recorder: rec})
			if len(res.Findings) != 1 || res.Findings[0].Verdict != c.verdict {
				t.Fatalf("%+v", res.Findings)
			}
			if len(rec.Uses) == 0 || rec.Uses[0].Tool != "read_file" || rec.Uses[0].Outcome != ask.ToolOK || rec.Uses[0].Hits == 0 {
				t.Errorf("recorded %+v", rec.Uses)
			}
		})
	}
}

// A verifier that fails during its search drops no claim, and claims that it should have checked are
// not published on a line.
func TestAVerifierThatFails(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(r llm.Request) (llm.Response, error){
		"refused":   func(llm.Request) (llm.Response, error) { return llm.Response{}, enginetest.Final() },
		"no answer": func(llm.Request) (llm.Response, error) { return enginetest.Reply("I think so."), nil },
		"the canary": func(r llm.Request) (llm.Response, error) {
			return enginetest.Reply(canaryOf.FindStringSubmatch(r.System)[1]), nil
		},
		"no verdicts": func(llm.Request) (llm.Response, error) { return say(map[string]any{"verdicts": []verdict{}}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := judging(func(n int, r llm.Request) (llm.Response, error) {
				if n == 0 {
					return enginetest.Calling(llm.ToolCall{ID: "a", Name: "read_file", Arguments: `{"path":"shop/helper.go","from":1,"to":9,"side":"RIGHT"}`})
				}
				return fail(r)
			})
			res := review(t, looking(t, m), Deps{})
			if len(res.Findings) != 1 || res.Findings[0].Verdict != domain.VerdictUnproven || res.Findings[0].Route == domain.RouteInline {
				t.Errorf("%+v", res.Findings)
			}
		})
	}
}

var canaryOf = regexp.MustCompile(`Confidential token: (\w+)`)

// shelf keeps results of stages.
type shelf struct {
	mu   sync.Mutex
	kept map[string][]byte
}

func (s *shelf) Load(_ context.Context, stage, hash string) ([]byte, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	raw, ok := s.kept[stage+hash]
	return raw, ok, nil
}

func (s *shelf) Save(_ context.Context, stage, hash string, out []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[string][]byte{}
	}
	s.kept[stage+hash] = out
	return nil
}

// A conversation that has ended is not paid for again, and its proof stays valid. One that broke off
// starts again from the beginning.
func TestConversationsAreStored(t *testing.T) {
	t.Parallel()
	stages := &shelf{}
	broken := true
	m := judging(func(n int, r llm.Request) (llm.Response, error) {
		if len(r.Messages) == 1 && len(r.Tools) > 0 {
			return enginetest.Calling(llm.ToolCall{ID: "a", Name: "read_file", Arguments: `{"path":"shop/helper.go","from":null,"to":null,"side":"RIGHT"}`})
		}
		if broken {
			return llm.Response{}, enginetest.Down()
		}
		return judged("refuted", "return []Item{{Price: 1, Count: 1}}")
	}, citation{Path: "shop/helper.go", Start: 7, End: 7, Quote: "return items"})
	in := looking(t, m)
	if _, err := New(Deps{Checks: newChecker(t), Stages: stages}).Review(t.Context(), in); err == nil {
		t.Fatal("the service is down and the review does not mention it")
	}
	for attempt, want := range []int{2, 0} { // the conversation from its beginning; nothing
		broken, m.Requests = false, nil
		res := review(t, in, Deps{Stages: stages})
		verifying := 0
		for _, r := range m.Requests {
			if strings.HasPrefix(r.System, "stage: verify") {
				verifying++
			}
		}
		if verifying != want || len(res.Findings) != 1 || res.Findings[0].Verdict != domain.VerdictRefuted {
			t.Errorf("attempt %d: %d calls of the verifier, want %d: %+v", attempt, verifying, want, res.Findings)
		}
	}
}

// A claim without room for the usual lines around it is cut around its place, and its proof still
// counts.
func TestAClaimInASmallWindow(t *testing.T) {
	t.Parallel()
	var before, after strings.Builder
	for i := range 300 {
		line := fmt.Sprintf("var value%d = compute(%d, \"%s\")\n", i, i, strings.Repeat("words that take room ", 8))
		before.WriteString(line)
		after.WriteString(line)
		if i == 150 {
			after.WriteString("var broken = total / len(nothing)\n")
		}
	}
	head := "package x\n\n" + after.String()
	at := strings.Count(head[:strings.Index(head, "var broken")], "\n") + 1
	in := sampleChange(t)
	in.Diff = []byte(enginetest.Unified("x.go", "package x\n\n"+before.String(), head))
	in.Source = enginetest.Files{"LEFT:x.go": "package x\n\n" + before.String(), "RIGHT:x.go": head}
	m := &enginetest.Turns{}
	m.Answer = func(_ int, r llm.Request) (llm.Response, error) {
		if n := ask.Size(r.System, r.Schema.JSON, r.Messages) + ask.ToolSize(r.Tools); n > 6_400 {
			t.Errorf("%d tokens are sent to a window of 8,000", n)
		}
		system, user := enginetest.Prompt(r)
		if strings.HasPrefix(system, "stage: generate") {
			d := division()
			d.Path, d.Start, d.End, d.Quote, d.Fix = "x.go", at, at, "var broken = total / len(nothing)", nil
			return findings(d)(0, user)
		}
		if strings.HasPrefix(system, "stage: verify") {
			return confirmAll(0, user)
		}
		return say(intent{})
	}
	in.Models = models(m)
	in.Models.Strong.Window, in.Models.Standard.Window = 8_000, 8_000
	res := review(t, in, Deps{})
	if len(res.Findings) != 1 || res.Findings[0].Verdict != domain.VerdictConfirmed {
		t.Errorf("%+v, %s", res.Findings, res.ModelNote)
	}
}
