package httpapi_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The list of a repository's findings has filters. A single finding shows its occurrences in runs and the
// decisions of people.
func TestFindings(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.fill()
		list := func(who, query string) (out []httpapi.ListedFinding) {
			var l httpapi.List[httpapi.ListedFinding]
			w.into(&l, w.call(who, http.MethodGet, w.repo()+"/findings?"+query, ""))
			return l.Items
		}
		all := list(member, "")
		testkit.Require(t, "findings", len(all), 2)
		for query, want := range map[string]int{"state=open": 2, "state=resolved": 0, "severity=high": 1, "category=bug": 2, "category=secret": 0, "rule=llm/x": 1, "rule=llm": 0, "number=" + "1": 2, "number=999": 0,
			"path=" + url.QueryEscape("a/b.go"): 2, "path=a": 0, "rule=llm/x&path=a/b.go&severity=high&state=open": 1} {
			if got := list(member, query); len(got) != want {
				t.Errorf("%s: %d findings, want %d", query, len(got), want)
			}
		}
		id := list(member, "rule=llm/x")[0].ID
		later := storetest.Run(t, s, w.Pull, "cmd:later")
		again := domain.Finding{ID: id, Origin: domain.OriginModel, RuleID: "llm/x", Category: domain.CategoryBug, Severity: domain.Critical, Title: "worse", Anchor: domain.Anchor{Path: "a/moved.go", Side: domain.Right, StartLine: 70, EndLine: 70},
			Fingerprints: domain.Fingerprints{Exact: "llm/x"}, Route: domain.RouteInline, State: domain.FindingOpen}
		_, err := s.SaveRunFindings(bg, later, []domain.Finding{again})
		must(t, err)
		_, err = store.AddRecord(bg, s, w.Tenant, store.Suppression{Record: store.Record{Repository: w.Repository.ID}, Finding: id, Scope: "fingerprint", Matches: "llm/x", Paths: "[]", State: "proposed", Source: "dismissal", Reason: hostile})
		must(t, err)
		var h httpapi.FindingHistory
		w.into(&h, w.call(member, http.MethodGet, w.repo()+"/findings/"+id, ""))
		if h.ID != id || h.Severity != "critical" || h.Path != "a/moved.go" || h.FirstRunID != w.Run.ID || h.LastRunID != later.ID || h.PullRequest.Number != w.Pull.Number {
			t.Errorf("%+v", h.ListedFinding)
		}
		if len(h.Sightings) != 2 || h.Sightings[0].RunID != later.ID || h.Sightings[0].StartLine != 70 || h.Sightings[1].RunID != w.Run.ID || h.Sightings[1].Path != "a/b.go" || h.Sightings[1].Severity != "high" {
			t.Errorf("%+v", h.Sightings)
		}
		if len(h.Decisions) != 1 || h.Decisions[0].Kind != "suppression" || h.Decisions[0].State != "proposed" || h.Decisions[0].Why != hostile || h.Decisions[0].At != nil {
			t.Errorf("%+v", h.Decisions)
		}
		testkit.Equal(t, "findings under the new path", len(list(member, "path="+url.QueryEscape("a/moved.go"))), 1)
		if r := w.call(stranger, http.MethodGet, w.repo()+"/findings/"+id, ""); r.status != http.StatusNotFound {
			t.Errorf("findings for a stranger: %d", r.status)
		}
		second := storetest.Repository(t, s, w.Tenant, w.Installation)
		if r := w.call(admin, http.MethodGet, w.tenantPath()+"/repositories/"+second.ID+"/findings/"+id, ""); r.status != http.StatusNotFound {
			t.Errorf("through another repository: %d", r.status)
		}
	})
}
