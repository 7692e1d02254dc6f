package store

import (
	"context"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// WantRecheck notes that an edit has left the criteria of an issue with a digest, and
// returns the number of the edit. False: the last edit left them so, or none was seen and
// they are those that were judged.
func (s *Store) WantRecheck(ctx context.Context, t domain.Tenant, link, digest string) (seq int64, changed bool, err error) {
	seq, err = returning(ctx, s, value[int64], `UPDATE tracker_links SET wanted = $3, wanted_seq = wanted_seq + 1, recheck = ''
		WHERE tenant_id = $1 AND id = $2 AND wanted <> $3 AND NOT (wanted = '' AND judged = $3) RETURNING wanted_seq`, t.ID, link, digest)
	if errs.Is(err, errs.NotFound) {
		return 0, false, nil
	}
	return seq, err == nil, err
}

// RecheckAgain gives the last edit of the criteria of an issue another number, so that
// it is judged after all. False: it was judged, or there was none.
func (s *Store) RecheckAgain(ctx context.Context, t domain.Tenant, link string) (seq int64, due bool, err error) {
	seq, err = returning(ctx, s, value[int64], `UPDATE tracker_links SET wanted_seq = wanted_seq + 1
		WHERE tenant_id = $1 AND id = $2 AND wanted <> '' AND wanted <> judged RETURNING wanted_seq`, t.ID, link)
	if errs.Is(err, errs.NotFound) {
		return 0, false, nil
	}
	return seq, err == nil, err
}

// EndRecheck notes how an edit ended: the digest of the criteria that it is about now,
// and why they were not judged ("" where they were). False: a later edit came, and nothing
// was written.
func (s *Store) EndRecheck(ctx context.Context, t domain.Tenant, link string, seq int64, digest, why string) (bool, error) {
	return s.exec1(ctx, `UPDATE tracker_links SET wanted = $4, recheck = $5 WHERE tenant_id = $1 AND id = $2 AND wanted_seq = $3`, t.ID, link, seq, digest, clip.Bytes(why, 500))
}

// LatestReview returns the newest published review of a pull request.
func (s *Store) LatestReview(ctx context.Context, t domain.Tenant, pull string) (Run, error) {
	return s.PublishedBefore(ctx, t, pull, "")
}

// Overexposed lists links whose repositories, connections or authors are such now that
// nothing but the key of their issue may be known, and of which more is kept, at most
// limit of them. allowed is what the mapping of a connection contains that lets more be
// known.
func (s *Store) Overexposed(ctx context.Context, allowed string, limit int) ([]TrackerLink, error) {
	return many(ctx, s, scanRecord[TrackerLink], selectTrackerLink()+` WHERE key_only = $1 AND removed_us = 0
		AND (stranger = $2 OR EXISTS (SELECT 1 FROM repositories r WHERE r.tenant_id = tracker_links.tenant_id AND r.id = tracker_links.repository_id AND (r.private = $1 OR r.internal = $2)))
		AND NOT EXISTS (SELECT 1 FROM tracker_connections c WHERE c.tenant_id = tracker_links.tenant_id AND c.id = tracker_links.connection_id AND c.enabled = $2 AND c.mapping LIKE $3)
		ORDER BY pull_request_id, id LIMIT $4`, false, true, "%"+allowed+"%", limit)
}

// HideTrackerLink empties a link of which nothing but the key may be known any more, with
// what was said of the criteria of its issue. False: somebody did before.
func (s *Store) HideTrackerLink(ctx context.Context, t domain.Tenant, v TrackerLink) (hidden bool, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		now, err := first(ctx, s, s.db.Write, scanRecord[TrackerLink], selectTrackerLink()+` WHERE tenant_id = $1 AND id = $2 AND key_only = $3{forupdate}`, []any{t.ID, v.ID, false})
		if errs.Is(err, errs.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.DropACChecks(ctx, t, now); err != nil {
			return err
		}
		now.KeyOnly, hidden = true, true
		return s.ReadTrackerLink(ctx, t, now)
	})
	return hidden && err == nil, err
}
