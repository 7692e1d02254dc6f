package sastdocs_test

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/sastdocs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

var bg = context.Background()

// Documents are sealed for their row and tenant.
func TestDocumentsAreSealed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w, keys := storetest.Seed(t, s), storetest.Keyring(t, s)
		d := sastdocs.Documents{Store: s, Keyring: keys}
		row := store.SastRun{Record: store.Record{Repository: w.Repository.ID}, HeadSHA: w.Run.HeadSHA, Digest: "d", Analysers: "[]", LeftOut: "[]"}
		made, fresh, err := d.AddUpload(bg, w.Tenant, row, []byte("password=hunter2"))
		testkit.OK(t, err)
		testkit.Equal(t, "made", fresh, true)
		row.Run = w.Run.ID
		testkit.OK(t, d.AddReview(bg, w.Tenant, row, []byte("a review")))

		stored, err := s.SastDocument(bg, w.Tenant, w.Repository.ID, made.ID)
		testkit.OK(t, err)
		if bytes.Contains(stored, []byte("hunter2")) || bytes.Contains(stored, []byte{0x1f, 0x8b, 8}) {
			t.Error("the stored document is plain")
		}
		storetest.Sealed(t, s, keys, "sast_documents.body")
		text, err := d.Open(bg, w.Tenant, w.Repository.ID, made.ID)
		testkit.OK(t, err)
		got, err := io.ReadAll(text)
		testkit.OK(t, err)
		testkit.Equal(t, "document", string(got), "password=hunter2")
		if _, err := d.Open(bg, domain.Tenant{ID: "ten_other"}, w.Repository.ID, made.ID); !errs.Is(err, errs.NotFound) {
			t.Errorf("another tenant: %v", err)
		}
	})
}
