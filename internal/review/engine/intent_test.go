package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// long is a description that does not fit into a prompt.
var long = "Customers without orders break the report. " + strings.Repeat("Pasted log line. ", 200)

// described is the small change with a description, and three models.
func described(t *testing.T, m *scripted, body string) Input {
	t.Helper()
	in := sampleChange(t)
	in.PullRequest.Body = body
	in.Models = models(m)
	in.Models.Fast = ask.Route{Client: m, Model: "test-fast", Tier: "fast"}
	return in
}

// seen returns the user texts of a stage.
func (s *scripted) seen(stage string) (out []string) {
	for _, r := range s.requests {
		if system, user := enginetest.Prompt(r); strings.HasPrefix(system, "stage: "+stage+"\n") {
			out = append(out, user)
		}
	}
	return out
}

func TestALongDescriptionIsSummarisedByTheFastModel(t *testing.T) {
	t.Parallel()
	m := &scripted{generate: findings(division()), verify: confirmAll, intent: func(string) (llm.Response, error) {
		return say(intent{"Average must not panic for customers without orders."})
	}}
	res := review(t, described(t, m, long), Deps{})
	if len(res.Findings) != 1 || res.ModelState != ModelComplete || res.Stats.Calls != 3 {
		t.Fatalf("state %s, stats %+v", res.ModelState, res.Stats)
	}
	if m.requests[0].Model != "test-fast" || m.requests[0].MaxOutputTokens != ask.DefaultMaxOutput/4 {
		t.Errorf("the first call went to %s for %d tokens", m.requests[0].Model, m.requests[0].MaxOutputTokens)
	}
	if got := m.seen("intent")[0]; !strings.Contains(got, "Customers without orders") || !strings.Contains(got, "title: Add average") {
		t.Errorf("the fast model did not see the description: %s", got)
	}
	got := m.seen("generate")[0]
	if !strings.Contains(got, "by a model that read a longer description: Average must not panic") || strings.Contains(got, "Pasted log line") {
		t.Errorf("the prompt has not the summary alone: %s", got)
	}
	if got := m.seen("verify")[0]; !strings.Contains(got, " claims of the author>") || !strings.Contains(got, "Average must not panic") {
		t.Errorf("the verifier does not see what the author wants: %s", got)
	}
}

func TestAShortDescriptionIsNotSummarised(t *testing.T) {
	t.Parallel()
	m := &scripted{generate: findings(), verify: confirmAll}
	review(t, described(t, m, "Short."), Deps{})
	if m.count("intent") != 0 || !strings.Contains(m.seen("generate")[0], "Short.") {
		t.Error("a short description is used as it is")
	}
}

func TestAReviewDoesNotNeedTheSummary(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(string) (llm.Response, error){
		"down":      func(string) (llm.Response, error) { return llm.Response{}, enginetest.Down() },
		"refused":   func(string) (llm.Response, error) { return llm.Response{}, enginetest.Final() },
		"too long":  func(string) (llm.Response, error) { return llm.Response{}, enginetest.Overflow() },
		"no JSON":   func(string) (llm.Response, error) { return enginetest.Reply("I think that …"), nil },
		"empty":     func(string) (llm.Response, error) { return say(intent{" \u200b "}) },
		"no key":    func(string) (llm.Response, error) { return llm.Response{}, &llm.Error{Class: llm.ClassCredential} },
		"no credit": func(string) (llm.Response, error) { return llm.Response{}, &llm.Error{Class: llm.ClassQuota} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &scripted{generate: findings(division()), verify: confirmAll, intent: answer}
			res := review(t, described(t, m, long), Deps{})
			if len(res.Findings) != 1 || res.ModelState != ModelComplete {
				t.Errorf("state %s (%s), %d findings", res.ModelState, res.ModelNote, len(res.Findings))
			}
			if got := m.seen("generate")[0]; !strings.Contains(got, "Customers without orders") || !strings.Contains(got, "[…]") {
				t.Error("the prompt has not the start of the description")
			}
		})
	}
}

func TestARejectedEffortEndsTheReviewAtTheSummaryToo(t *testing.T) {
	t.Parallel()
	m := &scripted{intent: func(string) (llm.Response, error) {
		return llm.Response{}, &llm.Error{Class: llm.ClassEffort, ProviderMessage: "no such effort"}
	}}
	_, err := New(Deps{Checks: newChecker(t)}).Review(t.Context(), described(t, m, long))
	if e, ok := errors.AsType[*llm.Error](err); !ok || e.Class != llm.ClassEffort || m.count("generate") != 0 {
		t.Errorf("%v after %d calls", err, m.count("generate"))
	}
}

func TestACancelledReviewEndsAtTheSummary(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	m := &scripted{intent: func(string) (llm.Response, error) {
		cancel()
		return llm.Response{}, ctx.Err()
	}}
	if _, err := New(Deps{Checks: newChecker(t)}).Review(ctx, described(t, m, long)); !errors.Is(err, context.Canceled) || m.count("generate") != 0 {
		t.Errorf("%v after %d calls", err, m.count("generate"))
	}
}

// A secret of the change that stands across the border where a description is
// cut is replaced as a whole.
func TestSecretsAreReplacedBeforeTheDescriptionIsCut(t *testing.T) {
	t.Parallel()
	key := "AKIA" + "Q3EGRX7N5B2VKJ4M"
	for name, body := range map[string]string{
		"at the border of a prompt":   strings.Repeat("x", change.MaxProse-8) + " " + key + " and more",
		"at the border of a summary":  strings.Repeat("x", maxDescription-8) + " " + key + " and more",
		"joined by hidden characters": "AKIA<!-- -->" + key[4:10] + "\u200b" + key[10:] + " " + strings.Repeat("x", change.MaxProse),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &scripted{generate: findings(), verify: confirmAll}
			in := described(t, m, body)
			after := newGo + "\nvar key = \"" + key + "\"\n"
			in.Diff, in.Source = []byte(enginetest.Unified("shop/shop.go", oldGo, after)), enginetest.Files{"LEFT:shop/shop.go": oldGo, "RIGHT:shop/shop.go": after}
			review(t, in, Deps{})
			if m.count("intent") == 0 {
				t.Fatal("no summary was asked for")
			}
			for _, r := range m.requests {
				if _, user := enginetest.Prompt(r); strings.Contains(user, key[:7]) {
					t.Error("a part of the secret reached a model")
				}
			}
		})
	}
}
