package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestPutSettingAt(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		put := func(version int64, body string) (store.Document, error) {
			return s.PutSettingAt(bg, w.Tenant, "", store.SettingTenant, body, version)
		}
		testkit.Equal(t, "before", must2(s.Document(bg, w.Tenant, "", store.SettingTenant))(t), store.Document{})
		_, err := put(1, "{}")
		wantKind(t, err, errs.Stale)
		testkit.Equal(t, "first", must2(put(store.NeverStored, `{"a":1}`))(t).Version, 1)
		_, err = put(store.NeverStored, `{"a":2}`)
		wantKind(t, err, errs.Stale)
		_, err = put(7, `{"a":2}`)
		wantKind(t, err, errs.Stale)
		testkit.Equal(t, "the right version", must2(put(1, `{"a":2}`))(t).Version, 2)
		testkit.Equal(t, "any version", must2(put(0, `{"a":3}`))(t).Version, 3)
		d := must2(s.Document(bg, w.Tenant, "", store.SettingTenant))(t)
		if d.Body != `{"a":3}` || d.Version != 3 || d.UpdatedUS == 0 {
			t.Errorf("the document is %+v", d)
		}
		for _, version := range []int64{store.NeverStored, 0, 1} {
			_, err = s.PutSettingAt(bg, w.Tenant, "rep_none", store.SettingPolicy, "{}", version)
			wantKind(t, err, errs.NotFound)
		}
		_, err = s.PutSettingAt(bg, domain.Tenant{ID: "ten_none"}, "", store.SettingPolicy, "{}", 0)
		wantKind(t, err, errs.NotFound)
		won := winners(t, 5, func(int) (bool, error) {
			_, err := put(3, `{}`)
			if errs.Is(err, errs.Stale) {
				return false, nil
			}
			return err == nil, err
		})
		testkit.Equal(t, "winners of a race", won, 1)
	})
}
