package store_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestOpenBesideAServingProcess(t *testing.T) {
	storetest.EachURL(t, func(t *testing.T, url string) {
		serving := storetest.Open(t, url)
		must2(serving.Migrate(bg))(t)
		w := storetest.Seed(t, serving)
		beside := must2(store.Open(bg, url, store.Options{Beside: true}))(t)
		testkit.Equal(t, "run", must2(beside.RunForWork(bg, w.Run.ID))(t).ID, w.Run.ID)
		must2(beside.CreateTenant(bg, "beside"))(t)
		testkit.OK(t, beside.Close())
		must2(serving.CreateTenant(bg, "serving"))(t) // the lock and the file are unchanged
		testkit.Require(t, "tenants", len(must2(serving.Tenants(bg))(t)), 3)
	})
}

func TestOpenBesideMakesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "assay.db")
	if _, err := store.Open(bg, path, store.Options{Beside: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want a missing file", err)
	}
	if found, _ := filepath.Glob(path + "*"); len(found) > 0 {
		t.Errorf("it made %v", found)
	}
}

func TestFacts(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := must2(s.Facts(bg))(t)
		if f.Version == "" || f.Engine == "" || len(f.Settings) < 2 {
			t.Errorf("%+v", f)
		}
		if d := time.Since(time.UnixMicro(f.NowUS)).Abs(); d > time.Hour {
			t.Errorf("the clocks differ by %v", d)
		}
		for _, x := range f.Settings {
			// The shared test server does not wait for the disk.
			if x.OK == (x.Name == "fsync") || x.Value == "" || x.Fix == "" {
				t.Errorf("%+v", x)
			}
		}
	})
}

func TestSearchRuns(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		name := w.Repository.Owner + "/" + w.Repository.Name
		for what, c := range map[string]struct {
			f    store.OperatorFilter
			want int
		}{
			"everything":       {store.OperatorFilter{Limit: 5}, 1},
			"repository":       {store.OperatorFilter{Repository: name, Limit: 5}, 1},
			"other repository": {store.OperatorFilter{Repository: name + "x", Limit: 5}, 0},
			"state":            {store.OperatorFilter{State: w.Run.State, Limit: 5}, 1},
			"other state":      {store.OperatorFilter{State: "failed", Limit: 5}, 0},
			"number":           {store.OperatorFilter{Number: w.Run.Number, Limit: 5}, 1},
			"all together":     {store.OperatorFilter{Repository: name, State: w.Run.State, Number: w.Run.Number, Limit: 5}, 1},
			"other number":     {store.OperatorFilter{Repository: name, Number: w.Run.Number + 1, Limit: 5}, 0},
		} {
			testkit.Require(t, what, len(must2(s.SearchRuns(bg, c.f))(t)), c.want)
		}
	})
}
