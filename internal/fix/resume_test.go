package fix

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// kept is a store of stages in memory.
type kept struct{ all sync.Map }

// Load implements [ask.StageStore].
func (k *kept) Load(_ context.Context, stage, hash string) ([]byte, bool, error) {
	out, found := k.all.Load(stage + hash)
	raw, _ := out.([]byte)
	return raw, found, nil
}

// Save implements [ask.StageStore].
func (k *kept) Save(_ context.Context, stage, hash string, out []byte) error {
	k.all.Store(stage+hash, out)
	return nil
}

// A run that ended in a stage asks no model again for the stages before it, and has the result of a run without an end.
func TestARunContinuesAfterEachStage(t *testing.T) {
	t.Parallel()
	p := seeds["go"]
	order := []string{"fix", "fix-verify", "fix-look"}
	for n, stage := range order {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			w := world{base: p.base, head: p.head, ruling: verdictGiven{Verdict: "refuted", Quote: goFix.Replace}, edits: []proposed{goFix},
				down: map[string]error{stage: &llm.Error{Class: llm.ClassRetryable, Status: 503}}}
			scanner, err := enginetest.Scanner()
			if err != nil {
				t.Fatal(err)
			}
			stages, in := &kept{}, Input{Diff: w.diff(), Source: w.source(), Findings: []domain.Finding{w.findingAt(t, p.path, p.quote)}}
			calls := map[string]int{}
			attempt := func() (Result, error) {
				models, turns := w.models(t)
				in.Models = models
				out, err := New(Deps{Checks: &check.Checker{Scanner: scanner}, Stages: stages}).Run(t.Context(), in)
				for _, r := range turns.Requests {
					calls[strings.TrimPrefix(r.Schema.Name, "assay_")]++
				}
				return out, err
			}
			if _, err := attempt(); err == nil {
				t.Fatal("the model is down, and the run has a result")
			}
			w.down = nil
			for range 2 {
				got, err := attempt()
				if err != nil || !got.Findings[0].Passed {
					t.Fatalf("%v, %+v", err, got.Findings)
				}
			}
			for i, name := range order {
				want := 1
				if i == n {
					want = 2
				}
				if calls[name] != want {
					t.Errorf("%s was asked %d times, want %d", name, calls[name], want)
				}
			}
		})
	}
}
