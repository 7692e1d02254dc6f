package engine

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/wording"
)

// panelOutcome counts the parts of the change at which the panel did not look, by the reason.
type panelOutcome map[wording.Key]int

// panelLacks are the reasons that are known before the review.
var panelLacks = map[ask.PanelLack]wording.Key{ask.PanelKeyGone: wording.NoticePanelKeyGone, ask.PanelKeyUnfit: wording.NoticePanelKeyUnfit,
	ask.PanelSameVendor: wording.NoticePanelSameVendor, ask.PanelReduced: wording.NoticePanelReduced}

// passesOfReview returns the passes of the review's depth. The pass of the panel follows the first general one. It takes
// the place of the second general pass, because further looks of one model find less than a look of another vendor's.
func (w *work) passesOfReview() []finding.Pass {
	out := passesOf(w.plan.tier)
	if _, ok := w.in.Models.Pick(ask.TierPanel); !ok || len(out) == 0 {
		return out
	}
	out = slices.DeleteFunc(out, func(p finding.Pass) bool { return p.Lens == finding.LensGeneral && p.Number > 0 })
	return slices.Insert(out, 1, finding.Pass{Lens: finding.LensGeneral, Tier: ask.TierPanel})
}

// conversationBound returns the bound of the review's depth. With a panel, it has half as many conversations again, so that
// the panel takes none from the other passes, and its findings are verified like the others.
func (w *work) conversationBound() conversationBound {
	b := conversationBoundOf(w.plan.tier)
	if _, ok := w.in.Models.Pick(ask.TierPanel); ok {
		b.all, b.finding = b.all+(b.all+1)/2, b.finding+(b.finding+1)/2
	}
	return b
}

// shareWithPanel divides conversations for finding between the tenant's own tiers, which have as many as without a panel, and
// the panel.
func (w *work) shareWithPanel(most int) (own, panel int) {
	own = min(most, conversationBoundOf(w.plan.tier).finding)
	return own, most - own
}

// modelOf returns the model of a pass; the zero value in a review without a panel.
func (w *work) modelOf(ps passResult) domain.Finder {
	if !w.in.Models.WantsPanel() {
		return domain.Finder{}
	}
	return domain.Finder{Vendor: ps.route.Vendor, Model: ps.route.Model, Panel: ps.OfPanel()}
}

// missPanel counts a part at which the panel did not look.
func (w *work) missPanel(why wording.Key) {
	if w.panel == nil {
		w.panel = panelOutcome{}
	}
	w.panel[why]++
}

// roomLack returns why the panel gets no part for which it would need so many conversations.
func roomLack(conversations int) wording.Key {
	if conversations == 0 {
		return wording.NoticePanelTooLong
	}
	return wording.NoticePanelRoom
}

// panelLooked reports whether the panel looked at a whole part, and counts the part by the reason otherwise. The part still
// counts as reviewed, because the tenant's own tiers read it.
func (w *work) panelLooked(ctx context.Context, ps passResult) bool {
	switch {
	case ps.err != nil:
		w.deps.Logger.WarnContext(ctx, "the panel did not look at a part of the change", slog.Any("error", ps.err))
		w.missPanel(panelFailure(ps.err))
	case len(ps.Missed) > 0 || len(ps.Torn) > 0:
		w.missPanel(wording.NoticePanelNoAnswer)
	}
	return ps.err == nil
}

// refusesAll reports whether a provider that failed so would refuse further calls too.
func refusesAll(err error) bool {
	failed, isModel := errors.AsType[*llm.Error](err)
	return isModel && slices.Contains([]llm.Class{llm.ClassCredential, llm.ClassQuota, llm.ClassEffort}, failed.Class)
}

// panelFailure returns the reason for which a call of the panel has no result.
func panelFailure(err error) wording.Key {
	failed, isModel := errors.AsType[*llm.Error](err)
	switch {
	case errors.Is(err, ask.ErrBudget):
		return wording.NoticePanelBudget
	case errors.Is(err, ask.ErrTooLong):
		return wording.NoticePanelTooLong
	case !isModel, failed.Class == llm.ClassInvalidResponse:
		return wording.NoticePanelNoAnswer
	case failed.Class == llm.ClassCredential:
		return wording.NoticePanelRefused
	case failed.Class == llm.ClassQuota:
		return wording.NoticePanelQuota
	case failed.Status == http.StatusTooManyRequests:
		return wording.NoticePanelRate
	case failed.Class == llm.ClassRetryable:
		return wording.NoticePanelDown
	}
	return wording.NoticePanelRequest
}

// notePanel says at how many of the parts the panel did not look, and why.
func (w *work) notePanel(parts int) {
	if w.in.Models == nil || parts == 0 {
		return
	}
	if why, lacks := panelLacks[w.in.Models.PanelLack]; lacks {
		w.note(wording.English(why, parts, parts))
		return
	}
	for why := wording.NoticePanelKeyGone; why <= wording.NoticePanelRoom; why++ {
		if n := w.panel[why]; n > 0 {
			w.note(wording.English(why, n, parts))
		}
	}
}
