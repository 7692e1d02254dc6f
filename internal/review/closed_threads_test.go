package review_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// newHistoryOfWriter is like newHistory, for a host that tells who closed threads, and on which dana may write.
func newHistoryOfWriter(f *reviewtest.Fixture) *history {
	h := newHistory(f)
	f.Host.TellsWho, f.Host.Roles["dana"] = true, "write"
	return h
}

// danaCloses closes the thread of the first comment in the name of dana.
func danaCloses(f *reviewtest.Fixture) {
	f.Host.Closed = map[domain.HostID]codehost.Sender{f.Host.Comments[0].ID: {Login: "dana", ID: "77"}}
}

// If a person with write access resolves the conversation of a finding, the finding is dismissed: the
// next look sees it, and the finding is not reported again. Other people change nothing.
func TestAResolvedConversationDismisses(t *testing.T) {
	writer := codehost.Sender{Login: "dana", ID: "77"}
	for name, tt := range map[string]struct {
		blind bool // the host does not name the resolver
		role  string
		byID  string // the role of the account with the id
		by    codehost.Sender
		want  domain.FindingState
	}{
		"a person who may write":                     {role: "write", by: writer, want: domain.FindingDismissed},
		"a person who may only read":                 {role: "read", by: writer, want: domain.FindingOpen},
		"an account whose login another account has": {role: "write", byID: "none", by: writer, want: domain.FindingOpen},
		"a person who left":                          {by: writer, want: domain.FindingOpen},
		"a bot":                                      {role: "admin", by: codehost.Sender{Login: "dana", ID: "77", IsBot: true}, want: domain.FindingOpen},
		"our account, or none":                       {role: "write", want: domain.FindingOpen},
		"a host that does not tell":                  {blind: true, role: "write", by: writer, want: domain.FindingOpen},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistory(f)
				f.Host.TellsWho = !tt.blind
				if tt.role != "" {
					f.Host.Roles["dana"] = tt.role
				}
				if tt.byID != "" {
					f.Host.RolesByID = map[domain.HostID]string{"77": tt.byID}
				}
				h.push("a", divides, division)
				f.Host.Closed = map[domain.HostID]codehost.Sender{f.Host.Comments[0].ID: tt.by}
				h.push("b", divides+"// one more line\n", division)
				known := h.known()
				testkit.Equal(t, "findings", len(known), 1)
				testkit.Equal(t, "state", known[0].State, tt.want)
				testkit.Equal(t, "comments", len(f.Host.Comments), 1)
				decided, err := f.Store.FindingDecisions(bg, f.World.Tenant, known[0].ID)
				testkit.OK(t, err)
				if tt.want == domain.FindingOpen {
					testkit.Equal(t, "decisions", len(decided), 0)
					return
				}
				reviews, err := f.Host.Reviews(bg, codehost.Repo{}, 1)
				testkit.OK(t, err)
				if body := reviews[1].Body; strings.Contains(body, "earlier finding") || !strings.Contains(body, "nothing found") {
					t.Errorf("the review still waits for the dismissed finding:\n%s", body)
				}
				testkit.Equal(t, "reason", decided[0].Reason, "dana closed the thread on the code host.")
				h.push("c", divides+"// and another\n", division)
				decided, err = f.Store.FindingDecisions(bg, f.World.Tenant, known[0].ID)
				testkit.OK(t, err)
				testkit.Equal(t, "decided once", len(decided), 1)
				testkit.Equal(t, "said once", len(f.Host.Comments), 1)
			})
		})
	}
}

// A secret is not dismissed by closing its conversation.
func TestASecretIsNotDismissedByItsConversation(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.TellsWho, f.Host.Roles["dana"] = true, "admin"
		f.Snapshots.Lines[storetest.SHA("a")] = reviewtest.SecretLine()
		f.Snapshots.Lines[storetest.SHA("b")] = reviewtest.SecretLine() + " // more"
		f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
		danaCloses(f)
		d := f.Deliver(f.Event("synchronize", "b"))
		f.Want(d, domain.DispositionRun, "completed completed")
		if title := f.Host.Check(d.RunID).Title.String(); !strings.Contains(title, "1 critical") {
			t.Errorf("the check of the secret says %q", title)
		}
	})
}

