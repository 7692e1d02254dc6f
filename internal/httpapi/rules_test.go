package httpapi_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

const wrapErrors = `{"title":"Wrap errors","instruction":"Say what was attempted.","paths":["**/*.go"],"severity":"medium"}`

func TestRulesArePaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	var want []string
	for range 5 {
		var r tenant.Rule
		w.made(&r, admin, w.tenantPath()+"/rules", wrapErrors)
		want = append([]string{r.ID}, want...)
	}
	var got []string
	for cursor := ""; ; {
		var page httpList[tenant.Rule]
		w.into(&page, w.call(member, http.MethodGet, w.tenantPath()+"/rules?limit=2"+cursor, ""))
		for _, r := range page.Items {
			got = append(got, r.ID)
		}
		if page.NextCursor == "" {
			break
		}
		cursor = "&cursor=" + page.NextCursor
	}
	if !slices.Equal(got, want) {
		t.Errorf("pages have %v, want %v", got, want)
	}
}

// httpList is a page as a client reads it.
type httpList[T any] struct {
	Items      []T
	NextCursor string
}

// Everyone who sees the repository sees its proposed rules with their thread; a person who manages it decides. Others cannot.
func TestProposedRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	v, _, err := w.store.ProposeRule(bg, w.Tenant, store.RuleProposal{Record: store.Record{Repository: w.Repository.ID}, PullRequest: w.Pull.ID, Number: 7,
		Finding: "fnd_1", Thread: "1", ThreadURL: "https://host.example/pull/7#r1", Title: "Wrap errors", Instruction: "Say what was attempted.", Languages: `["go"]`, ProposedName: "mona"})
	must(t, err)
	list := func(query string) []httpapi.RuleProposal {
		var page httpList[httpapi.RuleProposal]
		w.into(&page, w.call(member, http.MethodGet, w.repo()+"/rules/proposals"+query, ""))
		return page.Items
	}
	got := list("?state=proposed")
	if len(got) != 1 || got[0].ThreadURL != "https://host.example/pull/7#r1" || got[0].FindingID != "fnd_1" || got[0].ProposedBy != "mona" || got[0].Decided != nil {
		t.Fatalf("%+v", got)
	}
	at := w.repo() + "/rules/proposals/" + v.ID + "/decision"
	testkit.Equal(t, "by a member", w.call(member, http.MethodPost, at, `{"decision":"accept"}`).status, http.StatusForbidden)
	testkit.Equal(t, "in effect", len(effective(w)), 0)
	testkit.Equal(t, "by an admin", w.call(admin, http.MethodPost, at, `{"decision":"accept"}`).status, http.StatusOK)
	testkit.Equal(t, "again", w.call(admin, http.MethodPost, at, `{"decision":"decline"}`).status, http.StatusConflict)
	testkit.Equal(t, "in effect", len(effective(w)), 1)
	testkit.Equal(t, "proposed", len(list("?state=proposed")), 0)
	if got = list(""); got[0].Decided == nil || got[0].RuleID == "" {
		t.Errorf("%+v", got)
	}
}

// effective lists the rules that a review of the world's repository has.
func effective(w *world) []tenant.Rule {
	var page httpList[tenant.Rule]
	w.into(&page, w.call(member, http.MethodGet, w.repo()+"/rules/effective", ""))
	return page.Items
}
