package tenant_test

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// another makes one more repository of the world's tenant.
func another(t testing.TB, w *featuretest.World, private bool) store.Repository {
	t.Helper()
	return setPrivate(t, w, storetest.Repository(t, w.Store, w.Tenant, w.Installation), private)
}

// setPrivate makes a repository private or public, as its host would.
func setPrivate(t testing.TB, w *featuretest.World, r store.Repository, private bool) store.Repository {
	t.Helper()
	r.Private = private
	r, err := w.Store.UpsertRepository(bg, w.Tenant, r)
	testkit.OK(t, err)
	return r
}

// link links the world's repository to another one.
func link(t testing.TB, w *featuretest.World, to, more string) (tenant.RepositoryLink, error) {
	t.Helper()
	return w.Features.Tenant.CreateLink(bg, w.Tenant, w.Repository, featuretest.Request[tenant.RepositoryLinkCreate](t, fmt.Sprintf(`{"repositoryId":%q,%s}`, to, more)))
}

// links lists the links of the world's repository.
func links(t testing.TB, w *featuretest.World, p tenant.Page) []tenant.RepositoryLink {
	t.Helper()
	all, err := w.Features.Tenant.Links(bg, w.Tenant, w.Repository.ID, p)
	testkit.OK(t, err)
	return all
}

func TestRepositoryLinks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		other := another(t, w, false)
		made, err := link(t, w, other.ID, `"kind":"consumer","note":"Client"`)
		testkit.OK(t, err)
		if made.RepositoryID != other.ID || made.Kind != "consumer" || made.State != "active" || made.Name != other.Name {
			t.Errorf("made is %+v", made)
		}
		_, err = link(t, w, other.ID, `"kind":"consumer"`)
		refused(t, "the same link again", err, errs.Conflict, "already_exists")
		second, err := link(t, w, other.ID, `"kind":"provider"`)
		testkit.OK(t, err)
		first := links(t, w, tenant.Page{Limit: 1})
		if len(first) != 1 || first[0].ID != second.ID {
			t.Errorf("the first page is %+v", first)
		}
		rest := links(t, w, tenant.Page{Limit: 2, Before: store.Cursor{US: first[0].CreatedAt.UnixMicro(), ID: first[0].ID}})
		if len(rest) != 1 || rest[0].ID != made.ID {
			t.Errorf("the second page is %+v", rest)
		}
		remove := func(repository string) error {
			return w.Features.Tenant.DeleteLink(bg, w.Tenant, repository, made.ID)
		}
		refused(t, "at another repository", remove(other.ID), errs.NotFound, "not_found")
		testkit.OK(t, s.DisconnectRepositories(bg, w.Tenant, w.Installation.ID, other.ExternalID))
		testkit.Equal(t, "after the repository is gone", links(t, w, tenant.Page{Limit: 9})[0].State, "disconnected")
		testkit.OK(t, remove(w.Repository.ID))
		refused(t, "deleted twice", remove(w.Repository.ID), errs.NotFound, "not_found")
	})
}

func TestRepositoryLinksRefuseWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	hidden := another(t, w, true)
	for name, tc := range map[string]struct{ to, more, field string }{
		"itself":                 {w.Repository.ID, `"kind":"related"`, "/repositoryId"},
		"of another tenant":      {w.Other.Repository.ID, `"kind":"related"`, "/repositoryId"},
		"that never existed":     {"rep_none", `"kind":"related"`, "/repositoryId"},
		"private code in public": {hidden.ID, `"kind":"related"`, "/confirmed"},
		"note of two lines":      {hidden.ID, `"kind":"related","confirmed":true,"note":"a\nb"`, "/note"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := link(t, w, tc.to, tc.more)
			testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), tc.field)
		})
	}
	testkit.Require(t, "stored", len(links(t, w, tenant.Page{Limit: 9})), 0)
}

func TestRepositoryLinksAndVisibility(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	hidden := another(t, w, true)
	w.Repository = setPrivate(t, w, w.Repository, true)
	made, err := link(t, w, hidden.ID, `"kind":"related"`)
	testkit.OK(t, err)
	w.Repository = setPrivate(t, w, w.Repository, false)
	testkit.Equal(t, "after the repository became public", links(t, w, tenant.Page{Limit: 9})[0].State, "unconfirmed")
	testkit.OK(t, w.Features.Tenant.DeleteLink(bg, w.Tenant, w.Repository.ID, made.ID))
	made, err = link(t, w, hidden.ID, `"kind":"related","confirmed":true`)
	testkit.OK(t, err)
	testkit.Equal(t, "confirmed", made.State, "active")
}

func TestRepositoryLinksHaveALimit(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	for range tenant.MaxLinks {
		_, err := w.Store.CreateLink(bg, w.Tenant, store.RepositoryLink{Repository: w.Repository.ID, Linked: another(t, w, false).ID, Kind: "related"})
		testkit.OK(t, err)
	}
	_, err := link(t, w, another(t, w, false).ID, `"kind":"related"`)
	refused(t, "one too many", err, errs.Conflict, "limit_reached")
}

func TestPatternRepositories(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		acts, hidden := w.Features.Tenant, another(t, w, true)
		create := func(id, more string) (tenant.PatternRepository, error) {
			return acts.CreatePattern(bg, w.Tenant, featuretest.Request[tenant.PatternRepositoryCreate](t, fmt.Sprintf(`{"repositoryId":%q%s}`, id, more)))
		}
		made, err := create(w.Repository.ID, `,"paths":["src/**"],"note":"How it is done"`)
		testkit.OK(t, err)
		_, err = create(w.Repository.ID, "")
		refused(t, "the same again", err, errs.Conflict, "already_exists")
		_, err = create(hidden.ID, "")
		testkit.Equal(t, "wrong fields of a private one beside public ones", featuretest.Pointers(t, err), "/confirmed")
		_, err = create(w.Other.Repository.ID, "")
		testkit.Equal(t, "wrong fields of another tenant's", featuretest.Pointers(t, err), "/repositoryId")
		_, err = create(w.Repository.ID, `,"paths":["../a"]`)
		testkit.Equal(t, "wrong fields of paths out of the tree", featuretest.Pointers(t, err), "/paths/0")
		second, err := create(hidden.ID, `,"confirmed":true`)
		testkit.OK(t, err)
		all, err := acts.Patterns(bg, w.Tenant, tenant.Page{Limit: 9})
		testkit.OK(t, err)
		if len(all) != 2 || all[0].ID != second.ID || all[1].Paths[0] != "src/**" || all[1].State != "active" {
			t.Errorf("the list is %+v", all)
		}
		testkit.OK(t, acts.DeletePattern(bg, w.Tenant, made.ID))
		refused(t, "deleted twice", acts.DeletePattern(bg, w.Tenant, made.ID), errs.NotFound, "not_found")
		_, err = s.Repository(bg, w.Tenant, w.Repository.ID)
		testkit.OK(t, err) // the repository itself stays
	})
}