// A finding that a person reopened here stays open, although its conversation is still closed on the
// host.
func TestOpenedAgainAfterAResolvedConversation(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistoryOfWriter(f)
		h.push("a", divides, division)
		danaCloses(f)
		h.push("b", divides+"// one more line\n", division)
		dismissed := h.known()[0]
		testkit.Equal(t, "state", dismissed.State, domain.FindingDismissed)
		run := f.Runs()[0]
		repository, err := f.Store.Repository(bg, f.World.Tenant, run.Repository)
		testkit.OK(t, err)
		_, err = f.Services.Approvals.Reopen(bg, f.World.Tenant, repository, approval.Dismissal{Finding: dismissed.ID, Name: "Grace"})
		testkit.OK(t, err)
		h.push("c", divides+"// and another\n", division)
		testkit.Equal(t, "state", h.known()[0].State, domain.FindingOpen)
	})
}

// The thread of a finding is closed, and the review finds the defect gone: it is resolved. If it comes back, it is
// reported, because the closed thread is about the earlier showing.
func TestAClosedThreadOfAMendedDefect(t *testing.T) {
	for name, closedFirst := range map[string]bool{"closed before the push": true, "closed after the push": false} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistoryOfWriter(f)
				h.push("a", divides, division)
				if closedFirst {
					danaCloses(f)
				}
				h.push("b", fixed)
				testkit.Equal(t, "after the fix", h.known()[0].State, domain.FindingResolved)
				danaCloses(f)
				f.Policy(`{"maxInlineComments":0}`) // the finding has no new comment
				h.push("c", divides, division)
				testkit.Equal(t, "back", h.known()[0].State, domain.FindingOpen)
				h.push("d", divides+"// one more line\n", division)
				testkit.Equal(t, "after one more push", h.known()[0].State, domain.FindingOpen)
			})
		})
	}
}

// A finding whose code has changed since its comment, perhaps to a more severe one, is not what the person decided about,
// also in later reviews.
func TestAClosedThreadOfOtherCode(t *testing.T) {
	for name, tt := range map[string]struct {
		severity, text string
		found          report
		want           domain.FindingState
	}{
		"as it was":   {"medium", divides + "// one more line\n", division, domain.FindingDismissed},
		"more severe": {"critical", dividesMore, editedLine, domain.FindingOpen},
		"other code":  {"medium", dividesMore, editedLine, domain.FindingOpen},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistoryOfWriter(f)
				h.calls("medium")
				h.push("a", divides, division)
				danaCloses(f)
				h.calls(tt.severity)
				h.push("b", tt.text, tt.found)
				testkit.Equal(t, "state", h.known()[0].State, tt.want)
				h.push("c", tt.text+"// one more line\n", tt.found)
				testkit.Equal(t, "state after one more push", h.known()[0].State, tt.want)
			})
		})
	}
}

// A host that does not tell who closed threads, whatever the reason, does not hold up a review.
func TestAReviewWithoutClosedThreads(t *testing.T) {
	for _, class := range []codehost.Class{codehost.ClassUnavailable, codehost.ClassTooLarge, codehost.ClassInvalid, codehost.ClassForbidden} {
		t.Run(string(class), func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistory(f)
				f.Host.TellsWho = true
				h.push("a", divides, division)
				f.Host.Fail("closed threads", &codehost.Error{Class: class, Op: "list closed threads"})
				h.push("b", divides+"// one more line\n", division)
				testkit.Equal(t, "state", h.known()[0].State, domain.FindingOpen)
			})
		})
	}
}

// A review without a model judges nothing, so that a closed thread decides nothing in it.
func TestAClosedThreadWithoutAModel(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistoryOfWriter(f)
		h.push("a", divides, division)
		danaCloses(f)
		models := f.Service.Models
		f.Service.Models = &reviewtest.Models{}
		h.push("b", fixed)
		testkit.Equal(t, "state", h.known()[0].State, domain.FindingOpen)
		f.Service.Models = models
		h.push("c", fixed+"// one more line\n")
		testkit.Equal(t, "state after a model has judged", h.known()[0].State, domain.FindingResolved)
	})
}
