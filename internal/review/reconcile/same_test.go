package reconcile

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// pairCounter is a model that counts the pairs it is asked about, and calls each one defect.
type pairCounter struct{ pairs int }

func (c *pairCounter) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	_, user := enginetest.Prompt(r)
	n := strings.Count(user, "=== pair ")
	c.pairs += n
	answers := make([]string, n)
	for i := range answers {
		answers[i] = `{"pair":"` + pairLabel(i) + `","same":true}`
	}
	return enginetest.Reply(`{"pairs":[` + strings.Join(answers, ",") + `]}`), nil
}

func (*pairCounter) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

// All comparisons of a review together ask about as many pairs as its bound allows.
func TestTheBoundOfPairsIsOfTheReview(t *testing.T) {
	t.Parallel()
	model := &pairCounter{}
	session := ask.New(ask.Deps{Logger: slog.New(slog.DiscardHandler)}, nil)
	session.AllowConversations(9)
	a := &Asker{Session: session, Logger: slog.New(slog.DiscardHandler),
		Models: &ask.Models{Strong: ask.Route{Client: model, Model: "test", Tier: ask.TierStrong, Window: enginetest.LargeWindow}}}
	for _, want := range []int{7, maxQuestions - 7, 0} {
		said, err := a.Same(t.Context(), make([]Pair, 7))
		same := 0
		for _, yes := range said {
			if yes {
				same++
			}
		}
		if err != nil || len(said) != 7 || same != want {
			t.Errorf("%d of %d pairs are one defect, want %d: %v", same, len(said), want, err)
		}
	}
	if model.pairs != maxQuestions || session.ConversationsLeft() != 7 {
		t.Errorf("%d pairs were asked about, %d conversations are left", model.pairs, session.ConversationsLeft())
	}
}
