package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// secondRepository makes one more repository of the world's tenant.
func (w *world) secondRepository(private bool) store.Repository {
	w.t.Helper()
	r := storetest.Repository(w.t, w.store, w.Tenant, w.Installation)
	r.Private = private
	r, err := w.store.SeeRepository(bg, w.Tenant, r)
	must(w.t, err)
	return r
}

func (w *world) setPrivate(r store.Repository, private bool) {
	w.t.Helper()
	r.Private = private
	_, err := w.store.SeeRepository(bg, w.Tenant, r)
	must(w.t, err)
}

func TestRepositoryLinks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		path, other := w.repo()+"/links", w.secondRepository(false)
		var made tenant.RepositoryLink
		body := fmt.Sprintf(`{"repositoryId":%q,"kind":"consumer","note":"Client"}`, other.ID)
		answer := w.made(&made, admin, path, body)
		testkit.Equal(t, "Location", answer.header.Get("Location"), path+"/"+made.ID)
		if made.RepositoryID != other.ID || made.Kind != "consumer" || made.State != "active" || made.Name != other.Name {
			t.Errorf("made is %+v", made)
		}
		again := w.call(admin, http.MethodPost, path, body)
		if again.status != http.StatusConflict || problemOf(t, again) != "already_exists" {
			t.Errorf("the same link again: %d %s", again.status, again.body)
		}
		var second tenant.RepositoryLink
		w.made(&second, admin, path, fmt.Sprintf(`{"repositoryId":%q,"kind":"provider"}`, other.ID))
		var all httpList[tenant.RepositoryLink]
		w.into(&all, w.call(member, http.MethodGet, path+"?limit=1", ""))
		if len(all.Items) != 1 || all.Items[0].ID != second.ID || all.NextCursor == "" {
			t.Errorf("the first page is %+v", all)
		}
		var rest httpList[tenant.RepositoryLink]
		w.into(&rest, w.call(member, http.MethodGet, path+"?limit=1&cursor="+all.NextCursor, ""))
		if len(rest.Items) != 1 || rest.Items[0].ID != made.ID || rest.NextCursor != "" {
			t.Errorf("the second page is %+v", rest)
		}
		elsewhere := w.tenantPath() + "/repositories/" + other.ID + "/links/" + made.ID
		testkit.Equal(t, "at another repository", w.call(admin, http.MethodDelete, elsewhere, "").status, http.StatusNotFound)
		must(t, s.DisconnectRepositories(bg, w.Tenant, w.Installation.ID, other.ExternalID))
		var gone httpList[tenant.RepositoryLink]
		w.into(&gone, w.call(member, http.MethodGet, path, ""))
		testkit.Equal(t, "after the repository is gone", gone.Items[0].State, "disconnected")
		testkit.Equal(t, "deleted", w.call(admin, http.MethodDelete, path+"/"+made.ID, "").status, http.StatusNoContent)
		testkit.Equal(t, "deleted twice", w.call(admin, http.MethodDelete, path+"/"+made.ID, "").status, http.StatusNotFound)
	})
}

func TestRepositoryLinksRefuseWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	hidden := w.secondRepository(true)
	for name, tc := range map[string]struct {
		body   string
		fields []string
	}{
		"itself":                 {fmt.Sprintf(`{"repositoryId":%q,"kind":"related"}`, w.Repository.ID), []string{"/repositoryId"}},
		"of another tenant":      {fmt.Sprintf(`{"repositoryId":%q,"kind":"related"}`, w.other.Repository.ID), []string{"/repositoryId"}},
		"that never was":         {`{"repositoryId":"rep_none","kind":"related"}`, []string{"/repositoryId"}},
		"unknown kind":           {fmt.Sprintf(`{"repositoryId":%q,"kind":"friend"}`, hidden.ID), []string{"/kind"}},
		"private code in public": {fmt.Sprintf(`{"repositoryId":%q,"kind":"related"}`, hidden.ID), []string{"/confirmed"}},
		"note of two lines":      {fmt.Sprintf(`{"repositoryId":%q,"kind":"related","confirmed":true,"note":"a\nb"}`, hidden.ID), []string{"/note"}},
	} {
		t.Run(name, func(t *testing.T) {
			if fields := wrongFields(t, w.call(admin, http.MethodPost, w.repo()+"/links", tc.body)); !slices.Equal(fields, tc.fields) {
				t.Errorf("wrong fields are %v, want %v", fields, tc.fields)
			}
		})
	}
	never := w.call(admin, http.MethodPost, w.repo()+"/links", `{"repositoryId":"rep_none","kind":"related"}`)
	theirs := w.call(admin, http.MethodPost, w.repo()+"/links", fmt.Sprintf(`{"repositoryId":%q,"kind":"related"}`, w.other.Repository.ID))
	testkit.Equal(t, "somebody else's and none", theirs.body, never.body)
	testkit.Equal(t, "by a member", w.call(member, http.MethodPost, w.repo()+"/links", `{}`).status, http.StatusForbidden)
	var all httpList[tenant.RepositoryLink]
	w.into(&all, w.call(admin, http.MethodGet, w.repo()+"/links", ""))
	testkit.Require(t, "stored", len(all.Items), 0)
}

