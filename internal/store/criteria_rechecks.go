package store

import (
	"context"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// WantRecheck records that an edit gave an issue's criteria a new digest, and returns the number of the
// edit. It returns changed false if the last edit had the same digest, or if there was no edit and the
// judged criteria have it.
func (s *Store) WantRecheck(ctx context.Context, t domain.Tenant, link, digest string) (seq int64, changed bool, err error) {
	seq, err = returning(ctx, s, value[int64], `UPDATE tracker_links SET wanted = $3, wanted_seq = wanted_seq + 1, recheck = ''
		WHERE tenant_id = $1 AND id = $2 AND wanted <> $3 AND NOT (wanted = '' AND judged = $3) RETURNING wanted_seq`, t.ID, link, digest)
	if errs.Is(err, errs.NotFound) {
		return 0, false, nil
	}
	return seq, err == nil, err
}

// RecheckAgain gives the last edit of an issue's criteria a new number, so that it is judged again. It
// returns due false if there was no edit or the last one is judged.
func (s *Store) RecheckAgain(ctx context.Context, t domain.Tenant, link string) (seq int64, due bool, err error) {
	seq, err = returning(ctx, s, value[int64], `UPDATE tracker_links SET wanted_seq = wanted_seq + 1
		WHERE tenant_id = $1 AND id = $2 AND wanted <> '' AND wanted <> judged RETURNING wanted_seq`, t.ID, link)
	if errs.Is(err, errs.NotFound) {
		return 0, false, nil
	}
	return seq, err == nil, err
}

// EndRecheck records the result of an edit: the digest of its criteria, and why they were not judged, "" if
// they were. It returns false and writes nothing if there is a later edit.
func (s *Store) EndRecheck(ctx context.Context, t domain.Tenant, link string, seq int64, digest, why string) (bool, error) {
	return s.exec1(ctx, `UPDATE tracker_links SET wanted = $4, recheck = $5 WHERE tenant_id = $1 AND id = $2 AND wanted_seq = $3`,
		t.ID, link, seq, digest, clip.Bytes(why, 500))
}

// LatestReview returns the last finished review of a pull request.
func (s *Store) LatestReview(ctx context.Context, t domain.Tenant, pull string) (Run, error) {
	return s.PublishedBefore(ctx, t, pull, "")
}

// OverexposedLinks lists at most limit links that hold more than an issue's key although only the key may be
// stored, because of the link's author, repository or connection. allowed is the part of a connection's
// mapping that permits more. Links to issues of the code host itself (connection host) are left out, because the readers
// of a repository read its issues.
func (s *Store) OverexposedLinks(ctx context.Context, allowed string, limit int) ([]TrackerLink, error) {
	return many(ctx, s, scanRecord[TrackerLink], selectTrackerLink()+` WHERE key_only = $1 AND removed_us = 0 AND connection_id <> 'host'
		AND (stranger = $2 OR EXISTS (SELECT 1 FROM repositories r WHERE r.tenant_id = tracker_links.tenant_id
			AND r.id = tracker_links.repository_id AND (r.private = $1 OR r.internal = $2)))
		AND NOT EXISTS (SELECT 1 FROM tracker_connections c WHERE c.tenant_id = tracker_links.tenant_id
			AND c.id = tracker_links.connection_id AND c.enabled = $2 AND c.mapping LIKE $3)
		ORDER BY pull_request_id, id LIMIT $4`, false, true, "%"+allowed+"%", limit)
}

// HideTrackerLink reduces a link to the key and deletes the checks of its criteria. It returns
// false if the link was already reduced.
func (s *Store) HideTrackerLink(ctx context.Context, t domain.Tenant, v TrackerLink) (hidden bool, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		now, err := first(ctx, s, s.db.Write, scanRecord[TrackerLink], selectTrackerLink()+
			` WHERE tenant_id = $1 AND id = $2 AND key_only = $3{forupdate}`, []any{t.ID, v.ID, false})
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
		return s.SetTicketFacts(ctx, t, now)
	})
	return hidden && err == nil, err
}
