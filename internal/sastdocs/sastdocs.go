// Package sastdocs stores the SARIF documents of static-analysis runs. They quote code, so that they are sealed at rest.
package sastdocs

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// MaxBytes is the maximum size of a document, without gzip.
const MaxBytes = 32 << 20

// Documents stores and reads documents. Both fields are required. It is safe for concurrent use.
type Documents struct {
	Store   *store.Store
	Keyring *secret.Keyring
}

// AddUpload stores an uploaded document; see [store.Store.AddSastUpload]. text is SARIF without gzip.
func (d Documents) AddUpload(ctx context.Context, t domain.Tenant, v store.SastRun, text []byte) (store.SastRun, bool, error) {
	seal, err := d.seal(t, text)
	if err != nil {
		return store.SastRun{}, false, err
	}
	return d.Store.AddSastUpload(ctx, t, v, seal)
}

// AddReview stores the document of a review; see [store.Store.AddSastReview]. text is SARIF without gzip.
func (d Documents) AddReview(ctx context.Context, t domain.Tenant, v store.SastRun, text []byte) error {
	seal, err := d.seal(t, text)
	if err != nil {
		return err
	}
	return d.Store.AddSastReview(ctx, t, v, seal)
}

// Open returns the SARIF of a static-analysis run without gzip. It returns [errs.NotFound] if the document has been deleted.
func (d Documents) Open(ctx context.Context, t domain.Tenant, repository, id string) (io.Reader, error) {
	sealed, err := d.Store.SastDocument(ctx, t, repository, id)
	if err != nil {
		return nil, err
	}
	packed, err := d.Keyring.Open(ctx, scope(t, id), sealed)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack the document of a static-analysis run: %w", err)
	}
	return io.LimitReader(z, MaxBytes), nil
}

// seal packs a document, and returns the function that seals it for its row.
func (d Documents) seal(t domain.Tenant, text []byte) (store.SealDocument, error) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(text); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return func(ctx context.Context, id string) ([]byte, error) {
		return d.Keyring.Seal(ctx, scope(t, id), packed.Bytes())
	}, nil
}

func scope(t domain.Tenant, id string) secret.Scope {
	return secret.Scope{Tenant: t.ID, Table: "sast_documents", Row: id, Column: "body"}
}
