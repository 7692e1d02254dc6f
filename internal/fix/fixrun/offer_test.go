package fixrun_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/fix"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// An offer has the deliveries of the policy, and the sentence with which a request would be refused.
func TestAnOfferSaysWhyThereIsNone(t *testing.T) {
	each(t, domain.FixSuggestions, func(t *testing.T, w *world) {
		offered := func(deliveries, why string) {
			t.Helper()
			row, err := w.Store.Finding(bg, w.World.Tenant, w.Repository.ID, w.Known()[0].ID)
			testkit.OK(t, err)
			o, err := w.Fixes.Offer(bg, w.World.Tenant, w.Repository, row)
			testkit.OK(t, err)
			if got := fmt.Sprint(o.Deliveries); got != deliveries || !strings.Contains(o.WhyNot, why) || why == "" && o.WhyNot != "" {
				t.Errorf("offered %s, %q, want %s, %q", got, o.WhyNot, deliveries, why)
			}
		}
		offered("[suggestions]", "")
		w.Policy(`{"fixes":"branch"}`)
		offered("[suggestions branch]", "")
		w.Policy(`{"fixes":"off"}`)
		offered("[]", "its setting fixes is off")
		for _, mode := range []string{"approval", "silent"} {
			w.Policy(`{"fixes":"commit","publishMode":"` + mode + `"}`)
			offered("[suggestions branch commit]", "publishMode")
		}
		w.Policy(`{"fixes":"suggestions","enabled":false}`)
		offered("[suggestions]", "setting enabled is off")
		w.Policy(`{"fixes":"suggestions"}`)
		w.Fixer.refuse = fix.NoFix
		for range store.MaxFixRunsOfHead {
			w.do("")
		}
		offered("[suggestions]", "which is the limit")
	})
}

// The offer of an open finding whose review was deleted after its time says why there is none.
func TestAnOfferOutlivesTheReview(t *testing.T) {
	each(t, domain.FixSuggestions, func(t *testing.T, w *world) {
		row, err := w.Store.Finding(bg, w.World.Tenant, w.Repository.ID, w.Known()[0].ID)
		testkit.OK(t, err)
		row.LastRun = "run_deleted"
		o, err := w.Fixes.Offer(bg, w.World.Tenant, w.Repository, row)
		testkit.OK(t, err)
		testkit.Equal(t, "why not", strings.Contains(o.WhyNot, "not the finished review of the present head"), true)
	})
}

// The command in a thread of no finding starts nothing, and says where it belongs.
func TestTheCommandInAnotherThreadStartsNothing(t *testing.T) {
	each(t, domain.FixSuggestions, func(t *testing.T, w *world) {
		ev := reviewtest.Comment(74, "chief", "/assay fix")
		ev.Comment.InReplyTo = "4711"
		w.Deliver(ev)
		list, err := w.Store.FixRuns(bg, w.World.Tenant, w.Repository.ID, store.FixRunFilter{})
		testkit.OK(t, err)
		testkit.Equal(t, "fix runs", len(list), 0)
	})
}