func TestRepositoryLinksAndVisibility(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	path, hidden := w.repo()+"/links", w.secondRepository(true)
	body := fmt.Sprintf(`{"repositoryId":%q,"kind":"related"}`, hidden.ID)
	w.setPrivate(w.Repository, true)
	var made tenant.RepositoryLink
	w.made(&made, admin, path, body)
	w.setPrivate(w.Repository, false)
	var all httpList[tenant.RepositoryLink]
	w.into(&all, w.call(member, http.MethodGet, path, ""))
	testkit.Equal(t, "after the repository became public", all.Items[0].State, "unconfirmed")
	testkit.Equal(t, "deleted", w.call(admin, http.MethodDelete, path+"/"+made.ID, "").status, http.StatusNoContent)
	w.made(&made, admin, path, fmt.Sprintf(`{"repositoryId":%q,"kind":"related","confirmed":true}`, hidden.ID))
	testkit.Equal(t, "confirmed", made.State, "active")
}

func TestRepositoryLinksHaveALimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for range tenant.MaxLinks {
		_, err := w.store.CreateLink(bg, w.Tenant, store.RepositoryLink{Repository: w.Repository.ID, Linked: w.secondRepository(false).ID, Kind: "related"})
		must(t, err)
	}
	got := w.call(admin, http.MethodPost, w.repo()+"/links", fmt.Sprintf(`{"repositoryId":%q,"kind":"related"}`, w.secondRepository(false).ID))
	if got.status != http.StatusConflict || problemOf(t, got) != "limit_reached" {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestPatternRepositories(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		path, hidden := w.tenantPath()+"/pattern-repositories", w.secondRepository(true)
		var made, second tenant.PatternRepository
		body := fmt.Sprintf(`{"repositoryId":%q,"paths":["src/**"],"note":"How it is done"}`, w.Repository.ID)
		answer := w.made(&made, admin, path, body)
		testkit.Equal(t, "Location", answer.header.Get("Location"), path+"/"+made.ID)
		if again := w.call(admin, http.MethodPost, path, body); again.status != http.StatusConflict || problemOf(t, again) != "already_exists" {
			t.Errorf("the same again: %d %s", again.status, again.body)
		}
		unconfirmed := wrongFields(t, w.call(admin, http.MethodPost, path, fmt.Sprintf(`{"repositoryId":%q}`, hidden.ID)))
		if !slices.Equal(unconfirmed, []string{"/confirmed"}) {
			t.Errorf("a private one beside public ones: %v", unconfirmed)
		}
		w.made(&second, admin, path, fmt.Sprintf(`{"repositoryId":%q,"confirmed":true}`, hidden.ID))
		var all httpList[tenant.PatternRepository]
		w.into(&all, w.call(member, http.MethodGet, path, ""))
		if len(all.Items) != 2 || all.Items[0].ID != second.ID || all.Items[1].Paths[0] != "src/**" || all.Items[1].State != "active" {
			t.Errorf("the list is %+v", all.Items)
		}
		for name, tc := range map[string]struct {
			body   string
			fields []string
		}{
			"of another tenant":     {fmt.Sprintf(`{"repositoryId":%q}`, w.other.Repository.ID), []string{"/repositoryId"}},
			"paths out of the tree": {fmt.Sprintf(`{"repositoryId":%q,"paths":["../a"]}`, w.Repository.ID), []string{"/paths/0"}},
		} {
			t.Run(name, func(t *testing.T) {
				if fields := wrongFields(t, w.call(admin, http.MethodPost, path, tc.body)); !slices.Equal(fields, tc.fields) {
					t.Errorf("wrong fields are %v, want %v", fields, tc.fields)
				}
			})
		}
		testkit.Equal(t, "deleted", w.call(admin, http.MethodDelete, path+"/"+made.ID, "").status, http.StatusNoContent)
		testkit.Equal(t, "deleted twice", w.call(admin, http.MethodDelete, path+"/"+made.ID, "").status, http.StatusNotFound)
		if _, err := s.Repository(bg, w.Tenant, w.Repository.ID); err != nil {
			t.Errorf("the repository itself: %v", err)
		}
	})
}
