package review_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// An accepted suppression keeps a finding out of a review, which counts it and names the suppression. After the
// suppression is withdrawn, the next review reports the finding.
func TestAReviewLeavesOutWhatIsSuppressed(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistory(f)
		h.push("c", "// no defect\n")
		runs := f.Runs()
		v, err := store.AddRecord(bg, f.Store, f.World.Tenant, store.Suppression{Record: store.Record{Repository: runs[0].Repository},
			Scope: domain.ScopeCategory, Matches: "bug", Paths: `["*.go"]`, Prints: "[]", State: domain.SuppressionAccepted})
		testkit.OK(t, err)
		h.push("a", divides, division)
		testkit.Equal(t, "comments", len(f.Host.Comments), 0)
		known := h.known()
		testkit.Require(t, "findings", len(known), 1)
		if known[0].State != domain.FindingSuppressed || known[0].SuppressedBy != v.ID {
			t.Errorf("the finding is %s by %q", known[0].State, known[0].SuppressedBy)
		}
		runs = f.Runs()
		dropped, err := f.Store.DroppedCandidates(bg, f.World.Tenant, runs[len(runs)-1].ID, "decision", 0, 10)
		testkit.OK(t, err)
		if len(dropped) != 1 || dropped[0].Finding.SuppressedBy != v.ID || dropped[0].FindingID != known[0].ID {
			t.Errorf("not shown: %+v", dropped)
		}
		published, err := f.Host.Reviews(bg, codehost.Repo{}, int(runs[0].Number))
		testkit.OK(t, err)
		if body := published[0].Body; !strings.Contains(body, "1 finding is not shown because of a decision of the maintainers.") {
			t.Errorf("the summary: %s", body)
		}
		testkit.OK(t, f.Store.WithdrawSuppression(bg, f.World.Tenant, runs[0].Repository, v.ID, domain.SuppressionAccepted, "", "", ""))
		h.push("b", divides+"// one more line\n", division)
		testkit.Equal(t, "state after it is withdrawn", h.known()[0].State, domain.FindingOpen)
		testkit.Equal(t, "comments after it is withdrawn", len(f.Host.Comments), 1)
	})
}

// A suppression of a rule or a category covers findings up to the severity of those that people dismissed.
func TestASuppressionCoversUpToItsSeverity(t *testing.T) {
	for severity, want := range map[string]domain.FindingState{"medium": domain.FindingOpen, "high": domain.FindingSuppressed} {
		t.Run(severity, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistory(f)
				h.push("c", "// no defect\n")
				_, err := store.AddRecord(bg, f.Store, f.World.Tenant, store.Suppression{Record: store.Record{Repository: f.Runs()[0].Repository},
					Scope: domain.ScopeCategory, Matches: "bug", Paths: "[]", Prints: "[]", Severity: severity, State: domain.SuppressionAccepted})
				testkit.OK(t, err)
				h.calls("high")
				h.push("a", divides, division)
				testkit.Equal(t, "state of a finding of High", h.known()[0].State, want)
			})
		})
	}
}

// A suppression of a secret covers its value, and stays in effect after the instance key was replaced: the review that knows
// both keys adds the fingerprint under the new one.
func TestASuppressedSecretStaysSuppressedUnderANewKey(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		keys := [][]byte{[]byte("old")}
		f.Service.DigestKeys = func(domain.Tenant, string) [][]byte { return keys }
		line := func(end string) string { return "var token = \"AKIA" + "Q3EGR" + end + "\"\n" }
		h := newHistory(f)
		h.push("a", line("X7N5B2VKJ4M"))
		known := h.known()
		testkit.Require(t, "findings", len(known), 1)
		was := known[0].Fingerprints.Exact
		v, err := store.AddRecord(bg, f.Store, f.World.Tenant, store.Suppression{Record: store.Record{Repository: f.Runs()[0].Repository},
			Scope: domain.ScopeFingerprint, Matches: was, Paths: "[]", Prints: store.JSON([]string{was}), State: domain.SuppressionAccepted})
		testkit.OK(t, err)
		prints := func() []string {
			row, err := f.Store.Suppression(bg, f.World.Tenant, v.Repository, v.ID)
			testkit.OK(t, err)
			return store.FromJSON[[]string](row.Prints)
		}
		keys = [][]byte{[]byte("new"), []byte("old")}
		h.push("b", line("X7N5B2VKJ4M")+"// one more line\n")
		now := h.known()[0].Finding
		if now.State != domain.FindingSuppressed || now.Fingerprints.Exact == was || !slices.Equal(prints(), []string{was, now.Fingerprints.Exact}) {
			t.Errorf("%s as %s, which was %s: %v", now.State, now.Fingerprints.Exact, was, prints())
		}
		keys = keys[:1]
		h.push("c", line("X7N5B2VKJ4M")+"// another line\n")
		testkit.Equal(t, "findings without the old key", len(h.known()), 1)
		testkit.Equal(t, "state without the old key", h.known()[0].State, domain.FindingSuppressed)
		h.push("d", line("Y7N5B2VKJ4T")+"// another line\n")
		open := 0
		for _, k := range h.known() {
			if k.State == domain.FindingOpen {
				open++
			}
		}
		testkit.Equal(t, "open findings with another value", open, 1)
	})
}
