package render_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/render"
	"github.com/assay-dev/assay/internal/testkit"
)

// On a host that shows an answer in the conversation, every answer names the place of its finding once. Elsewhere only the answers that
// are about a place do.
func TestAnswersNameThePlace(t *testing.T) {
	about := map[domain.ReplyOutcome]bool{domain.ReplyStands: true, domain.ReplyNotMended: true, domain.ReplyExplained: true}
	for _, outcome := range []domain.ReplyOutcome{domain.ReplyStands, domain.ReplyNotMended, domain.ReplyRight, domain.ReplyDeclined,
		domain.ReplyMended, domain.ReplyKept, domain.ReplyUndecided, domain.ReplyExplained, domain.ReplyNoted} {
		for _, inConversation := range []bool{false, true} {
			got := render.Answer(render.Reply{Outcome: outcome, Head: strings.Repeat("a", 40), ProposedRule: outcome == domain.ReplyNoted,
				Finding: domain.Finding{Title: "T", Anchor: domain.Anchor{Path: "shop/cart.go", Side: domain.Right, StartLine: 7, EndLine: 7, Level: domain.AnchorLine}},
				Host:    codehost.Capabilities{MaxComment: 60000, LineThreads: inConversation}, Redact: func(s string) string { return s }}).String()
			want := 0
			if inConversation || about[outcome] {
				want = 1
			}
			testkit.Equal(t, string(outcome)+": places in "+got, strings.Count(got, "shop/cart.go:7"), want)
		}
	}
}
