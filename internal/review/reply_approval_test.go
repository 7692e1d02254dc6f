package review_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Where a person approves all texts of a model, an answer has fixed words alone: no code, no reason, and no explanation.
func TestAnswersUnderApproval(t *testing.T) {
	for name, tt := range map[string]struct {
		intent, verdict string
		outcome         domain.ReplyOutcome
		says            string // the first words; none: it gets no answer
	}{
		"stands":     {"disputes", "confirmed", domain.ReplyStands, "The finding stays open:"},
		"right":      {"disputes", "refuted", domain.ReplyRight, "You are right: this code disproves it."},
		"undecided":  {"disputes", "unproven", domain.ReplyUndecided, "The code neither proves nor disproves the finding."},
		"not mended": {"mended", "confirmed", domain.ReplyNotMended, "At `"},
		"explained":  {"asks", "", domain.ReplyUnanswered, ""},
		"proposed":   {"other", "", domain.ReplyNoted, "Your reply states a rule"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistory(f)
				h.push("a", divides, division)
				f.Policy(`{"publishMode":"approval"}`)
				h.intent, h.verdict = tt.intent, tt.verdict
				if tt.intent == "other" {
					h.states = rule{"Check in the caller", "The caller checks the length.", corrects}
				}
				f.Deliver(inThread(f, 50, "mona", corrects))
				replies, err := f.Store.RepliesOf(bg, f.World.Tenant, h.known()[0].ID)
				testkit.OK(t, err)
				testkit.Equal(t, "outcome", replies[0].Outcome, tt.outcome)
				got := answered(f)
				if len(got) != min(len(tt.says), 1) || len(got) == 1 && !strings.HasPrefix(got[0], tt.says) {
					t.Fatalf("answers: %q", got)
				}
				for _, text := range []string{"len(items)", "range items", "Nothing checks", "it panics", "caller checks"} {
					if len(got) == 1 && strings.Contains(got[0], text) {
						t.Errorf("the answer holds %q: %s", text, got[0])
					}
				}
			})
		})
	}
}
